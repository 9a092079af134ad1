#include "check/cycles/start_order.h"

#include <algorithm>
#include <tuple>

#include "check/cycles/version_runs.h"

namespace isolde::graph {
namespace {

constexpr const char* kTies = "the order of transactions with the same timestamp is not known";

// A point in time, and its turn among points of that time: commits of what had started earlier, transactions that write
// and start and commit at once, all else.
struct Moment {
  std::int64_t time = kNoTime;
  int turn = 0;
  friend auto operator<=>(const Moment&, const Moment&) = default;
};

class StartOrderCheck {
 public:
  StartOrderCheck(const History& h, const Trace& trace, const VersionOrders& orders,
                  std::span<const PredicateEdge> predicates, const LevelRow& row)
      : h_(h), trace_(trace), orders_(orders), predicates_(predicates), row_(row) {}

  StartOrder run() {
    out_.applies = find_moments();
    if (!out_.applies || !out_.anomalies.empty()) return std::move(out_);
    order_open_keys();
    const Dependencies graph = find_dependencies(h_, trace_, orders_, {}, predicates_, row_.edges);
    look_at_arcs(graph);
    if (row_.edges.has(Edge::kRealtime)) look_at_clocks();
    if (out_.anomalies.empty() && !line_up(graph)) out_.unsure = kTies;
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool writes(TxnId t) const { return trace_.first_version[raw(t)] != trace_.first_version[raw(t) + 1]; }
  [[nodiscard]] bool is_instant_writer(TxnId t) const { return start_[raw(t)].turn == 1; }

  bool find_moments() {
    if (h_.columns().start_ts.empty()) return false;
    start_.resize(h_.txn_count());
    commit_.resize(h_.txn_count());
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      const TxnId id{t};
      if (!trace_.is_counted(id)) continue;
      const std::int64_t start = h_.start_ts(id);
      const std::int64_t commit = h_.commit_ts(id) == kNoTime && !writes(id) ? start : h_.commit_ts(id);
      if (start == kNoTime || commit == kNoTime) return false;
      const bool instant = start == commit;
      start_[t] = {start, instant && writes(id) ? 1 : 2};
      commit_[t] = {commit, !instant ? 0 : writes(id) ? 1 : 2};
      if (start <= commit) continue;
      Anomaly a{};
      a.kind = AnomalyKind::kTimestampOrder;
      a.transactions = {id};
      a.steps.push_back({StepType::kProgram, id, id});
      out_.anomalies.push_back(std::move(a));
    }
    return true;
  }

  // The versions of a key whose order is open, by commit. Of one moment, those that were read later come last; else
  // they stay as they were known to be.
  void order_open_keys() {
    using Place = std::pair<Moment, bool>;
    std::vector<bool> read_later(trace_.versions.size(), false);
    for (const TracedRead& read : trace_.reads) {
      if (read.version >= trace_.versions.size()) continue;
      if (start_[raw(read.txn)] > commit_[raw(trace_.versions[read.version].txn)]) read_later[read.version] = true;
    }
    std::vector<std::pair<Place, Version>> all;
    for (std::uint32_t k = 0; k + 1 < orders_.heads_begin.size(); ++k) {
      if (orders_.heads_begin[k] == orders_.heads_begin[k + 1]) continue;
      all.clear();
      const auto add = [&](Version head) {
        for (Version v = head; v != kNoVersion; v = orders_.next[v])
          all.emplace_back(Place{commit_[raw(trace_.versions[v].txn)], read_later[v]}, v);
      };
      add(orders_.first[k]);
      for (std::uint32_t i = orders_.heads_begin[k]; i < orders_.heads_begin[k + 1]; ++i) add(orders_.heads[i]);
      std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      orders_.first[k] = all[0].second;
      for (std::size_t i = 0; i < all.size(); ++i) {
        orders_.next[all[i].second] = i + 1 < all.size() ? all[i + 1].second : kNoVersion;
        if (i > 0) orders_.why[all[i].second] = Ground::kTimestamps;
      }
    }
    orders_.heads.clear();
    std::fill(orders_.heads_begin.begin(), orders_.heads_begin.end(), 0);
    orders_.open = kNoKey;
  }

  void look_at_arcs(const Dependencies& graph) {
    const Evidence evidence{h_, trace_, orders_, {}, predicates_, graph};
    std::vector<std::pair<std::uint32_t, Edge>> arcs;
    for (std::uint32_t t = 0; t < graph.txns; ++t) {
      arcs.clear();
      for (const Arc arc : graph.from(t)) {
        if (arc.to() < graph.txns && arc.type() != Edge::kRealtime) arcs.emplace_back(arc.to(), arc.type());
      }
      std::sort(arcs.begin(), arcs.end());
      arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
      for (const auto& [to, type] : arcs) look_at(evidence, TxnId{t}, TxnId{to}, type);
    }
  }

  void look_at(const Evidence& evidence, TxnId a, TxnId b, Edge type) {
    const bool anti = type == Edge::kRw;
    const Moment from = anti ? start_[raw(a)] : commit_[raw(a)];
    const Moment to = anti ? commit_[raw(b)] : start_[raw(b)];
    if (from == to && from.turn == 1) ties_.emplace_back(a, b);
    if (from <= to) return;
    if (!anti && from.time == to.time) {
      unsure_ = true;
      return;
    }
    Anomaly found{};
    found.kind = anti ? AnomalyKind::kGSIb : type == Edge::kSession ? AnomalyKind::kSessionOrder : AnomalyKind::kGSIa;
    found.transactions = anti ? std::vector{a, b} : std::vector{b, a};
    found.steps = explain_arc(evidence, row_, a, b, type);
    if (found.steps.empty()) return;
    if (anti && is_tied(found.steps[0])) {
      unsure_ = true;
      return;
    }
    found.key = found.steps[0].key;
    found.steps.push_back({anti ? StepType::kVisible : StepType::kInvisible, b, a});
    out_.anomalies.push_back(std::move(found));
  }

  // The version that was read and the one that overwrote it are of one moment: they may have come in the other order.
  [[nodiscard]] bool is_tied(const Step& s) const {
    if (s.ground != Ground::kTimestamps) return false;
    for (const TracedRead& read : trace_.reads_of(s.from)) {
      if (read.op != s.from_op || read.key != s.key || read.version >= trace_.versions.size()) continue;
      return commit_[raw(trace_.versions[read.version].txn)] == commit_[raw(s.to)];
    }
    return false;
  }

  // Who had ended, by the client's clock, is in the snapshot of who began then.
  void look_at_clocks() {
    for_each_late([&](TxnId late, auto&& latest) {
      const TxnId before = latest([this](TxnId t) { return commit_[raw(t)]; });
      if (before == kNoTxn || commit_[raw(before)] <= start_[raw(late)]) return;
      if (commit_[raw(before)].time == start_[raw(late)].time) {
        unsure_ = true;
        return;
      }
      Anomaly found{};
      found.kind = AnomalyKind::kRealtimeOrder;
      found.transactions = {late, before};
      found.steps = {{StepType::kRealtime, before, late}, {StepType::kInvisible, late, before}};
      out_.anomalies.push_back(std::move(found));
    });
  }

  // f(t, latest) for each that has a begin, in that order; latest(place): of those that had ended by then, but t, the
  // one of the greatest place. Places must not change between calls.
  template <typename F>
  void for_each_late(F&& f) const {
    std::vector<TxnId> by_begin, by_end;
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      const TxnId id{t};
      if (!trace_.is_counted(id)) continue;
      if (h_.begin(id) != kNoTime) by_begin.push_back(id);
      if (h_.end(id) != kNoTime && h_.status(id) == Status::kCommitted) by_end.push_back(id);
    }
    std::sort(by_begin.begin(), by_begin.end(), [this](TxnId a, TxnId b) { return h_.begin(a) < h_.begin(b); });
    std::sort(by_end.begin(), by_end.end(), [this](TxnId a, TxnId b) { return h_.end(a) < h_.end(b); });
    std::size_t ended = 0;
    TxnId greatest = kNoTxn;
    TxnId second = kNoTxn;  // an end may stand before its own begin
    for (const TxnId t : by_begin) {
      f(t, [&](auto&& place) {
        const auto above = [&](TxnId a, TxnId b) { return b == kNoTxn || place(a) > place(b); };
        for (; ended < by_end.size() && h_.end(by_end[ended]) < h_.begin(t); ++ended) {
          if (above(by_end[ended], greatest)) {
            second = greatest;
            greatest = by_end[ended];
          } else if (above(by_end[ended], second)) {
            second = by_end[ended];
          }
        }
        return greatest == t ? second : greatest;
      });
    }
  }

  // False: equal timestamps leave a choice that was not found.
  bool line_up(const Dependencies& graph) {
    const Sorted sorted = sort_nodes(graph, row_.nodes);
    if (unsure_ || !sorted.components.empty()) return false;
    std::vector<std::uint32_t> place(2 * std::size_t{h_.txn_count()}, 0);
    for (std::uint32_t i = 0; i < sorted.order.size(); ++i) {
      if (sorted.order[i] < place.size()) place[sorted.order[i]] = i;
    }
    if (!order_instant_writers(place)) return false;
    using Point = std::tuple<Moment, std::uint32_t, std::uint32_t>;
    std::vector<Point> points;
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!trace_.is_counted(TxnId{t})) continue;
      points.emplace_back(start_[t], place[2 * t], 2 * t);
      points.emplace_back(commit_[t], place[2 * t + 1], 2 * t + 1);
    }
    std::sort(points.begin(), points.end());
    for (std::uint32_t i = 0; i < points.size(); ++i) {
      out_.events.push_back(std::get<2>(points[i]));
      place[out_.events.back()] = i;
    }
    bool holds = true;
    if (row_.edges.has(Edge::kRealtime)) {
      for_each_late([&](TxnId late, auto&& latest) {
        const TxnId before = latest([&](TxnId t) { return place[2 * raw(t) + 1]; });
        holds &= before == kNoTxn || place[2 * raw(before) + 1] < place[2 * raw(late)];
      });
    }
    if (!holds) out_.events.clear();
    return holds;
  }

  // Those of one time come one after the other, as their dependencies say.
  bool order_instant_writers(std::vector<std::uint32_t>& place) const {
    RunGraph graph(h_.txn_count());
    if (ties_.empty()) {
      for (std::uint32_t t = 0; t < h_.txn_count(); ++t) set_place(place, t, t);
      return true;
    }
    for (const auto& [a, b] : ties_) graph.before(raw(a), raw(b));
    std::vector<std::uint32_t> order;
    if (graph.sort(order) == RunGraph::Answer::kCycle) return false;
    for (std::uint32_t i = 0; i < order.size(); ++i) set_place(place, order[i], i);
    return true;
  }
  void set_place(std::vector<std::uint32_t>& place, std::uint32_t t, std::uint32_t turn) const {
    if (!trace_.is_counted(TxnId{t}) || !is_instant_writer(TxnId{t})) return;
    place[2 * t] = 2 * turn;
    place[2 * t + 1] = 2 * turn + 1;
  }

  const History& h_;
  const Trace& trace_;
  VersionOrders orders_;
  const std::span<const PredicateEdge> predicates_;
  const LevelRow& row_;
  StartOrder out_;
  std::vector<Moment> start_, commit_;         // by transaction
  std::vector<std::pair<TxnId, TxnId>> ties_;  // of writers that start and commit at one and the same time
  bool unsure_ = false;
};

}  // namespace

StartOrder check_start_order(const History& history, const Trace& trace, const VersionOrders& orders,
                             std::span<const PredicateEdge> predicates, const LevelRow& row) {
  return StartOrderCheck(history, trace, orders, predicates, row).run();
}

}  // namespace isolde::graph
