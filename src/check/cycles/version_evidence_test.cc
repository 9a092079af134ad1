#include "check/cycles/version_evidence.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "check/graph/graph.h"
#include "proof/prove.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace version_evidence_test {

Verdict proved(const History& h, Level level) {
  Verdict verdict = kGraphEngine.check(h, level, {});
  const auto proof = prove(h, verdict);
  EXPECT_TRUE(proof) << (proof ? "" : proof.error().message());
  return verdict;
}

// "satisfied", or the first anomaly with what its steps rest on: "G-single wr rw(timestamps)".
std::string says(const History& h, Level level) {
  const Verdict verdict = proved(h, level);
  if (verdict.anomalies.empty()) return std::string(name(verdict.outcome));
  std::string text = full_name(verdict.anomalies[0]);
  for (const Step& s : verdict.anomalies[0].steps) {
    text += " " + std::string(name(s.type));
    if (s.ground != Ground::kReads) text += "(" + std::string(name(s.ground)) + ")";
  }
  return text;
}
std::string says(std::string_view text, Level level) { return says(hist(text), level); }

bool notes(const Verdict& verdict, std::string_view start) {
  return std::any_of(verdict.notes.begin(), verdict.notes.end(),
                     [&](const std::string& note) { return note.starts_with(start); });
}

// The order of the versions of x, each with what puts it there: "T1 T2(timestamps)"; or "open", and what is known.
std::string order_of_x(const History& h) {
  const graph::Trace trace = graph::trace_reads(h, Level::kSerializable, {});
  graph::VersionOrders orders = graph::order_versions(h, trace, graph::Updates::kFollow);
  std::vector<std::string> notes;
  graph::add_evidence(h, trace, graph::Updates::kFollow, orders, notes);
  const auto txn = [&](graph::Version v) { return h.txn_text(trace.versions[v].txn); };
  std::string text;
  if (orders.open != kNoKey) {
    text = "open";
    for (const auto& pair : orders.known)
      text += " " + txn(pair.before) + "<" + txn(pair.after) + "(" + std::string(name(pair.why)) + ")";
  } else {
    for (graph::Version v = orders.first[0]; v != graph::kNoVersion; v = orders.next[v]) {
      text += (text.empty() ? "" : " ") + txn(v);
      if (v != orders.first[0]) text += "(" + std::string(name(orders.why[v])) + ")";
    }
  }
  for (const std::string& note : notes) text += "; " + note;
  return text;
}
std::string order_of_x(std::string_view text) { return order_of_x(hist(text)); }

TEST(VersionEvidence, TimestampsOrderWhatValuesLeaveOpen) {
  EXPECT_EQ(order_of_x("T1 ..4: w x1 | T2 ..2: w x2 | T3 ..3: w x3"), "T2 T3(timestamps) T1(timestamps)");
  EXPECT_EQ(order_of_x("T1 ..4: w x1 | T2: r x1 w x2 | T3 ..3: w x3"), "T3 T1(timestamps) T2(update)");
}

TEST(VersionEvidence, EqualAndMissingTimestampsSayNothing) {
  EXPECT_EQ(order_of_x("T1 ..4: w x1 | T2 ..4: w x2 | T3 ..3: w x3"), "open T3<T1(timestamps) T3<T2(timestamps)");
  EXPECT_EQ(order_of_x("T1 ..4: w x1 | T2: w x2"), "open");
}

TEST(VersionEvidence, TimestampsThatContradictAReadAreLeftOutAndNoted) {
  EXPECT_EQ(order_of_x("T1 ..4: w x1 | T2 ..2: r x1 w x2 | T3 ..3: w x3").substr(0, 76),
            "open; reads and given version orders contradict the commit timestamps of the");
}

TEST(VersionEvidence, AnOrderThatNeedsNoTimestampsIsTakenFirst) {
  EXPECT_EQ(says("T1 1..2: w x1 | T2 3..4: w x2 | T3 5..6: r x1", Level::kSerializable), "satisfied");
}

TEST(VersionEvidence, WhatWasReadComesBeforeTimestamps) {
  // T2 updated what T1 wrote; by the timestamps it committed first. That is no violation of the level.
  EXPECT_EQ(says("T1 3..4: w x1 | T2 1..2: r x1 w x2 | T3: r x2", Level::kSerializable), "satisfied");
}

TEST(VersionEvidence, SnapshotsOrderTheirWriters) {
  Draft d = draft("T1: w x1 | T2: w x2 | T3: w x3");
  d.txns[0].snapshot = DraftSnapshot{100, 100, 100, {}};
  d.txns[1].snapshot = DraftSnapshot{101, 101, 101, {}};
  d.txns[2].snapshot = DraftSnapshot{103, 99, 103, {99}};
  EXPECT_EQ(order_of_x(d.build()), "T1 T2(snapshot) T3(snapshot)");
}

TEST(VersionEvidence, AWriterThatIsActiveInASnapshotIsNotOrderedByIt) {
  Draft d = draft("T1: w x1 | T2: w x2");
  d.txns[0].snapshot = DraftSnapshot{100, 100, 100, {}};
  d.txns[1].snapshot = DraftSnapshot{101, 100, 102, {100}};
  EXPECT_EQ(order_of_x(d.build()), "open");
}

TEST(VersionEvidence, EachStepSaysWhatItRestsOn) {
  EXPECT_EQ(says("T1: w x1 w y1 | T2: w x2 w y2 | versions: x[1 2] y[2 1]", Level::kReadUncommitted),
            "G0 ww(version-order) ww(version-order)");
  EXPECT_EQ(says("T1: a x1 a y1 | T2: a x2 a y2 | T3: r x[1 2] r y[2 1]", Level::kSerializable),
            "G0 ww(list) ww(list)");
  EXPECT_EQ(says("T1: w x1 | T2: r x1 w x2 w y1 | T3: r y1 r x1", Level::kSerializable), "G-single rw(update) wr");
}

TEST(VersionEvidence, VersionOrdersThatContradictEachOtherAreCyclicVersions) {
  EXPECT_EQ(says("T1: w x1 | T2: w x2 | versions: x[1 2] | versions: x[2 1]", Level::kSerializable),
            "cyclic-versions ww(version-order) ww(version-order)");
  EXPECT_EQ(says("T1: a x1 | T2: a x2 | T3: r x[1 2] | versions: x[2 1]", Level::kReadCommitted),
            "cyclic-versions ww(version-order) ww(list)");
}

TEST(VersionEvidence, SeveralPartsMakeAWhole) {
  const auto* const text =
      "T1: w x1 | T2: w x2 | T3: w x3 | T4: r x1 r y1 | T5: r x3 w y1 | versions: x[1 2] | versions: x[2 3]";
  EXPECT_EQ(says(text, Level::kSerializable).substr(0, 8), "G-single");
}

TEST(VersionEvidence, EntriesThatDoNotCountAreLeftOutAndNoted) {
  const Verdict verdict =
      proved(hist("T1: w x1 | T2!: w x2 | T3: w x3 | T4: r x1 | versions: x[3 2 1]"), Level::kSerializable);
  EXPECT_EQ(verdict.outcome, Outcome::kSatisfied);
  EXPECT_TRUE(notes(verdict, "1 entry of a version order belongs to a transaction that does not count as committed"));
}

TEST(StartOrder, AVersionThatTheSnapshotHoldsWasMissed) {
  EXPECT_EQ(says("T1 1..2: w x1 | T2 3..4: r x_", Level::kSnapshotIsolation), "GSIb rw visible");
  EXPECT_EQ(says("T1 1..4: w x1 | T2 3..5: r x_", Level::kSnapshotIsolation), "satisfied");
}

TEST(StartOrder, AVersionThatTheSnapshotLacksWasRead) {
  EXPECT_EQ(says("T1 1..4: w x1 | T2 3..5: r x1", Level::kSnapshotIsolation), "GSIa wr invisible");
}

TEST(StartOrder, WritersOfOneKeyDoNotOverlap) {
  EXPECT_EQ(says("T1 1..4: w x1 | T2 3..5: w x2", Level::kSnapshotIsolation), "GSIa ww(timestamps) invisible");
  EXPECT_EQ(says("T1 1..3: w x1 | T2 3..5: w x2 | T3 6..6: r x2", Level::kSnapshotIsolation), "satisfied");
}

TEST(StartOrder, SessionsAndClocksCountWhereTheLevelSaysSo) {
  const auto* const sessions = "T1@a 1..4: w x1 | T2@a 2..5: r y_";
  EXPECT_EQ(says(sessions, Level::kSnapshotIsolation), "satisfied");
  EXPECT_EQ(says(sessions, Level::kStrongSessionSnapshotIsolation), "session-order session invisible");
  const auto* const clocks = "T1 1..4 {1..2}: w x1 | T2 2..5 {3..4}: r y_";
  EXPECT_EQ(says(clocks, Level::kStrongSessionSnapshotIsolation), "satisfied");
  EXPECT_EQ(says(clocks, Level::kStrongSnapshotIsolation), "realtime-order realtime invisible");
}

TEST(StartOrder, AStartAfterItsOwnCommitIsNamed) {
  EXPECT_EQ(says("T1 3..2: w x1", Level::kSnapshotIsolation), "timestamp-order program");
}

TEST(StartOrder, WithoutAllTimestampsTheLevelItselfIsJudged) {
  EXPECT_EQ(says("T1 1..2: w x1 | T2 3..4: r x_ | T3: r z_", Level::kSnapshotIsolation), "satisfied");
}

TEST(StartOrder, OfWritersOfOneMomentTheOneThatWasReadLaterIsTheLast) {
  EXPECT_EQ(says("T1 4..4: w x1 | T2 4..4: w x2 | T3 5..5: r x1", Level::kSnapshotIsolation), "satisfied");
  EXPECT_EQ(says("T1 4..4: w x1 | T2 4..4: w x2 | T3 5..5: r x2", Level::kSnapshotIsolation), "satisfied");
}

}  // namespace version_evidence_test
}  // namespace isolde
