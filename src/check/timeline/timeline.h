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

namespace isolde {

extern const Engine kTimelineEngine;

}  // namespace isolde
