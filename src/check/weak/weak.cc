#include "check/weak/weak.h"

#include <fmt/format.h>

#include <optional>

#include "check/graph/graph.h"
#include "check/weak/contradictions.h"

namespace isolde {

using namespace graph;
using namespace weak;

namespace {

constexpr int kRounds = 20;

bool is_judged(Level level) {
  return level == Level::kCursorStability || (row_of(level) != nullptr && row_of(level)->seen != SeenRule::kNone);
}

std::string lacks(const History& history, Level level) {
  if (!is_judged(level)) return fmt::format("{} asks for more than its axioms can tell from reads alone", info(level).name);
  return kGraphEngine.lacks(history, level);
}

// Whether an order is found that shows that the level holds.
bool is_shown_by_an_order(const Known& known, const Limits& limits) {
  const auto numbers = first_order(known);
  if (!numbers) return false;
  const Table table(known, *numbers);
  ContradictionFinder finder(known, table);
  std::vector<Pair> pairs;
  std::optional<Order> order = table.first();
  for (int round = 0; order && round < kRounds; ++round) {
    if (limits.out_of_time()) return false;
    const Contradictions found = finder.find(*order, limits);
    if (getenv("WDBG")) fmt::print(stderr, "round {} pairs {} broken {} gave_up {}\n", round, found.pairs.size(), found.missed.size(), found.gave_up);
    if (!found.missed.empty() || found.gave_up) return false;
    if (found.pairs.empty()) return true;
    pairs.insert(pairs.end(), found.pairs.begin(), found.pairs.end());
    order = table.order_with(pairs, *order);
  }
  return false;
}

VersionOrders known_orders(const History& history, const Trace& trace, Updates updates) {
  if (!trace.chains.empty() || !history.columns().version_orders.empty()) {
    return order_versions(history, trace, updates);
  }
  VersionOrders none;  // registers: at these levels reads tell no order
  none.next.assign(trace.versions.size(), kNoVersion);
  return none;
}

bool is_shown(const History& history, const Trace& trace, const LevelRow& row, const Limits& limits, Verdict& verdict) {
  if (row.seen == SeenRule::kNone || !history.columns().predicates.empty()) return false;
  if (trace.out_of_time || trace.breaks_a_rule || !trace.bad_reads.empty() || !trace.untraceable.empty()) return false;
  const VersionOrders orders = known_orders(history, trace, row.updates);
  if (!orders.ambiguous.empty() || !is_shown_by_an_order({history, trace, orders, row}, limits)) return false;
  verdict.notes = orders.notes;
  return true;
}

Verdict check(const History& history, Level level, const Limits& limits) {
  GraphChecks graph(history);
  return check_weak(history, graph, level, limits);
}

}  // namespace

Verdict check_weak(const History& history, GraphChecks& graph, Level level, const Limits& limits) {
  Verdict verdict;
  verdict.level = level;
  if (is_shown(history, graph.traced(level, limits), *row_of(level), limits, verdict)) {
    verdict.outcome = Outcome::kSatisfied;
  } else {
    verdict = graph.check(level, limits);
  }
  verdict.method = kWeakEngine.name;
  return verdict;
}

constinit const Engine kWeakEngine{
    .name = "weak",
    .summary = "read-committed to causal by their axioms, from reads and sessions alone; cursor-stability",
    .lacks = lacks,
    .check = check};

}  // namespace isolde
