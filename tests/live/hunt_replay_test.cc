// Findings from files on real servers: seen where the bug is, not seen where it is not; and a finding made large by
// hand is made small again.
#include <gtest/gtest.h>

#include <filesystem>

#include "db/server.h"
#include "hunt/finding_file.h"
#include "hunt/reduce/reduce.h"
#include "hunt/replay.h"
#include "tests/live/postgres_15_3.h"

namespace isolde::hunt {
namespace {

using What = ReplayOutcome::What;

struct Running {
  std::unique_ptr<db::Server> server;
  std::unique_ptr<db::Database> database;
};

// One server for each kind and setting, for all tests of this program.
Running& running(const db::ServerOptions& options) {
  static std::map<std::string, Running> all;
  std::string key = options.kind + options.binaries;
  for (const auto& [name, value] : options.settings) key += " " + name + "=" + value;
  Running& one = all[key];
  if (one.database) return one;
  auto server = db::start_server(options);
  EXPECT_TRUE(server) << server.error().text;
  if (!server) return one;
  one.server = *std::move(server);
  auto url = db::parse_url(one.server->url());
  EXPECT_TRUE(url);
  auto database = db::open_database(*url);
  EXPECT_TRUE(database) << database.error().text;
  if (database) one.database = *std::move(database);
  return one;
}
db::Database* database_of(const db::ServerOptions& options) { return running(options).database.get(); }

Finding from_corpus(const std::string& name) {
  auto finding = read_finding(ISOLDE_SOURCE_DIR "/tests/corpus/hunt/" + name + ".finding");
  EXPECT_TRUE(finding) << finding.error().message();
  return finding ? *std::move(finding) : Finding{};
}

ReplayOutcome replayed(db::Database& database, const Finding& finding) {
  const auto level = db::level_named(database, finding.level);
  EXPECT_TRUE(level) << level.error().text;
  if (!level) return {};
  auto outcome = replay(database, **level, finding, {});
  EXPECT_TRUE(outcome) << outcome.error().text;
  return outcome ? *std::move(outcome) : ReplayOutcome{};
}

bool table_is_there(db::Database& database, std::string_view sql) {
  auto connection = database.connect(database.levels()[0]);
  EXPECT_TRUE(connection);
  if (!connection) return true;
  auto reply = (*connection)->run(sql);
  return reply && reply->done();
}

TEST(HuntReplay, TheLostUpdateOfMergeIsSeenOnPostgres153) {
  if (!std::filesystem::exists(test::kPostgres153))
    GTEST_SKIP() << "PostgreSQL 15.3 is not there: ./dev test fetches it";
  db::Database* const database = database_of({.kind = "postgres", .binaries = test::kPostgres153, .settings = {}});
  ASSERT_NE(database, nullptr);
  for (const std::string level : {"repeatable read", "serializable"}) {
    Finding finding = from_corpus("postgres_15_3_merge_lost_update");
    finding.level = level;
    const ReplayOutcome outcome = replayed(*database, finding);
    EXPECT_EQ(outcome.what, What::kSeen) << outcome.happened << outcome.reason;
    EXPECT_EQ(outcome.tries, 1U);
    EXPECT_TRUE(outcome.server.starts_with("PostgreSQL 15.3")) << outcome.server;
    EXPECT_EQ(outcome.seen.anomaly, "lost-update");
    EXPECT_FALSE(outcome.seen.actual.empty());
  }
  EXPECT_FALSE(table_is_there(*database, "select * from hunt_t0"));
}

TEST(HuntReplay, TheLostUpdateOfMergeIsNotSeenOnALaterPostgres) {
  db::Database* const database = database_of({.kind = "postgres", .binaries = {}, .settings = {}});
  ASSERT_NE(database, nullptr);
  const ReplayOutcome outcome = replayed(*database, from_corpus("postgres_15_3_merge_lost_update"));
  EXPECT_EQ(outcome.what, What::kNotSeen) << outcome.reason;
  EXPECT_EQ(outcome.tries, 3U);
  EXPECT_TRUE(outcome.happened.starts_with("T2.2 was refused: 40001 ")) << outcome.happened;
  EXPECT_FALSE(table_is_there(*database, "select * from hunt_t0"));
}

TEST(HuntReplay, AnotherDialectOrSqlThatIsNotKnownCannotBeRun) {
  db::Database* const database = database_of({.kind = "postgres", .binaries = {}, .settings = {}});
  ASSERT_NE(database, nullptr);
  ReplayOutcome outcome = replayed(*database, from_corpus("mariadb_repeatable_read_lost_update"));
  EXPECT_EQ(outcome.what, What::kCannotRun);
  EXPECT_EQ(outcome.reason, "it is written for mariadb, and this database speaks postgres");
  Finding finding = from_corpus("postgres_15_3_merge_lost_update");
  finding.test.transactions[1].statements[1].sql = "mergify hunt_t0";
  outcome = replayed(*database, finding);
  EXPECT_EQ(outcome.what, What::kCannotRun);
  EXPECT_NE(outcome.reason.find("syntax error"), std::string::npos) << outcome.reason;
  finding = from_corpus("postgres_15_3_merge_lost_update");
  finding.test.schema.tables[0].create = "create table hunt_t0 (pkey no_such_type)";
  outcome = replayed(*database, finding);
  EXPECT_EQ(outcome.what, What::kCannotRun);
  EXPECT_NE(outcome.reason.find("no_such_type"), std::string::npos) << outcome.reason;
}

TEST(HuntReplay, InnodbLosesAnUpdateAtRepeatableReadUnlessItsSnapshotsHold) {
  for (const bool holds : {false, true}) {
    db::Database* const database = database_of(
        {.kind = "mariadb", .binaries = {}, .settings = {{"innodb_snapshot_isolation", holds ? "ON" : "OFF"}}});
    ASSERT_NE(database, nullptr);
    const ReplayOutcome outcome = replayed(*database, from_corpus("mariadb_repeatable_read_lost_update"));
    EXPECT_EQ(outcome.what, holds ? What::kNotSeen : What::kSeen)
        << outcome.server << ": " << outcome.happened << outcome.reason;
    if (!holds) continue;
    EXPECT_TRUE(outcome.happened.starts_with("T2.2 was refused: 1020 ")) << outcome.happened;
  }
}

}  // namespace
}  // namespace isolde::hunt
