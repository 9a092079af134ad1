#include "batch/spans.h"

#include <algorithm>
#include <utility>

namespace isolde::batch {

std::vector<Span> merged(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.first < b.first; });
  std::vector<Span> out;
  for (const Span& span : spans) {
    if (!out.empty() && span.first <= out.back().last) {
      out.back().last = std::max(out.back().last, span.last);
    } else {
      out.push_back(span);
    }
  }
  return out;
}

std::size_t span_of(const std::vector<Span>& spans, std::uint64_t place) {
  const auto after = std::upper_bound(spans.begin(), spans.end(), place,
                                      [](std::uint64_t p, const Span& span) { return p < span.first; });
  if (after == spans.begin() || std::prev(after)->last < place) return SIZE_MAX;
  return static_cast<std::size_t>(after - spans.begin()) - 1;
}

void SpanCollector::add(Span span) {
  spans_.push_back(span);
  if (spans_.size() < many_) return;
  spans_ = merged(std::move(spans_));
  many_ = std::max(kFew, 2 * spans_.size());
}

void SpanCollector::add_backward(const std::vector<PlacedEdge>& edges) {
  for (const PlacedEdge& edge : edges) {
    if (edge.is_backward()) add({edge.to(), edge.from()});
  }
}

std::vector<Span> SpanCollector::gather(Ranks& ranks) { return merged(gathered(ranks, merged(std::move(spans_)))); }

}  // namespace isolde::batch
