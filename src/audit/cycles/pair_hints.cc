#include "audit/cycles/pair_hints.h"

#include <optional>

namespace isolde::audit {
namespace {

bool matches_edge(const EdgeMatcher& pattern, const Cycle& cycle, const CycleEdge& edge) {
  return pattern(cycle.members[edge.from], cycle.members[edge.to], edge.conflict.column, edge.conflict.kind);
}

}  // namespace

PairHints::PairHints(const Classes& classes, const DependencyGraph& graph, const Hints& hints, TimingRule timing)
    : classes_(classes), graph_(graph), timing_(timing) {
  for (const PairHint& hint : hints.exclusive) {
    exclusive_.push_back({EdgeMatcher(hint.first, classes), EdgeMatcher(hint.second, classes)});
  }
  for (const PairHint& hint : hints.correlated) {
    correlated_.push_back({EdgeMatcher(hint.first, classes), EdgeMatcher(hint.second, classes)});
  }
}

bool PairHints::rule_out(const Cycle& cycle, std::vector<CycleEdge>& edges) const {
  if (excluded(cycle)) return true;
  edges = cycle.edges;
  for (const Pair& pair : correlated_) {
    for (const CycleEdge& edge : cycle.edges) {
      if (matches_edge(pair.first, cycle, edge) && impossible_with(pair, cycle, edge, edges)) return true;
    }
  }
  return false;
}

bool PairHints::excluded(const Cycle& cycle) const {
  for (const Pair& pair : exclusive_) {
    for (const CycleEdge& first : cycle.edges) {
      if (!matches_edge(pair.first, cycle, first)) continue;
      for (const CycleEdge& second : cycle.edges) {
        const bool same_two = (first.from == second.from && first.to == second.to) ||
                              (first.from == second.to && first.to == second.from);
        if (&first != &second && same_two && matches_edge(pair.second, cycle, second)) return true;
      }
    }
  }
  return false;
}

// Where only one of the dependencies that must come with it is possible, it stays among the edges.
bool PairHints::impossible_with(const Pair& pair, const Cycle& cycle, const CycleEdge& edge,
                                std::vector<CycleEdge>& edges) const {
  bool any = false, forced = true;
  std::optional<CycleEdge> possible;
  // Under snapshot isolation it does not matter which operations of two transactions depend on each other.
  const auto alike = [&](const CycleEdge& x, const CycleEdge& y) {
    return graph_.snapshots() && timing_ == TimingRule::kMoments && x.from == y.from &&
           x.conflict.kind == y.conflict.kind;
  };
  for (const auto& [from, to] : {std::pair(edge.from, edge.to), std::pair(edge.to, edge.from)}) {
    for (const Conflict& conflict : graph_.conflicts(cycle.members[from], cycle.members[to])) {
      const CycleEdge candidate{from, to, conflict};
      if (!matches_edge(pair.second, cycle, candidate)) continue;
      any = true;
      if (possible && alike(*possible, candidate)) continue;
      edges.push_back(candidate);
      const bool can = can_happen(classes_, cycle.members, edges, graph_.level(), timing_);
      edges.pop_back();
      if (!can) continue;
      forced = !possible;
      if (!forced) return false;
      possible = candidate;
    }
  }
  if (possible && forced) edges.push_back(*possible);
  return any && !possible;
}

}  // namespace isolde::audit
