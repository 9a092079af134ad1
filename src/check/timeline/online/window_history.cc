#include "check/timeline/online/window_history.h"

#include <fmt/format.h>

#include "check/accesses.h"
#include "history/copy_value.h"

namespace isolde::timeline {

ValueId WindowHistory::copy(const ValueTable& from, ValueId value) {
  return copy_value(from, value, builder_.values());
}

void WindowHistory::set_default_initial(const History& head, ValueId initial) {
  builder_.set_default_initial(copy(head.values(), initial));
}

void WindowHistory::add_key(const Chunk& chunk, KeyId key, State before, const History* head, ValueId initial) {
  const Fingerprint fingerprint = chunk.key(key);
  Before b;
  b.key = builder_.key(copy(chunk.history.values(), chunk.history.columns().key_name[raw(key)]));
  ValueInterner& values = builder_.values();
  if (head != nullptr) {
    builder_.set_initial(b.key, copy(head->values(), initial));
  } else if (before.kind == StateKind::kCounter) {
    builder_.set_initial(b.key, values.integer(static_cast<std::int64_t>(before.bits)));
  } else if (before.kind == StateKind::kNoNumber) {
    builder_.set_initial(b.key, values.string("\x01 no number"));
  } else if (before.bits == 0 || is_integer(Fingerprint{before.bits})) {
    builder_.set_initial(b.key, before.bits == 0 ? kNullValue : values.integer(integer_of(Fingerprint{before.bits})));
  } else {
    b.fingerprint = Fingerprint{before.bits};
    b.list = (before.bits & 3) == 3;
    b.name = values.string(fmt::format("\x01 {:x}", before.bits));
    builder_.set_initial(b.key, b.list ? values.list(std::vector<ValueId>{b.name}) : b.name);
  }
  keys_.emplace(raw64(fingerprint), b);
  if (fingerprints_.size() <= raw(b.key)) fingerprints_.resize(raw(b.key) + 1, kNullFingerprint);
  if (opaque_.size() <= raw(b.key)) opaque_.resize(raw(b.key) + 1, false);
  fingerprints_[raw(b.key)] = fingerprint;
  opaque_[raw(b.key)] = before.kind == StateKind::kOpaque;
}

void WindowHistory::add_key(Fingerprint fingerprint, const ValueTable& values, ValueId name, ValueId before) {
  Before b;
  b.key = builder_.key(copy(values, name));
  builder_.set_initial(b.key, copy(values, before));
  keys_.emplace(raw64(fingerprint), b);
  if (fingerprints_.size() <= raw(b.key)) fingerprints_.resize(raw(b.key) + 1, kNullFingerprint);
  if (opaque_.size() <= raw(b.key)) opaque_.resize(raw(b.key) + 1, false);
  fingerprints_[raw(b.key)] = fingerprint;
}

ValueId WindowHistory::copy_of_key(const Chunk& chunk, const Before& before, ValueId value) {
  const ValueTable& from = chunk.history.values();
  if (before.name == kNullValue) return copy(from, value);
  if (!before.list) return chunk.value(value) == before.fingerprint ? before.name : copy(from, value);
  const auto elements = from.elements(value);
  if (!elements) return copy(from, value);
  std::vector<ValueId> translated;
  Fingerprint fingerprint = kNullFingerprint;
  for (const ValueId element : *elements) {
    fingerprint = appended(fingerprint, chunk.value(element));
    translated.push_back(copy(from, element));
    if (fingerprint == before.fingerprint) translated.assign(1, before.name);
  }
  return translated.empty() ? kNullValue : builder_.values().list(translated);
}

void WindowHistory::add_txn(const Chunk& chunk, TxnId txn, std::uint32_t number) {
  const History& h = chunk.history;
  numbers_.push_back(number);
  builder_.begin_txn(builder_.session(copy(h.values(), h.columns().session_name[raw(h.session(txn))])));
  builder_.set_status(h.status(txn));
  if (h.begin(txn) != kNoTime) builder_.set_begin(h.begin(txn));
  if (h.end(txn) != kNoTime) builder_.set_end(h.end(txn));
  if (const auto commit = h.commit_interval(txn); commit.before != kNoTime)
    builder_.set_commit(commit.before, commit.after);
  if (h.start_ts(txn) != kNoTime) builder_.set_start_ts(h.start_ts(txn));
  if (h.commit_ts(txn) != kNoTime) builder_.set_commit_ts(h.commit_ts(txn));
  const auto add = [&](OpKind kind, KeyId k, ValueId v) {
    const auto at = keys_.find(raw64(chunk.key(k)));
    if (at == keys_.end()) return;
    const KeyId key = at->second.key;
    switch (kind) {
      case OpKind::kRead:
        builder_.read(key, copy_of_key(chunk, at->second, v));
        break;
      case OpKind::kAppend:
        builder_.append(key, copy(h.values(), v));
        break;
      case OpKind::kIncrement:
        builder_.increment(key, copy(h.values(), v));
        break;
      default:
        builder_.write(key, copy_of_key(chunk, at->second, v));
        break;
    }
  };
  for (std::uint32_t i = h.first_op(txn); i < h.end_op(txn); ++i) {
    const OpHead op = h.op(i);
    if (!is_predicate(op.kind())) {
      add(op.kind(), op.key(), h.op_value(i));
      continue;
    }
    const Predicate& p = h.predicate(op.predicate());
    if (!with_predicates_) {
      const OpKind as = op.kind() == OpKind::kScan ? OpKind::kRead : OpKind::kWrite;
      if (op.kind() == OpKind::kAggregate) continue;
      for (const Item& item : h.items(p)) add(as, item.key, item.value);
      continue;
    }
    const auto items_of = [&](std::span<const Item> items) {
      std::vector<Item> copied;
      for (const Item& item : items) {
        const auto at = keys_.find(raw64(chunk.key(item.key)));
        if (at != keys_.end()) copied.push_back({at->second.key, copy_of_key(chunk, at->second, item.value)});
      }
      return copied;
    };
    const std::string_view where = h.values().string(p.where);
    if (op.kind() == OpKind::kScan) {
      builder_.scan(where, items_of(h.items(p)), op.lock());
    } else if (op.kind() == OpKind::kUpdate) {
      builder_.update(where, items_of(h.items(p)));
    } else {
      builder_.aggregate(h.values().string(p.aggregate), where, copy(h.values(), h.op_value(i)), op.lock());
    }
    if (p.has_vset != 0) builder_.vset(items_of(h.vset(p)));
  }
  builder_.end_txn();
}

std::optional<History> WindowHistory::finish() {
  auto made = builder_.finish();
  if (!made) return std::nullopt;
  return std::move(*made);
}

}  // namespace isolde::timeline
