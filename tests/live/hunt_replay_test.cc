// Findings from files on real servers: seen where the bug is, not seen where it is not; and a finding made large by
// hand is made small again.
#include <gtest/gtest.h>

#include <filesystem>

#include "db/server.h"
#include "hunt/finding/finding_file.h"
#include "hunt/hunt.h"
#include "hunt/reduce/reduce.h"
#include "hunt/replay.h"
#include "tests/live/postgres_15_3.h"
#include "tests/live/shared_server.h"

namespace isolde::hunt {
namespace hunt_replay_test {

using What = ReplayOutcome::What;

std::unique_ptr<db::Database> database_of(db::ServerOptions options) {
  for (const auto& [name, value] : fast_settings(options.kind)) options.settings.try_emplace(name, value);
  const db::Server* const server = test::shared_server(options);
  if (server == nullptr) return nullptr;
  auto database = db::open_database(*db::parse_url(server->url()));
  EXPECT_TRUE(database) << database.error().text;
  return database ? *std::move(database) : nullptr;
}

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
  const auto database = database_of({.kind = "postgres", .binaries = test::kPostgres153, .settings = {}});
  ASSERT_NE(database, nullptr);
  for (const std::string name : {"postgres_15_3_merge_lost_update", "postgres_15_3_merge_no_serial_order"}) {
    const Finding finding = from_corpus(name);
    const ReplayOutcome outcome = replayed(*database, finding);
    EXPECT_EQ(outcome.what, What::kSeen) << outcome.happened << outcome.reason;
    EXPECT_EQ(outcome.tries, 1U);
    EXPECT_TRUE(outcome.server.starts_with("PostgreSQL 15.3")) << outcome.server;
    EXPECT_EQ(outcome.seen.anomaly, finding.anomaly);
    EXPECT_FALSE(outcome.seen.actual.empty());
  }
  EXPECT_FALSE(table_is_there(*database, "select * from hunt_t0"));
  EXPECT_FALSE(table_is_there(*database, "select * from isolde_hunt.hunt_t0"));
  EXPECT_FALSE(table_is_there(*database, "select * from isolde_hunt.isolde_hunt_made"));
}

TEST(HuntReplay, TheLostUpdateOfMergeIsNotSeenOnALaterPostgres) {
  const auto database = database_of({.kind = "postgres", .binaries = {}, .settings = {}});
  ASSERT_NE(database, nullptr);
  for (const std::string name : {"postgres_15_3_merge_lost_update", "postgres_15_3_merge_no_serial_order"}) {
    const ReplayOutcome outcome = replayed(*database, from_corpus(name));
    EXPECT_EQ(outcome.what, What::kNotSeen) << outcome.reason;
    EXPECT_EQ(outcome.tries, 3U);
    EXPECT_TRUE(outcome.happened.starts_with("T2.2 was refused: 40001 ")) << outcome.happened;
  }
  EXPECT_FALSE(table_is_there(*database, "select * from hunt_t0"));
  EXPECT_FALSE(table_is_there(*database, "select * from isolde_hunt.hunt_t0"));
  EXPECT_FALSE(table_is_there(*database, "select * from isolde_hunt.isolde_hunt_made"));
}

TEST(HuntReplay, AnotherDialectOrSqlThatIsNotKnownCannotBeRun) {
  const auto database = database_of({.kind = "postgres", .binaries = {}, .settings = {}});
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
    const auto database = database_of(
        {.kind = "mariadb", .binaries = {}, .settings = {{"innodb_snapshot_isolation", holds ? "ON" : "OFF"}}});
    ASSERT_NE(database, nullptr);
    Finding finding = from_corpus("mariadb_repeatable_read_lost_update");
    if (holds) {
      const ReplayOutcome refused = replayed(*database, finding);
      EXPECT_EQ(refused.what, What::kCannotRun);
      EXPECT_EQ(refused.reason, "it was found with innodb_snapshot_isolation=OFF, and here it is ON");
      finding.server = refused.server;
    }
    const ReplayOutcome outcome = replayed(*database, finding);
    EXPECT_EQ(outcome.what, holds ? What::kNotSeen : What::kSeen)
        << outcome.server << ": " << outcome.happened << outcome.reason;
    if (!holds) continue;
    EXPECT_TRUE(outcome.happened.starts_with("T2.2 was refused: 1020 ")) << outcome.happened;
  }
}

// A bug of a version that is still in use: whether it is there is the server's affair.
TEST(HuntReplay, AFindingOfAnyVersionGetsAnAnswer) {
  const auto database =
      database_of({.kind = "mariadb", .binaries = {}, .settings = {{"innodb_snapshot_isolation", "ON"}}});
  ASSERT_NE(database, nullptr);
  const ReplayOutcome outcome = replayed(*database, from_corpus("mariadb_index_misses_conflict"));
  EXPECT_NE(outcome.what, What::kCannotRun) << outcome.reason;
  if (!outcome.server.starts_with("MariaDB 10.11.19")) return;
  EXPECT_EQ(outcome.what, What::kSeen) << outcome.happened;
}

constexpr std::string_view kLarge = R"(finding isolation
server MariaDB
dialect mariadb
level repeatable read
anomaly lost-update
table hunt_t0 (pkey, vkey, c0, c1)
  sql: create table hunt_t0 (pkey bigint primary key, vkey bigint, c0 bigint not null, c1 varchar(20)) engine=InnoDB
  rows:
    1, 1, 10, 'one'
    2, 2, 20, 'two'
    3, 3, 30, null
table hunt_t1 (pkey, vkey, up, c0)
  sql: create table hunt_t1 (pkey bigint primary key, vkey bigint, up bigint, c0 date,
    foreign key (up) references hunt_t0 (pkey) on delete cascade) engine=InnoDB
  foreign key: up to hunt_t0, cascading
  rows:
    1, 4, 2, '2023-04-05'
    2, 5, 3, null
more
  sql: create index hunt_i0 on hunt_t0 (c0)
view hunt_v0 (pkey, c0) of hunt_t0
  sql: create view hunt_v0 as select pkey, c0 from hunt_t0 where c0 > 5
drops
  sql: drop view if exists hunt_v0
  sql: drop table if exists hunt_t1
  sql: drop table if exists hunt_t0
run
  T3: select c0 from hunt_t1
  T2: select c0 from hunt_t0 where pkey = 3
  T2: select c0 from hunt_t0 where pkey = 1
  T1: update hunt_t1 set vkey = 1010, c0 = null where pkey = 1
  T1: update hunt_t0 set vkey = 1001, c0 = 11 where pkey = 1
  T3: update hunt_t1 set vkey = 1011 where pkey = 2
  T1: commit
  T2: update hunt_t0 set vkey = 1002, c0 = 12 where pkey = 1
  T3: rollback
  T2: commit
statements
  T1.1 update, version 1010, reads hunt_t1, writes hunt_t1
  T1.2 update, version 1001, reads hunt_t0 hunt_t1, writes hunt_t0
    before: select pkey from hunt_t0 where pkey = 1
  T2.1 select, reads hunt_t0
  T2.2 select, reads hunt_t0
  T2.3 update, version 1002, reads hunt_t0 hunt_t1, writes hunt_t0
    before: select pkey from hunt_t0 where pkey = 1
  T3.1 select, reads hunt_t1
  T3.2 update, version 1011, reads hunt_t1, writes hunt_t1
)";

TEST(HuntReplay, ALargeFindingIsReducedToTwoTransactionsAndOneRow) {
  const auto database =
      database_of({.kind = "mariadb", .binaries = {}, .settings = {{"innodb_snapshot_isolation", "OFF"}}});
  ASSERT_NE(database, nullptr);
  const auto large = parse_finding(kLarge, "large");
  ASSERT_TRUE(large) << large.error().message();
  const auto level = db::level_named(*database, large->level);
  ASSERT_TRUE(level);
  auto arena = open_arena(*database, **level, {});
  ASSERT_TRUE(arena) << arena.error().text;
  ASSERT_TRUE((*arena)->prepare(large->test.schema));
  TrialOptions trial;
  trial.level = (*level)->claims;
  const auto small = reduce(**arena, *large, trial, {});
  ASSERT_TRUE(small) << small.error().text;
  const std::string text = finding_text(*small);
  EXPECT_EQ(small->test.transactions.size(), 2U) << text;
  EXPECT_LE(statements_of(small->test), 3U) << text;
  ASSERT_EQ(small->test.schema.tables.size(), 1U) << text;
  EXPECT_EQ(small->test.schema.tables[0].rows.size(), 1U) << text;
  EXPECT_LE(small->test.schema.tables[0].columns.size(), 3U) << text;
  EXPECT_TRUE(small->test.schema.views.empty() && small->test.schema.more.empty()) << text;
  const auto again = parse_finding(text, "small");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(replayed(*database, *again).what, What::kSeen) << text;
}

}  // namespace hunt_replay_test
}  // namespace isolde::hunt
