// check/timeline/timeline.h: the engine `timeline`: the snapshot and serializable families by database timestamps.
//
// In, out: a History with start_ts/commit_ts -> Verdict; all violations, each with what should have been read.
// Always:  violated only if no placing of transactions without a sure place explains the history; satisfied with a
//          witness: the start and commit points (snapshot family) or the serial order.
// Cost:    linear: O(transactions + operations + list elements read).
// Source:  Chronos (algorithm 2). Equal and missing timestamps, unknown outcomes, lists and counters:
// docs/timestamps.md.
#pragma once

#include "check/engine.h"
#include "check/timeline/schedule.h"

namespace isolde {

extern const Engine kTimelineEngine;

namespace timeline {

// The replay behind `timeline` and, with Clock::kOrder and a serializable level, behind `replay`.
// `method` of the verdict is not set.
[[nodiscard]] Verdict judge(const History& history, Level level, const Limits& limits, Clock clock);

}  // namespace timeline

}  // namespace isolde
