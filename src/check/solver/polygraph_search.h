// check/solver/polygraph_search.h: the choices that pruning left open, made only where an order of the nodes is wrong.
//
// In, out: a Problem that has been pruned -> an order of all nodes, or cycles that no choice avoids.
// How:     an order of all nodes is at hand that fits all that is known and chosen. It is walked: where a read would
// see
//          another version than it did, or two writers of a key overlap that may not, the two writers concerned become
//          a choice, one way of it is tried, and the order changes around them. Dead ends are learned from.
// Always:  an order that is walked to its end is right for every pair, chosen or not.
// Cost:    for each choice the nodes between the two; pairs that are never in the way cost nothing.
#pragma once

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "check/solver/polygraph_prune.h"
#include "check/solver/problem.h"

namespace isolde::solver {

[[nodiscard]] Found search_pruned(const Problem& problem, const Pruner& pruner, const Limits& limits,
                                  SearchStats& stats, std::span<const Node> hint);

}  // namespace isolde::solver
