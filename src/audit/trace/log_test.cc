#include "audit/trace/log.h"

#include <gtest/gtest.h>

#include "audit/trace/control.h"
#include "audit/trace/trace_testing.h"

namespace isolde::audit {
namespace log_test {

std::string run(std::string_view sql, SqlDialect dialect) {
  TraceOptions options;
  options.format = TraceFormat::kSqlText;
  options.dialect = dialect;
  return transactions(sql, options);
}
std::string mysql(std::string_view sql) { return run(sql, SqlDialect::kMysql); }
std::string postgres(std::string_view sql) { return run(sql, SqlDialect::kPostgres); }
std::string sqlite(std::string_view sql) { return run(sql, SqlDialect::kSqlite); }

Control control(std::string_view sql, SqlDialect dialect = SqlDialect::kMysql) { return control_of(sql, dialect).what; }

TEST(Control, KnowsTheWordsThatBeginAndEnd) {
  for (const char* sql : {"BEGIN", "begin work", "Start  Transaction read only",
                          "START TRANSACTION WITH CONSISTENT SNAPSHOT", "/* x */ begin", "-- x\nBEGIN", "BEGIN/* x */",
                          "START /* y */ TRANSACTION", "XA START 'a'", "XA BEGIN 'a'", "/*!40100 BEGIN */"})
    EXPECT_EQ(control(sql), Control::kBegin) << sql;
  for (const char* sql :
       {"BEGIN IMMEDIATE", "begin exclusive transaction", "BEGIN DEFERRED", "BEGIN ISOLATION LEVEL SERIALIZABLE"})
    EXPECT_EQ(control(sql, SqlDialect::kSqlite), Control::kBegin) << sql;
  for (const char* sql :
       {"COMMIT", "commit work", "END", "end transaction", "COMMIT AND NO CHAIN", "XA COMMIT 'a' ONE PHASE"})
    EXPECT_EQ(control(sql), Control::kCommit) << sql;
  for (const char* sql : {"ROLLBACK", "abort", "ROLLBACK WORK", "rollback transaction", "XA ROLLBACK 'a'"})
    EXPECT_EQ(control(sql), Control::kRollback) << sql;
  EXPECT_TRUE(control_of("COMMIT AND CHAIN", SqlDialect::kPostgres).chain);
  EXPECT_TRUE(control_of("rollback work and chain", SqlDialect::kMysql).chain);
  EXPECT_FALSE(control_of("COMMIT AND NO CHAIN", SqlDialect::kPostgres).chain);
  EXPECT_EQ(control("BEGIN NOT ATOMIC SELECT 1; END"), Control::kData);
}

TEST(Control, KnowsSavepoints) {
  EXPECT_EQ(control_of("SAVEPOINT `my point`", SqlDialect::kMysql).name, "my point");
  for (const char* sql :
       {"ROLLBACK TO a", "rollback to savepoint a", "ROLLBACK WORK TO SAVEPOINT \"a\"", "ROLLBACK TRANSACTION TO a"}) {
    EXPECT_EQ(control(sql), Control::kRollbackTo) << sql;
    EXPECT_EQ(control_of(sql, SqlDialect::kPostgres).name, "a") << sql;
  }
  EXPECT_EQ(control("RELEASE a"), Control::kRelease);
  EXPECT_EQ(control_of("RELEASE SAVEPOINT a", SqlDialect::kPostgres).name, "a");
}

TEST(Control, KnowsHowAutocommitIsSet) {
  const auto set = [](std::string_view sql) {
    const ControlStatement found = control_of(sql, SqlDialect::kMysql);
    return found.what != Control::kAutocommit ? "no" : found.on ? "on" : "off";
  };
  for (const char* sql :
       {"SET autocommit=0", "set AUTOCOMMIT = OFF", "SET @@autocommit := 0", "SET SESSION autocommit = 'off'",
        "SET @@session.autocommit=false", "SET sql_mode='', autocommit=0", "SET LOCAL autocommit=0",
        "SET GLOBAL autocommit=1, SESSION autocommit=0", "SET /* x */ autocommit = 0", "/*!40101 SET autocommit=0 */"})
    EXPECT_STREQ(set(sql), "off") << sql;
  for (const char* sql : {"SET autocommit=1", "SET autocommit = ON", "SET @@autocommit=TRUE", "SET autocommit=DEFAULT"})
    EXPECT_STREQ(set(sql), "on") << sql;
  for (const char* sql : {"SET GLOBAL autocommit=0", "SET @@global.autocommit=0", "SET NAMES 'autocommit'",
                          "SET @x = 'autocommit=0'", "SET @a = @@autocommit"})
    EXPECT_STREQ(set(sql), "no") << sql;
}

TEST(Control, TellsStatementsWithoutRows) {
  for (const char* sql :
       {"SHOW TABLES", "USE shop", "SET NAMES utf8", "EXPLAIN SELECT 1", "PREPARE p FROM 'SELECT 1'",
        "DEALLOCATE PREPARE p", "LOCK TABLES t WRITE", "UNLOCK TABLES", "EXPLAIN (COSTS off) SELECT 1",
        "SET TRANSACTION READ ONLY", "SET GLOBAL TRANSACTION ISOLATION LEVEL SERIALIZABLE"})
    EXPECT_EQ(control(sql), Control::kNoData) << sql;
  for (const char* sql :
       {"EXECUTE p USING @a", "SET STATEMENT max_statement_time=1 FOR UPDATE t SET a = 1",
        "EXPLAIN (COSTS off, ANALYZE) DELETE FROM t", "EXPLAIN ANALYZE DELETE FROM t", "SET @a = (SELECT 1)",
        "CALL p()", "LOAD DATA INFILE 'x' INTO TABLE t", "(SELECT 1)", "WITH a AS (SELECT 1) SELECT 2",
        "DO release_lock('a')", "gibberish", "", "/* only a comment */"})
    EXPECT_EQ(control(sql), Control::kData) << sql;
  EXPECT_EQ(control("PREPARE TRANSACTION 'x'", SqlDialect::kPostgres), Control::kPrepareTransaction);
}

TEST(Control, KnowsTheLevelThatIsSaid) {
  const auto level = [](std::string_view sql, SqlDialect dialect = SqlDialect::kPostgres) {
    constexpr std::string_view kNames[] = {"", "rc", "rr", "ser"};
    const ControlStatement found = control_of(sql, dialect);
    return std::string(kNames[static_cast<std::size_t>(found.level)]) + (found.for_session ? " session" : "");
  };
  EXPECT_EQ(level("BEGIN ISOLATION LEVEL SERIALIZABLE"), "ser");
  EXPECT_EQ(level("begin transaction read only, isolation level repeatable read"), "rr");
  EXPECT_EQ(level("START TRANSACTION ISOLATION LEVEL READ UNCOMMITTED, READ WRITE"), "rc");
  EXPECT_EQ(level("BEGIN"), "");
  EXPECT_EQ(level("SET TRANSACTION ISOLATION LEVEL READ COMMITTED"), "rc");
  EXPECT_EQ(level("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE"), "ser session");
  EXPECT_EQ(level("SET default_transaction_isolation TO 'repeatable read'"), "rr session");
  EXPECT_EQ(level("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", SqlDialect::kMysql), "rr session");
  EXPECT_EQ(level("SET SESSION tx_isolation='READ-COMMITTED'", SqlDialect::kMysql), "rc session");
}

TEST(TraceLog, ALevelIsOfTheOpenTransactionOrOfTheNext) {
  const auto levels = [](std::string_view sql, SqlDialect dialect) {
    TraceOptions options;
    options.dialect = dialect;
    const auto log = load_trace_text(sql, "test.sql", options);
    std::string out;
    if (!log) return out;
    for (const TraceTransaction& one : log->transactions) out += "-CRS"[static_cast<std::size_t>(one.level)];
    return out;
  };
  EXPECT_EQ(levels("BEGIN; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SELECT 1; COMMIT; BEGIN; SELECT 1; COMMIT;",
                   SqlDialect::kPostgres),
            "S-");
  EXPECT_EQ(levels("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN; SELECT 1; COMMIT; BEGIN; SELECT 1; COMMIT;",
                   SqlDialect::kMysql),
            "S-");
  EXPECT_EQ(
      levels("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1; BEGIN ISOLATION "
             "LEVEL READ COMMITTED; SELECT 1; COMMIT; SELECT 1;",
             SqlDialect::kPostgres),
      "RCR");
}

TEST(TraceLog, AStatementByItselfIsATransaction) {
  EXPECT_EQ(postgres("SELECT 1; SET x = 5; SELECT 2;"), "0 auto committed: SELECT 1\n0 auto committed: SELECT 2\n");
}

TEST(TraceLog, GroupsWhatIsBetweenBeginAndEnd) {
  EXPECT_EQ(
      postgres(
          "BEGIN; SELECT 1; SET x = 1; SELECT 2; COMMIT; START TRANSACTION; SELECT 3; ABORT; BEGIN; SELECT 4; END;"),
      "0 committed: SELECT 1; SELECT 2\n0 rolled back: SELECT 3\n0 committed: SELECT 4\n");
  EXPECT_EQ(postgres("BEGIN; COMMIT; BEGIN; SHOW x; ROLLBACK; COMMIT; ROLLBACK; BEGIN; SELECT 1;"),
            "0 open: SELECT 1\n");
}

TEST(TraceLog, CountsWhatItLeavesOut) {
  TraceOptions options;
  options.format = TraceFormat::kSqlText;
  const auto log = load_trace_text("BEGIN; COMMIT; SET a = 1; SELECT 1; SHOW x;\n.quit\n", "t", options);
  ASSERT_TRUE(log);
  EXPECT_EQ(log->control_statements, 2U);
  EXPECT_EQ(log->no_data_statements, 2U);
  EXPECT_EQ(log->empty_transactions, 1U);
  EXPECT_EQ(log->sessions, 1U);
  EXPECT_EQ(log->unread_count, 1U);
  ASSERT_EQ(log->unread.size(), 1U);
  EXPECT_EQ(log->unread[0].line, 2U);
  EXPECT_EQ(log->unread[0].text, ".quit");
}

TEST(TraceLog, SessionsAreApart) {
  EXPECT_EQ(postgres("-- session 1\nBEGIN; SELECT 1;\n-- session 2\nSELECT 2;\n-- session 1\nSELECT 3; COMMIT;\n"),
            "1 auto committed: SELECT 2\n0 committed: SELECT 1; SELECT 3\n");
}

TEST(TraceLog, TimesTellWhoWasConcurrent) {
  TraceOptions options;
  const auto log = load_trace_text(
      "-- session 1\nBEGIN; SELECT 1;\n-- session 2\nSELECT 2;\n-- session 1\nCOMMIT;\n-- session 2\nSELECT 3;\n", "t",
      options);
  ASSERT_TRUE(log);
  ASSERT_EQ(log->transactions.size(), 3U);
  const auto& [inner, outer, after] = std::tie(log->transactions[0], log->transactions[1], log->transactions[2]);
  EXPECT_LT(outer.begun, inner.begun);
  EXPECT_LT(inner.ended, outer.ended);
  EXPECT_LT(outer.ended, after.begun);
  EXPECT_EQ(log->of(outer)[0].line, 2U);
}

TEST(TraceLog, MysqlCommitsAtBeginAndAtSchemaChanges) {
  EXPECT_EQ(mysql("BEGIN; SELECT 1; BEGIN; SELECT 2; CREATE TABLE t (a int); SELECT 3; COMMIT;"),
            "0 committed: SELECT 1\n0 committed: SELECT 2\n0 auto committed: CREATE TABLE t (a int)\n0 auto committed: "
            "SELECT 3\n");
  EXPECT_EQ(mysql("BEGIN; SELECT 1; CREATE TEMPORARY TABLE t (a int); DROP TEMPORARY TABLE t; SELECT 2; COMMIT;"),
            "0 committed: SELECT 1; CREATE TEMPORARY TABLE t (a int); DROP TEMPORARY TABLE t; SELECT 2\n");
  EXPECT_EQ(mysql("BEGIN; SELECT 1; LOCK TABLES t READ; SELECT 2; UNLOCK TABLES;"),
            "0 committed: SELECT 1\n0 auto committed: SELECT 2\n");
}

TEST(TraceLog, MysqlAutocommitOffBeginsByItself) {
  EXPECT_EQ(mysql("SELECT 0; SET autocommit=0; SELECT 1; SELECT 2; COMMIT; SELECT 3; ROLLBACK; SELECT 4; SET "
                  "autocommit=1; SELECT 5;"),
            "0 auto committed: SELECT 0\n0 committed: SELECT 1; SELECT 2\n0 rolled back: SELECT 3\n0 committed: SELECT "
            "4\n0 auto committed: SELECT 5\n");
  // Turning on what is on commits nothing.
  EXPECT_EQ(mysql("BEGIN; SELECT 1; SET autocommit=1; SELECT 2; ROLLBACK;"), "0 rolled back: SELECT 1; SELECT 2\n");
  // Each session has its own.
  EXPECT_EQ(mysql("-- session 1\nSET autocommit=0;\n-- session 2\nSELECT 1;\n-- session 1\nSELECT 2;\n"),
            "1 auto committed: SELECT 1\n0 open: SELECT 2\n");
}

TEST(TraceLog, ChainsBeginAgain) {
  EXPECT_EQ(mysql("BEGIN; SELECT 1; COMMIT AND CHAIN; SELECT 2; ROLLBACK AND CHAIN; SELECT 3; COMMIT; SELECT 4;"),
            "0 committed: SELECT 1\n0 rolled back: SELECT 2\n0 committed: SELECT 3\n0 auto committed: SELECT 4\n");
}

TEST(TraceLog, PostgresTakesASecondBeginForNothingAndKeepsSchemaChangesInside) {
  EXPECT_EQ(postgres("BEGIN; SELECT 1; BEGIN; CREATE TABLE t (a int); SELECT 2; ROLLBACK;"),
            "0 rolled back: SELECT 1; CREATE TABLE t (a int); SELECT 2\n");
}

TEST(TraceLog, WhatWasRolledBackToASavepointIsGone) {
  EXPECT_EQ(postgres("BEGIN; SELECT 1; SAVEPOINT a; SELECT 2; SAVEPOINT b; SELECT 3; ROLLBACK TO A; SELECT 4; ROLLBACK "
                     "TO a; SELECT 5; COMMIT;"),
            "0 committed: SELECT 1; SELECT 5\n");
  EXPECT_EQ(postgres("BEGIN; SAVEPOINT a; SELECT 1; RELEASE a; ROLLBACK TO a; SELECT 2; COMMIT;"),
            "0 committed: SELECT 1; SELECT 2\n");
  EXPECT_EQ(
      postgres("BEGIN; SAVEPOINT a; SELECT 1; SAVEPOINT a; SELECT 2; RELEASE a; SELECT 3; ROLLBACK TO a; COMMIT;"), "");
}

TEST(TraceLog, AnOutermostSavepointOfSqliteIsATransaction) {
  EXPECT_EQ(sqlite("SAVEPOINT a; SELECT 1; SAVEPOINT b; SELECT 2; RELEASE b; SELECT 3; RELEASE a; SELECT 4;"),
            "0 committed: SELECT 1; SELECT 2; SELECT 3\n0 auto committed: SELECT 4\n");
  EXPECT_EQ(sqlite("BEGIN IMMEDIATE; SAVEPOINT a; SELECT 1; RELEASE a; SELECT 2; COMMIT;"),
            "0 committed: SELECT 1; SELECT 2\n");
}

TEST(TraceLog, APreparedTransactionIsDecidedLater) {
  EXPECT_EQ(postgres("BEGIN; SELECT 1; PREPARE TRANSACTION 'x'; BEGIN; SELECT 2; PREPARE TRANSACTION 'y';\n"
                     "-- session 2\nROLLBACK PREPARED 'x'; COMMIT PREPARED 'y';"),
            "0 rolled back: SELECT 1\n0 committed: SELECT 2\n");
}

TEST(TraceLog, AFailureMakesCommitARollback) {
  EXPECT_EQ(
      transactions(
          "[7] LOG:  statement: BEGIN\n[7] LOG:  statement: SELECT 1\n[7] LOG:  statement: SELECT 2\n"
          "[7] ERROR:  no\n[7] STATEMENT:  SELECT 2\n[7] LOG:  statement: COMMIT\n[7] LOG:  statement: SELECT 3\n"),
      "0 rolled back: SELECT 1\n0 auto committed: SELECT 3\n");
  EXPECT_EQ(
      transactions("[7] LOG:  statement: BEGIN\n[7] LOG:  statement: SELECT 1\n[7] LOG:  statement: SAVEPOINT a\n"
                   "[7] LOG:  statement: SELECT 2\n[7] ERROR:  no\n[7] STATEMENT:  SELECT 2\n"
                   "[7] LOG:  statement: ROLLBACK TO a\n[7] LOG:  statement: SELECT 3\n[7] LOG:  statement: COMMIT\n"),
      "0 committed: SELECT 1; SELECT 3\n");
}

TEST(TraceLog, AFailureOutsideOfATransactionConcernsOneStatement) {
  EXPECT_EQ(transactions("[7] LOG:  statement: SELECT 1\n[7] LOG:  statement: SELECT 2\n[8] LOG:  statement: SELECT 3\n"
                         "[7] ERROR:  no\n[7] STATEMENT:  SELECT 2\n[7] LOG:  statement: SELECT 4\n"),
            "0 auto committed: SELECT 1\n1 auto committed: SELECT 3\n0 auto committed: SELECT 4\n");
}

TEST(TraceLog, ACommitThatFailedRolledBack) {
  EXPECT_EQ(transactions("[7] LOG:  statement: BEGIN\n[7] LOG:  statement: SELECT 1\n[7] LOG:  statement: COMMIT\n"
                         "[7] ERROR:  could not serialize access\n[7] STATEMENT:  COMMIT\n"),
            "0 rolled back: SELECT 1\n");
}

TEST(TraceLog, AMessageOfSeveralStatementsIsOneTransaction) {
  EXPECT_EQ(transactions("[7] LOG:  statement: SELECT 1; SELECT 2\n[7] LOG:  statement: SELECT 3\n"),
            "0 committed: SELECT 1; SELECT 2\n0 auto committed: SELECT 3\n");
  EXPECT_EQ(
      transactions("[7] LOG:  statement: SELECT 1; SELECT 2\n[7] ERROR:  no\n[7] STATEMENT:  SELECT 1; SELECT 2\n"),
      "0 rolled back: SELECT 1; SELECT 2\n");
  EXPECT_EQ(
      transactions("[7] LOG:  statement: SELECT 1; BEGIN; SELECT 2\n[7] LOG:  statement: SELECT 3; COMMIT; SELECT 4\n"),
      "0 committed: SELECT 1; SELECT 2; SELECT 3\n0 committed: SELECT 4\n");
}

TEST(TraceLog, TheEndOfASessionRollsBack) {
  EXPECT_EQ(
      transactions("\t\t    1 Query\tBEGIN\n\t\t    1 Query\tSELECT 1\n\t\t    1 Quit\t\n\t\t    1 Query\tSELECT 2\n"),
      "0 rolled back: SELECT 1\n1 auto committed: SELECT 2\n");
}

TEST(TraceLog, LiteralsBelongToTheirStatement) {
  TraceOptions options;
  const auto log =
      load_trace_text("SELECT a FROM t WHERE b = 5 AND c = 'x';SELECT a FROM t WHERE b = 6 AND c = '5';", "t", options);
  ASSERT_TRUE(log);
  ASSERT_EQ(log->statements.size(), 2U);
  EXPECT_EQ(log->statements[0].shape, log->statements[1].shape);
  const auto first = log->literals_of(log->statements[0]);
  const auto second = log->literals_of(log->statements[1]);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0], second[1]);
  EXPECT_EQ(log->shapes.literal(second[0]), "6");
}

}  // namespace log_test
}  // namespace isolde::audit
