#include "check/cycles/snapshot_sets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "check/graph/graph.h"
#include "proof/prove.h"
#include "tests/support/history_text.h"
#include "tests/support/native_history.h"

namespace isolde {
namespace snapshot_sets_test {

// x comes, goes, and comes again; T4 scans and does not find it: before all, or between.
constexpr const char* kComesAndGoes =
    "T1: w x{1} | T2: w x{-1} | T3: w x{2} w z{5} | T4: s z{5} | versions: x<T1 T2 T3>";

// T1, T2, … have the xids 101, 102, …; the last one sees those up to `seen`.
Draft with_snapshots(const char* text, std::int64_t seen) {
  Draft d = draft(text);
  std::int64_t xid = 101;
  for (DraftTxn& txn : d.txns) txn.snapshot = DraftSnapshot{xid, xid, xid}, ++xid;
  d.txns.back().snapshot = DraftSnapshot{std::nullopt, 101 + seen, xid, {}};
  for (std::int64_t active = 101 + seen; active < xid - 1; ++active) d.txns.back().snapshot->active.push_back(active);
  return d;
}

Verdict judge(const Draft& d, Level level) {
  const History h = d.build();
  Verdict verdict = kGraphEngine.check(h, level, {});
  const auto proof = prove(h, verdict);
  EXPECT_TRUE(proof) << native_text(h) << (proof ? "" : proof.error().message());
  return verdict;
}
std::string said(const Verdict& v) {
  return (v.anomalies.empty() ? std::string(name(v.outcome)) : full_name(v.anomalies[0])) +
         (v.notes.empty() ? "" : ", " + v.notes.back());
}

TEST(SnapshotSets, WithoutSnapshotsItIsLeftOpen) {
  EXPECT_EQ(said(judge(draft(kComesAndGoes), Level::kSerializable)), "undecided");
}

TEST(SnapshotSets, TheVersionShownPlacesTheScanBeforeTheNextChange) {
  for (const Level level : {Level::kSerializable, Level::kSnapshotIsolation, Level::kPrefix}) {
    const Verdict v = judge(with_snapshots(kComesAndGoes, 2), level);
    ASSERT_EQ(said(v), "G-single, given the database's snapshots as version sets");
    for (const Step& s : v.anomalies[0].steps) {
      EXPECT_EQ(s.ground, s.type == StepType::kRw ? Ground::kSnapshot : Ground::kReads);
    }
  }
}

TEST(SnapshotSets, AVersionShownThatMatchesMustBeInTheResult) {
  const Verdict v = judge(with_snapshots(kComesAndGoes, 3), Level::kSerializable);
  ASSERT_EQ(said(v), "result-set-mismatch, given the database's snapshots as version sets");
  EXPECT_EQ(v.anomalies[0].source, ReadSource::kRowMissed);
  EXPECT_EQ(v.anomalies[0].expected_writer, TxnId{2});
}

TEST(SnapshotSets, ALevelThatLooksAtSingleVersionsTakesNoneFromThem) {
  EXPECT_EQ(said(judge(with_snapshots(kComesAndGoes, 3), Level::kReadCommitted)), "undecided");
}

TEST(SnapshotSets, AWriterWithoutAnXidLeavesItOpen) {
  Draft d = with_snapshots(kComesAndGoes, 2);
  d.txns[0].snapshot.reset();
  EXPECT_EQ(said(judge(d, Level::kSerializable)), "undecided");
}

TEST(SnapshotSets, VisibleWritersThatDoNotComeFirstLeaveItOpen) {
  Draft d = with_snapshots(kComesAndGoes, 3);
  d.txns.back().snapshot->xmin = 101;
  d.txns.back().snapshot->active = {101};
  EXPECT_EQ(said(judge(d, Level::kSerializable)), "undecided");
}

TEST(SnapshotSets, AWriterOfUnknownOutcomeLeavesItOpen) {
  Draft d = with_snapshots(
      "T1: w x{1} | T2: w x{-1} | T3: w x{2} w z{5} | T9?: w x{-2} | T4: s z{5} | versions: x<T1 T2 T3>", 2);
  EXPECT_EQ(said(judge(d, Level::kSerializable)), "undecided");
}

TEST(SnapshotSets, WhatTheLevelItselfShowsNeedsNoSnapshot) {
  const Verdict holds = judge(
      with_snapshots("T1: w x{1} | T2: w x{-1} | T3: w x{2} | T4: s | versions: x<T1 T2 T3>", 3), Level::kSerializable);
  EXPECT_EQ(said(holds), "satisfied");
  const Verdict broken =
      judge(with_snapshots("T1: w x{1} w z{5} | T4: s z{5} | versions: x<T1>", 0), Level::kSerializable);
  EXPECT_EQ(said(broken), "G-single");
}

TEST(SnapshotSets, TheProofRefusesAnotherVersionThanTheSnapshotShows) {
  Verdict v = judge(with_snapshots(kComesAndGoes, 2), Level::kSerializable);
  ASSERT_EQ(v.outcome, Outcome::kViolated);
  EXPECT_FALSE(prove(with_snapshots(kComesAndGoes, 3).build(), v));
  EXPECT_FALSE(prove(draft(kComesAndGoes).build(), v));
  Verdict mismatch = judge(with_snapshots(kComesAndGoes, 3), Level::kSerializable);
  EXPECT_FALSE(prove(with_snapshots(kComesAndGoes, 2).build(), mismatch));
  EXPECT_FALSE(prove(draft(kComesAndGoes).build(), mismatch));
}

// Found on PostgreSQL 15: min(a) is looked up at the low end of an index, so T2 has not seen the row that T3 deletes.
TEST(SnapshotSets, AMinimumHasNotLookedAtAllThatMatches) {
  const auto history = [](std::string_view expression, std::string_view value) {
    return fmt::format(
        R"({{"id":1,"session":1,"ops":[["w",24,{{"a":24}}],["w",23,{{"a":26}}]],"snapshot":{{"xid":101,"xmin":101,"xmax":101}}}}
{{"id":2,"session":2,"ops":[["agg","{}","a between 22 and 29",{}],["w",28,{{"a":22}}]],"snapshot":{{"xid":102,"xmin":102,"xmax":102}}}}
{{"id":3,"session":3,"ops":[["w",23,null],["update","a between 22 and 22",[]]],"snapshot":{{"xid":103,"xmin":102,"xmax":103,"active":[102]}}}}
{{"version_order_by_txn":{{"24":[1],"23":[1,3],"28":[2]}},"complete":true}}
)",
        expression, value);
  };
  const auto verdict = [&](std::string_view expression, std::string_view value) {
    const std::string text = history(expression, value);
    const History h = native(text);
    Verdict v = kGraphEngine.check(h, Level::kSerializable, {});
    EXPECT_TRUE(prove(h, v));
    return v;
  };
  EXPECT_EQ(said(verdict("min(a)", "24")), "satisfied");
  const Verdict counted = verdict("count(*)", "2");
  EXPECT_EQ(said(counted), "G2, given the database's snapshots as version sets");
  const std::string text = history("min(a)", "24");
  EXPECT_FALSE(prove(native(text), counted));
}

}  // namespace snapshot_sets_test
}  // namespace isolde
