// batch/trim.h: takes away what is on no cycle: see span_graph.h.
#pragma once

#include <cstdint>
#include <vector>

#include "batch/ranks.h"
#include "batch/span_graph.h"

namespace isolde::batch {

// Which ranks have which places: each has those from its own to the next one's.
class Homes {
 public:
  Homes(Ranks& ranks, const Parts& parts);
  [[nodiscard]] std::size_t of(std::uint64_t place) const;
  [[nodiscard]] std::uint64_t first(std::size_t rank) const { return rank == 0 ? 0 : ends_[rank - 1]; }
  [[nodiscard]] std::uint64_t end(std::size_t rank) const { return ends_[rank]; }

 private:
  std::vector<std::uint64_t> ends_;
};

// `txns`: those of this rank that lie within spans, by place. `edges`: those that start or end at one of them, at both
// homes. Returns which are left, by place in `txns`.
[[nodiscard]] std::vector<std::uint8_t> trim(Ranks& ranks, const Homes& homes, const std::vector<Span>& spans,
                                             const std::vector<SpanTxn>& txns, const std::vector<PlacedEdge>& edges,
                                             bool sessions);

}  // namespace isolde::batch
