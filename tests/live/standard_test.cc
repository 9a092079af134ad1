// tests/live/standard_test.cc: what SmallBank, TPC-C, BlindW and YCSB show of PostgreSQL and MariaDB at their levels.
#include "db/server.h"
#include "tests/live/shared_server.h"
#include "tests/support/recorded_run.h"

namespace isolde::record {
namespace standard_test {

struct Live {
  const db::Server* server;

  [[nodiscard]] std::optional<Recorded> record(std::string_view level, std::string_view workload,
                                               const WorkloadOptions& settings, std::uint64_t count,
                                               std::uint64_t seed = 1) const {
    return record_on(place(server->url(), level), workload, settings, transactions(count, 8, seed));
  }

  // Anomalies of a level come by chance: a few runs may be needed to see one. `holds`: what every run must keep.
  [[nodiscard]] bool shows(Level violated, Level holds, std::string_view level, std::string_view workload,
                           const WorkloadOptions& settings, std::uint64_t count) const {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const auto run = record(level, workload, settings, count, seed);
      if (!run) return false;
      EXPECT_EQ(judged(run->history, holds), Outcome::kSatisfied) << workload << " at " << level;
      if (judged(run->history, violated) == Outcome::kViolated) return true;
    }
    return false;
  }
};

Live start(std::string kind, std::map<std::string, std::string> settings = {}) {
  return {test::shared_server({std::move(kind), "", std::move(settings)})};
}

WorkloadOptions few_keys(std::uint32_t keys, bool for_update = false) {
  WorkloadOptions options;
  options.keys = keys;
  options.for_update = for_update;
  return options;
}

void expect_serializable_at_serializable(const Live& live) {
  for (const std::string_view workload : {"blindw-w", "blindw-rw", "blindw-rw+", "ycsb-a", "smallbank", "tpcc"}) {
    const auto run = live.record("serializable", workload, few_keys(100), 150);
    ASSERT_TRUE(run);
    EXPECT_EQ(judged(run->history, Level::kSerializable), Outcome::kSatisfied) << workload;
    EXPECT_GT(run->summary.committed, 0);
  }
}

TEST(StandardOnPostgres, IsSerializableAtSerializable) {
  const Live live = start("postgres");
  ASSERT_TRUE(live.server);
  expect_serializable_at_serializable(live);
}

TEST(StandardOnPostgres, SmallBankShowsWriteSkewAtRepeatableReadAlsoWithLocks) {
  const Live live = start("postgres");
  ASSERT_TRUE(live.server);
  for (const bool for_update : {false, true}) {
    EXPECT_TRUE(live.shows(Level::kSerializable, Level::kSnapshotIsolation, "repeatable read", "smallbank",
                           few_keys(6, for_update), 1'500));
  }
}

TEST(StandardOnPostgres, SmallBankLosesUpdatesAtReadCommitted) {
  const Live live = start("postgres");
  ASSERT_TRUE(live.server);
  EXPECT_TRUE(
      live.shows(Level::kSnapshotIsolation, Level::kReadCommitted, "read committed", "smallbank", few_keys(6), 500));
}

// Fekete et al. (TODS 2005): what TPC-C does at snapshot isolation is serializable.
TEST(StandardOnPostgres, TpccIsSerializableAtRepeatableReadAndNotBelow) {
  const Live live = start("postgres");
  ASSERT_TRUE(live.server);
  const auto run = live.record("repeatable read", "tpcc", few_keys(100), 400);
  ASSERT_TRUE(run);
  EXPECT_EQ(judged(run->history, Level::kSerializable), Outcome::kSatisfied);
  EXPECT_TRUE(
      live.shows(Level::kSnapshotIsolation, Level::kReadCommitted, "read committed", "tpcc", few_keys(100), 300));
}

TEST(StandardOnMariadb, IsSerializableAtSerializable) {
  const Live live = start("mariadb");
  ASSERT_TRUE(live.server);
  expect_serializable_at_serializable(live);
}

TEST(StandardOnMariadb, LosesUpdatesAtRepeatableRead) {
  const Live live = start("mariadb");
  ASSERT_TRUE(live.server);
  for (const std::string_view workload : {"smallbank", "tpcc"}) {
    EXPECT_TRUE(live.shows(Level::kSnapshotIsolation, Level::kReadCommitted, "repeatable read", workload,
                           few_keys(workload == "tpcc" ? 100 : 6), 300))
        << workload;
  }
}

TEST(StandardOnMariadb, KeepsSnapshotIsolationIfItIsSwitchedOn) {
  const Live live = start("mariadb", {{"innodb_snapshot_isolation", "ON"}});
  ASSERT_TRUE(live.server);
  EXPECT_TRUE(
      live.shows(Level::kSerializable, Level::kSnapshotIsolation, "repeatable read", "smallbank", few_keys(6), 1'500));
  const auto run = live.record("repeatable read", "tpcc", few_keys(100), 300);
  ASSERT_TRUE(run);
  EXPECT_EQ(judged(run->history, Level::kSnapshotIsolation), Outcome::kSatisfied);
}

}  // namespace standard_test
}  // namespace isolde::record
