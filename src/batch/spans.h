// batch/spans.h: dependencies between places of the whole history, and the spans of places that may hold a cycle.
//
// Most dependencies lead forward in the order of the file. A cycle has to come back: at every place between its first
// and its last transaction, some dependency of it leads backward across that place. So a cycle lies within what the
// backward dependencies span together. Spans that only touch at an end have no cycle in common.
//
// In, out: edges, or pairs of places -> disjoint spans, ascending; the same on all ranks once gathered.
// Cost:    sorting the backward edges.
#pragma once

#include <cstdint>
#include <vector>

#include "batch/ranks.h"
#include "check/cycles/dependencies.h"

namespace isolde::batch {

// From one transaction to another one, by their places.
class PlacedEdge {
 public:
  PlacedEdge() = default;
  PlacedEdge(std::uint64_t from, std::uint64_t to, graph::Edge type)
      : from_(from), word_(to << 3 | static_cast<std::uint64_t>(type)) {}
  [[nodiscard]] std::uint64_t from() const { return from_; }
  [[nodiscard]] std::uint64_t to() const { return word_ >> 3; }
  [[nodiscard]] graph::Edge type() const { return static_cast<graph::Edge>(word_ & 7); }
  [[nodiscard]] bool is_backward() const { return to() < from_; }
  auto operator<=>(const PlacedEdge&) const = default;

 private:
  std::uint64_t from_ = 0, word_ = 0;
};

// All places from `first` to `last`.
struct Span {
  std::uint64_t first, last;
};

// Overlapping ones made one.
[[nodiscard]] std::vector<Span> merged(std::vector<Span> spans);

// Which of the spans a place lies in; SIZE_MAX: none. Requires: merged().
[[nodiscard]] std::size_t span_of(const std::vector<Span>& spans, std::uint64_t place);

// Spans of which there may be very many, merged now and then.
class SpanCollector {
 public:
  void add(Span span);
  void add_backward(const std::vector<PlacedEdge>& edges);
  // Those of all ranks.
  [[nodiscard]] std::vector<Span> gather(Ranks& ranks);

 private:
  static constexpr std::size_t kFew = std::size_t{1} << 16;
  std::vector<Span> spans_;
  std::size_t many_ = kFew;
};

}  // namespace isolde::batch
