// tests/live/faults_test.cc: connections cut, sessions ended and servers restarted while a run is recorded: the
// recording is complete, its verdict stays right, and what nobody can know is counted as unknown.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "db/server.h"
#include "format/format.h"
#include "record/run.h"
#include "record/run_faults.h"
#include "tests/cli/run_program.h"
#include "tests/live/final_lists.h"

namespace isolde::test {
namespace faults_test {

struct FaultCase {
  const char* kind;
  record::FaultPlan faults;
};

class FaultsOn : public ::testing::TestWithParam<FaultCase> {};

TEST_P(FaultsOn, LeaveTheRecordingCompleteAndTheVerdictRight) {
  const FaultCase& given = GetParam();
  const Scratch scratch;
  std::unique_ptr<db::Server> server;
  std::string url = "sqlite:" + scratch.path("lists.db");
  if (std::string(given.kind) != "sqlite") {
    auto started = db::start_server({given.kind, "", {}});
    ASSERT_TRUE(started) << started.error().message();
    server = *std::move(started);
    url = server->url();
  }
  const db::Url parsed = *db::parse_url(url);
  const auto database = db::open_database(parsed);
  ASSERT_TRUE(database) << database.error().message();
  const auto level = db::level_named(**database, "serializable");
  ASSERT_TRUE(level) << level.error().message();

  record::WorkloadOptions options;
  const auto workload = record::workload_named("list-append")->make(options, (*database)->dialect());
  ASSERT_TRUE(workload) << workload.error().message();
  record::RunOptions run;
  run.seconds = 1.5;  // and until all faults are done
  run.faults = given.faults;
  run.rollbacks = 0.05;
  const std::string folder = scratch.path("recording");
  const auto summary =
      record::run(**database, parsed, **level, **workload, run, folder, {.progress = {}, .server = server.get()});
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->faults, given.faults);
  EXPECT_GT(summary->committed, 0U);
  EXPECT_GT(summary->reconnects, 0U);

  const auto loaded = load(folder, nullptr, {});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(status_counts(loaded->history), (StatusCounts{summary->committed, summary->aborted, summary->unknown}));
  const History& h = loaded->history;
  EXPECT_EQ(std::string_view(given.kind) == "postgres" ? against_postgres_serializable(h)
                                                       : against_level(h, Level::kSerializable),
            "");
  EXPECT_EQ(against_final_lists(loaded->history, **database), "");
  EXPECT_EQ(loaded->history.faults().size(), given.faults.all()) << "each is marked with its time";
  RecordProperty("committed", static_cast<int>(summary->committed));
  RecordProperty("aborted", static_cast<int>(summary->aborted));
  RecordProperty("unknown", static_cast<int>(summary->unknown));
}

INSTANTIATE_TEST_SUITE_P(Databases, FaultsOn,
                         ::testing::Values(FaultCase{"postgres", {50, 10, 1, 2}}, FaultCase{"mariadb", {50, 10, 1, 2}},
                                           FaultCase{"sqlite", {50, 0, 0, 0}}),
                         [](const auto& given) { return std::string(given.param.kind); });

class ServerThatDies : public ::testing::TestWithParam<const char*> {};

// The run's time is over before anybody has given up connecting: it ends with an error all the same.
TEST_P(ServerThatDies, EndsTheRunWithAnErrorAndWhatWasRecordedIsKept) {
  const Scratch scratch;
  auto server = db::start_server({GetParam(), "", {}});
  ASSERT_TRUE(server) << server.error().message();
  const db::Url url = *db::parse_url((*server)->url());
  const auto database = db::open_database(url);
  ASSERT_TRUE(database) << database.error().message();
  const auto level = db::level_named(**database, "serializable");
  ASSERT_TRUE(level) << level.error().message();
  const auto workload = record::workload_named("list-append")->make({}, (*database)->dialect());
  ASSERT_TRUE(workload) << workload.error().message();
  record::RunOptions run;
  run.seconds = 2;
  run.evidence = false;
  bool runs = true;
  std::uint64_t committed = 0;
  const std::string folder = scratch.path("recording");
  const auto summary =
      record::run(**database, url, **level, **workload, run, folder, {.progress = [&](const record::RunProgress& p) {
        if (!runs || p.committed == 0) return;
        runs = false;
        committed = p.committed;
        EXPECT_TRUE((*server)->stop(db::Stop::kCrash));
      }});
  EXPECT_FALSE(runs);
  ASSERT_FALSE(summary) << "the server is gone, and nobody was told";
  EXPECT_NE(summary.error().message().find("connect"), std::string::npos) << summary.error().message();
  const auto loaded = load(folder, nullptr, {});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_GE(status_counts(loaded->history).committed, committed);
}

INSTANTIATE_TEST_SUITE_P(Databases, ServerThatDies, ::testing::Values("postgres", "mariadb"),
                         [](const auto& kind) { return std::string(kind.param); });

// Interrupts the run while the server is down, and stays down until every client has noticed.
class InterruptedRestart : public db::Server {
 public:
  InterruptedRestart(db::Server& server, std::atomic<bool>& interrupted) : server_(server), interrupted_(interrupted) {}
  [[nodiscard]] std::string url() const override { return server_.url(); }
  [[nodiscard]] std::string superuser_url() const override { return server_.superuser_url(); }
  [[nodiscard]] Result<void> stop(db::Stop how) override {
    auto done = server_.stop(how);
    interrupted_ = true;
    return done;
  }
  [[nodiscard]] Result<void> start() override {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return server_.start();
  }
  [[nodiscard]] std::string log_file() const override { return server_.log_file(); }

 private:
  db::Server& server_;
  std::atomic<bool>& interrupted_;
};

TEST(Faults, ARunInterruptedWhileItsServerRestartsEndsInGoodOrder) {
  const Scratch scratch;
  auto server = db::start_server({"postgres", "", {}});
  ASSERT_TRUE(server) << server.error().message();
  const db::Url url = *db::parse_url((*server)->url());
  const auto database = db::open_database(url);
  ASSERT_TRUE(database) << database.error().message();
  const auto level = db::level_named(**database, "serializable");
  ASSERT_TRUE(level) << level.error().message();
  const auto workload = record::workload_named("list-append")->make({}, (*database)->dialect());
  ASSERT_TRUE(workload) << workload.error().message();
  record::RunOptions run;
  run.seconds = 1;
  run.faults.restart_orderly = 1;
  std::atomic<bool> interrupted = false;
  InterruptedRestart restarted(**server, interrupted);
  const std::string folder = scratch.path("recording");
  const auto summary = record::run(**database, url, **level, **workload, run, folder,
                                   {.progress = {}, .interrupted = &interrupted, .server = &restarted});
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->faults.restart_orderly, 1U);
  const auto loaded = load(folder, nullptr, {});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(status_counts(loaded->history), (StatusCounts{summary->committed, summary->aborted, summary->unknown}));
}

TEST(Faults, AServerThatTheRunDidNotStartIsNotRestarted) {
  const Scratch scratch;
  const db::Url url = *db::parse_url("sqlite:" + scratch.path("lists.db"));
  EXPECT_FALSE(record::check_faults({0, 0, 1, 0}, url, nullptr));
  EXPECT_FALSE(record::check_faults({0, 0, 0, 1}, url, nullptr));
  EXPECT_FALSE(record::check_faults({0, 1, 0, 0}, url, nullptr));
  EXPECT_TRUE(record::check_faults({1, 0, 0, 0}, url, nullptr));
}

}  // namespace faults_test
}  // namespace isolde::test
