// tests/live/recorded_order_test.cc: where a level's mechanism promises an order (strict two-phase locking, one writer
// at a time), `record` writes it, `check` takes the method `replay` for it, and a server that breaks its promise is
// found.
#include <functional>

#include "check/choose/choose.h"
#include "db/server.h"
#include "tests/live/shared_server.h"
#include "tests/support/faulty_database.h"
#include "tests/support/recorded_run.h"

namespace isolde::record {
namespace recorded_order_test {

constexpr std::string_view kWorkloads[] = {"rmw", "list-append", "smallbank"};

using Planted = std::function<std::unique_ptr<db::Database>(std::unique_ptr<db::Database>)>;

struct Ordered {
  const char* kind;
  const char* level;
  std::uint32_t clients;
};

std::ostream& operator<<(std::ostream& out, const Ordered& ordered) { return out << ordered.kind; }

class RecordedOrder : public ::testing::TestWithParam<Ordered> {
 protected:
  // With the order that the level promises, whatever is planted; `setting`: of the level that sessions run at instead.
  [[nodiscard]] std::optional<Recorded> recorded(std::string_view workload, std::uint64_t count,
                                                 const Planted& planted = {}, std::string_view setting = {},
                                                 std::uint64_t seed = 1) {
    std::string url = "sqlite:?timeout=500";
    if (std::string_view(GetParam().kind) != "sqlite") {
      const db::Server* const server = test::shared_server({GetParam().kind, "", {}});
      EXPECT_NE(server, nullptr);
      if (server == nullptr) return std::nullopt;
      url = server->url();
    }
    Place p = place(url, GetParam().level);
    db::ServerLevel level = *p.level;
    EXPECT_NE(level.serial, db::SerialOrder::kNone);
    if (!setting.empty()) level.setting = setting;
    if (planted) p.database = planted(std::move(p.database));
    p.level = &level;
    WorkloadOptions options;
    options.keys = 8;
    return record_on(p, workload, options, transactions(count, GetParam().clients, seed));
  }

  // What is planted comes up by chance: on a busy machine a few runs may be needed.
  void expect_violated(const Planted& planted, std::string_view setting) {
    constexpr std::uint64_t kMostRuns = 20;
    for (std::uint64_t seed = 1; seed <= kMostRuns; ++seed) {
      const auto run = recorded("rmw", 400, planted, setting, seed);
      ASSERT_TRUE(run);
      const Verdict verdict =
          choose(run->history, Level::kSerializable, {}).engine->check(run->history, Level::kSerializable, {});
      if (verdict.outcome == Outcome::kSatisfied) continue;
      return expect_replayed(run->history, Outcome::kViolated, "rmw");
    }
    ADD_FAILURE() << "satisfied in each of " << kMostRuns << " runs";
  }

  static void expect_replayed(const History& h, Outcome outcome, std::string_view workload) {
    const Choice choice = choose(h, Level::kSerializable, {});
    ASSERT_NE(choice.engine, nullptr) << choice.why;
    EXPECT_EQ(choice.engine->name, "replay") << workload << ": " << choice.why;
    const Verdict verdict = choice.engine->check(h, Level::kSerializable, {});
    EXPECT_EQ(name(verdict.outcome), name(outcome)) << workload << ": " << verdict.reason;
    const auto proved = prove(h, verdict);
    EXPECT_TRUE(proved) << workload << (proved ? "" : ": " + proved.error().message());
  }
};

TEST_P(RecordedOrder, IsReplayedAndSatisfiedWhereItIsKept) {
  for (const std::string_view workload : kWorkloads) {
    const auto run = recorded(workload, 300);
    ASSERT_TRUE(run);
    EXPECT_GT(run->summary.facts.orders, 0U) << workload;
    expect_replayed(run->history, Outcome::kSatisfied, workload);
  }
}

// A read from an older state is at no place of the order.
TEST_P(RecordedOrder, IsReplayedAndViolatedByStaleReads) {
  expect_violated(
      [](std::unique_ptr<db::Database> real) {
        return std::make_unique<test::FaultyDatabase>(std::move(real),
                                                      test::PlantedFault{test::Fault::kStaleRead, "select"});
      },
      {});
}

// Locks that are given up before the commit, which two-phase locking does not do.
class RecordedLockPoints : public RecordedOrder {};

TEST_P(RecordedLockPoints, AreReplayedAndViolatedByLocksGivenUpEarly) { expect_violated({}, "read committed"); }

constexpr Ordered kMariadb = {"mariadb", "serializable", 8}, kSqlite = {"sqlite", "wal deferred", 3};
constexpr auto kName = [](const auto& given) { return std::string(given.param.kind); };
INSTANTIATE_TEST_SUITE_P(Databases, RecordedOrder, ::testing::Values(kMariadb, kSqlite), kName);
INSTANTIATE_TEST_SUITE_P(Databases, RecordedLockPoints, ::testing::Values(kMariadb), kName);

}  // namespace recorded_order_test
}  // namespace isolde::record
