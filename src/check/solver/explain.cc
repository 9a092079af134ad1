#include "check/solver/explain.h"

#include <algorithm>

#include "check/cycles/explain_cycle.h"
#include "check/solver/choices.h"

namespace isolde::solver {
namespace {

using graph::Edge;
using graph::last_write;

class Teller {
 public:
  Teller(const Source& source, const Problem& problem)
      : s_(source), p_(problem), h_(source.history), points_end_((p_.has_points() ? 2 : 1) * p_.txns) {}

  std::vector<Step> tell(Cycle cycle) {
    // It starts at a transaction, so that real time and gates are passed from one.
    const auto first = std::find_if(cycle.begin(), cycle.end(), [&](const Link& l) { return l.from < points_end_; });
    std::rotate(cycle.begin(), first, cycle.end());
    steps_.clear();
    for (const Link& link : cycle) add(link);
    return std::move(steps_);
  }

 private:
  [[nodiscard]] TxnId txn_of(Node v) const { return TxnId{p_.has_points() ? v / 2 : v}; }

  void add(const Link& link) {
    switch (link.kind) {
      case Link::Kind::kKnown:
        return known(link);
      case Link::Kind::kInside:
        return;
      case Link::Kind::kBefore: {
        const KeyId key = common_key(link.a, link.b);
        steps_.push_back({StepType::kWw, link.a, link.b, key, last_write(h_, link.a, key), last_write(h_, link.b, key),
                          Ground::kAssumed});
        return;
      }
      case Link::Kind::kFrom: {
        const Read& read = p_.reads[link.read];
        steps_.push_back({StepType::kWr, link.a, read.txn, read.key, last_write(h_, link.a, read.key), read.op,
                          read.is_fixed() ? Ground::kReads : Ground::kAssumed});
        return;
      }
      case Link::Kind::kAnti: {
        const Read& read = p_.reads[link.read];
        const bool sure = read.is_fixed() && link.a == kNoTxn;
        steps_.push_back({StepType::kRw, read.txn, link.b, read.key, read.op, last_write(h_, link.b, read.key),
                          sure ? Ground::kReads : Ground::kAssumed, link.a});
        return;
      }
    }
  }

  void known(const Link& link) {
    if (link.to >= points_end_) {
      if (link.from < points_end_) left_ = txn_of(link.from);
      return;
    }
    const TxnId to = txn_of(link.to);
    if (link.from >= p_.first_gate) return anti(left_, to, p_.gated_keys[link.from - p_.first_gate]);
    if (link.from >= points_end_) {
      steps_.push_back({StepType::kRealtime, left_, to});
      return;
    }
    const TxnId from = txn_of(link.from);
    if (from == to) return;
    const bool from_start = p_.has_points() && link.from % 2 == 0;
    for (const Edge type : {Edge::kWr, Edge::kSession, Edge::kWw, Edge::kRw}) {
      if (p_.has_points() && from_start != (type == Edge::kRw)) continue;
      if (p_.form == graph::Nodes::kPrefixPoints && type != Edge::kRw && (type == Edge::kWw) != (link.to % 2 == 1))
        continue;
      if (!has_arc(from, to, type)) continue;
      const graph::Evidence evidence{h_, s_.trace, s_.orders, {}, {}, s_.graph};
      const auto steps = graph::explain_arc(evidence, s_.row, from, to, type);
      if (steps.empty()) continue;
      steps_.insert(steps_.end(), steps.begin(), steps.end());
      return;
    }
    // Edges that only the problem has.
    for (const Read& read : p_.reads_of(to)) {
      if (!read.is_fixed() || p_.candidates[read.first] != from) continue;
      steps_.push_back({StepType::kWr, from, to, read.key, last_write(h_, from, read.key), read.op});
      return;
    }
    for (const Read& read : p_.reads_of(from)) {
      if (read.is_fixed() && p_.candidates[read.first] == kNoTxn && writes(to, read.key))
        return anti(from, to, read.key);
    }
  }

  // `from` read the key in its initial state, and `to` wrote it.
  void anti(TxnId from, TxnId to, KeyId key) {
    if (from == to) return;
    for (const Read& read : p_.reads_of(from)) {
      if (read.key != key) continue;
      steps_.push_back({StepType::kRw, from, to, key, read.op, last_write(h_, to, key)});
      return;
    }
  }

  [[nodiscard]] bool has_arc(TxnId from, TxnId to, Edge type) const {
    const auto arcs = s_.graph.from(raw(from));
    return std::any_of(arcs.begin(), arcs.end(),
                       [&](graph::Arc arc) { return arc.to() == raw(to) && arc.type() == type; });
  }
  [[nodiscard]] bool writes(TxnId t, KeyId key) const {
    const auto keys = p_.keys_of(t);
    return std::binary_search(keys.begin(), keys.end(), key);
  }
  [[nodiscard]] KeyId common_key(TxnId a, TxnId b) const {
    for (const KeyId key : p_.keys_of(a)) {
      if (writes(b, key)) return key;
    }
    return kNoKey;
  }

  const Source& s_;
  const Problem& p_;
  const History& h_;
  const Node points_end_;
  TxnId left_ = kNoTxn;  // from where real time or a gate was entered
  std::vector<Step> steps_;
};

AnomalyKind kind_of(std::span<const Step> steps) {
  const auto is = [&](std::size_t i, StepType type) { return steps[i % steps.size()].type == type; };
  std::size_t rw = 0, wr = 0, ww = 0;
  bool adjacent = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    rw += is(i, StepType::kRw) ? 1 : 0;
    wr += is(i, StepType::kWr) ? 1 : 0;
    ww += is(i, StepType::kWw) ? 1 : 0;
    adjacent |= is(i, StepType::kRw) && is(i + 1, StepType::kRw);
  }
  if (rw == 1) return AnomalyKind::kGSingle;
  if (rw > 1) return adjacent ? AnomalyKind::kG2Item : AnomalyKind::kGNonadjacent;
  return wr > 0 ? AnomalyKind::kG1c : ww > 0 ? AnomalyKind::kG0 : AnomalyKind::kRealtimeOrder;
}

}  // namespace

Anomaly explain_refutation(const Source& source, const Problem& problem, std::span<const Cycle> cycles) {
  Teller teller(source, problem);
  Anomaly out{};
  for (const Cycle& cycle : cycles) {
    if (!choices_of(problem, cycle).empty()) continue;
    out.steps = teller.tell(cycle);
    out.kind = kind_of(out.steps);
    graph::add_order_and_transactions(out);
    return out;
  }
  out.kind = AnomalyKind::kNoOrder;
  const auto add = [&](TxnId t) {
    if (t != kNoTxn && std::find(out.transactions.begin(), out.transactions.end(), t) == out.transactions.end())
      out.transactions.push_back(t);
  };
  for (const Cycle& cycle : cycles) {
    out.cases.push_back({teller.tell(cycle)});
    for (const Step& step : out.cases.back().steps) {
      add(step.from);
      add(step.to);
      if (step.ground == Ground::kAssumed) add(step.source);
      if (step.type == StepType::kRealtime) out.variant = Variant::kRealtime;
      if (step.type == StepType::kSession && out.variant == Variant::kPlain) out.variant = Variant::kSession;
    }
  }
  return out;
}

}  // namespace isolde::solver
