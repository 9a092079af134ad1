// audit/cycles/pair_hints.h: cycles that the developer's [[exclusive]] and [[correlated]] pairs rule out.
//
// In, out: a cycle -> does a pair of hints say that it cannot be?
// Always:  exclusive: two edges between the same two members, one matching the first pattern, one the second.
//          correlated: an edge matches the first pattern, the graph has edges between the same two members, in the
//          direction of the second pattern, that match it, and with none of them the cycle can happen; those that
//          must be, because no other is possible, are kept when the next pair is looked at.
// Source:  IsoDiff, section 3.6 (developer knowledge).
#pragma once

#include <vector>

#include "audit/cycles/cycle.h"
#include "audit/cycles/moments.h"
#include "audit/graph/rules.h"

namespace isolde::audit {

class PairHints {
 public:
  PairHints(const Classes& classes, const DependencyGraph& graph, const Hints& hints, TimingRule timing);
  [[nodiscard]] bool none() const { return exclusive_.empty() && correlated_.empty(); }
  // `edges` is used for work.
  [[nodiscard]] bool rule_out(const Cycle& cycle, std::vector<CycleEdge>& edges) const;

 private:
  struct Pair {
    EdgeMatcher first, second;
  };
  [[nodiscard]] bool excluded(const Cycle& cycle) const;
  [[nodiscard]] bool impossible_with(const Pair& pair, const Cycle& cycle, const CycleEdge& edge,
                                     std::vector<CycleEdge>& edges) const;

  const Classes& classes_;
  const DependencyGraph& graph_;
  TimingRule timing_;
  std::vector<Pair> exclusive_, correlated_;
};

}  // namespace isolde::audit
