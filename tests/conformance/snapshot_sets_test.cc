// Snapshots as version sets: histories in which most transactions have snapshots, and few predicates version sets of
// their own. What the engine then says, or would say if it found nothing without them, must agree with the oracle, and
// be proved.
#include "check/cycles/snapshot_sets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "anomaly/level.h"
#include "check/choose/engines.h"
#include "proof/prove.h"
#include "tests/oracle/oracle.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"
#include "tests/support/shrink.h"

namespace isolde {
namespace snapshot_sets_test {

constexpr int kShards = 10;
constexpr std::uint64_t kHistories = 1000;  // a shard

bool is_by_sets(const Verdict& v) {
  return std::find(v.notes.begin(), v.notes.end(), "given the database's snapshots as version sets") != v.notes.end();
}

struct Finding {
  bool by_sets = false, mismatch = false;
  bool satisfied = false;  // by an order that the snapshots led to
  std::string fault;
};

// The engine asks the snapshots only where it finds nothing without. Here they are always asked.
Finding judge(const History& h, Level level) {
  const Engine& engine = *engine_named("graph");
  if (!engine.lacks(h, level).empty()) return {};
  Verdict verdict = engine.check(h, level, {});
  const bool known = verdict.outcome == Outcome::kSatisfied;
  if (known) {
    verdict = {};
    verdict.level = level;
    verdict.method = engine.name;
    verdict.outcome = Outcome::kUndecided;
    graph::decide_by_snapshot_sets(h, graph::trace_reads(h, level, {}), {}, verdict);
  }
  Finding found;
  if (verdict.outcome == Outcome::kUndecided) return found;
  found.by_sets = is_by_sets(verdict);
  found.satisfied = known && verdict.outcome == Outcome::kSatisfied;
  if (!found.by_sets && !found.satisfied) return found;
  found.mismatch = found.by_sets && verdict.anomalies[0].kind == AnomalyKind::kResultSetMismatch;
  if (found.by_sets != (verdict.outcome == Outcome::kViolated))
    found.fault = "a note without a violation, or without one";
  if (const auto proved = prove(h, verdict); !proved) found.fault = proved.error().message();
  const auto evidence =
      found.by_sets ? OracleEvidence::kVersions | OracleEvidence::kSnapshotSets : OracleEvidence::kVersions;
  const OracleVerdict truth = oracle(h, level, evidence);
  if (found.by_sets && truth == OracleVerdict::kSatisfied) found.fault = "violated, but the oracle says satisfied";
  if (found.satisfied && truth == OracleVerdict::kViolated) found.fault = "satisfied, but the oracle says violated";
  return found;
}

class SnapshotSets : public ::testing::TestWithParam<int> {};

TEST_P(SnapshotSets, AgreeWithTheOracleAndAreProved) {
  const std::uint64_t histories = effort::tries(kHistories);
  const std::uint64_t seed = effort::seed(1700 + static_cast<std::uint64_t>(GetParam()));
  Rng rng(seed);
  RandomOptions options;
  options.rows_only = true;
  options.snapshots = 1.0;
  std::uint64_t cycles = 0, mismatches = 0, satisfied = 0;
  for (std::uint64_t i = 0; i < histories; ++i) {
    options.unknown = options.aborted = i % 4 == 0 ? RandomOptions().unknown : 0;
    Draft draft = random_draft(rng, options);
    for (DraftTxn& txn : draft.txns) {
      // At the snapshot family all timestamps together are judged as such.
      if (i % 2 == 0) txn.start_ts.reset();
      // Now and then it was taken at another time.
      if (txn.snapshot && i % 3 != 0 && rng.chance(0.4)) {
        txn.snapshot->xmin = txn.snapshot->xmax = 100 + rng.between(0, 8);
        txn.snapshot->active.clear();
      }
      for (DraftOp& op : txn.ops) {
        if (rng.chance(0.8)) op.vset.reset();
      }
    }
    const History h = draft.build();
    for (const LevelInfo& level : all_levels()) {
      const Finding found = judge(h, level.level);
      cycles += found.by_sets && !found.mismatch ? 1 : 0;
      mismatches += found.mismatch ? 1 : 0;
      satisfied += found.satisfied ? 1 : 0;
      if (found.fault.empty()) continue;
      const auto still = [&](const Draft& d) { return !judge(d.build(), level.level).fault.empty(); };
      const History small = shrink(draft, still).build();
      FAIL() << level.name << ", seed " << seed << ", history " << i << ": " << found.fault
             << "\nsmallest: " << judge(small, level.level).fault << "\n"
             << native_text(small);
    }
  }
  RecordProperty("balance", fmt::format("{} cycles, {} mismatches, {} satisfied", cycles, mismatches, satisfied));
  EXPECT_TRUE(effort::reaches(0.03, cycles, histories)) << cycles;
  EXPECT_TRUE(effort::reaches(0.002, mismatches, histories)) << mismatches;
}

INSTANTIATE_TEST_SUITE_P(Shards, SnapshotSets, ::testing::Range(0, kShards));

}  // namespace snapshot_sets_test
}  // namespace isolde
