// tests/live/basic_workloads_test.cc: the basic workloads on real servers: what a database promises is never found
// broken, and what it is known to break is found.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "check/choose/choose.h"
#include "check/choose/engines.h"
#include "check/choose/strongest.h"
#include "db/server.h"
#include "format/format.h"
#include "proof/prove.h"
#include "record/basic/item_table.h"
#include "record/run.h"
#include "tests/live/postgres_15_3.h"
#include "tests/live/shared_server.h"
#include "tests/support/native_client.h"

namespace isolde::record {
namespace basic_workloads_test {

constexpr std::string_view kOnRows[] = {"register", "rmw",   "list-append", "list-append-array",
                                        "bank",     "merge", "write-skew",  "long-fork"};
constexpr std::string_view kOnRanges[] = {"predicate", "predicate-updates"};

class Live {
 public:
  explicit Live(const db::ServerOptions& options) {
    const db::Server* const server = test::shared_server(options);
    if (server == nullptr) return;
    url_ = *db::parse_url(server->url());
    database_ = *db::open_database(url_);
  }
  explicit operator bool() const { return database_ != nullptr; }
  [[nodiscard]] db::Database& database() const { return *database_; }
  [[nodiscard]] std::unique_ptr<db::Connection> connect(std::string_view level) const {
    return *database_->connect(**db::level_named(*database_, level));
  }

  // A history of so many transactions of 8 clients.
  [[nodiscard]] History record(std::string_view workload, std::string_view level, std::uint64_t transactions) const {
    static int runs = 0;
    const std::string folder = fmt::format("{}/basic-live-{}-{}", ::testing::TempDir(), getpid(), runs++);
    auto made = workload_named(workload)->make({}, database_->dialect());
    RunOptions options;
    options.transactions = transactions;
    const auto summary = run(*database_, url_, **db::level_named(*database_, level), **made, options, folder, {});
    EXPECT_TRUE(summary) << workload << (summary ? "" : summary.error().message());
    auto loaded = load(folder, nullptr, {});
    std::filesystem::remove_all(folder);
    if (!loaded) {
      ADD_FAILURE() << loaded.error().message();
      std::abort();
    }
    return std::move(loaded->history);
  }

 private:
  db::Url url_;
  std::unique_ptr<db::Database> database_;
};

// What the engines that can judge it say, each proved: how many of them find it satisfied and violated.
struct Said {
  int satisfied = 0, violated = 0;
  std::string anomalies;
};
Said ask_all(const History& h, Level level) {
  Said said;
  for (const Engine& engine : engines()) {
    if (!engine.lacks(h, level).empty()) continue;
    Limits limits;
    WorkBudget budget(2'000'000'000);
    limits.work = &budget;
    const Verdict verdict = engine.check(h, level, limits);
    const auto proved = prove(h, verdict);
    EXPECT_TRUE(proved) << engine.name << ": " << (proved ? "" : proved.error().message());
    said.satisfied += verdict.outcome == Outcome::kSatisfied ? 1 : 0;
    said.violated += verdict.outcome == Outcome::kViolated ? 1 : 0;
    for (const Anomaly& a : verdict.anomalies) said.anomalies += full_name(a) + " ";
  }
  return said;
}

void expect_kept(const Live& live, std::string_view workload, std::string_view at, Level level) {
  const Said said = ask_all(live.record(workload, at, 300), level);
  EXPECT_EQ(said.violated, 0) << workload << " at " << at << ": " << said.anomalies;
  EXPECT_GT(said.satisfied, 0) << workload << " at " << at;
}

TEST(BasicOnPostgres, SerializableIsKept) {
  const Live live({"postgres", "", {}});
  ASSERT_TRUE(live);
  for (const std::string_view workload : kOnRows) expect_kept(live, workload, "serializable", Level::kSerializable);
  for (const std::string_view workload : kOnRanges) expect_kept(live, workload, "serializable", Level::kSerializable);
  expect_kept(live, "upsert", "serializable", Level::kSerializable);
}

TEST(BasicOnPostgres, RepeatableReadIsSnapshotIsolationAndReadCommittedIsItself) {
  const Live live({"postgres", "", {}});
  ASSERT_TRUE(live);
  for (const std::string_view workload : kOnRows) {
    expect_kept(live, workload, "repeatable read", Level::kSnapshotIsolation);
    expect_kept(live, workload, "read committed", Level::kReadCommitted);
  }
  for (const std::string_view workload : kOnRanges)
    expect_kept(live, workload, "repeatable read", Level::kSnapshotIsolation);
}

TEST(BasicOnPostgres, WriteSkewIsFoundAtRepeatableReadAndLostUpdatesAtReadCommitted) {
  const Live live({"postgres", "", {}});
  ASSERT_TRUE(live);
  const Said skew = ask_all(live.record("write-skew", "repeatable read", 3000), Level::kSerializable);
  EXPECT_EQ(skew.satisfied, 0);
  EXPECT_NE(skew.anomalies.find("G2-item"), std::string::npos);
  const Said lost = ask_all(live.record("rmw", "read committed", 3000), Level::kSnapshotIsolation);
  EXPECT_EQ(lost.satisfied, 0);
  EXPECT_NE(lost.anomalies.find("lost-update"), std::string::npos);
}

TEST(BasicOnPostgres, BothRowsOfAPrimaryKeyAreRecorded) {
  const Live live({"postgres", "", {}});
  ASSERT_TRUE(live);
  const ItemTable table(live.database().dialect(), "registers", {"v"});
  NativeClient other(live.connect("repeatable read"), live.database().dialect(), 1, 2);
  NativeClient client(live.connect("repeatable read"), live.database().dialect(), 0, 2);
  auto administrator = live.connect("read committed");
  ASSERT_TRUE(administrator->run("drop table if exists registers"));
  ASSERT_TRUE(administrator->run(table.schema()));
  ASSERT_TRUE(table.load(*administrator, 2, [](std::uint32_t) { return ItemColumns{0}; }));
  ASSERT_TRUE(client.begin());
  ASSERT_TRUE(table.read(client, 0));
  ASSERT_TRUE(other.begin() && table.remove(other, 1) && other.commit());
  ASSERT_TRUE(table.upsert(client, 1, 5));
  ASSERT_TRUE(table.read(client, 1));
  EXPECT_EQ(client.ops(), R"(["r",0,0],["w",1,5],["r",1,0],["r",1,5])");
}

TEST(BasicOnPostgres153, TheUpdatesThatMergeLosesAreFound) {
  if (!std::filesystem::exists(test::kPostgres153))
    GTEST_SKIP() << "PostgreSQL 15.3 is not there: ./dev test fetches it";
  const Live live({"postgres", test::kPostgres153, {}});
  ASSERT_TRUE(live);
  for (const std::string_view at : {"serializable", "repeatable read"}) {
    const Said said = ask_all(live.record("merge", at, 4000), Level::kSnapshotIsolation);
    EXPECT_EQ(said.satisfied, 0);
    EXPECT_NE(said.anomalies.find("lost-update"), std::string::npos) << at;
  }
}

TEST(BasicOnMariadb, SerializableIsKept) {
  const Live live({"mariadb", "", {}});
  ASSERT_TRUE(live);
  for (const std::string_view workload : kOnRows) expect_kept(live, workload, "serializable", Level::kSerializable);
  for (const std::string_view workload : kOnRanges) expect_kept(live, workload, "serializable", Level::kSerializable);
  expect_kept(live, "upsert", "serializable", Level::kSerializable);
}

// Who deleted a row that is absent, values do not tell; that leaves no weaker level open.
TEST(BasicOnMariadb, UpsertsAndDeletesAreDecidedAtTheLevelsBelowToo) {
  const Live live({"mariadb", "", {}});
  ASSERT_TRUE(live);
  const History h = live.record("upsert", "serializable", 2000);
  LevelChecks checks(h, {});
  for (const Level level : {Level::kReadCommitted, Level::kStrongSessionMonotonicAtomicView, Level::kReadAtomic,
                            Level::kCausal, Level::kPrefix, Level::kStrictSerializable}) {
    const Verdict verdict = checks.check(choose(h, level, {}), level, {});
    EXPECT_EQ(name(verdict.outcome), "satisfied") << info(level).name << ": " << verdict.reason;
    const auto proved = prove(h, verdict);
    EXPECT_TRUE(proved) << info(level).name << ": " << (proved ? "" : proved.error().message());
  }
}

TEST(BasicOnMariadb, RepeatableReadLosesUpdatesUnlessItKeepsToItsSnapshot) {
  const Live live({"mariadb", "", {{"innodb_snapshot_isolation", "ON"}}});
  ASSERT_TRUE(live);
  for (const std::string_view workload : kOnRows)
    expect_kept(live, workload, "repeatable read", Level::kSnapshotIsolation);
  const Live loose({"mariadb", "", {}});
  ASSERT_TRUE(loose);
  const Said lost = ask_all(loose.record("rmw", "repeatable read", 3000), Level::kSnapshotIsolation);
  EXPECT_EQ(lost.satisfied, 0);
  EXPECT_NE(lost.anomalies.find("lost-update"), std::string::npos);
}

}  // namespace basic_workloads_test
}  // namespace isolde::record
