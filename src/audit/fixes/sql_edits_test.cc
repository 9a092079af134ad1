#include "audit/fixes/sql_edits.h"

#include <gtest/gtest.h>

namespace isolde::audit {
namespace sql_edits_test {

constexpr SqlDialect kPg = SqlDialect::kPostgres;
constexpr SqlDialect kMy = SqlDialect::kMysql;
constexpr SqlDialect kLite = SqlDialect::kSqlite;

TEST(SqlEdits, ForUpdateStandsAtTheEnd) {
  EXPECT_EQ(with_for_update("SELECT a FROM t WHERE id = 3", kPg), "SELECT a FROM t WHERE id = 3 FOR UPDATE");
  EXPECT_EQ(with_for_update("select `a` from t where id='3;' order by b limit 1 ; ", kMy),
            "select `a` from t where id='3;' order by b limit 1 FOR UPDATE");
}

TEST(SqlEdits, AWeakerLockGivesWay) {
  EXPECT_EQ(with_for_update("SELECT a FROM t FOR SHARE", kPg), "SELECT a FROM t FOR UPDATE");
  EXPECT_EQ(with_for_update("SELECT a FROM t LOCK IN SHARE MODE", kMy), "SELECT a FROM t FOR UPDATE");
  EXPECT_EQ(with_for_update("SELECT a FROM t FOR UPDATE", kMy), std::nullopt);
}

TEST(SqlEdits, WhatTheDialectWouldRefuseIsNotMade) {
  EXPECT_EQ(with_for_update("SELECT count(*) FROM t", kPg), std::nullopt);
  EXPECT_EQ(with_for_update("SELECT count(*) FROM t", kMy), "SELECT count(*) FROM t FOR UPDATE");
  EXPECT_EQ(with_for_update("SELECT DISTINCT a FROM t", kPg), std::nullopt);
  EXPECT_EQ(with_for_update("SELECT a FROM t GROUP BY a", kPg), std::nullopt);
  EXPECT_EQ(with_for_update("SELECT a FROM t UNION SELECT b FROM u", kMy), std::nullopt);
  EXPECT_EQ(with_for_update("SELECT a FROM t", kLite), std::nullopt);
  EXPECT_EQ(with_for_update("UPDATE t SET a = 1", kPg), std::nullopt);
  EXPECT_EQ(with_for_update("", kPg), std::nullopt);
}

TEST(SqlEdits, AConditionJoinsTheWhereClause) {
  EXPECT_EQ(with_condition("UPDATE t SET a = 5 WHERE id = 3", "a", kPg), "UPDATE t SET a = 5 WHERE id = 3 AND a = ?");
  EXPECT_EQ(with_condition("UPDATE t SET a=5 WHERE id=3 OR id=4 LIMIT 1;", "a", kMy),
            "UPDATE t SET a=5 WHERE (id=3 OR id=4) AND a = ? LIMIT 1");
  EXPECT_EQ(with_condition("UPDATE t SET a = (SELECT b FROM u WHERE c = 1)", "a", kPg), std::nullopt);
  EXPECT_EQ(with_condition("UPDATE t SET a = 5 WHERE id = 3 RETURNING a", "a", kPg),
            "UPDATE t SET a = 5 WHERE id = 3 AND a = ? RETURNING a");
}

TEST(SqlEdits, ANumberBecomesRelative) {
  EXPECT_EQ(with_relative_value("UPDATE t SET a = 5 WHERE id = 3", "a", kPg), "UPDATE t SET a = a + ? WHERE id = 3");
  EXPECT_EQ(with_relative_value("UPDATE `t` SET `b`='x', `a`='-12.50' WHERE id=3", "a", kMy),
            "UPDATE `t` SET `b`='x', `a`=a + ? WHERE id=3");
  EXPECT_EQ(with_relative_value("UPDATE t SET a = -5, b = 2 WHERE id = 3", "a", kPg),
            "UPDATE t SET a = a + ?, b = 2 WHERE id = 3");
  EXPECT_EQ(with_relative_value("UPDATE t SET a = 'abc' WHERE id = 3", "a", kPg), std::nullopt);
  EXPECT_EQ(with_relative_value("UPDATE t SET a = a + 1 WHERE id = 3", "a", kPg), std::nullopt);
  EXPECT_EQ(with_relative_value("UPDATE t SET a = 5 + b WHERE id = 3", "a", kPg), std::nullopt);
  EXPECT_EQ(with_relative_value("UPDATE t SET b = 5 WHERE a = 3", "a", kPg), std::nullopt);
}

}  // namespace sql_edits_test
}  // namespace isolde::audit
