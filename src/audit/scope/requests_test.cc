#include "audit/scope/requests.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "audit/classes/classes.h"
#include "audit/facts/find_classes.h"

namespace isolde::audit {
namespace requests_test {

// Each request's statements by their lines: "1 2 | 3 4 5".
std::string cut(std::string_view trace, std::string_view how = "auto", Requests* out = nullptr) {
  auto log = load_trace_text(trace, "trace", {});
  EXPECT_TRUE(log) << log.error().message();
  const Classes classes = find_classes(*log, {}, {});
  const auto options = request_options(how);
  EXPECT_TRUE(options);
  const Requests found = find_requests(*log, classes.statements, *options);
  std::string text;
  for (const Request& request : found.all) {
    if (!text.empty()) text += " | ";
    const char* between = "";
    for (const std::uint32_t i : request.transactions) {
      for (const TraceStatement& statement : log->of(log->transactions[i])) {
        text += fmt::format("{}{}", between, statement.line);
        between = " ";
      }
    }
  }
  if (out != nullptr) *out = found;
  return fmt::format("{}: {}", name(found.evidence), text);
}

TEST(Requests, AnIdInACommentBindsStatementsOfSeveralConnections) {
  const std::string trace =
      "-- session 1\nSELECT a FROM t WHERE id = 1 /*request_id:x,controller:buy*/;\n"
      "-- session 2\nSELECT a FROM t WHERE id = 2 /*request_id:y*/;\n"
      "UPDATE t SET a = 3 WHERE id = 1 /*request_id:x*/;\n"
      "-- session 1\nUPDATE t SET a = 3 WHERE id = 2 /*request_id:y*/;\n"
      "SELECT b FROM t WHERE id = 9;\n";
  Requests found;
  EXPECT_EQ(cut(trace, "auto", &found), "comment: 2 5 | 4 7 8");
  EXPECT_EQ(found.sure, Sureness::kSure);
  EXPECT_EQ(found.all[0].kind, "buy");
}

TEST(Requests, KindsInCommentsEndARequestWhereTheyChange) {
  Requests found;
  EXPECT_EQ(cut("SELECT a FROM t WHERE id = 1 /*controller:show*/;\nSELECT a FROM t WHERE id = 2 /*controller:show*/;\n"
                "UPDATE t SET a = 3 WHERE id = 1 /*controller:buy*/;\n",
                "auto", &found),
            "comment: 1 2 | 3");
  EXPECT_EQ(found.sure, Sureness::kGuess);
}

std::string mysql(int thread, std::string_view command, std::string_view text, std::string_view time = "\t") {
  return fmt::format("{}\t{:5} {}\t{}\n", time, thread, command, text);
}

TEST(Requests, AConnectionThatIsOpenedAndClosedIsOne) {
  std::string trace;
  for (int i = 1; i <= 3; ++i) {
    trace += mysql(i, "Connect", "root@localhost on shop", fmt::format("161031 11:16:{:02}", i));
    for (int j = 0; j < 4; ++j) trace += mysql(i, "Query", fmt::format("SELECT a FROM t WHERE id = {}", j));
    trace += mysql(i, "Quit", "");
  }
  Requests found;
  EXPECT_EQ(cut(trace, "auto", &found), "connection: 2 3 4 5 | 8 9 10 11 | 14 15 16 17");
  EXPECT_EQ(found.sure, Sureness::kLikely);
  EXPECT_EQ(found.why, "3 of 3 connections are closed in the trace, after 4 statements and 0 s (medians)");
}

TEST(Requests, ConnectionsThatLiveLongServeMany) {
  std::string trace;
  for (int i = 1; i <= 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      trace += mysql(i, "Query", fmt::format("SELECT a FROM t{} WHERE id = {}", i, j),
                     fmt::format("161031 11:{:02}:{:02}", 10 * i + j, 0));
    }
    trace += mysql(i, "Quit", "");
  }
  EXPECT_TRUE(cut(trace).starts_with("none: "));
}

TEST(Requests, WhatAPoolSendsBetweenThemEndsThem) {
  std::string trace;
  for (int i = 0; i < 4; ++i) {
    trace += fmt::format("SELECT a FROM t WHERE id = {0};\nUPDATE t SET a = 1 WHERE id = {0};\nDISCARD ALL;\n", i);
  }
  Requests found;
  EXPECT_EQ(cut(trace, "auto", &found), "pool: 1 2 | 4 5 | 7 8 | 10 11");
  EXPECT_EQ(found.sure, Sureness::kLikely);
  std::string pings, often;
  for (int i = 0; i < 4; ++i) {
    pings += "SELECT 1;\nSELECT a FROM t;\nSELECT b FROM t;\n";
    often += "SELECT 1;\nSELECT a FROM t;\n";
  }
  EXPECT_EQ(cut(pings), "pool: 2 3 | 5 6 | 8 9 | 11 12");
  // Before every transaction: that says nothing about requests.
  EXPECT_EQ(cut(often), "none: 2 4 6 8");
  EXPECT_EQ(cut(often, "pool"), "pool: 2 | 4 | 6 | 8");
}

TEST(Requests, SetAutocommitAroundEveryTransactionIsNoMark) {
  std::string trace;
  for (int i = 0; i < 4; ++i) {
    trace += mysql(1, "Query", "SET autocommit=0", "161031 11:16:12");
    trace += mysql(1, "Query", "UPDATE t SET a = 1 WHERE id = 5");
    trace += mysql(1, "Query", "commit");
    trace += mysql(1, "Query", "SET autocommit=1");
  }
  EXPECT_TRUE(cut(trace).starts_with("none: "));
}

TEST(Requests, APauseThatIsMuchLongerThanUsualEndsThem) {
  std::string trace;
  for (const int second : {0, 5, 9}) {
    trace += mysql(1, "Query", "SELECT a FROM t WHERE id = 1", fmt::format("161031 11:16:{:02}", second));
    trace += mysql(1, "Query", "UPDATE t SET a = 1 WHERE id = 1");
    trace += mysql(1, "Query", "UPDATE t SET a = 3 WHERE id = 1");
    trace += mysql(1, "Query", "UPDATE t SET a = 2 WHERE id = 1", fmt::format("161031 11:16:{:02}", second + 1));
  }
  Requests found;
  EXPECT_EQ(cut(trace, "auto", &found), "gap: 1 2 3 4 | 5 6 7 8 | 9 10 11 12");
  EXPECT_EQ(found.sure, Sureness::kGuess);
  EXPECT_EQ(found.why,
            "a pause of 2 s or more on a connection ends a request (the usual one is 0 s); 3 of 3 begin with the same "
            "statement");
  EXPECT_EQ(cut(trace, "gap=1s"), "gap: 1 2 3 | 4 | 5 6 7 | 8 | 9 10 11 | 12");
  EXPECT_EQ(cut(trace, "gap=4s"), "gap: 1 2 3 4 | 5 6 7 8 9 10 11 12");
}

TEST(Requests, TheStatementThatConnectionsBeginWithBeginsThem) {
  std::string trace;
  for (int i = 0; i < 3; ++i) {
    trace += fmt::format("-- session {}\n", i);
    for (int j = 0; j < 3; ++j)
      trace += fmt::format("SELECT u FROM session WHERE id = {};\nSELECT a FROM t{} WHERE id = 1;\n", j, j);
  }
  EXPECT_EQ(cut(trace), "opener: 2 3 | 4 5 | 6 7 | 9 10 | 11 12 | 13 14 | 16 17 | 18 19 | 20 21");
}

TEST(Requests, WithoutEvidenceAConnectionIsOneAndTheReportSaysSo) {
  Requests found;
  EXPECT_EQ(cut("-- session 1\nSELECT a FROM t;\nSELECT b FROM t;\n-- session 2\nSELECT a FROM t;\n", "auto", &found),
            "none: 2 3 | 5");
  EXPECT_EQ(found.sure, Sureness::kNotKnown);
  // Asked for, and not there: nothing is made up.
  EXPECT_EQ(cut("SELECT a FROM t;\n", "comment"), "comment: ");
}

TEST(Requests, OptionsThatAreNoneAreRefused) {
  for (const char* bad : {"", "gaps", "gap=", "gap=0", "gap=-1s", "gap=2m", "gap=1e99", "gap=2s "})
    EXPECT_FALSE(request_options(bad)) << bad;
  EXPECT_EQ(request_options("gap=500ms")->gap_us, 500'000);
  EXPECT_EQ(request_options("gap=2")->gap_us, 2'000'000);
  EXPECT_EQ(request_options("auto")->only, std::nullopt);
}

}  // namespace requests_test
}  // namespace isolde::audit
