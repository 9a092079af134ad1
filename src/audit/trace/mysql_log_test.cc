#include <gtest/gtest.h>

#include "audit/trace/mysql_line.h"
#include "audit/trace/trace_testing.h"
#include "base/ids.h"

namespace isolde::audit {
namespace mysql_log_test {

std::string read(std::string_view trace) { return events(trace, TraceFormat::kMysqlLog); }

TEST(MysqlLine, KnowsOldLinesWithAndWithoutATime) {
  const auto line = mysql_line("161031  9:16:12\t   50 Query\tSELECT 1");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->thread, 50U);
  EXPECT_EQ(line->command, MysqlCommand::kStatement);
  EXPECT_EQ(line->argument, 28U);
  EXPECT_EQ(line->time_us, 1477905372LL * 1'000'000);
  ASSERT_TRUE(mysql_line("\t\t 1862 Quit\t"));
  EXPECT_EQ(mysql_line("\t\t 1862 Quit")->command, MysqlCommand::kQuit);
  EXPECT_EQ(mysql_line("\t\t 1862 Quit\t")->time_us, kNoTime);
}

TEST(MysqlLine, KnowsNewLinesInUtcAndInOtherZones) {
  const auto utc = mysql_line("2016-10-31T11:16:12.123456Z\t   50 Query\tSELECT 1");
  const auto zone = mysql_line("2016-10-31T13:16:12.123456+02:00\t   50 Query\tSELECT 1");
  ASSERT_TRUE(utc && zone);
  EXPECT_EQ(utc->time_us, 1477912572123456LL);
  EXPECT_EQ(zone->time_us, utc->time_us);
}

TEST(MysqlLine, OtherLinesGoOnWithTheStatement) {
  for (const char* line :
       {"", "\t\t", "\t\tWHERE a = 5", "\t\t5 rows", "\t\t 5 Rows\tx", "\t\t 50 Querying\tx", "161031\t50 Query\tx",
        "2016-10-31T11:16:12\t50 Query\tx", "SELECT 5 Query\tx", "\t\t\t 50 Query\tx"})
    EXPECT_FALSE(mysql_line(line)) << line;
}

TEST(MysqlLog, GivesStatementsWithTheirSessions) {
  EXPECT_EQ(read("161031 11:16:12\t   50 Connect\troot@localhost on shop\n"
                 "\t\t   50 Query\tSET NAMES utf8\n"
                 "\t\t   51 Query\tSELECT 1\n"
                 "161031 11:16:13\t   50 Init DB\tshop\n"
                 "\t\t   50 Query\tSELECT 2;\n"
                 "\t\t   50 Quit\t\n"),
            "0: SET NAMES utf8\n1: SELECT 1\n0: SELECT 2\n0 ends\n");
}

TEST(MysqlLog, AnIdThatComesBackIsAnotherSession) {
  EXPECT_EQ(read("\t\t    5 Query\tSELECT 1\n\t\t    5 Quit\t\n\t\t    5 Connect\tx@y\n\t\t    5 Query\tSELECT 2\n"),
            "0: SELECT 1\n0 ends\n1: SELECT 2\n");
  // Even where the end was not logged.
  EXPECT_EQ(read("\t\t    5 Query\tSELECT 1\n\t\t    5 Connect\tx@y\n\t\t    5 Query\tSELECT 2\n"),
            "0: SELECT 1\n0 ends\n1: SELECT 2\n");
}

TEST(MysqlLog, PreparedStatementsCountWhenTheyAreExecuted) {
  EXPECT_EQ(read("2016-10-31T11:16:12.1Z\t   50 Prepare\tSELECT a FROM t WHERE b = ?\n"
                 "2016-10-31T11:16:12.2Z\t   50 Execute\tSELECT a FROM t WHERE b = 5\n"
                 "2016-10-31T11:16:12.3Z\t   50 Execute\tSELECT a FROM t WHERE b = 6\n"
                 "2016-10-31T11:16:12.4Z\t   50 Close stmt\t\n"),
            "0: SELECT a FROM t WHERE b = 5\n0: SELECT a FROM t WHERE b = 6\n");
  EXPECT_EQ(read("\t\t    1 Query\tEXECUTE p USING @a\n\t\t    1 Execute\tSELECT 1\n"), "0: SELECT 1\n");
  EXPECT_EQ(read("\t\t    1 Prepare\t[3] SELECT ?\n\t\t    1 Execute\t[3] SELECT 5\n"), "0: SELECT 5\n");
}

TEST(MysqlLog, CommandsWithoutSqlAreNoStatements) {
  EXPECT_EQ(read("\t\t    1 Field List\tt\n\t\t    1 Statistics\t\n\t\t    1 Ping\t\n\t\t    1 Query\tSELECT 1\n"
                 "\t\t    1 Binlog Dump\tLog: 'x'  Pos: 4\n"),
            "0: SELECT 1\n");
}

TEST(MysqlLog, AStatementGoesOnOverLines) {
  EXPECT_EQ(read("\t\t    1 Query\tSELECT a\n\t\t\tFROM t\n\t\tWHERE b = 5\n\n\t\t    1 Query\tSELECT 2\n"),
            "0: SELECT a\n\t\t\tFROM t\n\t\tWHERE b = 5\n0: SELECT 2\n");
}

TEST(MysqlLog, LinesOfALogInsideAStringAreText) {
  const std::string text =
      "\t\t    1 Query\tINSERT INTO notes VALUES ('log:\n\t\t    2 Query\tDROP TABLE t\n"
      "\t\t    3 Query\tDROP TABLE u\nend \\' of it', 5)\n";
  EXPECT_EQ(read(text + "\t\t    4 Query\tSELECT 'a'\n"),
            "0: INSERT INTO notes VALUES ('log:\n\t\t    2 Query\tDROP TABLE t\n\t\t    3 Query\tDROP TABLE u\nend \\' "
            "of it', 5)\n"
            "1: SELECT 'a'\n");
  // At the end of the file too, and in comments.
  EXPECT_EQ(read(text),
            "0: INSERT INTO notes VALUES ('log:\n\t\t    2 Query\tDROP TABLE t\n\t\t    3 Query\tDROP TABLE u\nend \\' "
            "of it', 5)\n");
  EXPECT_EQ(read("\t\t    1 Query\tSELECT /* was\n\t\t    2 Query\tDROP TABLE t\n*/ 5\n\t\t    1 Quit\t\n"),
            "0: SELECT /* was\n\t\t    2 Query\tDROP TABLE t\n*/ 5\n0 ends\n");
}

TEST(MysqlLog, AQuoteTooManyDoesNotSwallowTheRest) {
  std::string trace = "\t\t    1 Query\tSELECT 'oops\n";
  std::string expected = "0: SELECT 'oops\n";
  for (int i = 0; i < 50; ++i) {
    trace += "\t\t    1 Query\tSELECT a FROM t WHERE b = 'x'\n";
    expected += "0: SELECT a FROM t WHERE b = 'x'\n";
  }
  EXPECT_EQ(read(trace), expected);
  EXPECT_EQ(read("\t\t    1 Query\tSELECT 'oops\n\t\t    1 Query\tSELECT 2\n"), "0: SELECT 'oops\n0: SELECT 2\n");
}

TEST(MysqlLog, SeveralStatementsOfOneQueryAreToldOneByOne) {
  EXPECT_EQ(read("\t\t    1 Query\tUPDATE t SET a = ';'; -- and; then\nUPDATE u SET b = 1 ;\n\t\t    1 Quit\t\n"),
            "0: UPDATE t SET a = ';'\n0: UPDATE u SET b = 1\n0 ends\n");
  EXPECT_EQ(
      read("\t\t    1 Query\tCREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW BEGIN IF NEW.a THEN SET @b = 1; END IF; "
           "SET @c = CASE WHEN 1 THEN 2 END; END; SELECT 1\n"),
      "0: CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW BEGIN IF NEW.a THEN SET @b = 1; END IF; "
      "SET @c = CASE WHEN 1 THEN 2 END; END\n0: SELECT 1\n");
}

TEST(MysqlLog, TagsBeforeAStatementStayAndCommentsAloneAreNoStatement) {
  EXPECT_EQ(read("\t\t    1 Query\t-- x\n /* cart#pay */ SELECT 1; /* only this */ ; # or this\n\t\t    1 Query\t/* "
                 "alone */\n"),
            "0: /* cart#pay */ SELECT 1\n");
}

TEST(MysqlLog, AServerThatStartsAgainEndsAllSessions) {
  const std::string head =
      "/usr/sbin/mysqld, Version: 5.5.53-log ((Ubuntu)). started with:\n"
      "Tcp port: 3306  Unix socket: /run/mysqld.sock\n"
      "Time                 Id Command    Argument\n";
  EXPECT_EQ(read(head + "\t\t    1 Query\tSELECT 1\n\t\t    2 Query\tINSERT INTO t VALUES ('cut of\n" + head +
                 "\t\t    1 Query\tSELECT 2\n"),
            "0: SELECT 1\nline 5 not read: the log ends in the middle of this statement\n0 ends\n1: SELECT 2\n");
  const std::string maria =
      "mariadbd, Version: 10.11. started with:\nTcp port: 0  Unix socket: x\nTime\t\t    Id Command\tArgument\n";
  EXPECT_EQ(read(maria), "");
}

TEST(MysqlLog, ALogThatIsCutOffTellsWhatIsWhole) {
  EXPECT_EQ(read("\t\t    1 Query\tSELECT 1\n\t\t    1 Query\tINSERT INTO t VALUES ('a"),
            "0: SELECT 1\nline 2 not read: the log ends in the middle of this statement\n");
  EXPECT_EQ(read("\t\t    1 Query\tSELECT 1\n\t\t    1 Que"), "0: SELECT 1\n\t\t    1 Que\n");
  EXPECT_EQ(read("FROM t WHERE x = 5\n\t\t    1 Query\tSELECT 1\n\t\t    1 Query\tSELECT 2\n\t\t    1 Quit\t\n"),
            "line 1 not read: no entry of a general_log begins before this line\n0: SELECT 1\n0: SELECT 2\n0 ends\n");
}

TEST(MysqlLog, ReadsTheLineEndsOfWindows) {
  EXPECT_EQ(
      read("161031 11:16:12\t   50 Query\tSELECT a\r\nFROM t\r\n\t\t   50 Query\tSELECT 2\r\n\t\t   50 Quit\t\r\n"),
      "0: SELECT a\r\nFROM t\n0: SELECT 2\n0 ends\n");
}

TEST(MysqlLog, TheLineIsWhereTheStatementBegins) {
  class Sink : public WritingSink {
   public:
    void statement(const TraceEvent& event) override { lines.push_back(event.line); }
    std::vector<std::uint64_t> lines;
  } sink;
  ASSERT_TRUE(
      read_trace_text("\t\t    1 Query\tSELECT a\nFROM t; \nSELECT 2\n\t\t    1 Query\t\nSELECT 3\n", "t", {}, sink));
  EXPECT_EQ(sink.lines, (std::vector<std::uint64_t>{1, 3, 5}));
}

}  // namespace mysql_log_test
}  // namespace isolde::audit
