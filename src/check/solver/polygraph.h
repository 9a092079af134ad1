// check/solver/polygraph.h: the classic way to decide a Problem: prune by reachability, then search, and guess nothing.
//
// In, out: a Problem -> an order of all its nodes, or circles that no choice avoids.
// Always:  pruning goes to a fixpoint (polygraph_prune.h); what is left is searched one group of strongly connected
//          components of the possible graph at a time (acyclic_sat.h); circles are a minimal core that stands by itself
//          (polygraph_explain.h, core.h).
// Source:  Papadimitriou; Cobra; PolySI.
#pragma once

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "check/solver/problem.h"

namespace isolde::solver {

// Fills pairs, pruned, searched, reads and conflicts of `stats`. Pairs that have several keys in common count once for
// each.
[[nodiscard]] Found solve_polygraph(const Problem& problem, const Limits& limits, SearchStats& stats);

}  // namespace isolde::solver
