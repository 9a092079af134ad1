#include "check/graph/explain_cycle.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "check/accesses.h"
#include "check/graph/causal.h"

namespace isolde::graph {
namespace {

struct Hop {
  std::uint32_t from, to;  // local nodes
  Edge type;
};
using Walk = std::vector<Hop>;

// Of the states of a search: whether the last hop ended at the commit of its transaction, from where no
// anti-dependency may follow.
enum class Adjacent : std::uint8_t { kAllow, kForbid, kForbidAfterWw };

class CycleSearch {
 public:
  CycleSearch(const Evidence& evidence, const LevelRow& row, std::span<const std::uint32_t> component,
              std::uint64_t& budget)
      : e_(evidence), row_(row), budget_(budget) {
    const std::uint32_t n = e_.graph.txns;
    for (const std::uint32_t node : component) {
      if (row.nodes == Nodes::kTransactions) {
        global_.push_back(node);
      } else {
        global_.push_back(node >= 2 * n ? node - n : node / 2);
        if (node < 2 * n && node % 2 == 0) starts_.push_back(node / 2);
      }
    }
    std::sort(global_.begin(), global_.end());
    global_.erase(std::unique(global_.begin(), global_.end()), global_.end());
    for (std::uint32_t& start : starts_) start = *local(start);
    if (row.nodes == Nodes::kTransactions) {
      for (std::uint32_t v = 0; v < global_.size(); ++v) starts_.push_back(v);
    }
    std::sort(starts_.begin(), starts_.end());
    begin_.push_back(0);
    for (std::uint32_t v = 0; v < global_.size(); ++v) {
      for (const Arc arc : e_.graph.from(global_[v])) {
        if (const auto to = local(arc.to())) arcs_.emplace_back(*to, arc.type());
      }
      begin_.push_back(static_cast<std::uint32_t>(arcs_.size()));
    }
    stamp_.assign(2 * global_.size(), 0);
    parent_.resize(2 * global_.size());
    distance_.resize(2 * global_.size());
  }

  Walk run() {
    EdgeSet orders;
    for (const Edge added : {Edge::kWw, Edge::kSession, Edge::kRealtime}) {  // kWw: nothing added
      if (!row_.edges.has(added) && added != Edge::kWw) continue;
      orders = added == Edge::kWw ? EdgeSet() : orders | added;
      for (const EdgeSet edges : {EdgeSet(Edge::kWw), Edge::kWw | Edge::kWr, Edge::kWw | Edge::kWr | Edge::kSeen}) {
        if (Walk walk = flow_cycle(edges | orders); !walk.empty()) return walk;
      }
      if (!row_.edges.has(Edge::kRw)) continue;
      const EdgeSet flow = Edge::kWw | Edge::kWr | orders;
      const bool last = !row_.edges.has(Edge::kSession) ||
                        (added == Edge::kSession && !row_.edges.has(Edge::kRealtime)) || added == Edge::kRealtime;
      if (row_.nodes != Nodes::kPrefixPoints) {
        if (Walk walk = single(flow); !walk.empty()) return walk;
      }
      const bool sure = last && row_.nodes != Nodes::kTransactions;
      const Adjacent adjacent = row_.nodes == Nodes::kPrefixPoints ? Adjacent::kForbidAfterWw : Adjacent::kForbid;
      if (Walk walk = from_starts(flow | Edge::kRw, adjacent, sure); !walk.empty()) return walk;
      if (row_.nodes != Nodes::kTransactions) continue;
      if (Walk walk = from_starts(flow | Edge::kRw, Adjacent::kAllow, last); !walk.empty()) return walk;
    }
    return {};
  }

  [[nodiscard]] std::uint32_t node(std::uint32_t v) const { return global_[v]; }

 private:
  [[nodiscard]] std::optional<std::uint32_t> local(std::uint32_t global) const {
    const auto at = std::lower_bound(global_.begin(), global_.end(), global);
    if (at == global_.end() || *at != global) return std::nullopt;
    return static_cast<std::uint32_t>(at - global_.begin());
  }
  [[nodiscard]] bool is_time(std::uint32_t v) const { return global_[v] >= e_.graph.txns; }

  // The shortest walk from `from` to `to` over these edges; arriving at `to` in the state that it started in. Hops
  // between time nodes are free.
  Walk shortest(std::uint32_t from, std::uint32_t to, EdgeSet edges, Adjacent adjacent, std::size_t below) {
    ++epoch_;
    std::deque<std::uint32_t> queue;
    bool first = true;
    const std::uint32_t start = 2 * from;
    queue.push_back(start);
    const auto reach = [&](std::uint32_t state, std::uint32_t next, Edge type, std::uint32_t far) {
      stamp_[next] = epoch_;
      parent_[next] = {state, type};
      distance_[next] = far;
    };
    distance_[start] = 0;
    while (!queue.empty()) {
      const std::uint32_t state = queue.front();
      queue.pop_front();
      const std::uint32_t v = state / 2;
      const std::uint32_t so_far = first ? 0 : distance_[state];
      if (so_far + std::size_t{1} >= below) continue;
      first = false;
      for (std::uint32_t i = begin_[v]; i < begin_[v + 1]; ++i) {
        if (budget_ > 0) --budget_;
        const Edge type = arcs_[i].type();
        if (!edges.has(type)) continue;
        if (type == Edge::kRw && adjacent != Adjacent::kAllow && state % 2 == 1) continue;
        const bool commit = (type == Edge::kRw && adjacent != Adjacent::kAllow) ||
                            (type == Edge::kWw && adjacent == Adjacent::kForbidAfterWw);
        const std::uint32_t next = 2 * arcs_[i].to() + (commit ? 1 : 0);
        if (stamp_[next] == epoch_) continue;
        const bool free = is_time(v);
        reach(state, next, type, so_far + (free ? 0 : 1));
        if (next == 2 * to) return unwind(start, next);
        free ? queue.push_front(next) : queue.push_back(next);
      }
    }
    return {};
  }

  Walk unwind(std::uint32_t start, std::uint32_t end) const {
    Walk walk;
    std::uint32_t state = end;
    do {
      const auto [before, type] = parent_[state];
      walk.push_back({before / 2, state / 2, type});
      state = before;
    } while (state != start);
    std::reverse(walk.begin(), walk.end());
    return walk;
  }

  // How many steps a person will read.
  [[nodiscard]] std::size_t length(const Walk& walk) const {
    return static_cast<std::size_t>(
        std::count_if(walk.begin(), walk.end(), [this](const Hop& hop) { return !is_time(hop.to); }));
  }

  void keep_shorter(Walk walk, Walk& best) const {
    if (!walk.empty() && (best.empty() || length(walk) < length(best))) best = std::move(walk);
  }
  [[nodiscard]] std::size_t bound(const Walk& best) const {
    return best.empty() ? std::numeric_limits<std::size_t>::max() : length(best) + 1;
  }

  // A cycle over edges that are no anti-dependencies.
  Walk flow_cycle(EdgeSet edges) {
    std::vector<std::uint32_t> begin{0};
    std::vector<std::uint32_t> to;
    for (std::uint32_t v = 0; v < global_.size(); ++v) {
      for (std::uint32_t i = begin_[v]; i < begin_[v + 1]; ++i) {
        if (edges.has(arcs_[i].type()) && row_.edges.has(arcs_[i].type())) to.push_back(arcs_[i].to());
      }
      begin.push_back(static_cast<std::uint32_t>(to.size()));
    }
    Walk best;
    for (const auto& component : strong_components(begin, to)) {
      for (const std::uint32_t v : component) {
        if (is_time(v)) continue;
        keep_shorter(shortest(v, v, edges, Adjacent::kAllow, bound(best)), best);
        if (length(best) == 2 || budget_ == 0) break;
      }
      if (!best.empty()) break;
    }
    return best;
  }

  // A cycle with one anti-dependency.
  Walk single(EdgeSet flow) {
    Walk best;
    for (std::uint32_t v = 0; v < global_.size() && budget_ > 0; ++v) {
      for (std::uint32_t i = begin_[v]; i < begin_[v + 1] && budget_ > 0; ++i) {
        if (arcs_[i].type() != Edge::kRw) continue;
        Walk walk = shortest(arcs_[i].to(), v, flow, Adjacent::kAllow, best.empty() ? bound(best) : length(best) - 1);
        if (walk.empty()) continue;
        walk.insert(walk.begin(), Hop{v, arcs_[i].to(), Edge::kRw});
        keep_shorter(std::move(walk), best);
        if (length(best) == 2) return best;
      }
    }
    return best;
  }

  Walk from_starts(EdgeSet edges, Adjacent adjacent, bool sure) {
    Walk best;
    for (const std::uint32_t v : starts_) {
      if (is_time(v)) continue;
      if (budget_ == 0 && (!sure || !best.empty())) break;
      keep_shorter(shortest(v, v, edges, adjacent, bound(best)), best);
      if (length(best) == 2) break;
    }
    return best;
  }

  const Evidence& e_;
  const LevelRow& row_;
  std::uint64_t& budget_;
  std::vector<std::uint32_t> global_;  // ordered
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> begin_;
  std::vector<Arc> arcs_;
  std::vector<std::uint32_t> stamp_, distance_;
  std::vector<std::pair<std::uint32_t, Edge>> parent_;
  std::uint32_t epoch_ = 0;
};

class Namer {
 public:
  Namer(const Evidence& evidence, const LevelRow& row) : e_(evidence), h_(evidence.history), row_(row) {}

  void add(std::uint32_t from, std::uint32_t to, Edge type) {
    const TxnId a{from};
    const TxnId b{to};
    switch (type) {
      case Edge::kWw:
        ww(a, b);
        break;
      case Edge::kWr:
        wr(a, b);
        break;
      case Edge::kRw:
        rw(a, b);
        break;
      case Edge::kSession:
        step({StepType::kSession, a, b});
        break;
      case Edge::kRealtime:
        step({StepType::kRealtime, a, b});
        break;
      case Edge::kSeen: {
        const auto at =
            std::lower_bound(e_.seen.begin(), e_.seen.end(), std::pair(a, b),
                             [](const Seen& s, const auto& wanted) { return std::pair(s.before, s.after) < wanted; });
        step({StepType::kWw, a, b, at->key, write_of(a, at->key), write_of(b, at->key), Ground::kSeen});
        readers_.push_back(at->reader);
        seen_at_ = anomaly_.steps.size() - 1;
        ++seen_;
        break;
      }
    }
  }

  [[nodiscard]] std::vector<Step> steps() { return std::move(anomaly_.steps); }

  Anomaly finish(std::uint64_t& budget) {
    anomaly_.kind = kind();
    const bool by_session = has(StepType::kSession);
    if (row_.seen == SeenRule::kPast && seen_ == 1) tell_by_past(budget);
    add_order_and_transactions(anomaly_);
    if (by_session && anomaly_.variant == Variant::kPlain) anomaly_.variant = Variant::kSession;
    for (const TxnId reader : readers_) add_txn(reader);
    return std::move(anomaly_);
  }

 private:
  void step(const Step& s) { anomaly_.steps.push_back(s); }

  // The cycle is: `older` is in the past of `newer`, which is in the past of the reader; and that one read the key from
  // `older`. Told from the reader's side it is plainer.
  void tell_by_past(std::uint64_t& budget) {
    const Step seen = anomaly_.steps[seen_at_];
    const TxnId newer = seen.from;
    const TxnId older = seen.to;
    const TxnId reader = readers_[0];
    // Beside the past, a step from the one version to the other may show the order.
    Ground shown = Ground::kReads;
    for (std::size_t i = 0; i < anomaly_.steps.size(); ++i) {
      const Step& s = anomaly_.steps[i];
      if (i == seen_at_ || s.type != StepType::kWw) continue;
      if (s.key != seen.key || s.from != older || s.to != newer) return;
      shown = s.ground;
    }
    std::vector<Step> path = causal_path(h_, e_.trace, newer, reader, budget);
    if (path.empty()) return;
    for (const TracedRead& read : e_.trace.reads_of(reader)) {
      if (read.key != seen.key || read.version >= e_.trace.versions.size()) continue;
      if (e_.trace.versions[read.version].txn != older) continue;
      path.push_back({StepType::kRw, reader, newer, read.key, read.op, write_of(newer, read.key), shown});
      anomaly_.steps = std::move(path);
      anomaly_.kind = AnomalyKind::kGSingle;
      readers_[0] = older;
      return;
    }
  }
  void add_txn(TxnId t) {
    auto& all = anomaly_.transactions;
    if (std::find(all.begin(), all.end(), t) == all.end()) all.push_back(t);
  }
  [[nodiscard]] bool has(StepType type) const { return count(type) > 0; }
  [[nodiscard]] std::size_t count(StepType type) const {
    return static_cast<std::size_t>(
        std::count_if(anomaly_.steps.begin(), anomaly_.steps.end(), [type](const Step& s) { return s.type == type; }));
  }

  [[nodiscard]] AnomalyKind kind() const {
    if (seen_ > 0) {
      return row_.seen == SeenRule::kPast  ? AnomalyKind::kCyclicVersions
             : row_.seen == SeenRule::kAny ? AnomalyKind::kFracturedRead
                                           : AnomalyKind::kOTV;
    }
    const std::size_t rw = count(StepType::kRw);
    if (given_circle() || (rw == 0 && (has(Ground::kSeen) || has(Ground::kPast)))) return AnomalyKind::kCyclicVersions;
    if (rw == 1) return AnomalyKind::kGSingle;
    if (rw == 0 && has(StepType::kWr)) return AnomalyKind::kG1c;
    if (rw == 0) return has(StepType::kWw) ? AnomalyKind::kG0 : AnomalyKind::kRealtimeOrder;
    const auto& steps = anomaly_.steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].type == StepType::kRw && steps[(i + 1) % steps.size()].type == StepType::kRw)
        return phantom_ ? AnomalyKind::kG2 : AnomalyKind::kG2Item;
    }
    return AnomalyKind::kGNonadjacent;
  }

  // One key, and an order that was given takes part: it is the evidence that goes in a circle.
  [[nodiscard]] bool given_circle() const {
    const auto& steps = anomaly_.steps;
    const auto on_first = [&](const Step& s) { return s.type == StepType::kWw && s.key == steps[0].key; };
    return std::all_of(steps.begin(), steps.end(), on_first) && has(Ground::kGiven);
  }
  [[nodiscard]] bool has(Ground wanted) const {
    return std::any_of(anomaly_.steps.begin(), anomaly_.steps.end(),
                       [wanted](const Step& s) { return s.ground == wanted; });
  }

  void ww(TxnId a, TxnId b) {
    const Trace& trace = e_.trace;
    for (Version v = trace.first_version[raw(a)]; v < trace.first_version[raw(a) + 1]; ++v) {
      const Version own = trace.version_of(b, trace.versions[v].key);
      const auto why = own == kNoVersion ? std::nullopt : ground(v, own);
      if (!why) continue;
      const KeyId key = trace.versions[v].key;
      step({StepType::kWw, a, b, key, write_of(a, key), write_of(b, key), *why});
      return;
    }
  }

  void wr(TxnId a, TxnId b) {
    for (const TracedRead& read : e_.trace.reads_of(b)) {
      if (read.version >= e_.trace.versions.size() || e_.trace.versions[read.version].txn != a) continue;
      return step({StepType::kWr, a, b, read.key, write_of(a, read.key), read.op});
    }
    if (const PredicateEdge* const e = predicate(b, a, false)) {
      step({StepType::kWr, a, b, e->key, write_of(a, e->key), e->op});
    }
  }

  // A dependency that a predicate operation of `reader` makes.
  [[nodiscard]] const PredicateEdge* predicate(TxnId reader, TxnId other, bool anti) const {
    auto at = std::lower_bound(e_.predicates.begin(), e_.predicates.end(), reader,
                               [](const PredicateEdge& e, TxnId t) { return e.reader < t; });
    for (; at != e_.predicates.end() && at->reader == reader; ++at) {
      if (at->other == other && at->anti == anti) return &*at;
    }
    return nullptr;
  }

  void rw(TxnId a, TxnId b) {
    bool done = false;
    for (const TracedRead& read : e_.trace.reads_of(a)) {
      if (read.version == kNoVersion || done) continue;
      for_each_successor(e_.orders, e_.orders.known_after(read.version), read, [&](Version next) {
        if (done || e_.trace.versions[next].txn != b) return;
        const Ground why =
            read.version == kInitialVersion ? Ground::kReads : ground(read.version, next).value_or(Ground::kReads);
        step({StepType::kRw, a, b, read.key, read.op, write_of(b, read.key), why});
        done = true;
      });
    }
    if (const PredicateEdge* const e = done ? nullptr : predicate(a, b, true)) {
      step({StepType::kRw, a, b, e->key, e->op, write_of(b, e->key)});
      phantom_ = true;
    }
  }

  // What the step from one version to a later one rests on; nothing if there is none.
  [[nodiscard]] std::optional<Ground> ground(Version v, Version after) const {
    if (e_.orders.next[v] == after) return e_.orders.why[after];
    for (const auto& pair : e_.orders.known_after(v)) {
      if (pair.after == after) return pair.why;
    }
    return std::nullopt;
  }

  [[nodiscard]] OpId write_of(TxnId t, KeyId key) const { return last_write(h_, t, key); }

  const Evidence& e_;
  const History& h_;
  const LevelRow& row_;
  Anomaly anomaly_{};
  std::vector<TxnId> readers_;
  int seen_ = 0;
  bool phantom_ = false;     // an anti-dependency is one of a predicate
  std::size_t seen_at_ = 0;  // the last of them, in the steps
};

}  // namespace

Anomaly explain_cycle(const Evidence& evidence, const LevelRow& row, std::span<const std::uint32_t> component,
                      std::uint64_t& budget) {
  CycleSearch search(evidence, row, component, budget);
  const Walk walk = search.run();
  Namer namer(evidence, row);
  std::uint32_t left = kNone32;  // the transaction from which real time was entered
  for (const Hop& hop : walk) {
    const std::uint32_t from = search.node(hop.from);
    const std::uint32_t to = search.node(hop.to);
    if (to >= evidence.graph.txns) {
      if (from < evidence.graph.txns) left = from;
    } else {
      namer.add(from < evidence.graph.txns ? from : left, to, hop.type);
    }
  }
  return namer.finish(budget);
}

std::vector<Step> explain_arc(const Evidence& evidence, const LevelRow& row, TxnId from, TxnId to, Edge type) {
  Namer namer(evidence, row);
  namer.add(raw(from), raw(to), type);
  return namer.steps();
}

void add_order_and_transactions(Anomaly& anomaly) {
  const auto has = [&](StepType type) {
    return std::any_of(anomaly.steps.begin(), anomaly.steps.end(), [type](const Step& s) { return s.type == type; });
  };
  anomaly.variant = has(StepType::kRealtime)  ? Variant::kRealtime
                    : has(StepType::kSession) ? Variant::kSession
                                              : Variant::kPlain;
  if (anomaly.kind == AnomalyKind::kRealtimeOrder) anomaly.variant = Variant::kPlain;
  auto& all = anomaly.transactions;
  for (const Step& s : anomaly.steps) {
    if (std::find(all.begin(), all.end(), s.from) == all.end()) all.push_back(s.from);
  }
}

OpId last_write(const History& history, TxnId txn, KeyId key) {
  OpId found = kNoOp;
  for_each_access(history, txn, [&](const Access& a) {
    if (a.kind != OpKind::kRead && a.key == key) found = OpId{a.op};
  });
  return found;
}

}  // namespace isolde::graph
