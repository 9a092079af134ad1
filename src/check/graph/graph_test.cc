#include "check/graph/graph.h"

#include <gtest/gtest.h>

#include "proof/prove.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace graph_test {

// The name of the first anomaly, or the outcome; the proof must agree.
std::string says(std::string_view text, Level level) {
  const History h = hist(text);
  if (const std::string lack = kGraphEngine.lacks(h, level); !lack.empty()) return "lacks " + lack;
  const Verdict verdict = kGraphEngine.check(h, level, {});
  const auto proof = prove(h, verdict);
  EXPECT_TRUE(proof) << text << ": " << (proof ? "" : proof.error().message());
  return verdict.anomalies.empty() ? std::string(name(verdict.outcome)) : full_name(verdict.anomalies[0]);
}

TEST(Graph, ALongerReadOrdersTheTwoAppends) {
  EXPECT_EQ(says("T1: a x1 a y1 | T2: a x2 a y2 | T3: r x[1 2] r y[1 2]", Level::kSerializable), "satisfied");
  EXPECT_EQ(says("T1: a x1 a y1 | T2: a x2 a y2 | T3: r x[1 2] r y[2 1]", Level::kSerializable), "G0");
}

TEST(Graph, TwoThatReadEachOtherAreACycleOfInformation) {
  EXPECT_EQ(says("T1: w x1 r y1 | T2: w y1 r x1", Level::kReadCommitted), "G1c");
  EXPECT_EQ(says("T1: w x1 r y1 | T2: w y1 r x1", Level::kReadUncommitted), "satisfied");
}

TEST(Graph, WriteSkewBreaksSerializabilityAndNotSnapshotIsolation) {
  const auto* const skew = "T1: r x_ w y1 | T2: r y_ w x1";
  EXPECT_EQ(says(skew, Level::kSerializable), "G2-item");
  EXPECT_EQ(says(skew, Level::kSnapshotIsolation), "satisfied");
}

TEST(Graph, ALongForkHasNoTwoAntiDependenciesSideBySide) {
  const auto* const fork = "T1: w x1 | T2: w y1 | T3: r x1 r y_ | T4: r y1 r x_";
  EXPECT_EQ(says(fork, Level::kSnapshotIsolation), "G-nonadjacent");
  EXPECT_EQ(says(fork, Level::kPrefix), "G-nonadjacent");
  EXPECT_EQ(says(fork, Level::kReadAtomic), "satisfied");
}

TEST(Graph, OfTwoUpdatesOfOneVersionOneIsLost) {
  const auto* const lost = "T1: r x_ w x1 | T2: r x_ w x2";
  EXPECT_EQ(says(lost, Level::kSnapshotIsolation), "lost-update");
  EXPECT_EQ(says(lost, Level::kReadAtomic), "satisfied");
}

TEST(Graph, HalfOfATransactionIsAFracturedRead) {
  EXPECT_EQ(says("T1: w x1 w y1 | T2: r y_ r x1", Level::kReadAtomic), "fractured-read");
  EXPECT_EQ(says("T1: w x1 w y1 | T2: r y_ r x1", Level::kReadCommitted), "satisfied");
  EXPECT_EQ(says("T1: w x1 w y1 | T2: r x1 r y_", Level::kMonotonicAtomicView), "OTV");
}

TEST(Graph, SessionAndRealTimeCountOnlyWhereTheLevelSaysSo) {
  EXPECT_EQ(says("T1@a: w x1 | T2@a: r x_", Level::kSerializable), "satisfied");
  EXPECT_EQ(says("T1@a: w x1 | T2@a: r x_", Level::kStrongSessionSerializable), "G-single-session");
  EXPECT_EQ(says("T1 {1..2}: w x1 | T2 {3..4}: r x_", Level::kStrongSessionSerializable), "satisfied");
  EXPECT_EQ(says("T1 {1..2}: w x1 | T2 {3..4}: r x_", Level::kStrictSerializable), "G-single-realtime");
}

TEST(Graph, AnEndBeforeItsOwnBeginIsNoCycle) {
  EXPECT_EQ(says("T1 {5..2}: w x1 | T2 {1..6}: r x1", Level::kStrictSerializable), "satisfied");
}

TEST(Graph, AGivenOrderDecidesBetweenBlindWrites) {
  EXPECT_EQ(says("T1: w x1 w y1 | T2: w x2 w y2 | versions: x[1 2] y[2 1]", Level::kReadUncommitted), "G0");
  EXPECT_EQ(says("T1: w x1 | T2: w x2 | T3: r x1 r y1 | T4: r x2 w y1 | versions: x[1 2]", Level::kSerializable),
            "G-single");
  EXPECT_EQ(says("T1: w x1 | T2: w x2 | T3: r x1 r y1 | T4: r x2 w y1 | versions: x[2 1]", Level::kSerializable),
            "satisfied");
}

TEST(Graph, BlindWritesThatNobodyOrdersAreTriedInOneOrder) {
  EXPECT_EQ(says("T1: w x1 | T2: w x2 | T3: r x1", Level::kSerializable), "satisfied");
}

TEST(Graph, WhoSeesAnEffectSeesItsCauses) {
  EXPECT_EQ(says("T1: w x1 | T2: r x1 w y1 | T3: r y1 r x_", Level::kCausal), "G-single");
  EXPECT_EQ(says("T1: w x1 | T2: r x1 w y1 | T3: r y1 r x_", Level::kReadAtomic), "satisfied");
  EXPECT_EQ(says("T1@a: w x1 | T2@a: w x2 w y1 | T3: r y1 r x1", Level::kCausal), "G-single-session");
  EXPECT_EQ(says("T1: w x1 | T2: w y1 | T3: r x1 r y_ | T4: r y1 r x_", Level::kCausal), "satisfied");
  EXPECT_EQ(says("T1@a: w x1 r y1 | T2@b: w y1 r x1", Level::kCausal), "G1c");
}

TEST(Graph, WhatTwoReadersSawOfUnrelatedWritesMayNotBeOpposite) {
  // T3 puts x1 before x2, T4 the other way round; neither writer is in the past of the other.
  const auto* const opposite =
      "T1@a: w x1 | T5@a: w y1 | T2@b: w x2 | T6@b: w z1 | T3@c: r x1 r y1 | T7@c: r x2 | T4@d: r x2 r z1 | T8@d: r x1";
  EXPECT_EQ(says(opposite, Level::kCausal), "cyclic-versions");
  EXPECT_EQ(says(opposite, Level::kReadAtomic), "satisfied");
}

TEST(Graph, AnUpdateOfAnOldVersionIsLost) {
  EXPECT_EQ(says("T1: r x_ w x1 | T2: r x_ w x2", Level::kCursorStability), "lost-update");
  EXPECT_EQ(says("T1: r x_ w x1 | T2: r x_ w x2", Level::kReadCommitted), "satisfied");
  EXPECT_EQ(says("T1: w x1 | T2: r x_ w x2 | versions: x[1 2]", Level::kCursorStability), "G-single");
  EXPECT_EQ(says("T1: w x1 | T2: r x_ w x2", Level::kCursorStability), "satisfied");
  EXPECT_EQ(says("T1: w x1 | T2: w x2 | T3: r x1 r x2 w x3", Level::kCursorStability), "lost-update");
  EXPECT_EQ(says("T1: w x1 | T2: w x2 | T3: r x1 r x2", Level::kCursorStability), "satisfied");
  EXPECT_EQ(says("T1: a x1 | T2: r x[] a x2 | T3: r x[1 2]", Level::kCursorStability), "G-single");
  EXPECT_EQ(says("T1: r x_ r y_ w y1 | T2: r x_ r y_ w x1", Level::kCursorStability), "satisfied");
}

TEST(Graph, NothingComesBetweenAnUpdateAndWhatItRead) {
  EXPECT_EQ(says("T1: w x1 | T2: r x1 w x2 | T3: w x3 | versions: x[1 3 2]", Level::kCursorStability), "G-single");
  EXPECT_EQ(says("T1: w x1 | T2: r x1 w x2 | T3: w x3 | T4: w x4 | versions: x[1 3 2]", Level::kCursorStability),
            "cyclic-versions");
}

TEST(Graph, GivenOrdersMayContradictThemselves) {
  EXPECT_EQ(says("T1: w x1 | T2: w x2 | versions: x[1 2] | versions: x[2 1]", Level::kReadUncommitted),
            "cyclic-versions");
}

TEST(Graph, AnElementThatStandsTwiceWasWrittenTwice) {
  EXPECT_EQ(says("T1: a x1 | T2: r x[1 1]", Level::kSerializable), "duplicate-write");
}

TEST(Graph, ListsThatDisagreeAreAnIncompatibleOrder) {
  EXPECT_EQ(says("T1: a x1 | T2: a x2 | T3: r x[1 2] | T4: r x[2 1]", Level::kReadCommitted), "incompatible-order");
}

TEST(Graph, AnUnknownTransactionCountsOnceItIsSeen) {
  EXPECT_EQ(says("T1?: w x1 r y1 | T2: w y1 r x1", Level::kSerializable), "G1c");
  EXPECT_EQ(says("T1?: w x1 r y1 | T2: w y1 r x_", Level::kSerializable), "satisfied");
}

TEST(Graph, ARepeatedValueThatWasReadIsMissingEvidence) {
  EXPECT_EQ(says("T1: w x1 | T2: w x1 | T3: r x1", Level::kSerializable), "undecided");
}

TEST(Graph, AnElementThatWasThereAtFirstShowsNoUnknownTransaction) {
  const History h = hist("init: x[0] | T1?: a x0 a x1 | T2: r x[0] | T4: a x1 | versions: x<T4 T1 T4>");
  EXPECT_EQ(kGraphEngine.check(h, Level::kReadUncommitted, {}).outcome, Outcome::kSatisfied);
}

}  // namespace graph_test
}  // namespace isolde
