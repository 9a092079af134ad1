// tests/live/postgres_recovery_test.cc: the certificate from PostgreSQL's log, through restarts, and what is left
// after.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "db/server.h"
#include "record/recovery.h"
#include "tests/live/postgres_15_3.h"

namespace isolde::record {
namespace postgres_recovery_test {

const TracedTable kTable = {.name = "t", .key_columns = {"k"}, .value_columns = {"v"}, .bare_key = true};

class Lab {
 public:
  explicit Lab(std::string binaries = {}, std::map<std::string, std::string> settings = {}) {
    auto started = db::start_server({"postgres", std::move(binaries), std::move(settings)});
    EXPECT_TRUE(started) << started.error().message();
    if (!started) return;
    server = *std::move(started);
    url = *db::parse_url(server->url());
    database = *db::open_database(url);
    client = connect();
    run("create table t (k bigint primary key, v bigint); create table other (k bigint primary key)");
  }
  std::unique_ptr<db::Connection> connect() {
    auto c = database->connect(**db::level_named(*database, "serializable"));
    EXPECT_TRUE(c) << c.error().message();
    return c ? *std::move(c) : nullptr;
  }
  db::Reply run(std::string_view sql) {
    auto reply = client->run(sql);
    EXPECT_TRUE(reply && reply->done()) << sql << ": " << (reply ? reply->failure.text : reply.error().message());
    return reply ? *std::move(reply) : db::Reply{};
  }
  std::unique_ptr<Recovery> recovery(bool survives_restarts = false) {
    auto made = make_recovery({*database, url, {&kTable, 1}, survives_restarts}, why_not);
    EXPECT_TRUE(made) << made.error().message();
    return made ? *std::move(made) : nullptr;
  }
  // Runs `sql` as a transaction that asks for its facts.
  std::int64_t transaction(std::string_view sql) {
    EXPECT_TRUE(client->begin()->done());
    run(sql);
    db::TxnFacts facts;
    EXPECT_TRUE(client->commit(&facts)->done());
    return facts.xid.value_or(0);
  }
  std::string left_over() {
    return fmt::format("{} publications, {} slots", rows("pg_publication"), rows("pg_replication_slots"));
  }
  std::int64_t rows(std::string_view table) {
    return std::get<std::int64_t>(run(fmt::format("select count(*) from {}", table)).at(0, 0));
  }

  std::unique_ptr<db::Server> server;
  db::Url url;
  std::unique_ptr<db::Database> database;
  std::unique_ptr<db::Connection> client;
  std::string why_not;
};

std::string shown(const Result<std::vector<RecoveredVersion>>& versions) {
  if (!versions) return versions.error().message();
  std::string out;
  for (const RecoveredVersion& v : *versions) out += fmt::format("{}={} by {}\n", v.key, v.value, v.xid);
  return out;
}

void recovers_what_was_committed(Lab& lab) {
  lab.run("insert into t values (1, 10)");  // before: not in the log
  auto recovery = lab.recovery();
  ASSERT_NE(recovery, nullptr) << lab.why_not;
  const auto prepared = recovery->prepare();
  ASSERT_TRUE(prepared) << prepared.error().message();
  const std::int64_t a = lab.transaction("update t set v = 11 where k = 1; insert into other values (1)");
  const std::int64_t b = lab.transaction("insert into t values (2, 20); update t set v = 21 where k = 2");
  ASSERT_TRUE(lab.client->begin()->done());
  lab.run("update t set v = 12 where k = 1");
  ASSERT_TRUE(lab.client->roll_back()->done());
  const std::int64_t c = lab.transaction("delete from t where k = 1; update t set v = 22 where k = 2");
  EXPECT_EQ(shown(recovery->recover()), fmt::format("1=11 by {}\n2=21 by {}\n1=null by {}\n2=22 by {}\n", a, b, c, c));
  recovery.reset();
  EXPECT_EQ(lab.left_over(), "0 publications, 0 slots");
}

// One server for the tests that do not stop it.
Lab& shared() {
  static std::unique_ptr<Lab> lab = std::make_unique<Lab>();
  return *lab;
}

TEST(PostgresRecovery, WhatWasCommittedIsRecoveredInItsOrder) {
  Lab& lab = shared();
  ASSERT_NE(lab.client, nullptr);
  recovers_what_was_committed(lab);
}

TEST(PostgresRecovery, Version153TellsToo) {
  if (!std::filesystem::exists(test::kPostgres153)) GTEST_SKIP() << "no PostgreSQL 15.3 at " << test::kPostgres153;
  Lab lab(test::kPostgres153);
  ASSERT_NE(lab.client, nullptr);
  recovers_what_was_committed(lab);
}

TEST(PostgresRecovery, ItSurvivesRestartsAndCleansUpAfterThem) {
  Lab lab;
  ASSERT_NE(lab.client, nullptr);
  auto recovery = lab.recovery(true);
  ASSERT_NE(recovery, nullptr) << lab.why_not;
  ASSERT_TRUE(recovery->prepare());
  std::string expected;
  for (const db::Stop how : {db::Stop::kOrderly, db::Stop::kCrash}) {
    const std::int64_t xid = lab.transaction("insert into t select count(*), 5 from t");
    expected += fmt::format("{}=5 by {}\n", how == db::Stop::kOrderly ? 0 : 1, xid);
    ASSERT_TRUE(lab.server->stop(how));
    ASSERT_TRUE(lab.server->start());
    lab.client = lab.connect();
  }
  EXPECT_EQ(shown(recovery->recover()), expected);
  recovery.reset();
  EXPECT_EQ(lab.left_over(), "0 publications, 0 slots");
}

TEST(PostgresRecovery, WhatADeadRunLeftIsRemovedAndALivingOneIsLeftAlone) {
  Lab& lab = shared();
  ASSERT_NE(lab.client, nullptr);
  lab.run("delete from t");
  lab.run("create publication isolde_123 for table t");
  lab.run("select pg_create_logical_replication_slot('isolde_123', 'pgoutput')");
  lab.run("create publication isolde_dear for table t");  // none of ours
  auto living = lab.recovery(true);
  ASSERT_TRUE(living->prepare());
  auto other = lab.recovery();
  ASSERT_TRUE(other->prepare());
  EXPECT_EQ(lab.left_over(), "3 publications, 2 slots");
  const std::int64_t xid = lab.transaction("insert into t values (1, 1)");
  for (auto* recovery : {living.get(), other.get()})
    EXPECT_EQ(shown(recovery->recover()), fmt::format("1=1 by {}\n", xid));
  living.reset();
  other.reset();
  EXPECT_EQ(lab.left_over(), "1 publications, 0 slots");
  lab.run("drop publication isolde_dear");
}

TEST(PostgresRecovery, ItSaysWhyItCannot) {
  Lab lab({}, {{"wal_level", "replica"}});
  ASSERT_NE(lab.client, nullptr);
  EXPECT_EQ(lab.recovery(), nullptr);
  EXPECT_NE(lab.why_not.find("wal_level is replica"), std::string::npos) << lab.why_not;
}

TEST(PostgresRecovery, ATableWithoutAKeyIsRefusedBeforeTheRun) {
  Lab& lab = shared();
  ASSERT_NE(lab.client, nullptr);
  lab.run("delete from t");
  lab.run("drop table t; create table t (k bigint, v bigint)");
  auto recovery = lab.recovery();
  ASSERT_NE(recovery, nullptr);
  const auto prepared = recovery->prepare();
  ASSERT_FALSE(prepared);
  EXPECT_NE(prepared.error().message().find("no primary key"), std::string::npos);
}

}  // namespace postgres_recovery_test
}  // namespace isolde::record
