#include "check/session_numbers.h"

#include <gtest/gtest.h>

#include <string>

#include "check/choose/choose.h"
#include "check/choose/strongest.h"
#include "history/session_gaps.h"
#include "proof/prove.h"
#include "report/explain_anomaly.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace session_numbers_test {

using enum Level;

Verdict judged(const History& h, Level level, std::string_view method = {}) {
  const ChooseOptions options{.method = method};
  const Verdict verdict = LevelChecks(h, options).check(choose(h, level, options), level, {});
  const auto proof = prove(h, verdict);
  EXPECT_TRUE(proof) << (proof ? "" : proof.error().message());
  return verdict;
}

constexpr std::string_view kGap = "T1@s %0 1..2: w x1 | T2@s %3 3..4: r x1 w x2 | T3@t %9 5..5: r x2";

TEST(SessionNumbers, AGapBreaksTheStrongSessionFormsByEveryMethod) {
  const History h = hist(kGap);
  for (const LevelInfo& row : all_levels()) {
    const bool broken = implies(row.level, kStrongSessionSnapshotIsolation);
    EXPECT_EQ(name(judged(h, row.level).outcome), broken ? "violated" : "satisfied") << row.name;
  }
  for (const char* method : {"timeline", "graph", "solver"}) {
    EXPECT_EQ(judged(h, kStrongSessionSnapshotIsolation, method).anomalies.back().kind, AnomalyKind::kSessionGap)
        << method;
  }
}

TEST(SessionNumbers, AGapIsToldWithTheTwoTransactionsAndWhatIsMissing) {
  const History h = hist(kGap);
  const Verdict verdict = judged(h, kStrongSessionSnapshotIsolation);
  ASSERT_EQ(verdict.anomalies.size(), 1U);
  const Explanation e = explain(h, verdict.anomalies[0]);
  EXPECT_EQ(e.contradiction, "numbers 1 to 2 are missing from session s, between T1 and T2.");
  ASSERT_EQ(e.steps.size(), 1U);
  EXPECT_EQ(e.steps[0], "T1 before T2, because it comes right before it in session s (number 0, then 3)");
}

TEST(SessionNumbers, ALevelThatAllowsAGapSaysThatThereIsOne) {
  const Verdict verdict = judged(hist(kGap), kSnapshotIsolation);
  ASSERT_EQ(verdict.notes.size(), 1U);
  EXPECT_EQ(verdict.notes[0],
            "the session numbers (sno) have 1 gap; the first: in session s number 3 follows number 0 (transactions T1 "
            "and T2); snapshot-isolation allows that, strong-session-snapshot-isolation and stronger levels forbid it");
}

TEST(SessionNumbers, OtherViolationsAreStillReported) {
  const Verdict verdict = judged(hist("T1@s %0 1..5: w x1 | T2@s %2 3..4: r x_"), kStrongSessionSnapshotIsolation);
  ASSERT_EQ(verdict.anomalies.size(), 2U);
  EXPECT_EQ(verdict.anomalies[0].kind, AnomalyKind::kSessionOrder);
  EXPECT_EQ(verdict.anomalies[1].kind, AnomalyKind::kSessionGap);
  EXPECT_EQ(verdict.total(), 2U);
}

TEST(SessionNumbers, TheStrongestLevelIsOneThatAllowsIt) {
  const History h = hist(kGap);
  LevelChecks checks(h, {});
  const Verdict first = checks.check(choose(h, kSnapshotIsolation, {}), kSnapshotIsolation, {});
  const Strongest found = checks.strongest(first, {});
  for (const LevelInfo& row : all_levels()) {
    const bool broken = implies(row.level, kStrongSessionSnapshotIsolation);
    EXPECT_NE(found.at(row.level), broken ? Outcome::kSatisfied : Outcome::kViolated) << row.name;
  }
  EXPECT_EQ(found.at(kSerializable), Outcome::kSatisfied);
  EXPECT_EQ(found.at(kStrongSessionSnapshotIsolation), Outcome::kViolated);
}

TEST(SessionNumbers, OnlyNeighboursThatBothHaveOneAreCompared) {
  const auto gaps = [](std::string_view text) { return session_gaps(hist(text)).size(); };
  EXPECT_EQ(gaps("T1@s: w x1 | T2@s: r x1"), 0U);
  EXPECT_EQ(gaps("T1@s %7: w x1 | T2@s %8: r x1"), 0U) << "a session begins with any number";
  EXPECT_EQ(gaps("T1@s %7: w x1 | T2@s: r x1 | T3@s %20: r x1"), 0U) << "nobody knows the number of T2";
  EXPECT_EQ(gaps("T1@s %7: w x1 | T2!@s %8: r x1 | T3?@s %9: r x1 | T4@s %10: r x1"), 0U);
  EXPECT_EQ(gaps("T1@s %7: w x1 | T2@t %3: r x1 | T3@s %8: r x1 | T4@t %4: r x1"), 0U);
  EXPECT_EQ(gaps("T1@s %7: w x1 | T2!@s %9: r x1 | T3@s %10: r x1"), 1U);
  EXPECT_EQ(gaps("T1@s %7: w x1 | T2@s %7: r x1 | T3@s %6: r x1"), 2U) << "twice, and falling";
  EXPECT_TRUE(is_numbered_apart(INT64_MAX, INT64_MIN + 1));
  EXPECT_TRUE(is_numbered_apart(INT64_MIN + 1, INT64_MAX));
  EXPECT_FALSE(is_numbered_apart(-1, 0));
}

TEST(SessionNumbers, AProofRefusesAGapThatIsNone) {
  const History h = hist("T1@s %0 1..2: w x1 | T2@s %1 3..4: r x1 | T3@s %3 5..6: r x1 | T4@t %7 7..8: r x1");
  const Verdict right = judged(h, kStrongSessionSnapshotIsolation);
  ASSERT_EQ(right.anomalies.size(), 1U);
  const auto refused = [&](auto&& change) {
    Verdict v = right;
    change(v);
    return !prove(h, v);
  };
  EXPECT_FALSE(refused([](Verdict&) {}));
  EXPECT_TRUE(refused([](Verdict& v) { v.level = kSnapshotIsolation; })) << "the level has no session order";
  EXPECT_TRUE(refused([](Verdict& v) { v.anomalies[0].steps.clear(); }));
  EXPECT_TRUE(refused([](Verdict& v) { v.anomalies[0].steps[0].from = TxnId{0}; })) << "T2 stands between them";
  EXPECT_TRUE(refused([](Verdict& v) {
    v.anomalies[0].steps[0].from = TxnId{0};
    v.anomalies[0].steps[0].to = TxnId{1};
  })) << "0 and 1 follow each other";
  EXPECT_TRUE(refused([](Verdict& v) { v.anomalies[0].steps[0].to = TxnId{3}; })) << "another session";
  EXPECT_TRUE(refused([](Verdict& v) { std::swap(v.anomalies[0].steps[0].from, v.anomalies[0].steps[0].to); }));
  EXPECT_TRUE(refused([](Verdict& v) {
    v.outcome = Outcome::kSatisfied;
    v.anomalies.clear();
    v.witness = {Witness::Kind::kPoints, {0, 1, 2, 3, 4, 5, 6, 7}};
  })) << "there is a gap";
}

}  // namespace session_numbers_test
}  // namespace isolde
