#include <gtest/gtest.h>

#include "audit/trace/trace_input.h"
#include "audit/trace/trace_testing.h"

namespace isolde::audit {
namespace sql_text_test {

std::string read(std::string_view trace, std::optional<SqlDialect> dialect = std::nullopt) {
  TraceOptions options;
  options.dialect = dialect;
  return events(trace, TraceFormat::kSqlText, options);
}

TEST(SqlText, StatementsEndWithSemicolons) {
  EXPECT_EQ(read("begin;\nSELECT 1;SELECT\n2 ; ; \nCOMMIT"), "0: begin\n0: SELECT 1\n0: SELECT\n2\n0: COMMIT\n");
}

TEST(SqlText, ALineNamesTheSession) {
  EXPECT_EQ(read("-- session A\nBEGIN;\n-- session B\nSELECT 1; -- session C\n--session A\nCOMMIT;\n-- session is a "
                 "word\nSELECT 2;\n"),
            "0: BEGIN\n1: SELECT 1\n0: COMMIT\n0: SELECT 2\n");
  EXPECT_EQ(read("SELECT 0;\r\n-- session 1\r\nSELECT 1;\r\n-- session 2\r\nSELECT 2;\r\n"),
            "0: SELECT 0\n1: SELECT 1\n2: SELECT 2\n");
}

TEST(SqlText, ACommentAfterAStatementNamesNoSession) {
  // It is on a line of its own that it counts.
  EXPECT_EQ(read("SELECT 1; -- session 7\nSELECT 2;\n"), "0: SELECT 1\n0: SELECT 2\n");
}

TEST(SqlText, QuotesAndCommentsHideSemicolons) {
  EXPECT_EQ(read("SELECT ';', \";\", 'it''s;', $$;$$, $a$;$$;$a$, E'\\';' /* ; /* ; */ ; */ -- ;\n, 5;SELECT 2;",
                 SqlDialect::kPostgres),
            "0: SELECT ';', \";\", 'it''s;', $$;$$, $a$;$$;$a$, E'\\';' /* ; /* ; */ ; */ -- ;\n, 5\n0: SELECT 2\n");
  EXPECT_EQ(read("SELECT '\\';', \"\\\";\", `;` # ;\n, 5--1, /*!40101 6 */;SELECT 2;", SqlDialect::kMysql),
            "0: SELECT '\\';', \"\\\";\", `;` # ;\n, 5--1, /*!40101 6 */\n0: SELECT 2\n");
  EXPECT_EQ(read("SELECT '\\', [;], `;`, \";\" /* ; /* */;SELECT 2;", SqlDialect::kSqlite),
            "0: SELECT '\\', [;], `;`, \";\" /* ; /* */\n0: SELECT 2\n");
}

TEST(SqlText, ATriggersBodyIsPartOfIt) {
  EXPECT_EQ(read("CREATE TEMP TRIGGER x AFTER INSERT ON t BEGIN UPDATE u SET a = CASE WHEN 1 THEN 2 END; DELETE FROM "
                 "v; END;\nSELECT 1;"),
            "0: CREATE TEMP TRIGGER x AFTER INSERT ON t BEGIN UPDATE u SET a = CASE WHEN 1 THEN 2 END; DELETE FROM v; "
            "END\n0: SELECT 1\n");
  EXPECT_EQ(read("CREATE TABLE begin_it (a int, \"begin\" int);BEGIN;SELECT 1;END;"),
            "0: CREATE TABLE begin_it (a int, \"begin\" int)\n0: BEGIN\n0: SELECT 1\n0: END\n");
  EXPECT_EQ(read("CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END; SELECT 3;"),
            "0: CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END\n0: SELECT 3\n");
}

TEST(SqlText, DelimitersCanBeChanged) {
  EXPECT_EQ(read("DELIMITER //\nCREATE PROCEDURE p() BEGIN SELECT '//'; SELECT 2; END//\ndelimiter ;\nSELECT 1;",
                 SqlDialect::kMysql),
            "0: CREATE PROCEDURE p() BEGIN SELECT '//'; SELECT 2; END\n0: SELECT 1\n");
}

TEST(SqlText, ADelimiterOfBlanksIsASemicolon) {
  EXPECT_EQ(read("DELIMITER   \nSELECT 1;\nDELIMITER", SqlDialect::kMysql), "0: SELECT 1\n0: DELIMITER\n");
}

TEST(SqlText, CommandsOfShellsAreTold) {
  EXPECT_EQ(read(".trace stdout\nSELECT 1; -- 17 ns\n\\timing on\nSELECT .5;\n"),
            "line 1 not read: a command of a shell, no SQL\n0: SELECT 1\nline 3 not read: a command of a shell, no "
            "SQL\n0: SELECT .5\n");
}

TEST(SqlText, RowsOfCopyAreNoSql) {
  EXPECT_EQ(read("COPY t (a, b) FROM stdin;\n1\tit's\n2\t;\n\\.\n\nSELECT 1;", SqlDialect::kPostgres),
            "0: COPY t (a, b) FROM stdin\n0: SELECT 1\n");
}

TEST(SqlText, AnEndInTheMiddleIsTold) {
  EXPECT_EQ(read("SELECT 1;\nINSERT INTO t VALUES ('a"),
            "0: SELECT 1\nline 2 not read: the text ends in the middle of this statement\n");
}

TEST(SqlText, TheDialectFollowsFromTheWords) {
  EXPECT_EQ(dialect_of_sql_text("SELECT `a` FROM t;"), SqlDialect::kMysql);
  EXPECT_EQ(dialect_of_sql_text("SET autocommit=0;"), SqlDialect::kMysql);
  EXPECT_EQ(dialect_of_sql_text("BEGIN IMMEDIATE; SELECT 1;"), SqlDialect::kSqlite);
  EXPECT_EQ(dialect_of_sql_text("PRAGMA foreign_keys=on; SELECT `a`;"), SqlDialect::kSqlite);
  EXPECT_EQ(dialect_of_sql_text("SELECT a::int FROM t;"), SqlDialect::kPostgres);
  EXPECT_EQ(dialect_of_sql_text("SELECT 1;"), SqlDialect::kPostgres);
}

TEST(ReadTrace, WhatIsNoTraceIsAnErrorThatNamesTheForms) {
  for (const std::string_view text : {std::string_view("hello world"),
                                      std::string_view("\x7f"
                                                       "ELF\x02\x01\x01\0\0\0",
                                                       10),
                                      std::string_view("a,b,c\n1,2,3\n"), std::string_view("{\"a\": 1}\n"),
                                      std::string_view("selection;\n"), std::string_view("\n\n \n")}) {
    WritingSink sink;
    const auto facts = read_trace_text(text, "x.log", {}, sink);
    ASSERT_FALSE(facts) << text;
    EXPECT_TRUE(
        facts.error().message().starts_with("x.log: expected SQL recorded in one of these forms: a general_log"))
        << facts.error().message();
    EXPECT_EQ(sink.text, "");
  }
}

TEST(ReadTrace, AnEmptyFileIsAnErrorUnlessItsFormIsGiven) {
  WritingSink sink;
  const auto facts = read_trace_text("", "x.log", {}, sink);
  ASSERT_FALSE(facts);
  EXPECT_TRUE(facts.error().message().starts_with("x.log: the file is empty: expected SQL")) << facts.error().message();
  TraceOptions options;
  for (const TraceFormat format :
       {TraceFormat::kMysqlLog, TraceFormat::kPostgresLog, TraceFormat::kPostgresCsv, TraceFormat::kSqlText}) {
    options.format = format;
    EXPECT_TRUE(read_trace_text("", "x.log", options, sink)) << name(format);
  }
  EXPECT_EQ(sink.text, "");
}

TEST(ReadTrace, AFileThatMustBeChangedFirstIsAnErrorThatSaysSo) {
  const auto message = [](std::string_view text) {
    WritingSink sink;
    const auto facts = read_trace_text(text, "x", {}, sink);
    return facts ? std::string() : facts.error().message().substr(0, 45);
  };
  EXPECT_EQ(message(std::string_view("\x1f\x8b\x08\0\0", 5)), "x: the file is compressed, unpack it first: e");
  EXPECT_EQ(message(std::string_view("\xff\xfes\0e\0l\0", 8)), "x: the file is UTF-16, make it UTF-8 first: e");
}

TEST(ReadTrace, AScriptMayBeginWithAComment) {
  EXPECT_EQ(read("# of mysqldump\n/*!40101 SET NAMES utf8 */;\nSELECT 1;\n", SqlDialect::kMysql),
            "0: /*!40101 SET NAMES utf8 */\n0: SELECT 1\n");
  EXPECT_EQ(read("/* of\npg_dump */\n-- x\nSELECT 1;\n"), "0: /* of\npg_dump */\n-- x\nSELECT 1\n");
}

TEST(ReadTrace, AFormThatIsGivenIsTaken) {
  TraceOptions options;
  options.format = TraceFormat::kSqlText;
  EXPECT_EQ(events("[7] LOG:  statement: SELECT 1", TraceFormat::kSqlText, options),
            "0: [7] LOG:  statement: SELECT 1\n");
  options.format = TraceFormat::kMysqlLog;
  EXPECT_EQ(events("SELECT 1;", TraceFormat::kMysqlLog, options),
            "line 1 not read: no entry of a general_log begins before this line\n");
}

TEST(ReadTrace, AFileThatIsNotThereIsAnError) {
  WritingSink sink;
  const auto facts = read_trace("no/such/file.log", {}, sink);
  ASSERT_FALSE(facts);
  EXPECT_NE(facts.error().message().find("no/such/file.log"), std::string::npos);
}

TEST(ReadTrace, AByteOrderMarkIsPassedOver) {
  EXPECT_EQ(events("\xef\xbb\xbfSELECT 1;", TraceFormat::kSqlText), "0: SELECT 1\n");
}

TEST(ReadTrace, AScriptThatQuotesALogIsAScript) {
  EXPECT_EQ(read("INSERT INTO notes VALUES ('\n\t\t    2 Query\tDROP TABLE t\n[7] LOG:  statement: SELECT 1\n');\n"),
            "0: INSERT INTO notes VALUES ('\n\t\t    2 Query\tDROP TABLE t\n[7] LOG:  statement: SELECT 1\n')\n");
}

}  // namespace sql_text_test
}  // namespace isolde::audit
