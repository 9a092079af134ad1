#include "check/mirror/predicate_looks.h"

#include <unordered_set>

#include "check/mirror/core.h"

namespace isolde::mirror {
namespace {

std::size_t most_row_bytes(const Core& core) { return core.options.memory_limit / 8; }

}  // namespace

void Looks::renew() {
  if (edition_ == rows.edition()) return;
  edition_ = rows.edition();
  conditions_.clear();
  known_.clear();
}

const CompiledPredicate* Looks::condition(Fingerprint where) {
  renew();
  const auto known = conditions_.find(raw64(where));
  if (known != conditions_.end()) return &known->second;
  const auto text = rows.find(where);
  if (!text || rows.table().type(*text) != ValueType::kString) return nullptr;
  auto compiled = rows.compile(rows.table().string(*text));
  if (!compiled) return nullptr;
  constexpr std::size_t kMostConditions = 1024;
  if (conditions_.size() >= kMostConditions) conditions_.clear();
  return &conditions_.emplace(raw64(where), std::move(*compiled)).first->second;
}

std::optional<ValueId> Looks::value_of(KeySlot key, Fingerprint value) {
  renew();
  if (value == kNullFingerprint) return kNullValue;
  if (known_.size() <= key) known_.resize(std::size_t{key} + 1);
  if (known_[key].fingerprint == value) return known_[key].id;
  const auto id = rows.find(value);
  if (id) known_[key] = {value, *id};
  return id;
}

Match Looks::match(const CompiledPredicate& condition, const KeyState& state, KeySlot key, Fingerprint value) {
  if (value == kNullFingerprint) return Match::kNo;
  const auto id = value_of(key, value);
  if (!id) return Match::kUnclear;
  std::optional<ValueId> name = kNullValue;
  if (condition.uses_key()) name = rows.find(state.key);
  if (!name) return Match::kUnclear;
  const Evaluation answer = condition.evaluate(rows.table(), *name, *id);
  if (answer.faults != kNoFault) return Match::kUnclear;
  return answer.matches() ? Match::kYes : Match::kNo;
}

void Looks::save(StateWriter& out) const {
  out.put(on);
  out.put(credit);
  header.save(out);
  rows.save(out);
}

bool Looks::load(StateReader& in) {
  on = in.get<bool>();
  credit = in.get<std::int64_t>();
  header.load(in);
  return rows.load(in);
}

void note_initial(Core& core, const Chunk& head) {
  const History& h = head.history;
  const ValueTable& values = h.values();
  const std::size_t limit = most_row_bytes(core);
  static_cast<void>(core.looks.rows.add(values, h.default_initial(), core.default_initial, limit));
  if (h.columns().key_initial.empty()) return;
  core.looks.header.note_header(head);
  for (std::uint32_t k = 0; k < h.key_count(); ++k) {
    const ValueId initial = h.initial(KeyId{k});
    static_cast<void>(core.looks.rows.add(values, initial, head.value(initial), limit));
    static_cast<void>(core.looks.rows.add(values, h.columns().key_name[k], head.key(KeyId{k}), limit));
  }
}

void begin_looks(Core& core, const Chunk& chunk) {
  if (core.looks.on || chunk.history.columns().predicates.empty()) return;
  core.looks.on = true;
  for (const auto& past : core.names.chunks()) {
    if (past.get() == &chunk) continue;
    for (std::uint32_t t = 0; t < past->history.txn_count(); ++t) note_values(core, *past, TxnId{t});
  }
}

void note_values(Core& core, const Chunk& chunk, TxnId txn) {
  const History& h = chunk.history;
  const std::size_t limit = most_row_bytes(core);
  Looks& looks = core.looks;
  const auto note = [&](ValueId value) {
    if (looks.on && is_table_value(value))
      static_cast<void>(looks.rows.add(h.values(), value, chunk.value(value), limit));
  };
  const auto note_key = [&](KeyId key) {
    looks.header.note_used(chunk, key);
    note(h.columns().key_name[raw(key)]);
  };
  for (std::uint32_t op = h.first_op(txn); op < h.end_op(txn); ++op) {
    const OpHead head = h.op(op);
    if (!is_predicate(head.kind())) {
      note_key(head.key());
      note(h.op_value(op));
      continue;
    }
    const Predicate& predicate = h.predicate(head.predicate());
    note(predicate.where);
    if (head.kind() == OpKind::kAggregate) {
      note(predicate.aggregate);
      note(h.op_value(op));
    }
    for (const Item& item : h.items(predicate)) {
      note_key(item.key);
      note(item.value);
    }
  }
}

void tidy_values(Core& core) {
  Looks& looks = core.looks;
  const std::size_t limit = most_row_bytes(core);
  if (looks.rows.bytes() < limit / 8 * 7) return;
  // Where all of it is needed, not again at once.
  if (++looks.waits_for_sweep * 4 < looks.rows.size()) return;
  looks.waits_for_sweep = 0;
  std::unordered_set<std::uint64_t> live;
  const auto keep = [&](Fingerprint fingerprint) {
    if (fingerprint != kNullFingerprint && !is_integer(fingerprint)) live.insert(raw64(fingerprint));
  };
  keep(core.default_initial);
  for (KeySlot key = 0; key < core.keys.slots(); ++key) {
    const KeyState& state = core.keys[key];
    if (!state.live || core.columns.is_column(key)) continue;
    keep(state.key);
    keep(state.base);
    for (const Version& v : core.keys.versions(key)) keep(v.value);
  }
  for (const Taken& txn : core.txns) {
    if (!txn.live) continue;
    for (const TakenLook& look : txn.looks) {
      keep(look.where);
      keep(look.aggregate);
      keep(look.result);
    }
    for (const LookRow& row : txn.look_rows) keep(row.value);
  }
  looks.rows.sweep(live);
}

}  // namespace isolde::mirror
