#include "tests/oracle/oracle.h"

#include "tests/oracle/tiny.h"

namespace isolde {

namespace {

bool by_database(OracleEvidence use) {
  return has(use, OracleEvidence::kCommitOrder) || has(use, OracleEvidence::kSnapshots);
}

}  // namespace

OracleVerdict oracle(const History& history, Level level, OracleEvidence use) {
  if (history.txn_count() > kOracleMaxTxns || history.key_count() > kOracleMaxKeys) {
    return OracleVerdict::kNotApplicable;
  }
  tiny::Tiny tiny(history);
  const LevelFamily family = info(level).family;
  if (family == LevelFamily::kAxiomatic && !tiny.registers_only) return OracleVerdict::kNotApplicable;

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
    switch (family) {
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
    if (holds) return OracleVerdict::kSatisfied;
    if (extra == 0) return OracleVerdict::kViolated;
  }
}

bool one_version_order_left(const History& history, Level level, OracleEvidence use) {
  if (history.txn_count() > kOracleMaxTxns || history.key_count() > kOracleMaxKeys) return false;
  tiny::Tiny tiny(history);
  const auto evidence = tiny::version_evidence(tiny, tiny.seen(), level, use);
  return evidence && evidence->one_order_each;
}

}  // namespace isolde
