#include <gtest/gtest.h>

#include "audit/trace/postgres_parameters.h"
#include "audit/trace/postgres_prefix.h"
#include "audit/trace/trace_testing.h"

namespace isolde::audit {
namespace postgres_log_test {

std::string read(std::string_view trace) { return events(trace, TraceFormat::kPostgresLog); }

// The time is the same in all: 2026-11-15 02:48:03.872.
TEST(PostgresPrefix, FindsTheSessionWhateverTheFormIs) {
  const auto session = [](std::string_view prefix) { return std::string(postgres_prefix(prefix).session); };
  EXPECT_EQ(session("2026-11-15 02:48:03.872 UTC [16240] "), "16240");
  EXPECT_EQ(session("2026-11-15 02:48:03.872 UTC [16240] shop@orders "), "16240");
  EXPECT_EQ(session("2026-11-15 02:48:03 CET [16240]: [7-1] user=u1,db=d2,app=[unknown],client=10.0.0.1 "), "16240");
  EXPECT_EQ(session("2026-11-15 02:48:03 UTC:10.0.0.1(39388):shop@orders:[16240]:"), "16240");
  EXPECT_EQ(session("2026-11-15 02:48:03 UTC 6af91d63.3f70 5 "), "6af91d63.3f70");
  EXPECT_EQ(session("user=u,db=d,pid=77 [3] "), "77");
  EXPECT_EQ(session("2026-11-15 02:48:03.872 +01 16240 3/323 "), "16240");
  EXPECT_EQ(session("1763174883.872 16240: "), "16240");
  EXPECT_EQ(session("2026-11-15 02:48:03 UTC 10.0.0.1(39388) "), "39388");
  EXPECT_EQ(session("2026-11-15 02:48:03 shop@orders "), "shop@orders");
  EXPECT_EQ(session(""), "");
  EXPECT_EQ(postgres_prefix("x 2026-11-15 02:48:03.872 UTC [1] ").time_us, 1794710883872000LL);
  EXPECT_EQ(postgres_prefix("1763174883.872 16240: ").time_us, 1763174883872000LL);
  EXPECT_EQ(postgres_prefix("[1] ").time_us, kNoTime);
}

TEST(PostgresParameters, ValuesTakeTheirPlaces) {
  const auto values = logged_parameters("$1 = '5', $2 = NULL, $3 = 'it''s, $1 = ''x'''");
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(
      with_parameters("SELECT $1, $2 + $3 || '$1' /* $2 */ -- $3\n, $$ $1 $$, \"$1\", $4, a$1, E'\\'$1', $12", values),
      "SELECT '5', NULL + 'it''s, $1 = ''x''' || '$1' /* $2 */ -- $3\n, $$ $1 $$, \"$1\", $4, a$1, E'\\'$1', $12");
  EXPECT_EQ(with_parameters("", values), "");
  EXPECT_EQ(with_parameters("$1", values), "'5'");
}

TEST(PostgresParameters, BadListsEndWhereTheyAreBad) {
  EXPECT_TRUE(logged_parameters("").empty());
  EXPECT_TRUE(logged_parameters("$2 = 5").empty());
  EXPECT_EQ(logged_parameters("$1 = 5, $3 = 6").size(), 1U);
  EXPECT_EQ(logged_parameters("$1 = 'never closed").size(), 1U);
  EXPECT_EQ(logged_parameters("$1 = ").size(), 1U);
  EXPECT_TRUE(logged_parameters("$99999999999999999999 = 1").empty());
}

TEST(PostgresParameters, AnExecuteIsTheStatementThatWasPrepared) {
  EXPECT_EQ(executed_text("EXECUTE get (5, f(1, 2), 'a,)')", "PREPARE get (int, int, text) AS SELECT $1, $2, $3;"),
            "SELECT 5, f(1, 2), 'a,)'");
  EXPECT_EQ(executed_text("execute \"my get\"", "prepare \"my get\" as SELECT 1"), "SELECT 1");
  EXPECT_EQ(executed_text("EXECUTE get(5", "PREPARE get AS SELECT $1"), "SELECT $1");
  EXPECT_EQ(executed_text("SELECT 1", "PREPARE get AS SELECT $1"), "");
}

TEST(PostgresLog, GivesStatementsWithTheirSessions) {
  EXPECT_EQ(read("2026-11-15 02:48:03.872 UTC [16240] LOG:  statement: BEGIN\n"
                 "2026-11-15 02:48:03.873 UTC [16241] LOG:  statement: SELECT 1;\n"
                 "2026-11-15 02:48:03.874 UTC [16240] LOG:  checkpoint starting: time\n"
                 "2026-11-15 02:48:03.875 UTC [16240] LOG:  statement: COMMIT\n"),
            "0: BEGIN\n1: SELECT 1\n0: COMMIT\n");
  EXPECT_EQ(read("LOG:  statement: SELECT 1\n"), "0: SELECT 1\n");
}

TEST(PostgresLog, ASessionBeginsWithAStatementThatIsNotEmpty) {
  EXPECT_EQ(read("[7] LOG:  statement: ;\n"
                 "[7] LOG:  statement: ; ;\n"
                 "[7] ERROR:  no\n"
                 "[7] STATEMENT:  ;\n"
                 "[8] LOG:  statement: SELECT 1\n"
                 "[7] LOG:  statement: ; SELECT 2; SELECT 3\n"),
            read("[8] LOG:  statement: SELECT 1\n[7] LOG:  statement: SELECT 2; SELECT 3\n"));
}

TEST(PostgresLog, LinesWithATabGoOn) {
  EXPECT_EQ(read("[7] LOG:  statement: SELECT 'a\n\tb\n\t\tc\n\t[8] LOG:  statement: DROP TABLE t'\n\tFROM t\n"
                 "[7] LOG:  statement: SELECT 2\n"),
            "0: SELECT 'a\nb\n\tc\n[8] LOG:  statement: DROP TABLE t'\nFROM t\n0: SELECT 2\n");
}

TEST(PostgresLog, PreparedStatementsHaveTheirParameters) {
  EXPECT_EQ(
      read("[7] LOG:  execute <unnamed>: SELECT a FROM t WHERE b = $1 AND c = $2\n"
           "[7] DETAIL:  parameters: $1 = '5', $2 = NULL\n"
           "[7] LOG:  execute S_1/C_2: UPDATE t SET a = $1\n"
           "[7] DETAIL:  Parameters: $1 = 'two\n\tlines'\n"
           "[7] LOG:  execute fetch from S_1/C_2: UPDATE t SET a = $1\n"
           "[7] LOG:  execute S_3: COMMIT\n"
           "[7] LOG:  statement: EXECUTE get(4)\n"
           "[7] DETAIL:  prepare: PREPARE get AS SELECT $1\n"),
      "0: SELECT a FROM t WHERE b = '5' AND c = NULL\n0: UPDATE t SET a = 'two\nlines'\n0: COMMIT\n0: SELECT 4\n");
}

TEST(PostgresLog, DurationsOfParsingAndBindingAreNoStatements) {
  EXPECT_EQ(read("[7] LOG:  duration: 0.123 ms  parse <unnamed>: SELECT $1\n"
                 "[7] LOG:  duration: 0.123 ms  bind <unnamed>: SELECT $1\n[7] DETAIL:  parameters: $1 = '5'\n"
                 "[7] LOG:  duration: 0.123 ms  execute <unnamed>: SELECT $1\n[7] DETAIL:  parameters: $1 = '5'\n"
                 "[7] LOG:  duration: 12.5 ms  statement: SELECT 2\n"
                 "[7] LOG:  statement: SELECT 3\n[7] LOG:  duration: 0.1 ms\n"),
            "0: SELECT '5'\n0: SELECT 2\n0: SELECT 3\n");
}

TEST(PostgresLog, AnErrorConcernsTheStatementThatWasLogged) {
  EXPECT_EQ(read("[7] LOG:  statement: INSERT INTO t\n\tVALUES (1)\n"
                 "[8] LOG:  statement: SELECT 1\n"
                 "[7] ERROR:  duplicate key value violates unique constraint \"t_pkey\"\n"
                 "[7] DETAIL:  Key (a)=(1) already exists.\n"
                 "[7] STATEMENT:  INSERT INTO t\n\tVALUES (1)\n"
                 "[7] LOG:  statement: ROLLBACK\n"),
            "0: INSERT INTO t\nVALUES (1)\n1: SELECT 1\n0 failed\n0: ROLLBACK\n");
}

TEST(PostgresLog, AnErrorOfAStatementThatWasNotLoggedTellsItFirst) {
  EXPECT_EQ(read("[7] LOG:  statement: SELECT 1\n[7] ERROR:  23505: syntax error at or near \"SELEC\" at character 1\n"
                 "[7] STATEMENT:  SELEC 2\n"),
            "0: SELECT 1\n0: SELEC 2\n0 failed\n");
  // A statement whose duration is known has succeeded.
  EXPECT_EQ(read("[7] LOG:  duration: 1 ms  statement: SELECT 1\n[7] ERROR:  x\n"), "0: SELECT 1\n");
  EXPECT_EQ(read("[7] LOG:  statement: SELECT 1\n[7] ERROR:  x\n[7] ERROR:  y\n"), "0: SELECT 1\n0 failed\n");
}

TEST(PostgresLog, WhatSaysStatementAndIsNoErrorIsNoFailure) {
  EXPECT_EQ(read("[7] LOG:  statement: UPDATE t SET a = 1\n"
                 "[7] LOG:  process 7 still waiting for ShareLock on transaction 5 after 1000.1 ms\n"
                 "[7] DETAIL:  Process holding the lock: 8. Wait queue: 7.\n"
                 "[7] CONTEXT:  while updating tuple (0,1) in relation \"t\"\n"
                 "[7] STATEMENT:  UPDATE t SET a = 1\n"
                 "[7] WARNING:  there is already a transaction in progress\n"),
            "0: UPDATE t SET a = 1\n");
}

TEST(PostgresLog, SessionsEndWithTheirConnectionOrTheServer) {
  EXPECT_EQ(
      read("[7] LOG:  connection received: host=a port=1\n[7] LOG:  statement: BEGIN\n"
           "[7] LOG:  disconnection: session time: 0:00:01.1 user=a\n"
           "[7] LOG:  statement: BEGIN\n[7] FATAL:  terminating connection due to administrator command\n"
           "[7] LOG:  statement: BEGIN\n[8] LOG:  statement: BEGIN\n[1] LOG:  starting PostgreSQL 15.19 on x86_64\n"
           "[7] LOG:  statement: BEGIN\n"),
      "0: BEGIN\n0 ends\n1: BEGIN\n1 ends\n2: BEGIN\n3: BEGIN\n2 ends\n3 ends\n4: BEGIN\n");
}

TEST(PostgresLog, AMessageOfSeveralStatementsIsMarked) {
  EXPECT_EQ(read("[7] LOG:  statement: UPDATE t SET a = 1; UPDATE u SET b = ';';\n[7] LOG:  statement: SELECT 1;\n"),
            "0 {\n0: UPDATE t SET a = 1\n0: UPDATE u SET b = ';'\n0 }\n0: SELECT 1\n");
}

TEST(PostgresLog, LinesOfNoEntryAreTold) {
  EXPECT_EQ(read("[7] LOG:  statement: SELECT 1\nwaiting for server to start....\n\nrubbish\n[7] DETAIL:  of what?\n"
                 "[7] LOG:  statement: SELECT 2\r\n"),
            "line 2 not read: no entry of PostgreSQL's log: LOG:, ERROR: or another label is missing\n"
            "line 4 not read: no entry of PostgreSQL's log: LOG:, ERROR: or another label is missing\n"
            "0: SELECT 1\n0: SELECT 2\n");
}

TEST(PostgresLog, ALogWithoutStatementsIsTold) {
  const char* why =
      "line 1 not read: no entry of this log is a statement: log_statement = all and lc_messages = C are needed\n";
  EXPECT_EQ(read("[7] LOG:  Anweisung: SELECT 1\n[7] LOG:  Anweisung: SELECT 2\n"), why);
  EXPECT_EQ(read("[7] LOG:  checkpoint starting: time\n"), why);
}

std::string row(std::string_view session, std::string_view severity, std::string_view message,
                std::string_view detail = "", std::string_view statement = "") {
  const auto quoted = [](std::string_view text) {
    std::string out;
    for (const char c : text) out.append(c == '"' ? 2 : 1, c);
    return text.empty() ? std::string() : '"' + out + '"';
  };
  return fmt::format(
      "2026-11-15 02:48:03.872 UTC,\"u\",\"d\",16240,\"127.0.0.1:39388\",{},1,\"idle\",2026-11-15 02:48:03 UTC,3/323,0,"
      "{},00000,{},{},,,,,{},,,\"\",\"client backend\",,0\n",
      session, severity, quoted(message), quoted(detail), quoted(statement));
}

std::string read_csv(std::string_view trace) { return events(trace, TraceFormat::kPostgresCsv); }

TEST(PostgresCsv, GivesStatementsParametersAndFailures) {
  EXPECT_EQ(read_csv(row("6af91d63.1", "LOG", "statement: BEGIN") +
                     row("6af91d63.2", "LOG", "statement: SELECT \"a\"\nFROM t, u") +
                     row("6af91d63.1", "LOG", "execute <unnamed>: SELECT $1", "parameters: $1 = '\"x\"'") +
                     row("6af91d63.1", "ERROR", "division by zero", "", "SELECT $1") +
                     row("6af91d63.2", "LOG", "disconnection: session time: 1")),
            "0: BEGIN\n1: SELECT \"a\"\nFROM t, u\n0: SELECT '\"x\"'\n0 failed\n1 ends\n");
}

TEST(PostgresCsv, RowsInsideAStringAreText) {
  const std::string inner = row("6af91d63.9", "LOG", "statement: DROP TABLE t");
  EXPECT_EQ(read_csv(row("6af91d63.1", "LOG", "statement: SELECT '\n" + inner + "'") +
                     row("6af91d63.1", "LOG", "statement: SELECT 2")),
            "0: SELECT '\n" + inner + "'\n0: SELECT 2\n");
}

TEST(PostgresCsv, GoesOnAfterARowThatIsCut) {
  const std::string good = row("6af91d63.1", "LOG", "statement: SELECT 1");
  EXPECT_EQ(
      read_csv(good + good.substr(0, 150) + "\n" + good),
      "0: SELECT 1\nline 2 not read: no row of a csvlog: a quote is not closed, or columns are missing\n0: SELECT 1\n");
  EXPECT_EQ(read_csv(good + good.substr(0, 150)),
            "0: SELECT 1\nline 2 not read: no row of a csvlog: a quote is not closed, or columns are missing\n");
  EXPECT_EQ(read_csv("ment: SELECT 0\",,,\n" + good),
            "line 1 not read: no row of a csvlog: it does not begin with a time\n0: SELECT 1\n");
  // That the statement failed is known from what is left.
  const std::string error = row("6af91d63.1", "ERROR", "deadlock detected", "Process 1 waits\nfor 2", "SELECT 1");
  EXPECT_EQ(read_csv(good + error.substr(0, error.find("\nfor")) + "\n" + good),
            "0: SELECT 1\n0 failed\nline 2 not read: no row of a csvlog: a quote is not closed, or columns are "
            "missing\n0: SELECT 1\n");
}

TEST(PostgresCsv, ReadsTheLineEndsOfWindows) {
  std::string trace = row("6af91d63.1", "LOG", "statement: SELECT 1");
  trace.insert(trace.size() - 1, "\r");
  EXPECT_EQ(read_csv(trace + trace), "0: SELECT 1\n0: SELECT 1\n");
}

}  // namespace postgres_log_test
}  // namespace isolde::audit
