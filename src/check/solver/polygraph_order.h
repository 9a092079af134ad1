// check/solver/polygraph_order.h: an order of the nodes that keeps what is known and, where it can, lets a version be
// read before it is overwritten: the values that a search tries first.
//
// In, out: a Problem that has been pruned -> an order of all nodes, each after those that it is known to come after.
// Cost:    linear.
#pragma once

#include <vector>

#include "check/solver/polygraph_prune.h"
#include "check/solver/problem.h"

namespace isolde::solver {

[[nodiscard]] std::vector<Node> tentative_order(const Problem& problem, const Pruner& pruner);

}  // namespace isolde::solver
