#include "proof/cycle_claims.h"

#include <algorithm>

namespace isolde::proof {
namespace {

template <typename F>
void for_each_step(const Anomaly& a, F&& f) {
  for (const Step& s : a.steps) f(s);
  for (const Case& one : a.cases) {
    for (const Step& s : one.steps) f(s);
  }
}

// How one that does not count as committed wrote the value of its i-th operation.
std::uint8_t kind_of_other(const History& h, TxnId t, const std::vector<Touch>& all, std::size_t i) {
  if (h.status(t) == Status::kAborted) return KeyOrder::kAborted;
  const bool is_last = std::none_of(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(),
                                    [&](const Touch& x) { return x.kind != OpKind::kRead && x.key == all[i].key; });
  return is_last ? KeyOrder::kMayHaveLeft | KeyOrder::kMayHaveWritten : KeyOrder::kMayHaveWritten;
}

std::size_t count(const Anomaly& a, StepType type) {
  return static_cast<std::size_t>(
      std::count_if(a.steps.begin(), a.steps.end(), [type](const Step& s) { return s.type == type; }));
}

// Whether a claim may rest on who is in whose past: at levels where what is in the past is seen.
bool uses_past(const Verdict& verdict) {
  if (verdict.level == Level::kCausal) return true;
  const LevelFamily family = info(verdict.level).family;
  const bool sees_past = family == LevelFamily::kPrefix || family == LevelFamily::kSnapshot ||
                         family == LevelFamily::kSerializable || verdict.level == Level::kRepeatableRead;
  const auto rests_on_past = [](const Anomaly& a) {
    bool found = false;
    for_each_step(a, [&](const Step& s) { found |= s.ground == Ground::kSeen || s.ground == Ground::kPast; });
    return found;
  };
  return sees_past && std::any_of(verdict.anomalies.begin(), verdict.anomalies.end(), rests_on_past);
}

// Overwrites of one key and nothing else.
bool is_on_one_key(const Anomaly& a) {
  return std::all_of(a.steps.begin(), a.steps.end(),
                     [&](const Step& s) { return s.type == StepType::kWw && s.key == a.steps[0].key; });
}

// Whether a step of type `first` is followed at once by one of type `second`, round the cycle.
bool side_by_side(const Anomaly& a, StepType first, StepType second) {
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    if (a.steps[i].type == first && a.steps[(i + 1) % a.steps.size()].type == second) return true;
  }
  return false;
}

}  // namespace

KeyOrder::Rule CycleClaims::rule_of(Level level) {
  if (level == Level::kReadUncommitted) return KeyOrder::Rule::kUnread;
  const bool skips = level == Level::kReadCommitted || level == Level::kMonotonicAtomicView ||
                     level == Level::kStrongSessionMonotonicAtomicView || level == Level::kReadAtomic ||
                     level == Level::kCausal || level == Level::kPrefix;
  return skips ? KeyOrder::Rule::kMaySkip : KeyOrder::Rule::kFollow;
}

CycleClaims::CycleClaims(const History& history, const Verdict& verdict, const std::vector<bool>& counted)
    : h_(history), level_(verdict.level), counted_(counted) {
  if (!h_.columns().predicates.empty()) predicates_.emplace(h_, verdict);
  struct Facts {
    std::vector<KeyOrder::Writer> writers;
    std::vector<KeyOrder::Read> reads;
    KeyOrder::Others others;
  };
  std::unordered_map<std::uint32_t, Facts> facts;
  // Anything that was read may be a link of a chain of causes.
  const bool asks_for_past = uses_past(verdict);
  for (std::uint32_t k = 0; asks_for_past && k < h_.key_count(); ++k) facts[k];
  for (const Anomaly& a : verdict.anomalies) {
    if (a.key != kNoKey) facts[raw(a.key)];
    for_each_step(a, [&](const Step& s) {
      if (s.key != kNoKey) facts[raw(s.key)];
    });
    // What these read may be the reason for an order.
    if (a.kind != AnomalyKind::kOTV && a.kind != AnomalyKind::kFracturedRead) continue;
    for (const TxnId t : a.transactions) {
      for (const Touch& touch : touches(h_, t)) facts[raw(touch.key)];
    }
  }
  const bool may_differ = level_ == Level::kReadCommitted || level_ == Level::kMonotonicAtomicView ||
                          level_ == Level::kStrongSessionMonotonicAtomicView || level_ == Level::kCursorStability ||
                          level_ == Level::kReadUncommitted;
  for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
    const std::vector<Touch> all = touches(h_, TxnId{t});
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto at = facts.find(raw(all[i].key));
      if (at == facts.end()) continue;
      auto& [writers, reads, others] = at->second;
      if (!counted_[t]) {
        if (all[i].kind != OpKind::kRead) others[raw(all[i].value)] |= kind_of_other(h_, TxnId{t}, all, i);
        continue;
      }
      if (all[i].kind != OpKind::kRead) {
        if (writers.empty() || writers.back().txn != TxnId{t}) writers.push_back({TxnId{t}, {}});
        writers.back().writes.push_back(all[i]);
        continue;
      }
      std::vector<ValueId> own;
      bool written = false;
      bool again = false;
      for (std::size_t j = 0; j < i; ++j) {
        if (all[j].key != all[i].key) continue;
        if (all[j].kind == OpKind::kAppend) own.push_back(all[j].value);
        written |= all[j].kind == OpKind::kWrite;
        again |= all[j].kind == OpKind::kRead;
      }
      if (!written) reads.push_back({TxnId{t}, all[i], std::move(own), again && !may_differ});
    }
  }
  for (auto& [k, fact] : facts) {
    keys_.try_emplace(k, h_, KeyId{k}, rule_of(level_), std::move(fact.writers), std::move(fact.reads),
                      std::move(fact.others));
  }
  if (!asks_for_past) return;
  causes_.resize(h_.txn_count());
  std::vector<TxnId> last(h_.session_count(), kNoTxn);
  for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
    if (!counted_[t] || info(level_).order == AddedOrder::kNone) continue;
    TxnId& before = last[raw(h_.session(TxnId{t}))];
    if (before != kNoTxn) causes_[t].push_back(before);
    before = TxnId{t};
  }
  for (const auto& [k, order] : keys_) {
    order.for_each_read_from([&](TxnId reader, TxnId writer) { causes_[raw(reader)].push_back(writer); });
  }
}

const KeyOrder* CycleClaims::key(KeyId k) const {
  const auto at = keys_.find(raw(k));
  return at == keys_.end() ? nullptr : &at->second;
}

// Whether sessions and reads lead from one of `from` to one of `to`.
bool CycleClaims::leads(std::span<const TxnId> from, std::vector<TxnId> to) const {
  if (causes_.empty()) return false;
  std::vector<bool> wanted(h_.txn_count(), false);
  std::vector<bool> reached(h_.txn_count(), false);
  for (const TxnId t : from) wanted[raw(t)] = true;
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (const TxnId cause : causes_[raw(to[i])]) {
      if (wanted[raw(cause)]) return true;
      if (!reached[raw(cause)]) to.push_back(cause);
      reached[raw(cause)] = true;
    }
  }
  return false;
}

// Nothing lies within a run of versions, so that what comes after one of them comes after all.
bool CycleClaims::in_past(TxnId older, TxnId newer, const KeyOrder& order) const {
  if (older == kNoTxn || !order.writes(older) || !order.writes(newer)) return false;
  if (leads(std::span(&older, 1), {newer})) return true;
  const std::vector<TxnId> first = order.run_of(older);
  if (std::find(first.begin(), first.end(), newer) != first.end()) return false;
  return leads(first, order.run_of(newer));
}

// Whether a transaction whose past holds `older` read the key from `newer`; or so for others of their runs.
bool CycleClaims::read_by_one_after(TxnId older, TxnId newer, const KeyOrder& order) const {
  if (causes_.empty() || older == newer || older == kNoTxn) return false;
  std::vector<TxnId> first = order.run_of(older);
  std::vector<TxnId> second = order.run_of(newer);
  if (std::find(first.begin(), first.end(), newer) != first.end()) {
    first = {older};
    second = {newer};
  }
  std::vector<TxnId> readers;
  order.for_each_read_from([&](TxnId reader, TxnId writer) {
    if (std::find(second.begin(), second.end(), writer) != second.end()) readers.push_back(reader);
  });
  return leads(first, std::move(readers));
}

Fault CycleClaims::fault(const Anomaly& a) const {
  for (const Step& s : a.steps) {
    if (raw(s.from) >= h_.txn_count() || raw(s.to) >= h_.txn_count()) return "a step names no transaction";
    if (!counted_[raw(s.from)] || !counted_[raw(s.to)]) return "a transaction in it does not count as committed";
  }
  if (count(a, StepType::kVisible) + count(a, StepType::kInvisible) > 0) return against_points(a);
  if (a.kind == AnomalyKind::kLostUpdate) return lost_update(a);
  const bool by_view =
      a.kind == AnomalyKind::kOTV || a.kind == AnomalyKind::kFracturedRead || a.kind == AnomalyKind::kSessionOrder;
  if (by_view && count(a, StepType::kRw) > 0) return missed(a);
  return cycle(a);
}

Fault CycleClaims::cycle(const Anomaly& a) const {
  if (!closes(a.steps)) return "its steps do not close a cycle";
  for (const Step& s : a.steps) {
    if (Fault wrong = step(a, s)) return wrong;
  }
  if (Fault wrong = allowed(a)) return wrong;
  return named(a);
}

bool CycleClaims::closes(const std::vector<Step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].to != steps[(i + 1) % steps.size()].from) return false;
  }
  return steps.size() > 1;
}

Fault CycleClaims::cycle_fault(const std::vector<Step>& steps) const {
  if (!closes(steps)) return "its steps do not close a cycle";
  Anomaly cycle;
  cycle.kind = AnomalyKind::kNoOrder;
  cycle.steps = steps;
  return allowed(cycle);
}

Fault CycleClaims::known_step_fault(const Anomaly& a, const Step& s) const { return step(a, s); }

std::optional<TxnId> CycleClaims::version_read(TxnId txn, OpId op, KeyId k) const {
  const KeyOrder* const order = key(k);
  return order == nullptr ? std::nullopt : order->version_read(txn, op);
}

Fault CycleClaims::added_orders(const Anomaly& a) const {
  const LevelInfo& level = info(level_);
  if (count(a, StepType::kSession) > 0 && level.order == AddedOrder::kNone) return "the level knows no session order";
  if (count(a, StepType::kRealtime) > 0 && level.order != AddedOrder::kRealTime) return "the level knows no real time";
  return std::nullopt;
}

// The level forbids the cycle.
Fault CycleClaims::allowed(const Anomaly& a) const {
  if (Fault wrong = added_orders(a)) return wrong;
  const LevelInfo& level = info(level_);
  const std::size_t rw = count(a, StepType::kRw);
  if (level_ == Level::kReadUncommitted) return holds(rw + count(a, StepType::kWr) == 0, "the level allows it");
  if (rw == 0) return std::nullopt;
  // What one saw of another that is in its past, and yet did not see.
  if (level_ == Level::kCausal) return holds(rw == 1 && count(a, StepType::kWw) == 0, "the level allows it");
  // All on one key: an update that missed a version.
  if (level_ == Level::kCursorStability) {
    const bool one_key = std::all_of(a.steps.begin(), a.steps.end(), [&](const Step& s) {
      return s.key == a.steps[0].key && (s.type == StepType::kRw || s.type == StepType::kWw);
    });
    return holds(rw == 1 && one_key, "the level allows it");
  }
  if (level_ == Level::kRepeatableRead || level.family == LevelFamily::kSerializable) return std::nullopt;
  if (level.family != LevelFamily::kSnapshot && level.family != LevelFamily::kPrefix) return "the level allows it";
  if (side_by_side(a, StepType::kRw, StepType::kRw)) return "two anti-dependencies are adjacent";
  if (level.family == LevelFamily::kPrefix && side_by_side(a, StepType::kWw, StepType::kRw))
    return "an anti-dependency follows an overwrite, which the level allows";
  return std::nullopt;
}

// The name says what the cycle is.
Fault CycleClaims::named(const Anomaly& a) const {
  const std::size_t rw = count(a, StepType::kRw);
  switch (a.kind) {
    case AnomalyKind::kG0:
      return holds(rw + count(a, StepType::kWr) == 0, "has more than overwrites");
    case AnomalyKind::kG1c:
      return holds(rw == 0 && count(a, StepType::kWr) > 0, "is not a G1c");
    case AnomalyKind::kGSingle:
      return holds(rw == 1, "does not have exactly one anti-dependency");
    case AnomalyKind::kGNonadjacent:
      return holds(rw > 1 && !side_by_side(a, StepType::kRw, StepType::kRw), "is not a G-nonadjacent");
    case AnomalyKind::kG2Item:
    case AnomalyKind::kG2: {
      const bool by_predicate =
          std::any_of(a.steps.begin(), a.steps.end(), [&](const Step& s) { return is_by_predicate(a, s); });
      if (by_predicate != (a.kind == AnomalyKind::kG2)) return "is the other of G2 and G2-item";
      return holds(side_by_side(a, StepType::kRw, StepType::kRw), "is not a G2");
    }
    case AnomalyKind::kRealtimeOrder:
      return holds(count(a, StepType::kRealtime) > 0, "is not about real time");
    case AnomalyKind::kCyclicVersions:
      return holds(rw == 0 && (!causes_.empty() || is_on_one_key(a)), "its versions are not in a cycle");
    case AnomalyKind::kOTV:
    case AnomalyKind::kFracturedRead: {
      const bool no_view = level_ == Level::kReadCommitted || level_ == Level::kCursorStability;
      return holds(!no_view, "the level asks for no view");
    }
    default:
      return "is not an anomaly that is a cycle";
  }
}

Fault CycleClaims::step(const Anomaly& a, const Step& s) const {
  if (s.from == s.to) return "a step leads nowhere";
  if (s.ground == Ground::kAssumed) return "a step is assumed, but there are no cases";
  switch (s.type) {
    case StepType::kSession:
      return holds(h_.session(s.from) == h_.session(s.to) && s.from < s.to, "they are not in this order in a session");
    case StepType::kRealtime:
      return holds(h_.status(s.from) == Status::kCommitted && h_.end(s.from) != kNoTime && h_.begin(s.to) != kNoTime &&
                       h_.end(s.from) < h_.begin(s.to),
                   "the first had not ended when the second began");
    default:
      break;
  }
  const KeyOrder* const order = s.key == kNoKey ? nullptr : key(s.key);
  if (order == nullptr) return "a step names no key";
  Fault wrong = item_step(a, s, *order);
  if (!wrong || !predicates_) return wrong;
  const auto before = [order](TxnId x, TxnId y) { return order->before(x, y); };
  if (s.type == StepType::kWr && order->writes(s.from) && predicates_->is_predicate_of(s.to, s.to_op))
    return predicates_->read_dependency(s, before);
  if (s.type == StepType::kRw && order->writes(s.to) && predicates_->is_predicate_of(s.from, s.from_op))
    return predicates_->anti_dependency(s, before);
  return wrong;
}

Fault CycleClaims::item_step(const Anomaly& a, const Step& s, const KeyOrder& order) const {
  switch (s.type) {
    case StepType::kWw:
      if (s.ground == Ground::kPast)
        return holds(in_past(s.from, s.to, order), "the first is not in the past of the second");
      if (s.ground == Ground::kSeen)
        return holds(follows_from_seen(a, s), "no transaction saw the first and read the second");
      return holds(order.before(s.from, s.to, s.ground), "nothing shows the order of the two writes");
    case StepType::kWr: {
      const auto version = order.version_read(s.to, s.to_op);
      return holds(version && *version == s.from, "the second did not read from the first");
    }
    case StepType::kRw: {
      const auto version = order.version_read(s.from, s.from_op);
      if (!version || !order.writes(s.to)) return "no read and write of the key";
      if (s.ground == Ground::kPast)
        return holds(in_past(*version, s.to, order), "the first is not in the past of the second");
      if (s.ground == Ground::kSeen)
        return holds(read_by_one_after(*version, s.to, order), "no transaction saw the first and read the second");
      return holds(*version == kNoTxn || order.before(*version, s.to, s.ground) || in_past(*version, s.to, order),
                   "nothing shows that it was overwritten by it");
    }
    default:
      return "a step that is not a dependency";
  }
}

// Some transaction saw the first, or follows it in its session, and read the key from the second.
bool CycleClaims::follows_from_seen(const Anomaly& a, const Step& s) const {
  if (!key(s.key)->writes(s.from)) return false;
  if (!causes_.empty()) return read_by_one_after(s.from, s.to, *key(s.key));
  if (a.kind != AnomalyKind::kOTV && a.kind != AnomalyKind::kFracturedRead) return false;
  for (const TxnId t : a.transactions) {
    const std::vector<Touch> all = touches(h_, t);
    for (const Touch& read : all) {
      if (read.kind != OpKind::kRead || read.key != s.key || key(s.key)->version_read(t, read.op) != s.to) continue;
      if (level_ == Level::kReadAtomic && h_.session(s.from) == h_.session(t) && s.from < t) return true;
      for (const Touch& seen : all) {
        if (seen.kind != OpKind::kRead || (level_ != Level::kReadAtomic && seen.op > read.op)) continue;
        if (key(seen.key)->version_read(t, seen.op) == s.from) return true;
      }
    }
  }
  return false;
}

bool CycleClaims::is_by_predicate(const Anomaly& a, const Step& s) const {
  if (s.type != StepType::kRw || !predicates_ || !predicates_->is_predicate_of(s.from, s.from_op)) return false;
  return item_step(a, s, *key(s.key)).has_value();
}

Fault CycleClaims::walk_fault(const Anomaly& a) const {
  if (a.key == kNoKey || !predicates_) return "names no key";
  for (const Step& s : a.steps) {
    if (!counted_[raw(s.from)] || !counted_[raw(s.to)]) return "a transaction in it does not count as committed";
  }
  if (Fault wrong = added_orders(a)) return wrong;
  const KeyOrder* const order = key(a.key);
  return predicates_->walk(
      a, [order](TxnId x, TxnId y) { return order->before(x, y); }, [&](const Step& s) { return step(a, s); });
}

Fault CycleClaims::snapshot_fault(const Anomaly& a) const {
  if (a.key == kNoKey || !predicates_) return "names no key";
  const KeyOrder* const order = key(a.key);
  return predicates_->against_snapshot(a, [order](TxnId x, TxnId y) { return order->before(x, y); });
}

}  // namespace isolde::proof
