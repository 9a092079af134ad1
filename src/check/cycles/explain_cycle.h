// check/cycles/explain_cycle.h: one cycle to show for each strongly connected component: short, and of the most telling
// kind.
//
// In, out: the dependencies, components -> an Anomaly each with one step an edge, each naming its operations.
// Always:  the cycle is the one that cycle_search.h finds; told by a reader's past where that is plainer.
// Cost:    that search, and for each step the reads or versions of its transactions.
#pragma once

#include <span>

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "check/cycles/cycles.h"

namespace isolde::graph {

struct Evidence {
  const History& history;
  const Trace& trace;
  const VersionOrders& orders;
  std::span<const Seen> seen;
  std::span<const PredicateEdge> predicates;  // by reader
  const Dependencies& graph;
};

// One cycle for each component of `sorted`, which sort_nodes() gave for `row.nodes`. All are counted; as many as the
// limits allow are kept.
void add_cycles(const Evidence& evidence, const LevelRow& row, const Sorted& sorted, const Limits& limits,
                Verdict& verdict);

// The steps of one edge; none if nothing shows it.
[[nodiscard]] std::vector<Step> explain_arc(const Evidence& evidence, const LevelRow& row, TxnId from, TxnId to,
                                            Edge type);

// The variant, and the transactions beside those that stand there, by the steps.
void add_order_and_transactions(Anomaly& anomaly);

// The operation that left the version.
[[nodiscard]] OpId last_write(const History& history, TxnId txn, KeyId key);

}  // namespace isolde::graph
