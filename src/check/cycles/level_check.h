// check/cycles/level_check.h: one level as cycles that it forbids, given the trace of the reads.
//
// In, out: a History, its Trace at the level -> a Verdict, with a witness where an order explains the reads.
// Always:  in this order: what single reads break, cycles over what is known, the database's own points in time, orders
//          of versions that contradict nothing known. An order that was tried is checked before it is a witness.
// Cost:    as check/graph/graph.h says.
#pragma once

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "check/cycles/seen.h"
#include "check/cycles/trace.h"

namespace isolde::graph {

struct LevelVerdict {
  Verdict verdict;                    // `method` is not set
  bool predicates_left_open = false;  // nothing else left it undecided: a stronger level may show that this one holds
  bool at_given_points = false;       // it is about the start and commit points that the database gives
};

// Requires: row_of(level) is not null, and `trace` is of this level's kind.
[[nodiscard]] LevelVerdict check_level(const History& history, Level level, const Limits& limits, const Trace& trace,
                                       FindSeen find_seen = all_seen);

}  // namespace isolde::graph
