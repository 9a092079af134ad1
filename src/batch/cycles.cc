#include "batch/cycles.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "check/cycles/trace.h"
#include "check/cycles/version_order.h"
#include "history/history_builder.h"

namespace isolde::batch {
namespace {

using graph::Dependencies;
using graph::Edge;
using graph::EdgeSet;

// Session order and real time among the transactions, by the engine itself, on transactions without operations.
Result<Dependencies> added_orders(const std::vector<SpanTxn>& txns, const graph::LevelRow& row) {
  HistoryBuilder builder;
  for (const SpanTxn& txn : txns) {
    builder.begin_txn(builder.session(static_cast<std::int64_t>(txn.session)));
    if (txn.begin != kNoTime) builder.set_begin(txn.begin);
    if (txn.end != kNoTime) builder.set_end(txn.end);
    builder.end_txn();
  }
  const auto history = builder.finish();
  if (!history) return history.error();
  graph::Trace trace;
  trace.counts.assign(txns.size(), 1);
  EdgeSet added;
  for (const Edge edge : {Edge::kSession, Edge::kRealtime}) {
    if (row.edges.has(edge)) added = added | edge;
  }
  return graph::find_dependencies(*history, trace, graph::VersionOrders{}, {}, {}, added);
}

// Both as one graph.
Dependencies joined(const SpanGraph& spans, const Dependencies& added) {
  Dependencies all;
  all.txns = added.txns;
  all.nodes = added.nodes;
  all.begin.assign(all.nodes + std::size_t{1}, 0);
  for (const PlacedEdge& edge : spans.edges) ++all.begin[spans.at(edge.from()) + 1];
  for (std::uint32_t v = 0; v < all.nodes; ++v)
    all.begin[v + 1] += all.begin[v] + static_cast<std::uint32_t>(added.from(v).size());
  all.arcs.resize(all.begin.back());
  std::vector<std::uint32_t> at(all.begin.begin(), all.begin.end() - 1);
  for (const PlacedEdge& edge : spans.edges) all.arcs[at[spans.at(edge.from())]++] = {spans.at(edge.to()), edge.type()};
  for (std::uint32_t v = 0; v < all.nodes; ++v) {
    for (const graph::Arc arc : added.from(v)) all.arcs[at[v]++] = arc;
  }
  return all;
}

class CycleFinder {
 public:
  CycleFinder(Ranks& ranks, Parts& parts, const CyclesJob& job)
      : ranks_(ranks), parts_(parts), job_(job), row_(*job.row) {}

  Result<CyclesFound> run(const std::vector<const std::vector<PlacedEdge>*>& edges) {
    SpanCollector collector;
    for (const auto* some : edges) collector.add_backward(*some);
    // Sessions lead forward; real time may not.
    const bool timed = row_.edges.has(Edge::kRealtime);
    if (timed) {
      auto pairs = check_realtime(ranks_, parts_, file_order(), {}, SIZE_MAX, job_.passes, false);
      if (!pairs) return std::move(pairs).error();
      for (const PlacePair& pair : pairs->first) collector.add({pair.after, pair.before});
    }
    const std::vector<Span> spans = collector.gather(ranks_);
    CyclesFound out;
    if (spans.empty()) return out;
    const SpanJob job{!timed, row_.edges.has(Edge::kSession), job_.most};
    auto graph = gather_spans(ranks_, parts_, spans, edges, job);
    if (!graph) return std::move(graph).error();
    if (!*graph) {
      out.open = "too many transactions may stand in a cycle";
      return out;
    }
    out.looked_at = (*graph)->left;
    std::vector<Span> found;
    const Result<void> searched = search(**graph, spans, found);
    if (auto agreed = ranks_.agree(searched); !agreed) return std::move(agreed).error();
    out.core = merged(gathered(ranks_, found));
    return out;
  }

 private:
  Result<void> search(const SpanGraph& graph, const std::vector<Span>& spans, std::vector<Span>& found) const {
    if (graph.txns.empty()) return {};
    const auto added = added_orders(graph.txns, row_);
    if (!added) return added.error();
    const Dependencies all = joined(graph, *added);
    for (const std::vector<std::uint32_t>& component : graph::sort_nodes(all, job_.nodes).components) {
      for (std::uint32_t node : component) {
        if (job_.nodes != graph::Nodes::kTransactions) node /= 2;
        if (node >= all.txns) continue;  // a node of the clock
        const std::uint64_t place = graph.txns[node].place;
        found.push_back(job_.whole_spans ? spans[span_of(spans, place)] : Span{place, place});
      }
    }
    found = merged(std::move(found));
    return {};
  }

  Ranks& ranks_;
  Parts& parts_;
  const CyclesJob& job_;
  const graph::LevelRow& row_;
};

}  // namespace

Result<CyclesFound> find_cycles(Ranks& ranks, Parts& parts, const std::vector<const std::vector<PlacedEdge>*>& edges,
                                const CyclesJob& job) {
  return CycleFinder(ranks, parts, job).run(edges);
}

}  // namespace isolde::batch
