// check/cycles/snapshot_sets.h: PostgreSQL's snapshots as version sets, where the level and the history leave open
// which versions predicates were evaluated on.
//
// In, out: a history whose predicates are left open at a level of states -> violated by a cycle, given the snapshots;
// or
//          satisfied by an order that explains the predicates without them; or what it was.
// Always:  a snapshot tells the version of a key only if the order of its versions is complete, each of its writers has
//          an xid, none is of unknown outcome, and the visible ones come first. No violation rests on min or max: a
//          database may find them without looking at all that matches.
// Cost:    for each open requirement the versions of its key, for each open aggregate all; both within a budget.
// Source:  PostgreSQL (XidInMVCCSnapshot); docs/predicates.md.
#pragma once

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "check/cycles/cycles.h"

namespace isolde::graph {

// Requires: the verdict is undecided because of predicates alone, and no cycle is known.
void decide_by_snapshot_sets(const History& history, const Trace& trace, const Limits& limits, Verdict& verdict);

}  // namespace isolde::graph
