// A stream that repetitions have filled: room is made, and nothing is lost.
#include <gtest/gtest.h>

#include "cluster/batch.h"
#include "cluster/simulation_testing.h"

namespace isolde::cluster {
namespace full_stream_test {

constexpr std::uint64_t kStreamBytes = 4096;

// One partition and one producer, whose first batch was stored again and again, until the stream was full.
class FullStream : public ::testing::Test {
 protected:
  void SetUp() override {
    ClusterPlan made = plan();
    ASSERT_TRUE(set_up(producing_, names_, made, {.lease = 2, .max_bytes = kStreamBytes}));
    while (append(1) == AppendOutcome::kStored) ++stored_;
    ASSERT_GT(stored_, 3);
  }

  static ClusterPlan plan() {
    ClusterPlan out = simulation_test::plan_of(1);
    out.producers = 1;
    return out;
  }
  static std::string line(int number) {
    return fmt::format(
        R"({{"id": {}, "session": 1, "start_ts": {}, "commit_ts": {}, "ops": [["w", "x", {}], ["w", "{:0>500}", 1]]}})"
        "\n",
        number, 10 * number, 10 * number + 5, number, "y");
  }
  AppendOutcome append(std::uint64_t number) {
    const BatchHead head{.from = "p", .number = number};
    const std::string body = line(static_cast<int>(number));
    return append_now(producing_, {names_.batch(0, "p"), batch_text(head, body), {}}, std::nullopt).outcome;
  }
  void step_for(std::chrono::milliseconds time) {
    for (auto left = time; left.count() > 0; left -= std::chrono::milliseconds(20)) {
      server_->time += 20 * simulation_test::kMillisecond;
      ASSERT_TRUE(worker_.step());
    }
  }
  static WorkerOptions options(const std::shared_ptr<MemoryServer>& server) {
    WorkerOptions out;
    out.id = "w";
    out.lease = std::chrono::milliseconds(2000);
    out.first_checkpoint = std::chrono::milliseconds(100);
    out.checkpoint_every = std::chrono::milliseconds(300);
    out.status_every = std::chrono::milliseconds(100);
    out.incarnation = 7;
    out.clock = [server] { return std::chrono::nanoseconds(server->time); };
    return out;
  }

  std::shared_ptr<MemoryServer> server_ = std::make_shared<MemoryServer>(1);
  MemoryBroker producing_{server_}, working_{server_};
  Names names_{"test"};
  simulation_test::Quiet view_;
  Worker worker_{working_, names_, plan(), options(server_), view_};
  int stored_ = 0;
};

}  // namespace full_stream_test

using full_stream_test::FullStream;

TEST_F(FullStream, RepetitionsThatAreCoveredAreRemovedAndTheNextBatchHasRoom) {
  EXPECT_EQ(append(2), AppendOutcome::kFull);
  // The first one is dropped with what two checkpoints cover, and a repetition takes its place.
  const auto& messages = server_->streams.at(names_.trace()).messages;
  for (int i = 0; i < 500 && messages.size() == static_cast<std::size_t>(stored_); ++i)
    step_for(std::chrono::milliseconds(20));
  ASSERT_LT(messages.size(), static_cast<std::size_t>(stored_));
  while (append(1) == AppendOutcome::kStored) {
  }
  EXPECT_EQ(append(2), AppendOutcome::kFull);
  step_for(std::chrono::seconds(8));
  EXPECT_EQ(append(2), AppendOutcome::kStored);
  step_for(std::chrono::seconds(4));
  const auto status = last_now(producing_, names_.status(), names_.status_of(0));
  ASSERT_TRUE(status);
  const auto read = read_status(status->data);
  ASSERT_TRUE(read) << status->data;
  EXPECT_EQ(read->taken.at("p"), 2U);
  EXPECT_EQ(read->transactions, 2U);
  EXPECT_EQ(read->missing, 0U);
  EXPECT_EQ(read->refused, 0U) << read->first_fault;
}

// A batch that is not covered by two checkpoints is never removed, however often it is there.
TEST_F(FullStream, NothingIsRemovedBeforeCheckpointsCoverIt) {
  step_for(std::chrono::milliseconds(60));  // taken, and read, but no checkpoint is due
  EXPECT_EQ(server_->streams.at(names_.trace()).messages.size(), static_cast<std::size_t>(stored_));
}

}  // namespace isolde::cluster
