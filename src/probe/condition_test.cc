#include "probe/condition.h"

#include <gtest/gtest.h>

namespace isolde::probe {
namespace condition_test {

// T1 has two statements, of which the second was never answered, and committed; T2 failed at its only one.
struct World {
  World() {
    steps = {{0, RequestKind::kBegin, {}},      {0, RequestKind::kStatement, "a"}, {1, RequestKind::kBegin, {}},
             {1, RequestKind::kStatement, "b"}, {0, RequestKind::kStatement, "c"}, {0, RequestKind::kCommit, {}}};
    transcript.steps.resize(steps.size());
    for (const std::size_t i : {0, 1, 2, 5}) transcript.steps[i].state = StepRecord::State::kDone;
    transcript.steps[1].reply = rows({{1, 10}, {2, 20}});
    transcript.steps[1].reply.changed = 2;
    transcript.steps[1].wait = Wait::kServerSays;
    transcript.steps[3].state = StepRecord::State::kFailed;
    transcript.ends = {{End::kCommitted, 5}, {End::kAborted, 3}, {End::kUnknown, kNoStep}};
    tables["test"] = rows({{2, 20}, {1, 11}});
    tables["other"] = rows({});
  }
  static db::Reply rows(const std::vector<std::pair<int, int>>& all) {
    db::Reply reply;
    reply.width = 2;
    for (const auto& [a, b] : all) {
      reply.cells.emplace_back(std::int64_t{a});
      reply.cells.emplace_back(std::int64_t{b});
    }
    return reply;
  }
  std::vector<Step> steps;
  Transcript transcript;
  std::map<std::string, db::Reply> tables;
  std::string first = "test";
};

// "yes", "no", "not known", or the error.
std::string judged(std::string_view text, World world = {}) {
  const auto condition = parse_condition(text, "c", 3, 5);
  if (!condition) return condition.error().message();
  const auto held = holds(*condition, {world.steps, world.transcript, world.tables, world.first});
  return !held ? "not known" : *held ? "yes" : "no";
}

TEST(Condition, RowsAreComparedInAnyOrder) {
  EXPECT_EQ(judged("T1.1 is (2, 20), (1, 10)"), "yes");
  EXPECT_EQ(judged("T1.1 returned (1, 10)"), "no");
  EXPECT_EQ(judged("T1.1 is not (1, 10)"), "yes");
  EXPECT_EQ(judged("T1.1 is (1, 10), (1, 10)"), "no");
  EXPECT_EQ(judged("final is (1, 11), (2, 20)"), "yes");
  EXPECT_EQ(judged("final other is empty and final test is not empty"), "yes");
  EXPECT_EQ(judged("T1.1 is final"), "no");
  EXPECT_EQ(judged("T1.1 is T1.1"), "yes");
}

TEST(Condition, AStarFitsAnythingAndLeavesPlainRowsToThosePlain) {
  EXPECT_EQ(judged("T1.1 is (*, *), (1, 10)"), "yes");
  EXPECT_EQ(judged("T1.1 has (2, *)"), "yes");
  EXPECT_EQ(judged("T1.1 has (3, *)"), "no");
  EXPECT_EQ(judged("T1.1 has (2, 20, *)"), "no");
}

TEST(Condition, NumbersEqualTheirTexts) {
  World world;
  world.tables["test"].cells = {std::string("2"), 20.0, std::int64_t{1}, std::string("11.0")};
  EXPECT_EQ(judged("final is (1, 11), (2, 20)", world), "yes");
  EXPECT_EQ(judged("final has ('2', *)", world), "yes");
  EXPECT_EQ(judged("final has (null, *)", world), "no");
}

TEST(Condition, CountsAndEndsAndWaits) {
  EXPECT_EQ(judged("T1.1 has 2 rows and T1.1 has at least 1 row and T1.1 has at most 2 rows"), "yes");
  EXPECT_EQ(judged("T1.1 changed 2 and T1.1 changed at least 3 rows"), "no");
  EXPECT_EQ(judged("T1 committed and T2 rolled back and T2.1 failed and T1.1 waited"), "yes");
  EXPECT_EQ(judged("T1 rolled back or T2 committed or T2.1 waited or T1.1 failed"), "no");
}

TEST(Condition, WhatWasNeverAnsweredIsNotKnownEvenWhenNegated) {
  EXPECT_EQ(judged("T1.2 is empty"), "not known");
  EXPECT_EQ(judged("T1.2 is not empty"), "not known");
  EXPECT_EQ(judged("not T1.2 has (1, 1)"), "not known");
  EXPECT_EQ(judged("T3 committed"), "not known");
  EXPECT_EQ(judged("T1.2 is empty and T2 committed"), "no");
  EXPECT_EQ(judged("T1.2 is empty or T1 committed"), "yes");
}

TEST(Condition, NotBindsTighterThanAndAndThatTighterThanOr) {
  EXPECT_EQ(judged("T1 committed or T2 committed and T2 committed"), "yes");
  EXPECT_EQ(judged("(T1 committed or T2 committed) and T2 committed"), "no");
  EXPECT_EQ(judged("not T2 committed and T1 committed"), "yes");
  EXPECT_EQ(judged("not (T2 committed or not not T1 committed)"), "no");
}

TEST(Condition, ParenthesesAsDeepAsOneLikes) {
  const std::string deep = std::string(100'000, '(') + "T1 committed" + std::string(100'000, ')');
  EXPECT_EQ(judged(deep), "yes");
}

TEST(Condition, AnErrorSaysWhereAndWhatWasExpected) {
  EXPECT_EQ(judged("T1 comitted"), "c:3:8: expected \"committed\" or \"rolled back\", found \"comitted\"");
  EXPECT_EQ(judged("T1 committed\n  T2 committed"),
            "c:4:3: expected \"and\", \"or\" or the end of the condition, found \"T2\"");
  EXPECT_EQ(judged("(T1 committed"), "c:3:18: expected \")\", found the end");
  EXPECT_EQ(judged("T1 committed)"), "c:3:17: expected \"and\", \"or\" or the end of the condition, found \")\"");
  EXPECT_EQ(judged("T1.1 is (1, x)"), "c:3:17: expected a number, a text in quotes, null or *, found \"x\"");
  EXPECT_EQ(judged("T1.1 is (1, 2"), "c:3:18: expected \",\" or \")\", found the end");
  EXPECT_EQ(judged("T1.1 has at best 3 rows"), "c:3:17: expected \"least\" or \"most\", found \"best\"");
  EXPECT_EQ(judged("final changed 3"), "c:3:19: expected \"is\" or \"has\", found \"3\"");
  EXPECT_EQ(judged("T0 committed"),
            "c:3:5: expected a transaction (T1), a statement (T1.2) or \"final\", found \"T0\"");
  EXPECT_EQ(judged(""), "c:3:5: expected a transaction (T1), a statement (T1.2) or \"final\", found the end");
}

}  // namespace condition_test
}  // namespace isolde::probe
