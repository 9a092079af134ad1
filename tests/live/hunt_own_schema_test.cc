// A hunt at somebody's server: it works in a schema or database of its own, and nobody's tables are touched.
#include <gtest/gtest.h>

#include "hunt/run/own_schema.h"
#include "tests/hunt/hunting.h"
#include "tests/live/shared_server.h"

namespace isolde::hunt {
namespace hunt_own_schema_test {

class OwnSchemaOn : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    server_ = test::shared_server({GetParam(), "", fast_settings(GetParam())});
    ASSERT_NE(server_, nullptr);
    database_ = *db::open_database(*db::parse_url(server_->url()));
    connection_ = *database_->connect(level());
    clean();
  }
  void TearDown() override { clean(); }

  [[nodiscard]] bool is_postgres() const { return std::string_view(GetParam()) == "postgres"; }
  [[nodiscard]] const db::ServerLevel& level() const { return **db::level_named(*database_, "read committed"); }
  [[nodiscard]] const char* schemas() const {
    return is_postgres() ? "select count(*) from pg_namespace where nspname = 'isolde_hunt'"
                         : "select count(*) from information_schema.schemata where schema_name = 'isolde_hunt'";
  }
  void clean() {
    if (!connection_) return;
    for (const char* const sql :
         {"drop view if exists depends", "drop view if exists hunt_v0", "drop table if exists hunt_t0"})
      run(sql);
    run(is_postgres() ? "drop schema if exists isolde_hunt cascade" : "drop database if exists isolde_hunt");
  }
  void run(const std::string& sql) {
    const auto reply = connection_->run(sql);
    ASSERT_TRUE(reply) << sql << ": " << reply.error().text;
    ASSERT_TRUE(reply->done()) << sql << ": " << reply->failure.text;
  }
  std::int64_t number(const std::string& sql) {
    const auto reply = connection_->run(sql);
    EXPECT_TRUE(reply && reply->rows() == 1) << sql;
    return reply && reply->rows() == 1 ? std::get<std::int64_t>(reply->at(0, 0)) : -1;
  }
  Result<HuntResult> hunted() {
    HuntOptions options = test::hunt_options(1, 10);
    options.generate.views = true;
    return hunt(*database_, level(), options, {}, {});
  }

  db::Server* server_ = nullptr;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<db::Connection> connection_;
};

INSTANTIATE_TEST_SUITE_P(Servers, OwnSchemaOn, ::testing::Values("postgres", "mariadb"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(OwnSchemaOn, AUsersTableOfAHuntsNameAndAViewOfItSurviveAHunt) {
  run("create table hunt_t0 (mine bigint)");
  run("insert into hunt_t0 values (7)");
  run("create view depends as select mine from hunt_t0");
  run("create view hunt_v0 as select mine from hunt_t0");
  const auto result = hunted();
  ASSERT_TRUE(result) << result.error().text;
  EXPECT_EQ(result->counts.cases, 10U);
  EXPECT_EQ(result->first_fault, "");
  EXPECT_EQ(number("select mine from hunt_t0"), 7);
  EXPECT_EQ(number("select mine from depends"), 7);
  EXPECT_EQ(number("select mine from hunt_v0"), 7);
  EXPECT_EQ(number(schemas()), 0) << "what it made is gone";
}

TEST_P(OwnSchemaOn, ASchemaThatNoHuntMadeIsRefusedAndNotTouched) {
  run(is_postgres() ? "create schema isolde_hunt" : "create database isolde_hunt");
  run("create table isolde_hunt.hunt_t0 (mine bigint)");
  run("insert into isolde_hunt.hunt_t0 values (7)");
  const auto result = hunted();
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().text.find("did not make"), std::string::npos) << result.error().text;
  EXPECT_NE(result.error().text.find("rename it"), std::string::npos) << result.error().text;
  EXPECT_EQ(number("select mine from isolde_hunt.hunt_t0"), 7);
}

TEST_P(OwnSchemaOn, AnEmptySchemaThatSomebodyMadeIsUsedAndStays) {
  run(is_postgres() ? "create schema isolde_hunt" : "create database isolde_hunt");
  const auto result = hunted();
  ASSERT_TRUE(result) << result.error().text;
  EXPECT_EQ(number(schemas()), 1);
  run("create table isolde_hunt.isolde_hunt_made (id bigint)");  // no mark is left
}

TEST_P(OwnSchemaOn, WhatAKilledHuntLeftIsRemovedByTheNext) {
  ASSERT_TRUE(make_own_schema(*connection_, GetParam()));
  run("create table isolde_hunt.hunt_t0 (id bigint primary key)");
  run("create table isolde_hunt.hunt_t1 (id bigint references isolde_hunt.hunt_t0 (id))");
  run("create view isolde_hunt.hunt_v0 as select id from isolde_hunt.hunt_t0");
  const auto result = hunted();
  ASSERT_TRUE(result) << result.error().text;
  EXPECT_EQ(result->first_fault, "");
  EXPECT_EQ(number(schemas()), 0);
}

TEST_P(OwnSchemaOn, OneHuntAtATimeIsAtWork) {
  {
    const auto held = hold_own_schema(*database_, level());
    ASSERT_TRUE(held) << held.error().text;
    const auto second = hunted();
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().text.find("another hunt is at work"), std::string::npos) << second.error().text;
    EXPECT_EQ(number(schemas()), 0) << "it changed nothing";
  }
  const auto after = hunted();
  EXPECT_TRUE(after) << after.error().text;
}

TEST_P(OwnSchemaOn, AUserWhoMayNotMakeASchemaIsToldWhatToRun) {
  const auto admins = *db::open_database(*db::parse_url(server_->superuser_url()));
  const auto admin = *admins->connect(admins->levels().front());
  const auto as_admin = [&](const std::string& sql) {
    const auto reply = admin->run(sql);
    ASSERT_TRUE(reply && reply->done()) << sql << ": " << (reply ? reply->failure.text : reply.error().text);
  };
  as_admin(is_postgres() ? "create role visitor login" : "create user visitor@localhost");
  if (!is_postgres()) as_admin("grant select on isolde.* to visitor@localhost");
  db::Url url = *db::parse_url(server_->url());
  url.user = "visitor";
  {
    const auto visitors = *db::open_database(url);
    const auto level = db::level_named(*visitors, "read committed");
    const auto result = hunt(*visitors, **level, test::hunt_options(1, 1), {}, {});
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().text.find(is_postgres() ? "create schema isolde_hunt authorization USER"
                                                     : "grant all on isolde_hunt.* to USER"),
              std::string::npos)
        << result.error().text;
  }
  as_admin(is_postgres() ? "drop role visitor" : "drop user visitor@localhost");
}

}  // namespace hunt_own_schema_test
}  // namespace isolde::hunt
