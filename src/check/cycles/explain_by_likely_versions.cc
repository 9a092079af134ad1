#include "check/cycles/explain_by_likely_versions.h"

#include <algorithm>
#include <queue>

#include "check/cycles/look_edges.h"
#include "check/cycles/views.h"
#include "check/predicates/predicate_replay.h"

namespace isolde::graph {
namespace {

constexpr int kReplayRounds = 24;  // of replays

// Kahn's order; of those that may come next the one that comes first by the clocks. Empty: there is a cycle.
template <typename View>
std::vector<std::uint32_t> order_by(const View& view, const std::vector<std::int64_t>& rank) {
  const std::uint32_t n = view.size();
  std::vector<std::uint32_t> waits(n, 0), order;
  for (std::uint32_t v = 0; v < n; ++v) view.for_each_out(v, [&](std::uint32_t to) { ++waits[to]; });
  const auto later = [&](std::uint32_t a, std::uint32_t b) { return std::pair(rank[a], a) > std::pair(rank[b], b); };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(later)> ready(later);
  for (std::uint32_t v = 0; v < n; ++v) {
    if (waits[v] == 0) ready.push(v);
  }
  while (!ready.empty()) {
    const std::uint32_t v = ready.top();
    ready.pop();
    order.push_back(v);
    view.for_each_out(v, [&](std::uint32_t to) {
      if (--waits[to] == 0) ready.push(to);
    });
  }
  if (order.size() != n) order.clear();
  return order;
}

class Explanation {
 public:
  Explanation(const History& h, const PredicateSet& predicates, const Trace& trace, const VersionOrders& orders,
              const LevelRow& row, const Limits& limits)
      : h_(h), set_(predicates), trace_(trace), orders_(orders), row_(row), limits_(limits), slots_(h, trace, orders) {}

  Witness by(LookBy by) {
    const auto looks = look_edges(h_, set_, trace_, slots_, by, limits_);
    std::vector<PredicateEdge> edges;
    if (!looks->run(edges)) return {};
    Limits wide = limits_;
    wide.max_anomalies = 100'000;
    for (int round = 0; round < kReplayRounds && !limits_.exhausted(); ++round) {
      std::stable_sort(edges.begin(), edges.end(),
                       [](const PredicateEdge& a, const PredicateEdge& b) { return a.reader < b.reader; });
      Witness witness = ordered(edges, by);
      if (witness.events.empty()) {
        if (!drop_cycles(edges)) return {};
        continue;
      }
      const EventForm form = witness.kind == Witness::Kind::kPoints ? EventForm::kPoints : EventForm::kSerial;
      const PredicateReplay replay = replay_predicates(h_, set_, witness.events, form, wide);
      if (replay.explained()) return witness;
      std::vector<TxnId> again;
      for (const PredicateFinding& f : replay.findings) again.push_back(f.txn);
      std::sort(again.begin(), again.end());
      again.erase(std::unique(again.begin(), again.end()), again.end());
      if (again.empty()) return {};
      std::erase_if(edges,
                    [&](const PredicateEdge& e) { return std::binary_search(again.begin(), again.end(), e.reader); });
      for (const TxnId t : again) looks->look_again(t, edges);
    }
    return {};
  }

 private:
  // Of the edges that are part of a cycle, those that may be others by the clocks, else all. False: there are none.
  bool drop_cycles(std::vector<PredicateEdge>& edges) const {
    const Dependencies graph = find_dependencies(h_, trace_, orders_, {}, edges, row_.edges);
    limits_.spend(steps_of(graph));
    const bool points = row_.nodes != Nodes::kTransactions;
    std::vector<std::uint32_t> component(h_.txn_count(), 0);
    std::uint32_t number = 0;
    for (const auto& nodes : sort_nodes(graph, row_.nodes).components) {
      ++number;
      for (const std::uint32_t v : nodes) {
        const std::uint32_t t = points ? v / 2 : v;
        if (t < h_.txn_count()) component[t] = number;
      }
    }
    const auto is_inside = [&](const PredicateEdge& e) {
      const std::uint32_t of = component[raw(e.reader)];
      return of != 0 && of == component[raw(e.other)];
    };
    const std::size_t before = edges.size();
    std::erase_if(edges, [&](const PredicateEdge& e) { return e.ground == kUnsure && is_inside(e); });
    // A later version may do as well as the one that was looked at: then there is an order, only not this one.
    if (edges.size() == before) std::erase_if(edges, is_inside);
    return edges.size() != before;
  }

  Witness ordered(std::span<const PredicateEdge> edges, LookBy by) const {
    const Dependencies graph = find_dependencies(h_, trace_, orders_, {}, edges, row_.edges);
    limits_.spend(steps_of(graph));
    std::vector<std::uint32_t> order;
    if (row_.nodes == Nodes::kTransactions) {
      const TransactionView view{graph};
      std::vector<std::int64_t> rank = ranks(h_, view, Hint::kClocks);
      for (std::uint32_t t = 0; t < graph.txns; ++t) {
        const bool reads_only = trace_.first_version[t] == trace_.first_version[t + 1];
        if (h_.begin(TxnId{t}) != kNoTime) rank[t] = middle(reads_only ? read(TxnId{t}, by) : committed(h_, TxnId{t}));
      }
      order = order_by(view, rank);
    } else {
      const PointView view{graph, row_.nodes == Nodes::kPrefixPoints};
      std::vector<std::int64_t> rank = ranks(h_, view, Hint::kClocks);
      for (std::uint32_t t = 0; t < graph.txns; ++t) {
        if (h_.begin(TxnId{t}) == kNoTime) continue;
        rank[2 * t] = middle(read(TxnId{t}, by));
        rank[2 * t + 1] = middle(committed(h_, TxnId{t}));
      }
      order = order_by(view, rank);
    }
    return order.empty() ? Witness{} : witness_of(std::move(order), trace_, graph.txns, row_.nodes);
  }
  // When a transaction saw the state that it read.
  [[nodiscard]] Span read(TxnId t, LookBy by) const {
    if (h_.first_op(t) == h_.end_op(t)) return committed(h_, t);
    return evaluated(h_, t, statement(h_, t, by));
  }

  const History& h_;
  const PredicateSet& set_;
  const Trace& trace_;
  const VersionOrders& orders_;
  const LevelRow& row_;
  const Limits& limits_;
  Slots slots_;
};

}  // namespace

std::vector<std::uint32_t> places_by_clock(const History& history) {
  std::vector<std::uint32_t> order(history.txn_count());
  std::vector<std::int64_t> asked(history.txn_count());
  for (std::uint32_t t = 0; t < history.txn_count(); ++t) {
    order[t] = t;
    asked[t] = committed(history, TxnId{t}).from;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return asked[a] < asked[b]; });
  std::vector<std::uint32_t> place(history.txn_count());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  return place;
}

Witness explain_by_likely_versions(const History& history, const PredicateSet& predicates, const Trace& trace,
                                   const VersionOrders& orders, const LevelRow& row, const Limits& limits) {
  Explanation explanation(history, predicates, trace, orders, row, limits);
  if (!history.columns().snapshots.empty()) {
    if (Witness w = explanation.by(LookBy::kSnapshot); !w.events.empty()) return w;
  }
  if (history.columns().begin.empty()) return {};
  for (const LookBy by : {LookBy::kFirstStatement, LookBy::kLastStatement}) {
    if (Witness w = explanation.by(by); !w.events.empty()) return w;
  }
  return {};
}

}  // namespace isolde::graph
