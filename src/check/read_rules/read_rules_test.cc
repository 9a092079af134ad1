#include "check/read_rules/read_rules.h"

#include <gtest/gtest.h>

#include "check/read_rules/rules.h"
#include "proof/prove.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace read_rules_test {

std::string broken(std::string_view text, Level level = Level::kReadCommitted) {
  const History h = hist(text);
  const Verdict verdict = kRulesEngine.check(h, level, Limits{});
  const auto proof = prove(h, verdict);
  EXPECT_TRUE(proof) << (proof ? "" : proof.error().message()) << "\n" << native_text(h);
  std::string names;
  for (const Anomaly& a : verdict.anomalies) names += (names.empty() ? "" : " ") + full_name(a);
  return names;
}

TEST(ReadRules, AnAbortedWriteMayNotBeRead) {
  EXPECT_EQ(broken("T1!: w x1 | T2: r x1"), "G1a");
  EXPECT_EQ(broken("T1!: a x1 | T2: r x[1]"), "G1a");
}

TEST(ReadRules, AValueThatSomebodyElseCommittedIsFine) { EXPECT_EQ(broken("T1!: w x1 | T3: w x1 | T2: r x1"), ""); }

TEST(ReadRules, AnIntermediateWriteMayNotBeRead) {
  EXPECT_EQ(broken("T1: w x1 w x2 | T2: r x1"), "G1b");
  EXPECT_EQ(broken("T1: a x1 a x2 | T2: r x[1]"), "G1b");
  EXPECT_EQ(broken("T1: a x1 a x2 | T2: r x[1 2]"), "");
}

TEST(ReadRules, AValueThatNobodyWroteIsGarbage) {
  EXPECT_EQ(broken("T1: r x1"), "garbage-read");
  EXPECT_EQ(broken("T1: w x1 | T2: r x[1 7]"), "");
  EXPECT_EQ(broken("T1: a x1 | T2: r x[1 7]"), "garbage-read");
  EXPECT_EQ(broken("init: x5 | T1: r x5"), "");
}

TEST(ReadRules, AnUnknownTransactionMayHaveCommitted) { EXPECT_EQ(broken("T1?: w x1 | T2: r x1"), ""); }

TEST(ReadRules, ReadYourOwnWrites) {
  EXPECT_EQ(broken("T1: w x1 r x1"), "");
  EXPECT_EQ(broken("T0: w x7 | T1: w x1 r x7"), "internal");
  EXPECT_EQ(broken("T0: a x7 | T1: a x1 r x[7]"), "internal");
  EXPECT_EQ(broken("T0: a x7 | T1: a x1 r x[7 1]"), "");
}

TEST(ReadRules, TwoReadsMayDifferAtReadCommittedOnly) {
  constexpr std::string_view kTwice = "T1: w x1 | T2: w x2 | T3: r x1 r x2";
  EXPECT_EQ(broken(kTwice, Level::kReadCommitted), "");
  EXPECT_EQ(broken(kTwice, Level::kReadAtomic), "internal");
}

TEST(ReadRules, ReadUncommittedForbidsNoRead) {
  EXPECT_EQ(broken("T1!: w x1 | T2: r x1", Level::kReadUncommitted), "");
}

TEST(ReadRules, AWriteCannotBeReadBeforeItIsMade) { EXPECT_EQ(broken("T1: r x1 w x1"), "G1c"); }

TEST(ReadRules, ValuesWrittenTwiceAreNoted) {
  const Verdict verdict = kRulesEngine.check(hist("T1: w x1 | T2: w x1"), Level::kReadCommitted, Limits{});
  EXPECT_EQ(verdict.outcome, Outcome::kUndecided);
  ASSERT_EQ(verdict.notes.size(), 1U);
}

}  // namespace read_rules_test
}  // namespace isolde
