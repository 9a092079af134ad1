// `isolde hunt` on real servers: nothing is reported of a sound one, PostgreSQL 15.3's MERGE is found and made small,
// InnoDB's REPEATABLE READ is named once, and a seed means the same cases and verdicts twice.
#include <gtest/gtest.h>

#include <filesystem>

#include "db/server.h"
#include "hunt/replay.h"
#include "tests/hunt/hunting.h"
#include "tests/live/postgres_15_3.h"
#include "tests/live/shared_server.h"
#include "tests/support/effort.h"

namespace isolde::test {
namespace hunt_test {

// A scratch server with the settings that a hunt gives it.
struct Hunted {
  db::Server* server = nullptr;
  std::unique_ptr<db::Database> database;

  static Result<Hunted> start(db::ServerOptions options) {
    for (const auto& [name, value] : hunt::fast_settings(options.kind)) options.settings.try_emplace(name, value);
    Hunted hunted;
    hunted.server = shared_server(options);
    if (hunted.server == nullptr) return Error{"no server"};
    auto database = db::open_database(*db::parse_url(hunted.server->url()));
    if (!database) return std::move(database).error();
    hunted.database = *std::move(database);
    return hunted;
  }
  [[nodiscard]] hunt::HuntedServer on() const {
    if (server == nullptr) return {};
    return {.restart = [this]() -> Result<void> {
              (void)server->stop(db::Stop::kCrash);
              return server->start();
            },
            .log_file = server->log_file()};
  }
};

Result<hunt::HuntResult> hunt_at(Hunted& hunted, const char* level_name, const hunt::HuntOptions& options) {
  const auto level = db::level_named(*hunted.database, level_name);
  if (!level) return level.error();
  return hunt::hunt(*hunted.database, **level, options, hunted.on(), {});
}

class HuntLive : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto postgres = Hunted::start({"postgres", "", {}});
    ASSERT_TRUE(postgres) << postgres.error().message();
    postgres_ = std::make_unique<Hunted>(*std::move(postgres));
    for (const auto& [value, hunted] : {std::pair("OFF", &mariadb_), std::pair("ON", &mariadb_with_snapshots_)}) {
      auto mariadb = Hunted::start({"mariadb", "", {{"innodb_snapshot_isolation", value}}});
      ASSERT_TRUE(mariadb) << mariadb.error().message();
      *hunted = std::make_unique<Hunted>(*std::move(mariadb));
      // What REPEATABLE READ claims hangs on this variable, which the driver knows once it has asked.
      auto& database = *(*hunted)->database;
      const auto connection = database.connect(database.levels().front());
      ASSERT_TRUE(connection) << connection.error().message();
      const auto described = database.describe(**connection);
      ASSERT_TRUE(described) << described.error().message();
      ASSERT_NE(described->find(value), std::string::npos) << *described;
    }
  }
  static void TearDownTestSuite() {
    postgres_.reset();
    mariadb_.reset();
    mariadb_with_snapshots_.reset();
  }
  void SetUp() override { ASSERT_TRUE(postgres_ && mariadb_ && mariadb_with_snapshots_); }

  static void expect_sound(Hunted& hunted, const char* level, hunt::HuntOptions options = some_cases(11, 8)) {
    const auto result = hunt_at(hunted, level, options);
    ASSERT_TRUE(result) << level << ": " << result.error().message();
    EXPECT_EQ(told(result->findings), "") << result->server << " at " << level;
    EXPECT_EQ(result->first_fault, "") << result->server << " at " << level;
    EXPECT_EQ(result->counts.cases, options.most_cases);
    EXPECT_TRUE(effort::reaches(0.9, std::min(result->counts.rounds, options.most_cases), options.most_cases))
        << told(result->counts);
    EXPECT_TRUE(effort::reaches(0.5, result->counts.cases - result->counts.given_up, result->counts.cases))
        << told(result->counts);
  }

  // More of them, and others, in a soak.
  static hunt::HuntOptions some_cases(std::uint64_t seed, std::uint64_t usual) {
    return hunt_options(effort::seed(seed), effort::tries(usual));
  }

  static std::unique_ptr<Hunted> postgres_, mariadb_, mariadb_with_snapshots_;
};
std::unique_ptr<Hunted> HuntLive::postgres_, HuntLive::mariadb_, HuntLive::mariadb_with_snapshots_;

TEST_F(HuntLive, NothingIsReportedOfPostgres) {
  for (const char* level : {"read committed", "repeatable read", "serializable"}) expect_sound(*postgres_, level);
}

TEST_F(HuntLive, NothingIsReportedOfMariadb) {
  for (const char* level : {"read committed", "serializable"}) expect_sound(*mariadb_with_snapshots_, level);
}

// docs/hunt.md, "What it found": a conflict that is met through an index goes unnoticed there.
TEST_F(HuntLive, OfMariadbsSnapshotIsolationNothingButItsFaultWithIndexesIsReported) {
  auto options = hunt_options(11, 40);
  options.most_findings = 10;
  options.reduce.most_runs = 600;
  const auto result = hunt_at(*mariadb_with_snapshots_, "repeatable read", options);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->first_fault, "");
  for (const hunt::Finding& finding : result->findings) EXPECT_EQ(finding.cause, "predicate: index") << told({finding});
}

TEST_F(HuntLive, NothingIsReportedOfSqlite) {
  Hunted hunted;
  auto database = db::open_database(*db::parse_url("sqlite:"));
  ASSERT_TRUE(database) << database.error().message();
  hunted.database = *std::move(database);
  for (const char* level : {"wal deferred", "wal immediate", "delete deferred"})
    expect_sound(hunted, level, some_cases(11, 30));
}

TEST_F(HuntLive, ForeignKeysViewsAndGeneratedColumnsReportNothingEither) {
  auto options = some_cases(3, 6);
  options.generate.foreign_keys = options.generate.views = options.generate.generated_columns = true;
  for (Hunted* const hunted : {postgres_.get(), mariadb_.get()}) {
    for (const char* level : {"read committed", "serializable"}) expect_sound(*hunted, level, options);
  }
}

TEST_F(HuntLive, InnodbsRepeatableReadIsNamedOnce) {
  auto options = hunt_options(5, 20);
  options.most_findings = 10;
  options.reduce.most_runs = 600;
  const auto result = hunt_at(*mariadb_, "repeatable read", options);
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_TRUE(result->not_held);
  ASSERT_EQ(result->findings.size(), 1U) << told(result->findings);
  EXPECT_EQ(result->findings.front().cause, "innodb-repeatable-read");
  EXPECT_GT(result->counts.findings, 1U) << told(result->counts);
  EXPECT_LE(result->findings.front().test.transactions.size(), 2U) << told(result->findings);
  EXPECT_LE(statements_of(result->findings.front().test), 4U) << told(result->findings);
}

TEST_F(HuntLive, ReadUncommittedIsRefusedWithTheReason) {
  const auto result = hunt_at(*mariadb_, "read uncommitted", hunt_options(1, 1));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().text.find("READ UNCOMMITTED"), std::string::npos) << result.error().text;
}

TEST_F(HuntLive, MergeOfPostgres153LosesUpdatesAndThatIsFound) {
  ASSERT_TRUE(std::filesystem::exists(kPostgres153)) << "no " << kPostgres153 << ": ./dev test fetches it";
  auto old = Hunted::start({"postgres", kPostgres153, {}});
  ASSERT_TRUE(old) << old.error().message();
  auto options = hunt_options(1, 4000);
  options.reduce.most_runs = 1000;
  const auto result = hunt_at(*old, "serializable", options);
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_EQ(result->findings.size(), 1U) << told(result->counts);
  const hunt::Finding& finding = result->findings.front();
  EXPECT_EQ(finding.test.transactions.size(), 2U) << told({finding});
  EXPECT_EQ(finding.test.schema.tables.size(), 1U) << told({finding});
  EXPECT_NE(told({finding}).find("merge into"), std::string::npos) << told({finding});

  const auto level = db::level_named(*old->database, "serializable");
  ASSERT_TRUE(level);
  const auto again = hunt::replay(*old->database, **level, finding, {});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->what, hunt::ReplayOutcome::What::kSeen);

  const auto mended_level = db::level_named(*postgres_->database, "serializable");
  ASSERT_TRUE(mended_level);
  const auto there = hunt::replay(*postgres_->database, **mended_level, finding, {});
  ASSERT_TRUE(there) << there.error().message();
  EXPECT_NE(there->what, hunt::ReplayOutcome::What::kSeen);
}

TEST_F(HuntLive, TheSameSeedGivesTheSameCasesAndVerdictsTwice) {
  struct Run {
    Hunted* hunted;
    const char* level;
  };
  for (const Run& run : {Run{postgres_.get(), "serializable"}, Run{postgres_.get(), "read committed"},
                         Run{mariadb_.get(), "serializable"}, Run{mariadb_.get(), "read committed"}}) {
    std::string first;
    for (int i = 0; i < 2; ++i) {
      const auto result = hunt_at(*run.hunted, run.level, some_cases(23, 8));
      ASSERT_TRUE(result) << result.error().message();
      const std::string all = told(result->counts) + "\n" + told(result->findings);
      if (i == 0) {
        first = all;
      } else {
        EXPECT_EQ(all, first) << result->server << " at " << run.level;
      }
    }
  }
}

// The server is killed in the middle: it comes back, and no crash of ours is told as one of its own.
TEST_F(HuntLive, AServerThatIsKilledComesBackAndTheHuntGoesOn) {
  const auto level = db::level_named(*postgres_->database, "read committed");
  ASSERT_TRUE(level);
  bool killed = false;
  const hunt::HuntSink sink = {.progress =
                                   [&](const hunt::HuntCounts& counts) {
                                     if (counts.cases != 10 || killed) return;
                                     killed = true;
                                     (void)postgres_->server->stop(db::Stop::kCrash);
                                   },
                               .found = nullptr};
  const auto result = hunt::hunt(*postgres_->database, **level, hunt_options(1, 30), postgres_->on(), sink);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->counts.restarts, 1U);
  EXPECT_EQ(told(result->findings), "");
  EXPECT_GE(result->counts.cases, 29U);
}

}  // namespace hunt_test
}  // namespace isolde::test
