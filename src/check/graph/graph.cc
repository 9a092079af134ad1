#include "check/graph/graph.h"

#include <algorithm>
#include <vector>

#include "check/cycles/cycle_checks.h"
#include "check/solver/solver.h"

namespace isolde {
namespace {

// Where an order of versions is open, the solver searches for it.
std::string graph_passed_over(const History& h, Level level, bool /*order_by_commit*/) {
  if (!asks_for_one_order(level)) return {};
  // The results of predicates are evidence of order too, which only this engine uses; if that is not enough, the solver
  // is asked.
  if (!h.columns().predicates.empty()) return {};
  if (!kSolverEngine.lacks(h, level).empty() || version_orders_are_told(h)) return {};
  return "for some key, the order of versions is neither given nor shown by lists";
}

Verdict judge_by_graph(CheckContext& context, Level level, const Limits& limits) {
  return context.shared<graph::CycleChecks>().check(level, limits);
}

}  // namespace

bool version_orders_are_told(const History& history) {
  const HistoryColumns& c = history.columns();
  std::vector<bool> told(history.key_count(), false);
  for (const VersionOrder& order : c.version_orders) {
    if (order.complete != 0) told[raw(order.key)] = true;
  }
  return std::all_of(c.op.begin(), c.op.end(), [&](OpHead op) {
    return !is_item_write(op.kind()) || op.kind() == OpKind::kAppend || told[raw(op.key())];
  });
}

constinit const Engine kGraphEngine{
    .name = "graph",
    .summary = "levels as forbidden cycles: lists, read-modify-write chains, version orders, timestamps, snapshots",
    .believes_starts = true,
    .taken_because = "reads and the given version orders show which transaction comes before which",
    .passed_over = graph_passed_over,
    .then = &kSolverEngine,
    .lacks = graph::cycles_lack,
    .judge = judge_by_graph};

}  // namespace isolde
