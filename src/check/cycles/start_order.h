// check/cycles/start_order.h: snapshot isolation where every start and commit is known: dependencies against the points
// in time that the database gives.
//
// In, out: a Trace, what is known of version orders and dependencies -> the dependencies that contradict the
// timestamps,
//          or the points in an order that explains the history.
// Always:  applies only if every transaction that counts has both timestamps (start_ts alone will do where it wrote
//          nothing). Versions whose order is open come in the order of commit timestamps. With every point known a
//          cycle of dependencies and start-ordered edges has a dependency that goes back in time, so each such one is
//          an anomaly of two steps. What equal timestamps mean: docs/timestamps.md; `unsure` if they leave a choice.
// Cost:    linear, and sorting by time.
// Source:  Adya (G-SIa, G-SIb, start-ordered serialization graph).
#pragma once

#include <string>
#include <vector>

#include "check/cycles/explain_cycle.h"

namespace isolde::graph {

struct StartOrder {
  bool applies = false;
  std::vector<Anomaly> anomalies;
  std::vector<std::uint32_t> events;  // as of a Witness of points; empty if there is an anomaly
  std::string unsure;                 // not empty: neither
};

[[nodiscard]] StartOrder check_start_order(const History& history, const Trace& trace, const VersionOrders& orders,
                                           std::span<const PredicateEdge> predicates, const LevelRow& row);

}  // namespace isolde::graph
