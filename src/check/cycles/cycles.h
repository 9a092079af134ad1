// check/cycles/cycles.h: the levels as cycles that they forbid, and an exact test for them.
//
// In, out: Dependencies and a row of the table -> an order of all nodes, or the strongly connected components that
//          forbid one.
// Always:  the answer is exact and does not depend on how long cycles are. For the snapshot family and prefix the nodes
//          are start and commit points, where a cycle is one without two anti-dependencies side by side.
// Cost:    linear (Kahn; Tarjan on what is left, without recursion).
// Source:  Adya (PL-1, PL-2, PL-2.99, PL-3); Fekete et al. and Cerone, Gotsman (snapshot isolation); Biswas and Enea.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "anomaly/verdict.h"
#include "check/cycles/dependencies.h"

namespace isolde::graph {

enum class Nodes : std::uint8_t {
  kTransactions,
  kPoints,        // a start and a commit each; an overwriting transaction starts after the other's commit
  kPrefixPoints,  // … commits after it
};

// Which order follows from having seen a transaction that wrote a key, and another one's version of that key.
// kLater: read from it, and then the key; kAny: in any order, and after it in its session; kPast: it is in the causal
// past.
enum class SeenRule : std::uint8_t { kNone, kLater, kAny, kPast };

struct LevelRow {
  Level level;
  EdgeSet edges;  // none of these cycles may be
  Nodes nodes;
  Updates updates;
  SeenRule seen;
  bool needs_order;  // of all versions of each key
};

// Null: no row.
[[nodiscard]] const LevelRow* row_of(Level level);

struct Sorted {
  // Without a cycle: every node, each before those it has an edge to. Points: 2t and 2t+1 are the start and commit of
  // t.
  std::vector<std::uint32_t> order;
  // Else: components of more than one node, each ascending, by their first node.
  std::vector<std::vector<std::uint32_t>> components;
};
[[nodiscard]] Sorted sort_nodes(const Dependencies& graph, Nodes nodes);

// Another order of all transactions that contradicts no edge: each as late as those after it allow; of those that could
// change places, the ones that `wanted` names last. Returns the place of each transaction.
// `order`: of all nodes, as sort_nodes() gives it for transactions.
[[nodiscard]] std::vector<std::uint32_t> late_places(const Dependencies& graph, std::span<const std::uint32_t> order,
                                                     const std::vector<bool>& wanted);

// Such an order as a witness: without time nodes and transactions that do not count.
[[nodiscard]] Witness witness_of(std::vector<std::uint32_t> order, const Trace& trace, std::uint32_t txns, Nodes nodes);

// Components of more than one node of any graph in arrays.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> strong_components(std::span<const std::uint32_t> begin,
                                                                        std::span<const std::uint32_t> to);

}  // namespace isolde::graph
