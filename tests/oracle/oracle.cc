#include "tests/oracle/oracle.h"

#include "tests/oracle/tiny.h"

namespace isolde {

namespace {

bool by_database(OracleEvidence use) {
  return has(use, OracleEvidence::kCommitOrder) || has(use, OracleEvidence::kSnapshots);
}

// What predicates looked at counts as read.
bool takes_looks_as_reads(Level level) {
  return info(level).family == LevelFamily::kAxiomatic || level == Level::kReadCommitted ||
         level == Level::kMonotonicAtomicView || level == Level::kCursorStability;
}

OracleVerdict judge(tiny::Tiny& tiny, Level level, OracleEvidence use) {
  tiny.by_snapshot_sets = has(use, OracleEvidence::kSnapshotSets);
  // Each subset of the unknown transactions may be what committed beside the committed ones.
  for (tiny::TxnSet extra = tiny.unknown();; extra = (extra - 1) & tiny.unknown()) {
    const tiny::TxnSet counted = tiny.committed() | extra;
    tiny::Pairs versions;
    if (by_database(use)) {
      // The last one tried is the empty set of unknown ones.
      if (counted != tiny.seen() && extra != 0) continue;
      if (counted != tiny.seen()) return OracleVerdict::kViolated;
      auto evidence = tiny::version_evidence(tiny, counted, level, use);
      if (!evidence) return OracleVerdict::kNotApplicable;
      versions = std::move(evidence->pairs);
    } else if (has(use, OracleEvidence::kVersions)) {
      auto given = tiny.version_pairs(counted);
      if (!given) return OracleVerdict::kNotApplicable;
      versions = *std::move(given);
    }
    bool holds = false;
    switch (info(level).family) {
      case LevelFamily::kGraph:
        holds = tiny::graph_exists(tiny, counted, level, versions);
        break;
      case LevelFamily::kAxiomatic:
        holds = tiny::axioms_hold(tiny, counted, level, versions);
        break;
      case LevelFamily::kPrefix:
      case LevelFamily::kSnapshot:
        holds = tiny::points_exist(tiny, counted, level, use, versions);
        break;
      case LevelFamily::kSerializable:
        holds = tiny::serial_order_exists(tiny, counted, level, use, versions);
        break;
    }
    if (holds && tiny.has_looks && takes_looks_as_reads(level))
      holds = tiny::looked_exists(tiny, counted, level, versions);
    if (holds) return OracleVerdict::kSatisfied;
    if (extra == 0) return OracleVerdict::kViolated;
  }
}

// A condition with a fault decides nothing: the verdict must be the same whichever way it is taken.
OracleVerdict judge_with_faults(tiny::Tiny& tiny, Level level, OracleEvidence use) {
  tiny.open_fits = true;
  const OracleVerdict best = judge(tiny, level, use);
  if (best != OracleVerdict::kSatisfied) return best;
  tiny.open_fits = false;
  const OracleVerdict worst = judge(tiny, level, use);
  return worst == best ? worst : OracleVerdict::kNotApplicable;
}

}  // namespace

OracleCase::OracleCase(const History& history) {
  if (history.txn_count() > kOracleMaxTxns || history.key_count() > kOracleMaxKeys) return;
  tiny_ = std::make_unique<tiny::Tiny>(history);
}
OracleCase::~OracleCase() = default;

OracleVerdict OracleCase::operator()(Level level, OracleEvidence use) {
  if (!tiny_) return OracleVerdict::kNotApplicable;
  tiny::Tiny& tiny = *tiny_;
  if (!tiny.has_looks || level == Level::kReadUncommitted) return judge(tiny, level, use);
  if (!tiny.registers_only || !tiny.defect.empty()) return OracleVerdict::kNotApplicable;
  return judge_with_faults(tiny, level, use);
}

OracleVerdict oracle(const History& history, Level level, OracleEvidence use) {
  return OracleCase(history)(level, use);
}

bool one_version_order_left(const History& history, Level level, OracleEvidence use) {
  if (history.txn_count() > kOracleMaxTxns || history.key_count() > kOracleMaxKeys) return false;
  tiny::Tiny tiny(history);
  const auto evidence = tiny::version_evidence(tiny, tiny.seen(), level, use);
  return evidence && evidence->one_order_each;
}

}  // namespace isolde
