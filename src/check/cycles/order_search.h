// check/cycles/order_search.h: looks for an order without a cycle that also explains what predicates leave open.
//
// In, out: dependencies without a cycle, the versions in their order, open requirements -> an order of all nodes in
//          which each requirement holds when its transaction's turn comes, or nothing.
// Always:  what is found is to be replayed by the caller; that nothing is found says nothing.
// How:     nodes come one by one, by the clocks, first strictly so. If that fails: a transaction whose requirements do
// not hold waits until a key that it
//          needs has changed; one that only reads comes as soon as they hold; one that writes comes before another that
//          would break them.
// Cost:    linear in nodes and edges, and as often as a transaction is tried its open requirements, up to a budget.
#pragma once

#include <cstdint>
#include <vector>

#include "check/cycles/cycles.h"
#include "check/cycles/predicates.h"

namespace isolde::graph {

[[nodiscard]] std::vector<std::uint32_t> search_order(const History& history, const PredicateSet& predicates,
                                                      const Trace& trace, Slots& slots, const PredicateFacts& facts,
                                                      const Dependencies& graph, Nodes nodes, const Limits& limits);

}  // namespace isolde::graph
