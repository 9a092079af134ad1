#include "check/weak/weak.h"

#include <gtest/gtest.h>

#include "check/choose/choose.h"
#include "proof/prove.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace weak_test {

using enum Level;

Verdict judged(std::string_view text, Level level) {
  const History h = hist(text);
  EXPECT_EQ(kWeakEngine.lacks(h, level), "") << text;
  Verdict verdict = kWeakEngine.check(h, level, {});
  const auto proof = prove(h, verdict);
  EXPECT_TRUE(proof) << text << ": " << (proof ? "" : proof.error().message());
  return verdict;
}

// The name of the first anomaly, or the outcome; the proof must agree.
std::string says(std::string_view text, Level level) {
  const Verdict verdict = judged(text, level);
  return verdict.anomalies.empty() ? std::string(name(verdict.outcome)) : full_name(verdict.anomalies[0]);
}

TEST(Weak, JudgesTheLevelsThatReadsAndSessionsDecide) {
  const History h = hist("T1: w x1");
  for (const Level level : {kReadCommitted, kCursorStability, kMonotonicAtomicView, kStrongSessionMonotonicAtomicView,
                            kReadAtomic, kCausal}) {
    EXPECT_EQ(kWeakEngine.lacks(h, level), "");
    EXPECT_EQ(choose(h, level, {}).engine->name, "weak");
  }
  for (const Level level : {kReadUncommitted, kPrefix, kRepeatableRead, kSnapshotIsolation, kSerializable})
    EXPECT_NE(kWeakEngine.lacks(h, level), "");
}

TEST(Weak, AReaderDoesNotGoBackToWhatOneItHasSeenOverwrote) {
  // Somebody saw T1 before T2; this reader sees T2 and then, of another key, T1.
  const auto* const back = "T1: w x1 w y1 | T2: w x2 w y2 | T3: r x1 r y2 | T4: r y2 r x1 | T5: r x2 r y1";
  EXPECT_EQ(says(back, kStrongSessionMonotonicAtomicView), "OTV");
  EXPECT_EQ(says(back, kMonotonicAtomicView), "OTV");
  EXPECT_EQ(says(back, kReadCommitted), "satisfied");
  EXPECT_EQ(says(back, kReadAtomic), "fractured-read");
}

TEST(Weak, WhatWasReadBeforeAWriterWasSeenIsNoConcernOfMonotonicAtomicView) {
  const auto* const half = "T0: w x0 w y0 | T1: w x1 w y1 | T2: r x0 r y1 | T3: r x0 r y0";
  EXPECT_EQ(says(half, kStrongSessionMonotonicAtomicView), "satisfied");
  EXPECT_EQ(says(half, kMonotonicAtomicView), "satisfied");
  // T0 wrote x, too, and is not said to come before T1 by anybody: T1, then T0, explains it all but for T2.
  EXPECT_EQ(says("T0: w x0 w y0 | T1: r y0 w x1 w y1 | T2: r x0 r y1", kReadAtomic), "fractured-read");
}

TEST(Weak, SessionsCountForReadAtomicAndNotForMonotonicAtomicView) {
  const auto* const own = "T1@a: w x1 | T2@a: w x2 | T3@b: r x2 | T4@b: r x1 w y1 | T5@a: r y1 r x1";
  EXPECT_EQ(says(own, kMonotonicAtomicView), "satisfied");
  EXPECT_EQ(says(own, kStrongSessionMonotonicAtomicView), "satisfied");
  EXPECT_EQ(says(own, kReadAtomic), "fractured-read-session");
  EXPECT_EQ(says("T1@a: w x1 | T2@a: r x_", kReadAtomic), "session-order");
}

TEST(Weak, SessionsCountForWhatBiswasAndEneaCallReadCommitted) {
  const auto* const back = "T1@a: w x1 | T2@a: w x2 w y2 | T3: r y2 r x1";
  EXPECT_EQ(says(back, kStrongSessionMonotonicAtomicView), "OTV-session");
  EXPECT_EQ(says(back, kMonotonicAtomicView), "satisfied");
  EXPECT_EQ(says(back, kReadCommitted), "satisfied");
}

TEST(Weak, ReadCommittedForbidsCyclesOfOverwritesAndReadsAndNothingElse) {
  EXPECT_EQ(says("T1: w x1 w y1 | T2: r x1 r y_ r x_ r x1", kReadCommitted), "satisfied");
  EXPECT_EQ(says("T1: w x1 w y1 | T2: w x2 r y1 | versions: x[2 1]", kReadCommitted), "G1c");
  EXPECT_EQ(says("T1@a: r x1 | T2@a: w x1", kReadCommitted), "satisfied");
  EXPECT_EQ(says("T1: r x_ w x1 | T2: r x_ w x2", kReadCommitted), "satisfied");
}

TEST(Weak, ThePastIsWhatReadsAndSessionsLeadBackTo) {
  // T3 saw T2, which saw T1; but not what T1 wrote.
  const auto* const past = "T1: w x1 w y1 | T2: r y1 w z1 | T3: r z1 r x_";
  EXPECT_EQ(says(past, kReadAtomic), "satisfied");
  EXPECT_EQ(says(past, kCausal), "G-single");
  EXPECT_EQ(says("T1@a: w x1 | T2@a: w z1 | T3: r z1 r x_", kCausal), "G-single-session");
}

TEST(Weak, TwoWritersThatNobodyOrdersMayComeInEitherOrder) {
  // As long as all agree.
  EXPECT_EQ(says("T1@a: w x1 | T2@b: w x2 | T3@a: r x2 | T4@b: r x2", kCausal), "satisfied");
  EXPECT_EQ(says("T1@a: w x1 | T2@b: w x2 | T3@a: r x2 | T4@b: r x1", kCausal), "cyclic-versions");
}

TEST(Weak, ACycleOfReadsIsNamedAsSuch) {
  for (const Level level :
       {kReadCommitted, kMonotonicAtomicView, kStrongSessionMonotonicAtomicView, kReadAtomic, kCausal})
    EXPECT_EQ(says("T1: w x1 r y1 | T2: w y1 r x1", level), "G1c");
}

TEST(Weak, TheFileMayHoldTransactionsInAnyOrder) {
  EXPECT_EQ(says("T3: r z1 r x1 | T2: r y1 w z1 | T1: w x1 w y1", kCausal), "satisfied");
  EXPECT_EQ(says("T3: r z1 r x_ | T2: r y1 w z1 | T1: w x1 w y1", kCausal), "G-single");
}

TEST(Weak, ListsAndGivenOrdersCount) {
  EXPECT_EQ(says("T1: a x1 a y1 | T2: a x2 a y2 | T3: r x[1 2] r y[2 1]", kReadCommitted), "G0");
  EXPECT_EQ(says("T1: w x1 w y1 | T2: w x2 w y2 | versions: x[1 2] y[2 1]", kReadCommitted), "G0");
  EXPECT_EQ(says("T1: a x1 w y1 | T2: a x2 w y2 | T3: r x[1] r x[1 2] | T4: r y2 r x[1]", kMonotonicAtomicView), "OTV");
}

TEST(Weak, AnUnknownTransactionCountsIfItWasSeen) {
  EXPECT_EQ(says("T1?: w x1 w y1 | T2: r x1 r y_", kReadAtomic), "fractured-read");
  EXPECT_EQ(says("T1?: w x1 w y1 | T2: r x_ r y_", kReadAtomic), "satisfied");
}

TEST(Weak, EachInferredStepNamesTheReaderItRestsOn) {
  const History h = hist("T1@a: w x1 | T2@b: w x2 | T3@a: r x2 | T4@b: r x1");
  const Verdict verdict = kWeakEngine.check(h, kCausal, {});
  ASSERT_EQ(verdict.anomalies.size(), 1U);
  const Anomaly& a = verdict.anomalies[0];
  std::size_t seen = 0;
  for (const Step& s : a.steps) seen += s.ground == Ground::kSeen ? 1 : 0;
  EXPECT_EQ(seen, 2U);
  EXPECT_EQ(a.transactions.size(), 4U);  // the two readers beside the writers
}

TEST(WeakRepeated, AReadThatLeavesAChoiceDoesNotHideAViolation) {
  const auto* const broken = "T1: w x1 w y1 | T2: r x1 r y_ r z7 | T3: w z7 | T4: w z7";
  EXPECT_EQ(says(broken, kReadAtomic), "fractured-read");
}

TEST(WeakRepeated, AWriterThatIsChosenMayShowThatTheLevelHolds) {
  const Verdict verdict = judged("T1: w x1 | T2: w x2 | T3: w x1 | T4: r x1", kCausal);
  EXPECT_EQ(verdict.outcome, Outcome::kSatisfied);
  ASSERT_EQ(verdict.notes.size(), 1U);
  EXPECT_NE(verdict.notes[0].find("with one writer chosen for each"), std::string::npos) << verdict.notes[0];
  // The initial state is one of the choices.
  EXPECT_EQ(says("init: x0 | T1: r x0 | T2: w x0", kCausal), "satisfied");
}

TEST(WeakRepeated, WhereNoChoiceFitsItSaysWhatIsOpen) {
  const Verdict verdict = judged("T1@a: w x1 | T2@a: w x1 | T3@a: w x2 | T4@a: r x1", kReadAtomic);
  EXPECT_EQ(verdict.outcome, Outcome::kUndecided);
  EXPECT_NE(verdict.reason.find("may come from more than one write"), std::string::npos) << verdict.reason;
}

TEST(WeakCursors, BlindWritesComeInTheOrderOfTheFile) {
  EXPECT_EQ(says("T1: w x1 | T2: w x2 | T3: r x1 w x3 | T4: r x2 w x4", kCursorStability), "satisfied");
  EXPECT_EQ(says("T1: w x1 | T2: r x1 w x2 | T3: r x1 w x3", kCursorStability), "lost-update");
}

}  // namespace weak_test
}  // namespace isolde
