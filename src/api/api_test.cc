// The public headers, used as a test harness uses them.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>

#include "api/content.h"
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

TEST(Api, ACheckThatIsCancelledEndsUndecidedAndSaysSo) {
  const LoadedHistory history = stale_read();
  const std::atomic<bool> cancelled = true;
  for (const char* method : {"solver", "graph", "timeline"}) {
    const Verdict verdict = check(*history.history, "si", {.method = method, .cancelled = &cancelled});
    const bool decided = verdict.outcome != Outcome::undecided;
    EXPECT_EQ(verdict.reason, decided ? "" : "it was cancelled") << method;
  }
  EXPECT_EQ(check(*history.history, "ser", {.method = "solver", .cancelled = &cancelled}).reason, "it was cancelled");
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

// The builder and the native format say the same.
void same_as_native(HistoryBuilder& builder, const std::string& lines) {
  const LoadedHistory built = builder.finish();
  ASSERT_TRUE(built) << built.error;
  const LoadedHistory read = parse(lines, "native");
  ASSERT_TRUE(read) << read.error;
  EXPECT_EQ(isolde::difference(built.history->content().history, read.history->content().history), "");
}

TEST(Api, PredicatesLocksIntervalsAndSnapshotsGoIn) {
  const auto row = [](int price) { return Value(Value::Row{{"price", price}, {"name", "pen"}}); };
  HistoryBuilder builder;
  builder.add(Transaction(1)
                  .write("pen", row(3))
                  .increment("ann", -10)
                  .at(5, 6)
                  .sees({.xid = 7, .xmin = 5, .xmax = 8, .active = {5}})
                  .interval(1, 9));
  builder.add(Transaction(2)
                  .scan("price < 5", {{"pen", row(3)}})
                  .locking(Lock::share)
                  .evaluated_on({{"pen", row(3)}, {7, row(9)}})
                  .aggregate("max(price)", "TRUE", 9)
                  .update("price < 5", {{"pen", row(4)}, {"ink", nullptr}})
                  .read("pen", row(4))
                  .locking(Lock::update));
  same_as_native(builder, R"({"session":1,"begin":1,"end":9,"snapshot":{"xid":7,"xmin":5,"xmax":8,"active":[5]},)"
                          R"("ops":[["w","pen",{"price":3,"name":"pen"}],["inc","ann",-10,{"at":[5,6]}]]})"
                          "\n"
                          R"({"session":2,"ops":[["scan","price < 5",[["pen",{"price":3,"name":"pen"}]],)"
                          R"({"lock":"share","vset":[["pen",{"price":3,"name":"pen"}],[7,{"price":9,"name":"pen"}]]}],)"
                          R"j(["agg","max(price)","TRUE",9],)j"
                          R"(["update","price < 5",[["pen",{"price":4,"name":"pen"}],["ink",null]]],)"
                          R"(["r","pen",{"price":4,"name":"pen"},{"lock":"update"}]]})"
                          "\n");
}

TEST(Api, DetailsThatDoNotFitAreErrors) {
  const auto error_of = [](const Transaction& transaction) {
    HistoryBuilder builder;
    builder.add(Transaction(1).write("y", 1)).add(transaction);
    return builder.finish().error;
  };
  EXPECT_EQ(error_of(Transaction(1).write("x", 1).locking(Lock::update)), "transaction 1: only a read can be locking");
  EXPECT_EQ(error_of(Transaction(1).named("T").read("x", 1).evaluated_on({})),
            "transaction \"T\": only a scan, an aggregate or an update is evaluated on rows");
  EXPECT_EQ(error_of(Transaction(1).named(9).add({.kind = Operation::Kind::increment, .key = "x", .value = "1"})),
            "transaction 9: an increment needs an integer");
  Operation half{.kind = Operation::Kind::read, .key = "x"};
  half.before = 3;
  EXPECT_EQ(error_of(Transaction(1).add(half)), "transaction 1: an interval needs both its ends");
}

TEST(Api, TextInMemoryIsReadAsAFileIs) {
  const LoadedHistory good = parse("{\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n");
  ASSERT_TRUE(good) << good.error;
  EXPECT_EQ(good.history->operations(), 1U);
  EXPECT_EQ(parse("{\"session\":1,\"ops\":[[\"w\",\"x\"]]}\n").error.rfind("text:1:", 0), 0U);
  EXPECT_NE(parse("").error, "");
  EXPECT_NE(parse("anything at all").error, "");
  EXPECT_NE(parse("[]", "no-such-format").error, "");
}

TEST(Api, ASatisfiedLevelHasAWitness) {
  HistoryBuilder builder;
  builder.add(Transaction(1).named("second").read("x", 1)).add(Transaction(2).named("first").write("x", 1));
  const LoadedHistory history = builder.finish();
  const Witness serial = witness(check(*history.history, "ser"));
  ASSERT_EQ(serial.kind, Witness::Kind::serial_order);
  EXPECT_EQ(serial.order, (std::vector<Name>{"first", "second"}));
  const Witness points = witness(check(*history.history, "si"));
  ASSERT_EQ(points.kind, Witness::Kind::points);
  ASSERT_EQ(points.order.size(), 4U);
  EXPECT_EQ(points.order[0], Name("first"));
  EXPECT_EQ(points.commit, (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(witness(check(*stale_read().history, "si")).kind, Witness::Kind::none);
  EXPECT_EQ(witness(Verdict{}).kind, Witness::Kind::none);
}

TEST(Api, NamesAreLists) {
  for (const std::string& level : level_names()) EXPECT_EQ(check(*stale_read().history, level).error, "") << level;
  const std::vector<std::string> methods = method_names();
  EXPECT_NE(std::find(methods.begin(), methods.end(), "timeline"), methods.end());
  const std::vector<std::string> formats = format_names();
  EXPECT_NE(std::find(formats.begin(), formats.end(), "native"), formats.end());
}

TEST(Api, ProgressIsReported) {
  HistoryBuilder builder;
  for (int i = 0; i < 100000; ++i) builder.add(Transaction(i % 4).write(i % 7, i).timestamps(i * 2, i * 2 + 1));
  const LoadedHistory history = builder.finish();
  std::size_t calls = 0;
  const CheckOptions options{.progress = [&](std::string_view, std::uint64_t, std::uint64_t) { ++calls; }};
  EXPECT_EQ(check(*history.history, "si", options).outcome, Outcome::satisfied);
  EXPECT_GT(calls, 0U);
}

}  // namespace api_test
}  // namespace isolde::api
