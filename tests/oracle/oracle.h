// tests/oracle/oracle.h: the one source of truth for tests: an exhaustive check of tiny histories against CONTRACT
// section 2, written from the definitions and nothing else.
//
// In, out: a History of at most kOracleMaxTxns transactions and kOracleMaxKeys keys, a level, and which evidence
// constrains it -> a verdict. Always:  everything that the history leaves open is tried: which unknown transactions
// committed, where the start and
//          commit points lie, which of several equal writes was read, in which order versions were installed.
//          No value needs to be unique. No code of an engine is used.
// Cost:    exponential; some microseconds for four transactions.
// Source:  CONTRACT section 2; Biswas and Enea (axioms); Adya (PL-1, PL-2, PL-CS, PL-2.99); Bailis et al. (MAV).
//
// Predicates: docs/predicates.md, "What a level says of predicates".
#pragma once

#include <cstdint>
#include <memory>

#include "anomaly/level.h"
#include "history/history.h"

namespace isolde {

namespace tiny {
class Tiny;
}

inline constexpr std::uint32_t kOracleMaxTxns = 6;
inline constexpr std::uint32_t kOracleMaxKeys = 8;

enum class OracleVerdict : std::uint8_t { kSatisfied, kViolated, kNotApplicable };

// Which evidence must be respected beside the level itself.
enum class OracleEvidence : std::uint8_t {
  kNone = 0,
  // Points lie in the order of start_ts and commit_ts (snapshot family, prefix); places in that of commit_ts
  // (serializable family). At one time c: first the commits of transactions that started before c, then the writers
  // that start and commit at c, one after the other in whichever order explains the reads, then all else that starts at
  // c.
  kTimestamps = 1,
  kOrder = 2,     // the serial order follows the field `order` (serializable family)
  kVersions = 4,  // transactions commit in the order that the given version orders say
  // The writers of a key commit in the order of commit_ts, where both have one: of each key for which that agrees with
  // what its reads alone, and the orders given, allow. Unlike kTimestamps nothing is said of who writes no common key.
  // An unknown transaction counts exactly if somebody who counts saw it.
  kCommitOrder = 8,
  // A writer of a key that is visible in the snapshot of another commits before it; likewise, after kCommitOrder.
  kSnapshots = 16,
  // At the levels of states: a predicate operation without a version set, whose transaction has a snapshot, had the one
  // that the snapshot shows. It shows a key's last version whose writer is visible, if all writers of the key have an
  // xid and the visible ones come first; else it says nothing of the key.
  kSnapshotSets = 32,
};
constexpr OracleEvidence operator|(OracleEvidence a, OracleEvidence b) {
  return static_cast<OracleEvidence>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has(OracleEvidence all, OracleEvidence one) {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

// kNotApplicable: too many transactions or keys; predicates on lists or counters, that cannot be compiled, or where a
// fault of a condition decides; kVersions with an entry that two transactions may have written.
[[nodiscard]] OracleVerdict oracle(const History& history, Level level, OracleEvidence use = OracleEvidence::kNone);

// The same for several levels of one history, which is read and whose predicates are compiled once.
class OracleCase {
 public:
  // Requires: the history outlives it.
  explicit OracleCase(const History& history);
  ~OracleCase();
  OracleCase(const OracleCase&) = delete;
  OracleCase& operator=(const OracleCase&) = delete;

  [[nodiscard]] OracleVerdict operator()(Level level, OracleEvidence use);

 private:
  std::unique_ptr<tiny::Tiny> tiny_;  // null: too large
};

// Whether the evidence and the reads of each key alone leave exactly one order of its versions.
[[nodiscard]] bool one_version_order_left(const History& history, Level level, OracleEvidence use);

}  // namespace isolde
