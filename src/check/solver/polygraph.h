// check/solver/polygraph.h: the classic way to decide a Problem: prune by reachability, then search.
//
// In, out: a Problem -> an order of all its nodes, or cycles that no choice avoids.
// Always:  pruning goes to a fixpoint (polygraph_prune.h); of what is left choices are made only where the order at
// hand
//          is wrong (polygraph_search.h, acyclic_sat.h); cycles are a minimal core that stands by itself
//          (polygraph_explain.h, core.h).
// Source:  Papadimitriou; Cobra; PolySI.
#pragma once

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "check/solver/problem.h"

namespace isolde::solver {

// Fills pairs, pruned, searched, reads and conflicts of `stats`. Pairs that have several keys in common count once for
// each.
// `hint`: nodes in the order in which they may well stand, for the search to start from; what is left out comes last.
// Empty: nothing is guessed, ids included.
[[nodiscard]] Found solve_polygraph(const Problem& problem, const Limits& limits, SearchStats& stats,
                                    std::span<const Node> hint = {});

}  // namespace isolde::solver
