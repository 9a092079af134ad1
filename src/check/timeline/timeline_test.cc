#include "check/timeline/timeline.h"

#include <gtest/gtest.h>

#include "anomaly/anomaly.h"
#include "proof/prove.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace timeline_test {

Verdict judge(const History& h, Level level) {
  EXPECT_EQ(kTimelineEngine.lacks(h, level), "");
  Verdict verdict = kTimelineEngine.check(h, level, Limits{});
  const auto proof = prove(h, verdict);
  EXPECT_TRUE(proof) << (proof ? "" : proof.error().message()) << "\n" << native_text(h);
  return verdict;
}

// "satisfied", "undecided", or the names of the anomalies.
std::string says(std::string_view text, Level level) {
  const History h = hist(text);
  const Verdict verdict = judge(h, level);
  if (verdict.outcome != Outcome::kViolated) return std::string(name(verdict.outcome));
  std::string names;
  for (const Anomaly& a : verdict.anomalies) names += (names.empty() ? "" : " ") + full_name(a);
  return names;
}

constexpr Level kSi = Level::kSnapshotIsolation;
constexpr Level kSessionSi = Level::kStrongSessionSnapshotIsolation;
constexpr Level kStrongSi = Level::kStrongSnapshotIsolation;
constexpr Level kSer = Level::kSerializable;

TEST(Timeline, AReadOfTheSnapshotIsRight) { EXPECT_EQ(says("T1 1..2: w x1 | T2 3..4: r x1", kSi), "satisfied"); }

TEST(Timeline, AVersionCommittedAtTheStartIsVisible) {
  EXPECT_EQ(says("T1 1..3: w x1 | T2 3..4: r x1", kSi), "satisfied");
  EXPECT_EQ(says("T1 1..3: w x1 | T2 3..4: r x_", kSi), "GSIb");
}

TEST(Timeline, AnOlderVersionIsAMissedEffect) {
  const History h = hist("T1 1..2: w x1 | T2 3..4: w x2 | T3 5..6: r x1");
  const Verdict verdict = judge(h, kSi);
  ASSERT_EQ(verdict.anomalies.size(), 1U);
  const Anomaly& a = verdict.anomalies[0];
  EXPECT_EQ(a.kind, AnomalyKind::kGSIb);
  EXPECT_EQ(a.source, ReadSource::kOlder);
  EXPECT_EQ(h.value_text(a.expected), "2");
  EXPECT_EQ(h.txn_text(a.expected_writer), "T2");
  EXPECT_EQ(h.txn_text(a.source_writer), "T1");
}

TEST(Timeline, ANewerVersionIsInterference) { EXPECT_EQ(says("T1 1..5: w x1 | T2 2..3: r x1", kSi), "GSIa"); }

TEST(Timeline, ReadsOfAbortedIntermediateAndUnwrittenValuesAreNamed) {
  EXPECT_EQ(says("T1!: w x1 | T2 2..3: r x1", kSi), "G1a");
  EXPECT_EQ(says("T1 1..2: w x1 w x2 | T2 3..4: r x1", kSi), "G1b");
  EXPECT_EQ(says("T1 1..2: r x9", kSi), "garbage-read");
}

TEST(Timeline, OverlappingWritersOfOneKeyConflict) {
  EXPECT_EQ(says("T1 1..3: r x_ w x1 | T2 2..4: r x_ w x2", kSi), "lost-update");
  EXPECT_EQ(says("T1 1..3: w x1 | T2 2..4: w x2", kSi), "GSIa");
  EXPECT_EQ(says("T1 1..3: w x1 | T2 3..4: w x2", kSi), "satisfied");
  EXPECT_EQ(says("T1 1..3: w x1 | T2 2..3: w x2", kSi), "GSIa") << "equal commit timestamps overlap";
}

TEST(Timeline, EveryConflictIsReportedOnceAtTheLaterCommit) {
  EXPECT_EQ(says("T1 1..5: w x1 | T2 2..6: w x2 | T3 3..7: w x3", kSi), "GSIa GSIa");
}

TEST(Timeline, InternalReadsReturnWhatTheTransactionLastReadOrWrote) {
  EXPECT_EQ(says("T1 1..2: w x1 r x1 | T2 3..4: r x1 r x1", kSi), "satisfied");
  EXPECT_EQ(says("T1 1..2: w x1 r x_", kSi), "internal");
  EXPECT_EQ(says("T1 1..2: w x1 | T2 3..4: r x1 r x_", kSi), "internal");
}

TEST(Timeline, WriteSkewIsFineAtSnapshotIsolationAndNamedAtSerializable) {
  constexpr std::string_view kSkew = "T1 1..3: r x_ r y_ w x1 | T2 2..4: r x_ r y_ w y1";
  EXPECT_EQ(says(kSkew, kSi), "satisfied");
  EXPECT_EQ(says(kSkew, kSer), "write-skew");
}

TEST(Timeline, SerializableTakesTheOrderOfCommits) {
  EXPECT_EQ(says("T1 1..9: w x1 | T2 2..10: r x1", kSer), "satisfied");
  EXPECT_EQ(says("T1 1..9: r x1 | T2 2..10: w x1", kSer), "GSIa");
  EXPECT_EQ(says("T1 1..3: r x_ w x1 | T2 2..4: r x_ w x2", kSer), "lost-update");
}

TEST(Timeline, ASessionSeesItsOwnPastOnlyWhereAsked) {
  constexpr std::string_view kBack = "T1@s 1..5: w x1 | T2@s 3..6: r x_";
  EXPECT_EQ(says(kBack, kSi), "satisfied");
  EXPECT_EQ(says(kBack, kSessionSi), "session-order");
}

TEST(Timeline, RealTimeCountsOnlyWhereAsked) {
  constexpr std::string_view kLate = "T1 1..5 {1..2}: w x1 | T2 3..6 {3..4}: r x_";
  EXPECT_EQ(says(kLate, kSi), "satisfied");
  EXPECT_EQ(says(kLate, kStrongSi), "realtime-order");
}

TEST(Timeline, ClocksThatContradictAreNoted) {
  const Verdict verdict = judge(hist("T1 1..5 {1..2}: w x1 | T2 3..6 {3..4}: r x_"), kSi);
  ASSERT_EQ(verdict.notes.size(), 1U);
  EXPECT_NE(verdict.notes[0].find("T1 ended before T2 began"), std::string::npos) << verdict.notes[0];
}

TEST(Timeline, AStartAfterTheCommitIsReported) { EXPECT_EQ(says("T1 5..2: w x1", kSi), "timestamp-order"); }

TEST(Timeline, RepeatedValuesAreNoProblem) {
  EXPECT_EQ(says("T1 1..2: w x1 | T2 3..4: w x2 | T3 5..6: w x1 | T4 7..8: r x1", kSi), "satisfied");
  EXPECT_EQ(says("T1 1..2: w x1 | T2 3..4: w x2 | T4 7..8: r x1", kSi), "GSIb");
}

TEST(Timeline, ListsGrowByAppends) {
  EXPECT_EQ(says("T1 1..2: a x1 | T2 3..4: a x2 | T3 5..6: r x[1 2]", kSi), "satisfied");
  EXPECT_EQ(says("T1 1..2: a x1 | T2 3..4: a x2 | T3 5..6: r x[1]", kSi), "GSIb");
  EXPECT_EQ(says("T1 1..2: a x1 | T2 3..9: a x2 | T3 5..6: r x[1 2]", kSi), "GSIa");
  EXPECT_EQ(says("T1 1..2: a x1 a x2 | T3 5..6: r x[1]", kSi), "G1b");
  EXPECT_EQ(says("T1!: a x1 | T3 5..6: r x[1]", kSi), "G1a");
}

TEST(Timeline, OwnAppendsStandAtTheEnd) {
  EXPECT_EQ(says("T1 1..2: a x1 | T2 3..4: a x2 r x[1 2]", kSi), "satisfied");
  EXPECT_EQ(says("T1 1..2: a x1 | T2 3..4: a x2 r x[2]", kSi), "GSIb");
  EXPECT_EQ(says("T1 1..2: a x1 | T2 3..4: a x2 r x[1]", kSi), "internal");
  EXPECT_EQ(says("T1 1..2: a x1 | T2 3..4: r x[1] a x2 r x[1 2]", kSi), "satisfied");
}

TEST(Timeline, AListThatIsOverwrittenStartsAnew) {
  EXPECT_EQ(says("T1 1..2: a x1 | T2 3..4: w x[7] | T3 5..6: a x8 | T4 7..8: r x[7 8]", kSi), "satisfied");
  EXPECT_EQ(says("T1 1..2: a x1 | T2 3..4: w x5 | T3 5..6: r x5", kSi), "satisfied");
}

TEST(Timeline, CountersAddUp) {
  EXPECT_EQ(says("T1 1..2: i x+2 | T2 3..4: i x+3 r x5 | T3 5..6: r x5", kSi), "satisfied");
  EXPECT_EQ(says("T1 1..2: i x+2 | T2 3..4: r x3", kSi), "GSIb");
}

TEST(Timeline, RowsOfScansAndUpdatesAreReadsAndWrites) {
  EXPECT_EQ(says("init: x{0} y{0} | T1 1..2: u x{1} y{2} | T2 3..4: s x{1} y{2}", kSi), "satisfied");
  EXPECT_EQ(says("init: x{0} | T1 1..2: u x{1} | T2 3..4: u x{2} | T3 5..6: s x{1}", kSi), "GSIb");
}

TEST(Timeline, AnUnknownTransactionThatWasSeenCounts) {
  EXPECT_EQ(says("T1? 1..2: w x1 | T2 3..4: r x1", kSi), "satisfied");
  EXPECT_EQ(says("T1? 1..2: w x1 | T2 3..4: r x_", kSi), "satisfied");
  EXPECT_EQ(says("T1? 1..2: w x1 w y1 | T2 3..4: r x1 r y_", kSi), "GSIb");
}

TEST(Timeline, AnUnknownTransactionWithoutTimestampsIsPlacedWhereItWasSeen) {
  EXPECT_EQ(says("T1?: w x1 | T2 3..4: r x1", kSi), "satisfied");
  EXPECT_EQ(says("T1?: w x1 | T2 3..4: r x1 | T3 5..6: r x_", kSi), "undecided");
  EXPECT_EQ(says("T1?: w x1 | T2 3..4: r x1 | T3 5..6: w y1 | T4 7..8: r y_", kSi), "GSIb")
      << "others are judged all the same";
}

TEST(Timeline, AReaderWithoutTimestampsNeedsSomeSnapshot) {
  EXPECT_EQ(says("T1 1..2: w x1 w y1 | T2 3..4: w x2 w y2 | R: r x1 r y1", kSi), "satisfied");
  EXPECT_EQ(says("T1 1..2: w x1 w y1 | T2 3..4: w x2 w y2 | R: r x1 r y2", kSi), "G-single");
  EXPECT_EQ(says("T1 1..2: w x1 w y1 | T2 3..4: w x2 w y2 | R: r x1 r y2", kSer), "G-single");
}

TEST(Timeline, TransactionsOfOneCommitTimeMayStandInEitherOrder) {
  EXPECT_EQ(says("T1 1..5: r y_ w x1 | T2 2..5: r x_ w y1 | T3 6..7: r x1 r y1", kSer), "undecided");
  EXPECT_EQ(says("T1 1..5: r y1 w x1 | T2 2..5: r x_ w y1", kSer), "satisfied");
  EXPECT_EQ(says("T1 1..5: r y_ w x1 | T2 2..5: r x1 w y1", kSer), "satisfied");
}

TEST(Timeline, AReadOnlyTransactionMayStartAndCommitAtOnce) {
  EXPECT_EQ(says("T1 1..2: w x1 | T2 2..2: r x1 | T3 3..3: r x1", kSi), "satisfied");
}

TEST(Timeline, WithoutTimestampsItSaysWhatItLacks) {
  EXPECT_NE(kTimelineEngine.lacks(hist("T1: w x1"), kSi), "");
  EXPECT_NE(kTimelineEngine.lacks(hist("T1 1..2: w x1"), Level::kCausal), "");
}

TEST(Timeline, TheLimitOfAnomaliesCutsTheListAndNotTheCount) {
  Limits limits;
  limits.max_anomalies = 1;
  const Verdict verdict = kTimelineEngine.check(hist("T1 1..2: r x9 | T2 3..4: r x9"), kSi, limits);
  EXPECT_EQ(verdict.anomalies.size(), 1U);
  EXPECT_EQ(verdict.total(), 2U);
}

}  // namespace timeline_test
}  // namespace isolde
