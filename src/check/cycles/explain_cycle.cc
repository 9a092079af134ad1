#include "check/cycles/explain_cycle.h"

#include <algorithm>
#include <optional>

#include "check/accesses.h"
#include "check/cycles/causal.h"
#include "check/cycles/cycle_search.h"

namespace isolde::graph {
namespace {

constexpr std::uint64_t kCycleBudget = 4'000'000;              // edges that the search of one component may look at
constexpr std::uint64_t kAllCyclesBudget = 10 * kCycleBudget;  // over all components

// Names the steps of a cycle by operations, and the cycle by its steps.
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
        step({StepType::kWw, a, b, at->key, write_of(a, at->key), write_of(b, at->key), Ground::kSeen, kNoTxn,
              at->reader});
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
    if (given_cycle() || (rw == 0 && (has(Ground::kSeen) || has(Ground::kPast)))) return AnomalyKind::kCyclicVersions;
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

  // One key, and an order that was given takes part: it is the evidence that goes in a cycle.
  [[nodiscard]] bool given_cycle() const {
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
      step({StepType::kWr, a, b, e->key, write_of(a, e->key), e->op, e->ground});
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
      step({StepType::kRw, a, b, e->key, e->op, write_of(b, e->key), e->ground});
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

Anomaly explain_cycle(const Evidence& evidence, const LevelRow& row, std::span<const std::uint32_t> component,
                      std::uint64_t& budget) {
  const Walk walk = find_cycle(evidence.graph, row, component, budget);
  Namer namer(evidence, row);
  std::uint32_t left = kNone32;  // the transaction from which real time was entered
  for (const Hop& hop : walk) {
    if (hop.to >= evidence.graph.txns) {
      if (hop.from < evidence.graph.txns) left = hop.from;
    } else {
      namer.add(hop.from < evidence.graph.txns ? hop.from : left, hop.to, hop.type);
    }
  }
  return namer.finish(budget);
}

}  // namespace

void add_cycles(const Evidence& evidence, const LevelRow& row, const Sorted& sorted, const Limits& limits,
                Verdict& verdict) {
  std::uint64_t budget = kAllCyclesBudget;
  for (const auto& component : sorted.components) {
    std::uint64_t share = std::min(budget, kCycleBudget);
    const std::uint64_t given = share;
    Anomaly cycle = explain_cycle(evidence, row, component, share);
    budget -= given - share;
    verdict.add(std::move(cycle), limits.max_anomalies);
  }
  limits.spend(kAllCyclesBudget - budget);
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
