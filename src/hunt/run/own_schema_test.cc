// SQLite's side; tests/live/hunt_own_schema_test.cc has the servers'.
#include "hunt/run/own_schema.h"

#include <gtest/gtest.h>

#include "db/url.h"
#include "hunt/hunt.h"
#include "hunt/run/arena.h"
#include "tests/support/small_case.h"

namespace isolde::hunt {
namespace own_schema_test {

class OwnSchemaOnSqlite : public ::testing::Test {
 protected:
  OwnSchemaOnSqlite()
      : database_(*db::open_database(*db::parse_url("sqlite:"))),
        level_(**db::level_named(*database_, "wal deferred")) {
    connection_ = *database_->connect(level_);
  }
  void run(const std::string& sql) {
    const auto reply = connection_->run(sql);
    ASSERT_TRUE(reply && reply->done()) << sql;
  }
  std::int64_t number(const std::string& sql) {
    const auto reply = connection_->run(sql);
    EXPECT_TRUE(reply && reply->rows() == 1) << sql;
    return reply && reply->rows() == 1 ? std::get<std::int64_t>(reply->at(0, 0)) : -1;
  }

  std::unique_ptr<db::Database> database_;
  const db::ServerLevel& level_;
  std::unique_ptr<db::Connection> connection_;
};

TEST_F(OwnSchemaOnSqlite, ATableOfSomebodyElseIsNeverTouched) {
  run("create table A (mine integer)");
  run("insert into A values (7)");
  auto arena = open_arena(*database_, level_, {});
  ASSERT_TRUE(arena) << arena.error().text;
  const Schema schema = testing::small_schema("sqlite");  // it has a table a
  const auto made = (*arena)->prepare(schema);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text.find("a table a that `isolde hunt` did not make"), std::string::npos)
      << made.error().text;
  EXPECT_NE(made.error().text.find("a file of its own"), std::string::npos) << made.error().text;
  (void)(*arena)->prepare({});
  (*arena).reset();
  ASSERT_TRUE(drop_own_schema(*database_, level_));
  EXPECT_EQ(number("select mine from A"), 7);
  EXPECT_EQ(number("select count(*) from sqlite_master"), 1);
}

TEST_F(OwnSchemaOnSqlite, AHuntIsRefusedForAnyOfItsNames) {
  run("create table mine (id integer)");
  run("create view hunt_v3 as select id from mine");
  HuntOptions options;
  options.most_cases = 1;
  const auto result = hunt(*database_, level_, options, {}, {});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().text.find("hunt_v3"), std::string::npos) << result.error().text;
  EXPECT_EQ(number("select count(*) from hunt_v3"), 0);
}

TEST_F(OwnSchemaOnSqlite, WhatAHuntLeftIsTakenOverAndRemoved) {
  const Schema schema = testing::small_schema("sqlite");
  for (int i = 0; i < 2; ++i) {  // the second finds what the first left
    auto arena = open_arena(*database_, level_, {});
    ASSERT_TRUE(arena) << arena.error().text;
    const auto made = (*arena)->prepare(schema);
    ASSERT_TRUE(made) << made.error().text;
  }
  run("create table mine (id integer)");
  EXPECT_EQ(number("select count(*) from a"), 3);
  const auto gone = drop_own_schema(*database_, level_);
  ASSERT_TRUE(gone) << gone.error().text;
  EXPECT_EQ(number("select count(*) from sqlite_master"), 1) << "the user's own";
}

}  // namespace own_schema_test
}  // namespace isolde::hunt
