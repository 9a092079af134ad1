// check/solver/polygraph_order.h: an order of the nodes that keeps what is known and, where it can, lets a version be
// read before it is overwritten: what a search starts from.
//
// In, out: a Problem that has been pruned -> an order of all nodes, each after those that it is known to come after.
// How:     a node is placed after those before it; before a version is overwritten its readers are placed, and what
//          comes before them, as far as that leads to nothing that is itself waiting.
// Cost:    linear, times a constant at which it stops to look for readers.
#pragma once

#include <span>
#include <vector>

#include "check/solver/polygraph_prune.h"
#include "check/solver/problem.h"

namespace isolde::solver {

// `hint`: nodes in the order in which they may well stand; empty: in one that tells nothing.
[[nodiscard]] std::vector<Node> tentative_order(const Problem& problem, const Pruner& pruner,
                                                std::span<const Node> hint);

}  // namespace isolde::solver
