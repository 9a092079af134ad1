// batch/check.h: `check` on a history in parts, by several ranks, in memory that is bounded by a rank's share.
//
// In, out: the parts of all ranks, the level and options -> on rank 0 what `check` says of the whole history.
// Always:  the verdict, its anomalies, counts and notes are those of checking/checking.h, Checking::check(). What the
//          ranks cannot judge together is brought to rank 0 if it fits there; otherwise it is undecided, and the reason
//          says why.
// Cost:    by timestamps or an expected order: batch/timeline.h; by dependencies: batch/dependencies.h. Anything else:
//          the whole history at rank 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "batch/parts.h"
#include "batch/ranks.h"
#include "check/choose/choose.h"
#include "history/history.h"

namespace isolde::batch {

struct BatchOptions {
  std::optional<Level> level;  // none: by the evidence
  ChooseOptions choose;        // without --use and --ignore
  EngineOptions engine;
  std::uint64_t memory = 0;         // bytes per rank that shares may take; 0: they are as large as they are
  std::uint64_t most_at_first = 0;  // bytes of parts that may be brought together at rank 0
};

struct BatchAnswer {
  Outcome outcome = Outcome::kUndecided;  // on all ranks
  // On rank 0:
  Verdict verdict;
  std::optional<History> history;  // the whole, or the part that the verdict refers to
  bool is_part = false;
  std::uint64_t transactions = 0, operations = 0, keys = 0, sessions = 0;
  std::optional<History> stand_in;  // has the columns of the whole
  std::string why_method;
  std::string brought_together;  // why all of it was; empty: it was not
  unsigned passes = 1;
};

[[nodiscard]] Result<BatchAnswer> check_parts(Ranks& ranks, Parts& parts, const BatchOptions& options,
                                              const Limits& limits);

// How many passes keep a rank's share within `memory` bytes (0: whatever it takes) and within 32-bit ids.
[[nodiscard]] unsigned passes_for(const Parts& parts, unsigned ranks, std::uint64_t memory);

}  // namespace isolde::batch
