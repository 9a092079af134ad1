// The public headers, used as a test harness uses them.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>

#include "isolde/isolde.h"

namespace isolde::api {
namespace api_test {

LoadedHistory stale_read() {
  HistoryBuilder builder;
  builder.add(Transaction(1).named(1).write("x", 1).timestamps(10, 20));
  builder.add(Transaction(1).named(2).write("x", 2).timestamps(30, 40));
  builder.add(Transaction("b").named("late").read("x", 1).timestamps(50, 50));
  return builder.finish();
}

TEST(Api, AViolationNamesTheTransactionAndSaysWhy) {
  const LoadedHistory history = stale_read();
  ASSERT_TRUE(history) << history.error;
  EXPECT_EQ(history.history->transactions(), 3U);
  const Verdict verdict = check(*history.history, "si", {.prove = true});
  EXPECT_EQ(verdict.error, "");
  ASSERT_EQ(verdict.outcome, Outcome::violated) << verdict.reason;
  EXPECT_EQ(verdict.level, "snapshot-isolation");
  ASSERT_FALSE(verdict.anomalies.empty());
  EXPECT_EQ(verdict.anomalies[0].name, "GSIb");
  EXPECT_EQ(std::get<std::string>(verdict.anomalies[0].transactions.at(0)), "late");
  EXPECT_NE(verdict.anomalies[0].text.find("read x = 1"), std::string::npos);
  EXPECT_EQ(verdict.counts.at("GSIb"), 1U);
}

TEST(Api, AVerdictOutlivesItsHistory) {
  Verdict verdict;
  {
    const LoadedHistory history = stale_read();
    verdict = check(*history.history, "snapshot isolation");
  }
  simdjson::dom::parser parser;
  simdjson::dom::element report;
  const std::string text = to_json(verdict, "a file");
  ASSERT_EQ(parser.parse(text).get(report), simdjson::SUCCESS) << text;
  EXPECT_EQ(std::string_view(report["verdict"]), "violated");
  EXPECT_EQ(std::string_view(report["file"]), "a file");
}

TEST(Api, TheStrongestLevelIsSaidIfAsked) {
  const LoadedHistory history = stale_read();
  EXPECT_TRUE(check(*history.history, "si").levels.empty());
  const Verdict verdict = check(*history.history, "si", {.strongest = true});
  EXPECT_EQ(verdict.levels.at("snapshot-isolation"), Outcome::violated);
  EXPECT_EQ(verdict.levels.at("repeatable-read"), Outcome::satisfied);
  EXPECT_FALSE(verdict.levels.contains("serializable"));
  EXPECT_NE(std::find(verdict.strongest.begin(), verdict.strongest.end(), "repeatable-read"), verdict.strongest.end());
  simdjson::dom::parser parser;
  simdjson::dom::element report;
  const std::string text = to_json(verdict);
  ASSERT_EQ(parser.parse(text).get(report), simdjson::SUCCESS) << text;
  EXPECT_EQ(std::string_view(report["levels"]["repeatable-read"]), "satisfied");
  EXPECT_GE(double(report["stats"]["seconds"]["strongest"]), 0);
}

TEST(Api, WhatWasNotThereToBeTestedIsNotSaidToHold) {
  const LoadedHistory history = stale_read();
  const Verdict verdict = check(*history.history, "strict", {.ignore = "timestamps", .prove = true, .strongest = true});
  EXPECT_EQ(verdict.outcome, Outcome::undecided);
  EXPECT_TRUE(verdict.reason.starts_with("no clocks: " + verdict.holds + " holds")) << verdict.reason;
  EXPECT_EQ(verdict.levels.at("serializable"), Outcome::satisfied);
  EXPECT_NE(std::find(verdict.not_tested.begin(), verdict.not_tested.end(), "strict-serializable"),
            verdict.not_tested.end());
}

TEST(Api, EvidenceCanBeTurnedOff) {
  const LoadedHistory history = stale_read();
  EXPECT_EQ(check(*history.history, "si").outcome, Outcome::violated);
  const Verdict without = check(*history.history, "si", {.ignore = "timestamps", .prove = true});
  EXPECT_EQ(without.outcome, Outcome::satisfied) << without.reason;
  EXPECT_EQ(check(*history.history, "ser", {.use = "session", .ignore = "timestamps"}).level,
            "strong-session-serializable");
  EXPECT_NE(check(*history.history, "causal", {.ignore = "session"}).error, "");
  EXPECT_NE(check(*history.history, "ser", {.use = "magic"}).error, "");
}

TEST(Api, UnknownNamesAreErrorsNotVerdicts) {
  const LoadedHistory history = stale_read();
  EXPECT_NE(check(*history.history, "perfect").error, "");
  EXPECT_NE(check(*history.history, "si", {.method = "guess"}).error, "");
  EXPECT_FALSE(load("no-such-file"));
  EXPECT_NE(load("no-such-file", "no-such-format").error.find("unknown format"), std::string::npos);
}

TEST(Api, ABuilderThatIsWrongSaysSo) {
  HistoryBuilder twice;
  twice.add(Transaction(1).named(7).write("x", 1)).add(Transaction(1).named(7).write("x", 2));
  const LoadedHistory history = twice.finish();
  EXPECT_FALSE(history);
  EXPECT_NE(history.error, "");

  Value deep = 1;
  for (int i = 0; i < 1000; ++i) deep = Value(Value::List{deep});
  HistoryBuilder builder;
  builder.add(Transaction(1).write("x", deep));
  EXPECT_FALSE(builder.finish());
}

TEST(Api, TheIntervalOfACommitFitsItsTransaction) {
  HistoryBuilder good;
  good.add(Transaction(1).write("x", 1).interval(10, 50).committed(30, 40));
  EXPECT_TRUE(good.finish());
  HistoryBuilder late;
  late.add(Transaction(1).named("T").write("x", 1).interval(10, 50).committed(30, 60));
  const LoadedHistory history = late.finish();
  EXPECT_EQ(history.error, "transaction \"T\": its commit was answered at 60, after the transaction ended at 50");
}

TEST(Api, ValuesOfEveryKindGoIn) {
  HistoryBuilder builder;
  builder.initial(0);
  builder.add(Transaction(1).write("a", "text").write("b", 1.5).write("c", true).append("d", 1).write("e", nullptr));
  builder.add(Transaction(1).read("a", "text").read("d", Value::List{1}).read("f", 0));
  builder.version_order("a", {"text"});
  const LoadedHistory history = builder.finish();
  ASSERT_TRUE(history) << history.error;
  EXPECT_EQ(history.history->operations(), 8U);
}

}  // namespace api_test
}  // namespace isolde::api
