// What graph, timeline and replay say of predicate operations; every verdict is proved.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "check/graph/graph.h"
#include "check/replay/replay.h"
#include "check/timeline/timeline.h"
#include "proof/prove.h"
#include "tests/support/native_history.h"

namespace isolde {
namespace engines_test {

constexpr Level kSi = Level::kSnapshotIsolation;
constexpr Level kSer = Level::kSerializable;

Verdict judge(const Engine& engine, std::string_view text, Level level) {
  const History h = native(text);
  EXPECT_EQ(engine.lacks(h, level), "");
  Verdict verdict = engine.check(h, level, Limits{});
  const auto proof = prove(h, verdict);
  EXPECT_TRUE(proof) << (proof ? "" : proof.error().message()) << "\n" << text;
  return verdict;
}

// "satisfied", "undecided", or the names of the anomalies.
std::string says(const Engine& engine, std::string_view text, Level level) {
  const Verdict verdict = judge(engine, text, level);
  if (verdict.outcome != Outcome::kViolated) return std::string(name(verdict.outcome));
  std::string names;
  for (const Anomaly& a : verdict.anomalies) names += (names.empty() ? "" : " ") + full_name(a);
  return names;
}

// A transaction of its own session; `time` as `"start_ts":1,"commit_ts":2`.
std::string txn(std::string_view id, std::string_view time, std::string_view ops, std::string_view status = "") {
  return fmt::format(R"({{"id":"{0}","session":"{0}",{1}{2}"ops":[{3}]}})"
                     "\n",
                     id, status.empty() ? "" : fmt::format(R"("status":"{}",)", status),
                     time.empty() ? "" : fmt::format("{},", time), ops);
}
std::string points(int start, int commit) { return fmt::format(R"("start_ts":{},"commit_ts":{})", start, commit); }
std::string place(int order) { return fmt::format(R"("order":{})", order); }

constexpr std::string_view kInsert = R"(["w","x",{"c":1}])";
constexpr std::string_view kFindNothing = R"(["scan","c > 0",[]])";
constexpr std::string_view kFindIt = R"(["scan","c > 0",[["x",{"c":1}]]])";
constexpr std::string_view kCountNone = R"j(["agg","count(*)","c > 0",0])j";
constexpr std::string_view kCountOne = R"j(["agg","count(*)","c > 0",1])j";

TEST(PredicatesOfGraph, TheRightAggregateIsJsonText) {
  const std::string insert = txn("A", "", R"(["w","x",{"c":"a"}],["w","y",{"c":"B\"b"}])");
  const auto right = [&](std::string_view aggregate) {
    const std::string ask =
        fmt::format(R"(["agg","{}","true","none",{{"vset":{{"x":{{"c":"a"}},"y":{{"c":"B\"b"}}}}}}])", aggregate);
    const Verdict verdict = judge(kGraphEngine, insert + txn("P", "", ask), Level::kSerializable);
    return verdict.anomalies.empty() ? std::string(name(verdict.outcome)) : verdict.anomalies[0].expected_text;
  };
  EXPECT_EQ(right("max(c)"), R"("a")");
  EXPECT_EQ(right("min(c)"), R"("B\"b")");
  EXPECT_EQ(right("max(lower(c))"), R"("b\"b")");
  EXPECT_EQ(right("count(*)"), "2");
}

TEST(PredicatesOfTimeline, AScanSeesTheSnapshot) {
  const std::string insert = txn("A", points(1, 3), kInsert);
  EXPECT_EQ(says(kTimelineEngine, insert + txn("P", points(2, 5), kFindNothing), kSi), "satisfied");
  EXPECT_EQ(says(kTimelineEngine, insert + txn("P", points(3, 5), kFindNothing), kSi), "result-set-mismatch");
  EXPECT_EQ(says(kTimelineEngine, insert + txn("P", points(3, 5), kFindIt), kSi), "satisfied");
  EXPECT_EQ(says(kTimelineEngine, insert + txn("P", points(2, 5), kFindIt), kSi), "GSIa");
}

TEST(PredicatesOfTimeline, SerializableLevelsGoByTheCommit) {
  const std::string insert = txn("A", points(1, 3), kInsert);
  EXPECT_EQ(says(kTimelineEngine, insert + txn("P", points(2, 5), kFindNothing), kSer), "result-set-mismatch");
  EXPECT_EQ(says(kTimelineEngine, insert + txn("P", points(2, 5), kCountOne), kSer), "satisfied");
}

TEST(PredicatesOfTimeline, ThePhantomIsNamedWithItsWriter) {
  const Verdict verdict =
      judge(kTimelineEngine, txn("A", points(1, 3), kInsert) + txn("P", points(4, 5), kFindNothing), kSi);
  ASSERT_EQ(verdict.anomalies.size(), 1U);
  const Anomaly& a = verdict.anomalies[0];
  EXPECT_EQ(a.source, ReadSource::kRowMissed);
  EXPECT_EQ(a.expected_writer, TxnId{0});
  ASSERT_EQ(a.steps.size(), 1U);
  EXPECT_EQ(a.steps[0].type, StepType::kVisible);
}

TEST(PredicatesOfTimeline, AllAreCounted) {
  const std::string h = txn("A", points(1, 3), kInsert) +
                        txn("P", points(4, 5), fmt::format("{},{},{}", kFindNothing, kCountNone, kFindIt)) +
                        txn("Q", points(6, 7), kFindNothing);
  EXPECT_EQ(says(kTimelineEngine, h, kSi), "result-set-mismatch result-set-mismatch result-set-mismatch");
}

TEST(PredicatesOfTimeline, AnUnknownWriterMayExplainIt) {
  const std::string maybe = txn("A", points(1, 3), kInsert, "unknown");
  EXPECT_EQ(says(kTimelineEngine, maybe + txn("P", points(4, 5), kCountNone), kSi), "satisfied");
  EXPECT_EQ(says(kTimelineEngine, maybe + txn("P", points(4, 5), kCountOne), kSi), "satisfied");
  EXPECT_EQ(says(kTimelineEngine, maybe + txn("P", points(4, 5), R"j(["agg","count(*)","c > 0",2])j"), kSi),
            "undecided");
  EXPECT_EQ(says(kTimelineEngine, txn("A", points(1, 3), kInsert, "aborted") + txn("P", points(4, 5), kCountOne), kSi),
            "result-set-mismatch");
}

TEST(PredicatesOfTimeline, OfEqualTimesEitherMayBeFirst) {
  const std::string insert = txn("A", points(4, 4), kInsert);
  const std::string both = insert + txn("P", points(4, 4), fmt::format(R"({},["w","y",1])", kFindNothing));
  EXPECT_NE(says(kTimelineEngine, both, kSi), "result-set-mismatch");
  EXPECT_EQ(says(kTimelineEngine, insert + txn("P", points(5, 5), kFindNothing), kSi), "result-set-mismatch");
}

TEST(PredicatesOfTimeline, WithoutAStartThePlaceIsOpen) {
  const std::string insert = txn("A", points(1, 3), kInsert);
  EXPECT_EQ(says(kTimelineEngine, insert + txn("P", R"("commit_ts":5)", R"(["w","y",1],["scan","c > 0",[]])"), kSi),
            "satisfied");
  EXPECT_EQ(says(kTimelineEngine, insert + txn("P", "", R"(["scan","c > 5",[["x",{"c":1}]]])"), kSi),
            "result-set-mismatch")
      << "its row does not match, wherever it stands";
}

TEST(PredicatesOfTimeline, WhatCannotBeEvaluatedIsUndecided) {
  const std::string insert = txn("A", points(1, 3), kInsert);
  EXPECT_EQ(says(kTimelineEngine, insert + txn("P", points(4, 5), R"(["scan","c < 'a'",[]])"), kSi), "undecided");
  EXPECT_EQ(says(kTimelineEngine, insert + txn("P", points(4, 5), R"(["scan","c ==== 1",[]])"), kSi), "undecided");
  EXPECT_EQ(says(kTimelineEngine,
                 insert + txn("L", points(4, 5), R"(["append","l",1])") +
                     txn("P", points(6, 7), R"(["scan","c > 0",[["x",{"c":1}]]])"),
                 kSi),
            "undecided");
}

TEST(PredicatesOfTimeline, AVersionSetMustBeOfTheStatesRun) {
  const std::string history = txn("A", points(1, 2), kInsert) + txn("B", points(3, 4), R"(["w","x",{"c":9}])") +
                              txn("C", points(5, 6), R"(["w","x",{"c":2}])");
  const auto asks = [&](int start, std::string_view seen) {
    return says(kTimelineEngine,
                history + txn("P", points(start, 9), fmt::format(R"(["update","c > 5",[],{{"vset":{}}}])", seen)), kSi);
  };
  EXPECT_EQ(asks(2, R"({"x":{"c":1}})"), "satisfied");
  EXPECT_EQ(asks(2, "{}"), "satisfied") << "absent and 1 match alike";
  EXPECT_EQ(asks(7, R"({"x":{"c":1}})"), "result-set-mismatch");
  EXPECT_EQ(asks(2, R"({"x":{"c":2}})"), "result-set-mismatch");
  EXPECT_EQ(asks(7, R"({"x":{"c":9}})"), "result-set-mismatch");
}

TEST(PredicatesOfReplay, TheExpectedOrderExplainsThem) {
  const std::string insert = txn("A", place(2), kInsert);
  EXPECT_EQ(says(kReplayEngine, insert + txn("P", place(1), kCountNone), kSer), "satisfied");
  EXPECT_EQ(says(kReplayEngine, insert + txn("P", place(3), kCountNone), kSer), "result-set-mismatch");
  EXPECT_EQ(says(kReplayEngine, insert + txn("P", place(3), R"(["update","c > 0",[]])"), kSer), "result-set-mismatch");
  EXPECT_EQ(says(kReplayEngine, insert + txn("P", place(1), R"(["update","c > 0",[["x",{"c":2}]]])"), kSer),
            "result-set-mismatch");
}

TEST(PredicatesOfReplay, UpdatesChangeWhatLaterOnesFind) {
  const std::string h = txn("A", place(1), kInsert) + txn("B", place(2), R"(["update","c = 1",[["x",{"c":0}]]])");
  EXPECT_EQ(says(kReplayEngine, h + txn("P", place(3), kFindNothing), kSer), "satisfied");
  EXPECT_EQ(says(kReplayEngine, h + txn("P", place(3), kCountOne), kSer), "result-set-mismatch");
}

}  // namespace engines_test
}  // namespace isolde
