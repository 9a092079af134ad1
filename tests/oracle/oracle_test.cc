// The oracle on the classic histories, whose verdicts are known from the literature.
#include "tests/oracle/oracle.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/history_text.h"

namespace isolde {
namespace oracle_test {

using enum Level;

// The levels that hold (short names, in the table's order), then after '?' those that cannot be judged.
std::string holding(const History& h, OracleEvidence use = OracleEvidence::kNone) {
  constexpr const char* kShort[] = {"ru", "rc", "cs",   "mav",    "ssmav", "ra",    "cc",    "pc",
                                    "rr", "si", "sssi", "strong", "ser",   "ssser", "strict"};
  std::string out;
  std::string open;
  for (const LevelInfo& row : all_levels()) {
    const OracleVerdict verdict = oracle(h, row.level, use);
    const std::string name = std::string(" ") + kShort[static_cast<int>(row.level)];
    if (verdict == OracleVerdict::kSatisfied) out += name;
    if (verdict == OracleVerdict::kNotApplicable) open += name;
  }
  if (!open.empty()) out += " ?" + open;
  return out.empty() ? "" : out.substr(1);
}
std::string holding(std::string_view text, OracleEvidence use = OracleEvidence::kNone) {
  return holding(hist(text), use);
}

constexpr const char* kEvery = "ru rc cs mav ssmav ra cc pc rr si sssi strong ser ssser strict";

TEST(Oracle, NothingAndOneWriteAreFineAtEveryLevel) {
  EXPECT_EQ(holding(""), kEvery);
  EXPECT_EQ(holding("T1: w x1 r x1 | T2: r x1"), kEvery);
}

TEST(Oracle, AnAbortedIntermediateOrGarbageReadBreaksAllButReadUncommitted) {
  EXPECT_EQ(holding("T1!: w x1 | T2: r x1"), "ru");
  EXPECT_EQ(holding("T1: w x1 w x2 | T2: r x1"), "ru");
  EXPECT_EQ(holding("T1: r x7"), "ru");
  EXPECT_EQ(holding("T1: r x7 w x7"), "ru");
  EXPECT_EQ(holding("T1: w x1 r x_"), "ru");
  EXPECT_EQ(holding("T1: w x1 r y1 | T2: w y1 r x1"), "ru");
}

TEST(Oracle, WhatAnAbortedTransactionReadDoesNotMatter) { EXPECT_EQ(holding("T1!: r x7 w x1 | T2: r x_"), kEvery); }

TEST(Oracle, OppositeVersionOrdersBreakEverything) {
  constexpr const char* kText = "T1: w x1 w y1 | T2: w x2 w y2 | versions: x[1 2] y[2 1]";
  EXPECT_EQ(holding(kText), kEvery);
  EXPECT_EQ(holding(kText, OracleEvidence::kVersions), "");
  EXPECT_EQ(holding("T1: w x1 w y1 | T2: w x2 w y2 | versions: x[1 2] y<T1 T2>", OracleEvidence::kVersions), kEvery);
  EXPECT_EQ(holding("T1: a x1 a y1 | T2: a x2 a y2 | T3: r x[1 2] r y[2 1]"), "");
}

TEST(Oracle, LostUpdate) { EXPECT_EQ(holding("T1: r x_ w x1 | T2: r x_ w x2"), "ru rc mav ssmav ra cc pc"); }

TEST(Oracle, WriteSkew) {
  EXPECT_EQ(holding("T1: r x_ w y1 | T2: r y_ w x1"), "ru rc cs mav ssmav ra cc pc si sssi strong");
}

TEST(Oracle, LongFork) {
  EXPECT_EQ(holding("T1: w x1 | T2: w y1 | T3: r x1 r y_ | T4: r y1 r x_"), "ru rc cs mav ssmav ra cc");
}

TEST(Oracle, CausalViolation) {
  EXPECT_EQ(holding("T1: w x1 | T2: r x1 w y1 | T3: r y1 r x_"), "ru rc cs mav ssmav ra");
}

TEST(Oracle, FracturedReadAndVanishingTransactionDifferInTheOrderOfReads) {
  EXPECT_EQ(holding("T1: w x1 w y1 | T2: r y_ r x1"), "ru rc cs mav ssmav");
  EXPECT_EQ(holding("T1: w x1 w y1 | T2: r x1 r y_"), "ru rc cs");
}

TEST(Oracle, ARepeatedReadMayMoveForwardAtMonotonicAtomicViewButNotBack) {
  EXPECT_EQ(holding("T1: w x1 | T2: r x_ r x1"), "ru rc cs mav ssmav");
  EXPECT_EQ(holding("T1: w x1 | T2: r x1 r x_"), "ru rc cs");
}

TEST(Oracle, SessionOrderIsPartOfTheLevelsThatSaySo) {
  EXPECT_EQ(holding("T1@s: w x1 | T2@s: r x_"), "ru rc cs mav ssmav rr si ser");
  EXPECT_EQ(holding("T1@s: r x1 | T2@s: w x1"), "ru rc cs mav rr si ser");
  EXPECT_EQ(holding("T1@s: w x1 | T2!@s: r x9 | T3@s: r x_"), "ru rc cs mav ssmav rr si ser");
}

TEST(Oracle, RealTimeIsPartOfTheStrongLevels) {
  EXPECT_EQ(holding("T1{1..2}: w x1 | T2{3..4}: r x_"), "ru rc cs mav ssmav ra cc pc rr si sssi ser ssser");
  EXPECT_EQ(holding("T1{1..3}: w x1 | T2{3..4}: r x_"), kEvery);
  EXPECT_EQ(holding("T1{1..2}: w x1 | T2{..4}: r x_"), kEvery);
}

TEST(Oracle, AnUnknownTransactionCountsIfItWasSeenAndThenPrecedesNothingInRealTime) {
  EXPECT_EQ(holding("T1?: w x1 | T2: r x1"), kEvery);
  EXPECT_EQ(holding("T1?: w x1 | T2: r x_"), kEvery);
  EXPECT_EQ(holding("T1?: w x1 w y1 | T2: r y_ r x1"), "ru rc cs mav ssmav");
  EXPECT_EQ(holding("T1?: r y9 w x1 | T2: r x1"), "ru");
  EXPECT_EQ(holding("T1?{1..2}: w x1 | T2{3..4}: r x_ | T3{5..6}: r x1"), kEvery);
}

TEST(Oracle, EqualValuesAreToldApartOnlyByWhatExplainsTheHistory) {
  EXPECT_EQ(holding("T1: w x1 w y1 | T2: w x1 w y2 | T3: r x1 r y2"), kEvery);
  EXPECT_EQ(holding("init: x1 | T1: w x2 | T2: r x2 w x1 | T3: r x1"), kEvery);
}

TEST(Oracle, ListsAndCountersAreStatesThatOperationsChange) {
  EXPECT_EQ(holding("T1: a x1 | T2: a x2 r x[1 2] | T3: r x[1]"), kEvery);
  EXPECT_EQ(holding("T1: a x1 | T2: a x2 | T3: r x[1 2] | T4: r x[2 1]"), "ru");
  EXPECT_EQ(holding("T1!: a x1 | T2: a x2 r x[1 2]"), "ru");
  EXPECT_EQ(holding("T1: a x1 r x[1] | T2: a x2 r x[2] | T3: r x[1 2]"), "ru rc mav ssmav ra cc pc");
  EXPECT_EQ(holding("T1: i x+1 | T2: i x+2 | T3: r x2 | T4: r x3"), kEvery);
  EXPECT_EQ(holding("T1: i x+1 | T2: r x2"), "ru");
  EXPECT_EQ(holding("T1: w x[5] | T2: a x1 | T3: r x[5 1]"), kEvery);
}

TEST(Oracle, ItemsOfScansAndUpdatesAreReadsAndWrites) {
  EXPECT_EQ(holding("init: x{0} y{0} | T1: u x{1} y{1} | T2: s x{1} y{2}"), "ru");
  EXPECT_EQ(holding("init: x{0} y{0} | T1: u x{1} y{1} | T2: s x{1} y{1}"), kEvery);
}

TEST(OraclePredicates, AScanFindsAllThatMatchAndNothingElse) {
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: s x{1} y{2}"), kEvery);
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: s`v > 1` y{2}"), kEvery);
  // A row that does not match its own condition.
  EXPECT_EQ(holding("T1: w x{1} | T2: s`v > 1` x{1}"), "ru");
  // One of two rows: another state than any. y may have been looked at before x was read.
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: s x{1}"), "ru rc cs mav ssmav rr");
  // … but not once T1 had been seen.
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: r x{1} s x{1}"), "ru rc cs rr");
  EXPECT_EQ(holding("T1: w x{1} | T2: w y{2} | T3: s x{1}"), kEvery);
}

TEST(OraclePredicates, APhantomIsAllowedBySnapshotIsolationAndRepeatableReadAlone) {
  EXPECT_EQ(holding("T1: s w x{1} | T2: s w y{1}"), "ru rc cs mav ssmav ra cc pc rr si sssi strong");
  // With a scan that has seen the other's row it is an order.
  EXPECT_EQ(holding("T1: s w x{1} | T2: s x{1} w y{1}"), kEvery);
  // The same through items breaks repeatable-read as well.
  EXPECT_EQ(holding("T1: r x_ r y_ w x{1} | T2: r x_ r y_ w y{1}"), "ru rc cs mav ssmav ra cc pc si sssi strong");
}

TEST(OraclePredicates, RowsThatASecondScanFindsAreNoMatterOfRepeatableRead) {
  EXPECT_EQ(holding("T1: s s x{1} | T2: w x{1}"), "ru rc cs mav ssmav rr");
  // Two scans that saw a row come and go: each follows from some version, but T1 depends on T3 which depends on T1.
  EXPECT_EQ(holding("T1: s x{1} w y{5} | T2: w x{1} | T3: r y{5} w x_"), kEvery);
  // What was looked at counts as read at monotonic-atomic-view, which does not go back, and not at repeatable-read.
  EXPECT_EQ(holding("T1: s x{1} s w y{5} | T2: w x{1} | T3: r x{1} r y{5} w x_"), "ru rc cs rr");
}

TEST(OraclePredicates, APredicateReadDependsOnWhoChangedTheMatches) {
  // T1's scan misses x, so that it was deleted: by T2, which read what T1 wrote.
  EXPECT_EQ(holding("init: x{1} | T1: s w y{-1} | T2: r y{-1} w x_"), "ru");
  // With a third version that does not match before it, there is another way.
  EXPECT_EQ(holding("init: x{1} | T1: s w y{-1} | T2: r y{-1} w x_ | T3: w x{-2}"), kEvery);
}

TEST(OraclePredicates, WhatAnUpdateLookedAtIsReadAndTheNextVersionWritten) {
  // Both looked at x = 1, the only version that matches.
  EXPECT_EQ(holding("init: x{1} | T1: u`v = 1` x{5} | T2: u`v = 1` x{7}"), "ru rc mav ssmav ra cc pc rr");
}

TEST(OraclePredicates, UpdatesAreEvaluated) {
  EXPECT_EQ(holding("init: x{1} y{-1} | T1: u x{2}"), kEvery);
  EXPECT_EQ(holding("init: x{1} y{1} | T1: u x{2}"), "ru");
  EXPECT_EQ(holding("init: x{1} y{-1} | T1: u x{2} y{2}"), "ru");
  EXPECT_EQ(holding("init: x{1} | T1: u x_ s r x_ w x{3} s x{3}"), kEvery);
  EXPECT_EQ(holding("init: x{1} | T1: u`v = 1` x{2} u`v = 1` | T2: u`v = 1`"), kEvery);
}

TEST(OraclePredicates, AggregatesAreThoseOfOneState) {
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: g`max(v)` 2 g`count(*)``TRUE` 2 g`sum(v)``v < 2` 1"), kEvery);
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: g`max(v)` _"), kEvery);
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: g`max(v)` 3"), "ru");
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: g`max(v)` 1"), "ru rc cs mav ssmav rr");
}

TEST(OraclePredicates, AVersionSetSaysWhatWasLookedAt) {
  // y was absent, it says, which it was not once x was there: but that it did not match is all that counts.
  EXPECT_EQ(holding("T1: w x{1} w y{-1} | T2: s x{1} <x{1} y{-1}>"), kEvery);
  EXPECT_EQ(holding("T1: w x{1} w y{-1} | T2: s x{1} <x{1}>"), kEvery);
  // Here its absence changed the matches.
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: s x{1} <x{1}>"), "ru rc cs mav ssmav rr");
  // The result must follow from it, and it must name versions that there are.
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: s x{1} <x{1} y{2}>"), "ru");
  EXPECT_EQ(holding("T1: w x{1} | T2: s x{1} <x{1} y{-7}>"), "ru");
}

TEST(OraclePredicates, AFaultDecidesNothing) {
  EXPECT_EQ(holding("init: x{0} | T1: s`6 / v > 1` x{0}"),
            "ru ? rc cs mav ssmav ra cc pc rr si sssi strong ser ssser strict");
  EXPECT_EQ(holding("init: x{0} y{3} | T1: s`6 / v > 1`"), "ru");
}

bool snapshot_holds(std::string_view text, Level level = kSnapshotIsolation) {
  return oracle(hist(text), level, OracleEvidence::kTimestamps) == OracleVerdict::kSatisfied;
}

TEST(OracleTimestamps, AReaderSeesExactlyWhatCommittedUpToItsStart) {
  EXPECT_TRUE(snapshot_holds("T1 1..2: w x1 | T2 3..3: r x1"));
  EXPECT_TRUE(snapshot_holds("T1 1..2: w x1 | T2 2..3: r x1"));
  EXPECT_TRUE(snapshot_holds("T1 1..2: w x1 | T2 2..: r x1"));
  EXPECT_FALSE(snapshot_holds("T1 1..2: w x1 | T2 2..: r x_"));
  EXPECT_FALSE(snapshot_holds("T1 1..2: w x1 | T2 3..3: r x_"));
  EXPECT_FALSE(snapshot_holds("T1 1..3: w x1 | T2 2..2: r x1"));
  EXPECT_TRUE(snapshot_holds("T1 1..3: w x1 | T2 ..2: r x_"));
  EXPECT_FALSE(snapshot_holds("T1 1..3: w x1 | T2 ..2: r x1"));
  EXPECT_FALSE(snapshot_holds("T1 2..1: w x1"));
  EXPECT_TRUE(snapshot_holds("T1!2..1: w x1 | T2?2..1: w x1"));
}

TEST(OracleTimestamps, WritersOfOneKeyMayNotOverlap) {
  EXPECT_FALSE(snapshot_holds("T1 1..3: w x1 | T2 2..4: w x2"));
  EXPECT_TRUE(snapshot_holds("T1 1..3: w x1 | T2 3..4: w x2"));
  EXPECT_FALSE(snapshot_holds("T1 1..3: w x1 | T2 2..3: w x2"));
  EXPECT_FALSE(snapshot_holds("T1 1..3: w x1 | T2 2..: w x2"));
  EXPECT_TRUE(snapshot_holds("T1 1..3: w x1 | T2 2..4: w x2", kPrefix));
  EXPECT_TRUE(snapshot_holds("T1 1..3: w x1 | T2: w x2 | T3 9..9: r x1"));
  EXPECT_FALSE(snapshot_holds("T1 1..3: w x1 | T2 2..4: w x2 | T3 9..9: r x1", kPrefix));
}

TEST(OracleTimestamps, WritersOfOneMomentComeOneAfterTheOther) {
  EXPECT_TRUE(snapshot_holds("T1 5..5: w x1 | T2 5..5: r x1 w x2 | T3 5..5: r x2"));
  EXPECT_TRUE(snapshot_holds("T1 5..5: r x2 w x1 | T2 5..5: w x2 | T3 5..5: r x1"));
  EXPECT_FALSE(snapshot_holds("T1 5..5: r x_ w x1 | T2 5..5: r x_ w x2"));
  EXPECT_FALSE(snapshot_holds("T1 5..5: r x_ w y1 | T2 5..5: r y_ w x1"));
  EXPECT_FALSE(snapshot_holds("T1 5..5: w x1 | T2 5..5: r x_"));
  EXPECT_TRUE(snapshot_holds("T1 1..5: w x1 | T2 5..5: r x1 w x2 | T3 5..6: r x2 w x3"));
  EXPECT_FALSE(snapshot_holds("T1 1..5: w x1 | T2 5..5: r x_ w y2"));
}

TEST(OracleTimestamps, SessionsAndRealTimeAreJudgedOnThePoints) {
  EXPECT_FALSE(snapshot_holds("T1@s 1..4: w x1 | T2@s 3..3: r y_", kStrongSessionSnapshotIsolation));
  EXPECT_TRUE(snapshot_holds("T1@s 1..3: w x1 | T2@s 3..3: r y_", kStrongSessionSnapshotIsolation));
  EXPECT_TRUE(snapshot_holds("T1@s 1..4: w x1 | T2@s 3..3: r y_"));
  EXPECT_FALSE(snapshot_holds("T1 1..4 {1..2}: w x1 | T2 3..3 {3..4}: r y_", kStrongSnapshotIsolation));
}

TEST(OracleTimestamps, TheSerialOrderIsThatOfCommitTimestampsOrOfTheOrderField) {
  constexpr const char* kText = "T1 1..2 #2: w x1 | T2 1..3 #1: r x_";
  EXPECT_EQ(oracle(hist(kText), kSerializable), OracleVerdict::kSatisfied);
  EXPECT_EQ(oracle(hist(kText), kSerializable, OracleEvidence::kTimestamps), OracleVerdict::kViolated);
  EXPECT_EQ(oracle(hist(kText), kSerializable, OracleEvidence::kOrder), OracleVerdict::kSatisfied);
  EXPECT_EQ(oracle(hist(kText), kSerializable, OracleEvidence::kOrder | OracleEvidence::kTimestamps),
            OracleVerdict::kViolated);
  EXPECT_EQ(oracle(hist("T1 1..2: w x1 | T2 2..: r x_"), kSerializable, OracleEvidence::kTimestamps),
            OracleVerdict::kSatisfied);
  EXPECT_EQ(oracle(hist("T1 1..2: w x1 | T2 3..: r x_"), kSerializable, OracleEvidence::kTimestamps),
            OracleVerdict::kViolated);
}

TEST(OracleSnapshotSets, APredicateWasEvaluatedOnWhatItsSnapshotShows) {
  constexpr auto kSets = OracleEvidence::kVersions | OracleEvidence::kSnapshotSets;
  // The scan finds nothing: it looked at the initial version of x, or at that of T2.
  Draft d = draft("T1: w x{1} | T2: w x{-1} | T3: w x{2} | T4: s | versions: x<T1 T2 T3>");
  for (std::size_t t = 0; t < 3; ++t) {
    const auto xid = static_cast<std::int64_t>(t) + 101;
    d.txns[t].snapshot = DraftSnapshot{xid, xid, xid};
  }
  const auto seeing = [&](std::int64_t below) {
    d.txns[3].snapshot = DraftSnapshot{std::nullopt, below, below};
    return oracle(d.build(), kSerializable, kSets);
  };
  EXPECT_EQ(seeing(101), OracleVerdict::kSatisfied);
  EXPECT_EQ(seeing(102), OracleVerdict::kViolated);
  EXPECT_EQ(seeing(103), OracleVerdict::kSatisfied);
  EXPECT_EQ(seeing(104), OracleVerdict::kViolated);
  EXPECT_EQ(oracle(d.build(), kSerializable, OracleEvidence::kVersions), OracleVerdict::kSatisfied);
  d.txns[1].snapshot.reset();
  EXPECT_EQ(seeing(104), OracleVerdict::kSatisfied);
}

TEST(OracleSnapshotSets, AVersionInBetweenPlacesItsTransactionThere) {
  constexpr auto kSets = OracleEvidence::kVersions | OracleEvidence::kSnapshotSets;
  Draft d = draft("T1: w x{1} | T2: w x{-1} w z{-5} | T3: w x{2} | T4: s r z_ | versions: x<T1 T2 T3>");
  for (std::size_t t = 0; t < 3; ++t) {
    const auto xid = static_cast<std::int64_t>(t) + 101;
    d.txns[t].snapshot = DraftSnapshot{xid, xid, xid};
  }
  d.txns[3].snapshot = DraftSnapshot{std::nullopt, 103, 103};
  EXPECT_EQ(oracle(d.build(), kSerializable, OracleEvidence::kVersions), OracleVerdict::kSatisfied);
  EXPECT_EQ(oracle(d.build(), kSerializable, kSets), OracleVerdict::kViolated);
}

TEST(Oracle, RefusesWhatIsTooLarge) {
  EXPECT_EQ(oracle(hist("A: w x1 | B: w x2 | C: w x3 | D: w x4 | E: w x5 | F: w x6 | G: w x7"), kSerializable),
            OracleVerdict::kNotApplicable);
}

}  // namespace oracle_test
}  // namespace isolde
