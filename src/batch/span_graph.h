// batch/span_graph.h: what lies within spans, brought to the rank that looks at them.
//
// Each span belongs to one rank; spans have no cycle in common, so ranks look at theirs apart. Before that, what cannot
// be in a cycle is taken away: transactions that nothing leads to, or that lead to nothing, again and again (trim).
// Each rank does that for its own transactions until nothing changes, and only then says so to others.
//
// In, out: spans, edges of all ranks -> on each rank the transactions of its spans and the edges between them.
// Always:  all that is on a cycle of edges and sessions is there. Where real time is part of the question, nothing is
//          taken away.
// Cost:    the transactions and edges within spans, at their home; what trimming leaves, at the rank of the span. At
//          most kMostTrimRounds exchanges.
// Source:  the trim step of parallel searches for components (McLendon et al.; Slota et al., "Multistep").
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "batch/parts.h"
#include "batch/ranks.h"
#include "batch/spans.h"

namespace isolde::batch {

struct SpanTxn {
  std::uint64_t place, session;  // a print of its name
  std::int64_t begin, end;
};

struct SpanGraph {
  std::vector<SpanTxn> txns;      // by place
  std::vector<PlacedEdge> edges;  // between these
  std::uint64_t left = 0;         // transactions of all ranks
  std::uint64_t most_bytes = 0;   // of a rank
  // The place in `txns`; Requires: it is there.
  [[nodiscard]] std::uint32_t at(std::uint64_t place) const;
};

struct SpanJob {
  bool trims = true;
  bool sessions = false;   // they are edges too
  std::uint64_t most = 0;  // bytes that a rank may take
};

// Nothing: it is more than a rank may take; on all ranks alike. Edges from one span to another are left out.
[[nodiscard]] Result<std::optional<SpanGraph>> gather_spans(Ranks& ranks, Parts& parts, const std::vector<Span>& spans,
                                                            const std::vector<const std::vector<PlacedEdge>*>& edges,
                                                            const SpanJob& job);

// The rank that a span belongs to.
[[nodiscard]] inline std::size_t owner_of_span(std::size_t span, std::size_t ranks) { return span % ranks; }

}  // namespace isolde::batch
