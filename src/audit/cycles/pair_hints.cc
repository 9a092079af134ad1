#include "audit/cycles/pair_hints.h"

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

bool PairHints::impossible_with(const Pair& pair, const Cycle& cycle, const CycleEdge& edge,
                                std::vector<CycleEdge>& edges) const {
  bool any = false;
  edges = cycle.edges;
  edges.emplace_back();
  for (const auto& [from, to] : {std::pair(edge.from, edge.to), std::pair(edge.to, edge.from)}) {
    for (const Conflict& conflict : graph_.conflicts(cycle.members[from], cycle.members[to])) {
      edges.back() = {from, to, conflict};
      if (!matches_edge(pair.second, cycle, edges.back())) continue;
      any = true;
      if (can_happen(classes_, cycle.members, edges, graph_.level(), timing_)) return false;
    }
  }
  return any;
}

}  // namespace isolde::audit
