#include "batch/span_graph.h"

#include <algorithm>
#include <string>
#include <utility>

#include "batch/trim.h"
#include "history/fingerprint.h"

namespace isolde::batch {
namespace {

// What the search at the rank of a span takes beside what is sent.
constexpr std::uint64_t kBytesPerTxn = sizeof(SpanTxn) + 128, kBytesPerEdge = sizeof(PlacedEdge) + 16;

Result<std::vector<SpanTxn>> members(Parts& parts, const std::vector<Span>& spans) {
  std::vector<SpanTxn> out;
  for (std::size_t i = 0; i < parts.count() && !spans.empty(); ++i) {
    const auto next = std::lower_bound(spans.begin(), spans.end(), parts.first_place(i),
                                       [](const Span& span, std::uint64_t place) { return span.last < place; });
    if (next == spans.end() || next->first >= parts.end_place(i)) continue;
    auto part = parts.load(i);
    if (!part) return std::move(part).error();
    const History& h = **part;
    for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
      const std::uint64_t place = parts.first_place(i) + t;
      if (h.status(TxnId{t}) != Status::kCommitted || span_of(spans, place) == SIZE_MAX) continue;
      const ValueId session = h.columns().session_name[raw(h.session(TxnId{t}))];
      out.push_back({place, raw64(fingerprint_of(h.values(), session)), h.begin(TxnId{t}), h.end(TxnId{t})});
    }
  }
  return out;
}

class SpanGathering {
 public:
  SpanGathering(Ranks& ranks, Parts& parts, const std::vector<Span>& spans, const SpanJob& job)
      : ranks_(ranks), parts_(parts), spans_(spans), job_(job) {}

  Result<std::optional<SpanGraph>> run(const std::vector<const std::vector<PlacedEdge>*>& edges) {
    auto own = members(parts_, spans_);
    Result<void> good;
    if (!own) good = own.error();
    if (auto agreed = ranks_.agree(good); !agreed) return std::move(agreed).error();
    std::vector<SpanTxn> txns = *std::move(own);
    std::vector<PlacedEdge> inside;
    for (const auto* some : edges) {
      for (const PlacedEdge& edge : *some) {
        const std::size_t span = span_of(spans_, edge.from());
        if (span != SIZE_MAX && span == span_of(spans_, edge.to())) inside.push_back(edge);
      }
    }
    if (job_.trims) trim_both(txns, inside);
    return at_owners(txns, inside);
  }

 private:
  // Leaves the transactions that trimming leaves, and the edges from them.
  void trim_both(std::vector<SpanTxn>& txns, std::vector<PlacedEdge>& inside) {
    const Homes homes(ranks_, parts_);
    std::vector<std::vector<PlacedEdge>> out(ranks_.size());
    for (const PlacedEdge& edge : inside) {
      const std::size_t from = homes.of(edge.from()), to = homes.of(edge.to());
      out[from].push_back(edge);
      if (to != from) out[to].push_back(edge);
    }
    inside.clear();
    for (const std::vector<PlacedEdge>& some : exchanged(ranks_, out))
      inside.insert(inside.end(), some.begin(), some.end());
    const std::vector<std::uint8_t> alive = trim(ranks_, homes, spans_, txns, inside, job_.sessions);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < txns.size(); ++i) {
      if (alive[i] != 0) txns[kept++] = txns[i];
    }
    txns.resize(kept);
    std::erase_if(inside, [&](const PlacedEdge& edge) { return !is_one_of(txns, edge.from()); });
  }

  static bool is_one_of(const std::vector<SpanTxn>& txns, std::uint64_t place) {
    const auto at = std::lower_bound(txns.begin(), txns.end(), place,
                                     [](const SpanTxn& txn, std::uint64_t p) { return txn.place < p; });
    return at != txns.end() && at->place == place;
  }

  Result<std::optional<SpanGraph>> at_owners(const std::vector<SpanTxn>& txns, const std::vector<PlacedEdge>& inside) {
    SpanGraph graph;
    graph.left = ranks_.sum(txns.size());
    std::vector<std::vector<SpanTxn>> txns_to(ranks_.size());
    std::vector<std::vector<PlacedEdge>> edges_to(ranks_.size());
    std::vector<std::uint64_t> bytes(ranks_.size(), 0);
    for (const SpanTxn& txn : txns) txns_to[owner(txn.place)].push_back(txn);
    for (const PlacedEdge& edge : inside) edges_to[owner(edge.from())].push_back(edge);
    for (std::size_t r = 0; r < bytes.size(); ++r)
      bytes[r] = txns_to[r].size() * kBytesPerTxn + edges_to[r].size() * kBytesPerEdge;
    const std::vector<std::uint64_t> all = gathered(ranks_, bytes);
    for (std::size_t r = 0; r < bytes.size(); ++r) {
      std::uint64_t sum = 0;
      for (std::size_t i = r; i < all.size(); i += bytes.size()) sum += all[i];
      graph.most_bytes = std::max(graph.most_bytes, sum);
    }
    if (graph.most_bytes > job_.most) return std::optional<SpanGraph>();
    for (const std::vector<SpanTxn>& some : exchanged(ranks_, txns_to))
      graph.txns.insert(graph.txns.end(), some.begin(), some.end());
    for (const std::vector<PlacedEdge>& some : exchanged(ranks_, edges_to))
      graph.edges.insert(graph.edges.end(), some.begin(), some.end());
    // The order does not depend on which rank had what.
    std::sort(graph.txns.begin(), graph.txns.end(),
              [](const SpanTxn& a, const SpanTxn& b) { return a.place < b.place; });
    std::erase_if(graph.edges, [&](const PlacedEdge& edge) {
      return !is_one_of(graph.txns, edge.from()) || !is_one_of(graph.txns, edge.to());
    });
    std::sort(graph.edges.begin(), graph.edges.end());
    return std::optional(std::move(graph));
  }
  [[nodiscard]] std::size_t owner(std::uint64_t place) const {
    return owner_of_span(span_of(spans_, place), ranks_.size());
  }

  Ranks& ranks_;
  Parts& parts_;
  const std::vector<Span>& spans_;
  const SpanJob& job_;
};

}  // namespace

std::uint32_t SpanGraph::at(std::uint64_t place) const {
  const auto here = std::lower_bound(txns.begin(), txns.end(), place,
                                     [](const SpanTxn& txn, std::uint64_t p) { return txn.place < p; });
  return static_cast<std::uint32_t>(here - txns.begin());
}

Result<std::optional<SpanGraph>> gather_spans(Ranks& ranks, Parts& parts, const std::vector<Span>& spans,
                                              const std::vector<const std::vector<PlacedEdge>*>& edges,
                                              const SpanJob& job) {
  return SpanGathering(ranks, parts, spans, job).run(edges);
}

}  // namespace isolde::batch
