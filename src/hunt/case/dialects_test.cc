#include "hunt/case/dialects.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hunt/generate/generate.h"
#include "hunt/run/sent.h"
#include "hunt/run/setup_sql.h"
#include "hunt/trial/applicability.h"
#include "tests/support/effort.h"

namespace isolde::hunt {
namespace dialects_test {

TEST(HuntDialects, AServerIsHuntedAsWhatItSaysItIs) {
  EXPECT_EQ(spoken_dialect("mariadb", "MariaDB 10.11.19, innodb_snapshot_isolation=OFF"), "mariadb");
  EXPECT_EQ(spoken_dialect("mariadb", "MySQL 8.0.36"), "mysql");
  EXPECT_EQ(spoken_dialect("tidb", "TiDB v7.5.0, tidb_txn_mode=pessimistic"), "tidb");
  EXPECT_EQ(spoken_dialect("postgres", "PostgreSQL 15.3"), "postgres");
  EXPECT_EQ(spoken_dialect("cockroachdb", "CockroachDB 23"), "cockroachdb");
  EXPECT_EQ(hunt_dialect("cockroachdb"), nullptr);
  EXPECT_FALSE(share_grammar("cockroachdb", "postgres"));
  EXPECT_TRUE(share_grammar("mariadb", "tidb"));
}

// MySQL has InnoDB's REPEATABLE READ; TiDB's pessimistic transactions read the newest rows where they lock.
TEST(HuntDialects, LevelsAtWhichTheMethodDoesNotHoldAreKnown) {
  const auto mysql = why_not("mysql", "repeatable read", "MySQL 8.0.36");
  ASSERT_TRUE(mysql);
  EXPECT_EQ(mysql->cause, "innodb-repeatable-read");
  EXPECT_FALSE(why_not("mysql", "read committed", "MySQL 8.0.36"));
  EXPECT_FALSE(why_not("mysql", "serializable", "MySQL 8.0.36"));
  const auto tidb = why_not("tidb", "repeatable read", "TiDB v7.5.0, tidb_txn_mode=pessimistic");
  ASSERT_TRUE(tidb);
  EXPECT_TRUE(tidb->recognisable);
  EXPECT_EQ(tidb->cause, "tidb-pessimistic");
  EXPECT_FALSE(why_not("tidb", "read committed", "TiDB v7.5.0, tidb_txn_mode=pessimistic"));
  EXPECT_FALSE(why_not("tidb", "repeatable read", "TiDB v7.5.0, tidb_txn_mode=optimistic"));
}

TEST(HuntDialects, PreparedStatementsAreSpelledForEach) {
  Statement statement;
  statement.sql = "select 'it''s'";
  statement.sent = Sent::kPrepared;
  EXPECT_EQ(sent_sql(statement, "mariadb", Preparer::kDriver).sql, R"(execute immediate 'select \'it\'\'s\'')");
  for (const char* const dialect : {"mysql", "tidb"}) {
    const SentSql sent = sent_sql(statement, dialect, Preparer::kDriver);
    EXPECT_EQ(sent.before, std::vector<std::string>{R"(prepare hunt_prepared from 'select \'it\'\'s\'')"});
    EXPECT_EQ(sent.sql, "execute hunt_prepared");
    EXPECT_EQ(sent.after, std::vector<std::string>{"deallocate prepare hunt_prepared"});
  }
}

TEST(HuntDialects, WhatIsUndoneComesBeforeTheStatement) {
  Statement statement;
  statement.sql = "select 1";
  statement.undone = "delete from t";
  statement.sent = Sent::kSavepoint;
  const SentSql sent = sent_sql(statement, "sqlite", Preparer::kDriver);
  EXPECT_EQ(sent.before,
            (std::vector<std::string>{"savepoint hunt_undone", "delete from t", "rollback to savepoint hunt_undone",
                                      "release savepoint hunt_undone", "savepoint hunt_kept"}));
  EXPECT_EQ(sent.after, std::vector<std::string>{"release savepoint hunt_kept"});
}

TEST(HuntDialects, ATextIsTranslatedByItsCollation) {
  EXPECT_EQ(translated("a collate utf8mb4_nopad_bin, b collate utf8mb4_nopad_bin", "mariadb", "mysql"),
            "a collate utf8mb4_0900_bin, b collate utf8mb4_0900_bin");
  EXPECT_EQ(translated("a collate utf8mb4_0900_bin", "tidb", "mariadb"), "a collate utf8mb4_nopad_bin");
  EXPECT_EQ(translated("a", "postgres", "mysql"), "a");
}

// All that is drawn for a dialect, in one text.
std::string drawn_for(const std::string& dialect, int version) {
  GenerateOptions options;
  options.dialect = dialect;
  options.server_version = version;
  options.foreign_keys = options.generated_columns = options.views = options.triggers = true;
  const auto generator = make_generator(options);
  std::string all;
  // Never fewer: what is asserted to be there has to be drawn.
  constexpr std::uint64_t kCases = 200;
  const std::uint64_t first = effort::seed(0), end = first + std::max(kCases, effort::tries(kCases));
  for (std::uint64_t seed = first; seed < end; ++seed) {
    if (seed % 20 == 0)
      for (const std::string& sql : creation(generator->schema(seed), dialect)) all += sql + "\n";
    for (const Transaction& transaction : generator->test(seed).transactions)
      for (const Statement& statement : transaction.statements)
        for (const std::string& sql : sent_sql(statement, dialect, Preparer::kSql).before) all += sql + "\n";
    for (const Transaction& transaction : generator->test(seed).transactions)
      for (const Statement& statement : transaction.statements) all += statement.sql + "\n";
  }
  return all;
}

TEST(HuntDialects, MysqlAndTidbGetNoSqlThatOnlyMariadbHas) {
  const auto has = [](const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; };
  const std::string mariadb = drawn_for("mariadb", 101119), mysql = drawn_for("mysql", 80036),
                    old = drawn_for("mysql", 80028), tidb = drawn_for("tidb", 70500);
  for (const std::string* const other : {&mysql, &old, &tidb}) {
    EXPECT_FALSE(has(*other, "nopad"));
    EXPECT_FALSE(has(*other, "execute immediate"));
    EXPECT_TRUE(has(*other, "select /*+ ")) << "hints";
    EXPECT_TRUE(has(*other, "utf8mb4_0900_bin"));
    EXPECT_TRUE(has(*other, " for update"));
  }
  EXPECT_FALSE(has(mariadb, "/*+"));
  EXPECT_TRUE(has(mysql, "lock in share mode"));
  EXPECT_FALSE(has(tidb, "lock in share mode")) << "an error there";
  EXPECT_TRUE(has(mysql, " except ") && has(mysql, " intersect "));
  EXPECT_FALSE(has(old, " except ") || has(old, " intersect ")) << "from 8.0.31 on";
  EXPECT_TRUE(has(tidb, "hash_agg()"));
}

}  // namespace dialects_test
}  // namespace isolde::hunt
