#include "checking/checking.h"

#include <gtest/gtest.h>

#include "tests/support/history_text.h"

namespace isolde {
namespace checking_test {

constexpr Level kSer = Level::kSerializable;

TEST(Checking, LeadsFromAQuestionToAProvedVerdict) {
  const History h = hist("T1: w x1 | T2: r x1 w x2 | T3: r x1 w x3");
  const auto checking = Checking::of(h, kSer);
  ASSERT_TRUE(checking);
  Verdict verdict = (*checking)->check(Limits{});
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.why_open, WhyOpen::kDecided);
  EXPECT_NE((*checking)->why(verdict), "");
  EXPECT_EQ((*checking)->prove(verdict).proof, Proof::kHolds);
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_FALSE((*checking)->strongest(verdict, Limits{}).holds.empty());
}

TEST(Checking, AVerdictThatDoesNotStandUpToItsProofIsNoAnswer) {
  const History h = hist("T1: w x1 | T2: r x1 w x2 | T3: r x2");
  const auto checking = Checking::of(h, kSer);
  ASSERT_TRUE(checking);
  Verdict verdict = (*checking)->check(Limits{});
  ASSERT_EQ(verdict.outcome, Outcome::kSatisfied);
  std::swap(verdict.witness.events.front(), verdict.witness.events.back());
  const Checking::Proved proved = (*checking)->prove(verdict);
  EXPECT_EQ(proved.proof, Proof::kFails);
  EXPECT_NE(proved.says, "");
  EXPECT_EQ(verdict.outcome, Outcome::kUndecided);
  EXPECT_EQ(verdict.why_open, WhyOpen::kNotProved);
}

TEST(Checking, AForcedMethodThatCannotJudgeRefuses) {
  const auto checking = Checking::of(hist("T1: w x1"), kSer, {.choose = {.method = "timeline"}});
  ASSERT_TRUE(checking);
  EXPECT_NE((*checking)->refusal(), "");
  const Verdict verdict = (*checking)->check(Limits{});
  EXPECT_EQ(verdict.outcome, Outcome::kUndecided);
  EXPECT_EQ(verdict.why_open, WhyOpen::kNoMethod);
  EXPECT_EQ((*Checking::of(hist("T1: w x1"), kSer))->refusal(), "");
}

TEST(Checking, EveryWayToLeaveAHistoryOpenSaysWhichItIs) {
  const auto why = [](std::string_view text, Level level, const Checking::Options& options, const Limits& limits) {
    return (*Checking::of(hist(text), level, options))->check(limits).why_open;
  };
  const std::string_view unordered = "T1: w x1 | T2: w x2 | T3: r x1 | T4: r x2";
  WorkBudget none(1);
  Limits limits;
  limits.work = &none;
  EXPECT_EQ(why(unordered, kSer, {.choose = {.method = "solver"}}, limits), WhyOpen::kWork);
  limits = {};
  limits.deadline = std::chrono::steady_clock::time_point::min();
  EXPECT_EQ(why(unordered, kSer, {.choose = {.method = "solver"}}, limits), WhyOpen::kTime);
  const std::atomic<bool> cancelled = true;
  limits = {};
  limits.cancelled = &cancelled;
  EXPECT_EQ(why(unordered, kSer, {.choose = {.method = "solver"}}, limits), WhyOpen::kCancelled);
  EXPECT_EQ(why("T1: w x1 | T2: r x1", kSer, {.choose = {.method = "rules"}}, {}), WhyOpen::kFindsOnly);
  EXPECT_EQ(why("T1: w x1 | T2: r x1", Level::kStrictSerializable, {}, {}), WhyOpen::kUntested);
  EXPECT_EQ(why("T1: w x1", kSer, {}, {}), WhyOpen::kDecided);
}

TEST(Checking, EvidenceThatIsTurnedOffIsNotedAndNotUsed) {
  Checking::Options options;
  options.choose.evidence = *parse_evidence_use("", "versions");
  const auto checking = Checking::of(hist("T1: w x1 | T2: w x2 | T3: r x1 | versions: x[1 2]"), kSer, options);
  ASSERT_TRUE(checking);
  EXPECT_TRUE((*checking)->history().columns().version_orders.empty());
  EXPECT_FALSE((*checking)->notes().empty());
}

}  // namespace checking_test
}  // namespace isolde
