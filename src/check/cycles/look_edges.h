// check/cycles/look_edges.h: who comes before and after whom, if transactions looked at the versions that they seem to
// have.
//
// In, out: looks (likely_versions.h) -> edges as from version sets: after who began the run of versions that match
// alike, before who
//          ended it. Of min and max: a row that has the value, and none beyond it.
// Cost:    for each predicate operation the keys that changed about when it ran, a few versions each; within a budget.
#pragma once

#include <memory>
#include <vector>

#include "base/limits.h"
#include "check/cycles/dependencies.h"
#include "check/cycles/likely_versions.h"
#include "history/predicate_set.h"

namespace isolde::graph {

// PredicateEdge::ground: whether it may be another one by the clocks.
inline constexpr Ground kSure = Ground::kSnapshot, kUnsure = Ground::kAssumed;

class LookEdges {
 public:
  virtual ~LookEdges() = default;
  // Of all transactions. False: too many.
  [[nodiscard]] virtual bool run(std::vector<PredicateEdge>& edges) = 0;
  // What the transaction looked at once more, with its runs however far they reach. The n-th time: by the n-th of the
  // moments that it may have been.
  virtual void look_again(TxnId t, std::vector<PredicateEdge>& edges) = 0;
};

// What is given outlives it.
[[nodiscard]] std::unique_ptr<LookEdges> look_edges(const History& history, const PredicateSet& predicates,
                                                    const Trace& trace, Slots& slots, LookBy by, const Limits& limits);

}  // namespace isolde::graph
