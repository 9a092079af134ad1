// batch/cycles.h: transactions that stand on a cycle of dependencies, found by several ranks.
//
// In, out: edges of all ranks -> the strongly connected components of more than one transaction, as places; none: the
//          edges and the orders that the level adds contradict nothing.
// Always:  what check/cycles/cycles.h, sort_nodes() finds in the whole graph. It is looked for in spans
// (batch/spans.h),
//          each by the rank that it belongs to (batch/span_graph.h).
// Cost:    of a rank: its spans. They are small if the file is about in the order in which things happened.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batch/edges.h"
#include "batch/orders.h"
#include "batch/span_graph.h"

namespace isolde::batch {

struct CyclesJob {
  const graph::LevelRow* row;
  graph::Nodes nodes;  // those of the row, or whole transactions
  unsigned passes = 1;
  std::uint64_t most = 0;    // bytes that spans may take at a rank
  bool whole_spans = false;  // all places of the spans that have such a component
};

struct CyclesFound {
  std::string open;             // why they were not looked for; the same on all ranks
  std::vector<Span> core;       // places of the components, merged; the same on all ranks
  std::uint64_t looked_at = 0;  // transactions that trimming left
};

[[nodiscard]] Result<CyclesFound> find_cycles(Ranks& ranks, Parts& parts,
                                              const std::vector<const std::vector<PlacedEdge>*>& edges,
                                              const CyclesJob& job);

}  // namespace isolde::batch
