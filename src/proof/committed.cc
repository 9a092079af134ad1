#include "proof/committed.h"

#include <algorithm>

namespace isolde::proof {
Committed::Committed(const History& history, const Verdict& verdict)
    : h_(history),
      by_order_(verdict.given == Given::kExpectedOrder),
      serial_(info(verdict.level).family == LevelFamily::kSerializable),
      keys_(history.key_count(), false) {
  for (const Anomaly& a : verdict.anomalies) {
    if (a.key != kNoKey) keys_[raw(a.key)] = true;
    for (const Step& step : a.steps) {
      if (step.key != kNoKey) keys_[raw(step.key)] = true;
      for (const OpId op : {step.from_op, step.to_op}) {
        if (op != kNoOp && raw(op) < h_.op_count() && !is_predicate(h_.op(raw(op)).kind()))
          keys_[raw(h_.op(raw(op)).key())] = true;
      }
    }
  }
  find_counted();
  appended_.assign(h_.key_count(), false);
  for (const OpHead op : h_.columns().op) {
    if (op.kind() == OpKind::kAppend) appended_[raw(op.key())] = true;
  }
  for (std::uint32_t t = 0; t < h_.txn_count(); ++t) gather(TxnId{t});
  for (auto& [key, list] : committed_) {
    std::stable_sort(list.begin(), list.end(), [this](TxnId a, TxnId b) {
      return std::pair(time_of(a), turn(a)) < std::pair(time_of(b), turn(b));
    });
    const auto tie =
        std::adjacent_find(list.begin(), list.end(), [this](TxnId a, TxnId b) { return time_of(a) == time_of(b); });
    if (tie != list.end()) tied_.insert(key);
  }
}

const std::vector<Committed::Write>& Committed::writers(KeyId key, ValueId value) const {
  static const std::vector<Write> kNone;
  const auto at = by_value_.find(pair_id(key, value));
  return at == by_value_.end() ? kNone : at->second;
}

Content Committed::content_at(KeyId key, std::int64_t time, TxnId except, int last_turn) const {
  Content content(h_.initial(key));
  const auto at = committed_.find(raw(key));
  if (at == committed_.end()) return content;
  const auto& list = at->second;
  const auto end = std::upper_bound(list.begin(), list.end(), std::pair(time, last_turn),
                                    [this](const auto& x, TxnId t) { return x < std::pair(time_of(t), turn(t)); });
  // From the last plain write on; nothing before it matters.
  auto from = end;
  while (from != list.begin()) {
    --from;
    if (*from != except && overwrites(*from, key)) break;
  }
  for (; from != end; ++from) {
    if (*from == except) continue;
    for (const Touch& touch : touches(h_, *from)) {
      if (touch.kind != OpKind::kRead && touch.key == key) content.apply(h_.values(), touch);
    }
  }
  return content;
}

bool Committed::has_ties(KeyId key, std::int64_t time) const {
  const std::vector<TxnId>& list = committed_writers(key);
  const auto at =
      std::lower_bound(list.begin(), list.end(), time, [this](TxnId t, std::int64_t x) { return time_of(t) < x; });
  return tied_.contains(raw(key)) || (at != list.end() && time_of(*at) == time);
}

const std::vector<TxnId>& Committed::committed_writers(KeyId key) const {
  static const std::vector<TxnId> kNone;
  const auto at = committed_.find(raw(key));
  return at == committed_.end() ? kNone : at->second;
}

bool Committed::overwrites(TxnId t, KeyId key) const {
  for (const Touch& touch : touches(h_, t)) {
    if (touch.key == key && touch.kind != OpKind::kRead) return touch.kind == OpKind::kWrite;
  }
  return false;
}

// Committed, or of unknown outcome and read by one that counts where nobody else can have written it.
void Committed::find_counted() {
  counted_.assign(h_.txn_count(), false);
  std::unordered_map<std::uint64_t, std::vector<TxnId>> unknown;
  std::vector<bool> accumulates(h_.key_count(), false);
  for (const OpHead op : h_.columns().op) {
    if (op.kind() == OpKind::kAppend || op.kind() == OpKind::kIncrement) accumulates[raw(op.key())] = true;
  }
  for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
    counted_[t] = h_.status(TxnId{t}) == Status::kCommitted;
    if (h_.status(TxnId{t}) != Status::kUnknown) continue;
    for (const Touch& touch : touches(h_, TxnId{t})) {
      // A counter's value is a sum, and of a list that is also overwritten nobody knows whose it is.
      const bool shows =
          touch.kind == OpKind::kAppend || (touch.kind == OpKind::kWrite && !accumulates[raw(touch.key)]);
      if (shows) unknown[pair_id(touch.key, touch.value)].push_back(TxnId{t});
    }
  }
  if (unknown.empty()) return;
  for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
    if (!counted_[t]) continue;
    for (const Touch& touch : touches(h_, TxnId{t})) {
      if (touch.kind == OpKind::kRead) continue;
      unknown.erase(pair_id(touch.key, touch.value));
      if (h_.values().type(touch.value) != ValueType::kList) continue;
      for (const ValueId element : h_.values().list(touch.value)) unknown.erase(pair_id(touch.key, element));
    }
  }
  for (bool more = true; more;) {
    more = false;
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!counted_[t]) continue;
      for (std::uint32_t i = h_.first_op(TxnId{t}); i < h_.end_op(TxnId{t}); ++i) {
        if (!is_predicate(h_.op(i).kind())) continue;
        for (const Item& item : h_.vset(h_.predicate(h_.op(i).predicate())))
          more = see(unknown, item.key, item.value) || more;
      }
      for (const Touch& touch : touches(h_, TxnId{t})) {
        if (touch.kind != OpKind::kRead) continue;
        more = see(unknown, touch.key, touch.value) || more;
        if (h_.values().type(touch.value) != ValueType::kList) continue;
        for (const ValueId element : h_.values().list(touch.value)) more = see(unknown, touch.key, element) || more;
      }
    }
  }
}

bool Committed::see(const std::unordered_map<std::uint64_t, std::vector<TxnId>>& unknown, KeyId key, ValueId value) {
  const auto at = unknown.find(pair_id(key, value));
  if (at == unknown.end() || value == h_.initial(key)) return false;
  const auto initial = h_.values().elements(h_.initial(key));
  if (initial && std::find(initial->begin(), initial->end(), value) != initial->end()) return false;
  const TxnId writer = at->second.front();
  if (std::any_of(at->second.begin(), at->second.end(), [&](TxnId t) { return t != writer; }) || counted_[raw(writer)])
    return false;
  counted_[raw(writer)] = true;
  return true;
}

void Committed::gather(TxnId t) {
  const std::vector<Touch> all = touches(h_, t);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind == OpKind::kRead || !keys_[raw(all[i].key)]) continue;
    bool final = true;
    for (std::size_t j = i + 1; j < all.size(); ++j)
      final = final && (all[j].kind == OpKind::kRead || all[j].key != all[i].key);
    by_value_[pair_id(all[i].key, all[i].value)].push_back({t, all[i], final});
    auto& list = committed_[raw(all[i].key)];
    if (counted_[raw(t)] && time_of(t) != kNoTime && (list.empty() || list.back() != t)) list.push_back(t);
  }
}

}  // namespace isolde::proof
