#include "tests/oracle/tiny.h"

#include <algorithm>

namespace isolde::tiny {

Tiny::Tiny(const History& history) : history_(history), predicates_(history), is_list_(history.key_count(), false) {
  defect = predicates_.defect();
  for (std::uint32_t i = 0; i < history.op_count(); ++i) {
    const OpHead op = history.op(i);
    if (op.kind() == OpKind::kAppend) is_list_[raw(op.key())] = true;
    if (op.kind() == OpKind::kAppend || op.kind() == OpKind::kIncrement) registers_only = false;
  }
  for (std::uint32_t k = 0; k < history.key_count(); ++k) initial[k] = state_of(history.initial(KeyId{k}), k);
  keys = history.key_count();
  for (std::uint32_t t = 0; t < history.txn_count(); ++t) {
    const TxnId id{t};
    Txn txn{.status = history.status(id),
            .session = raw(history.session(id)),
            .begin = history.begin(id),
            .end = history.end(id),
            .start_ts = history.start_ts(id),
            .commit_ts = history.commit_ts(id),
            .order = history.order(id),
            .ops = {}};
    if (const Snapshot* const s = history.snapshot(id)) {
      const auto active = history.columns().active_xids.subspan(s->active, s->active_count);
      txn.snapshot = Txn::Seen{
          s->has_xid != 0 ? std::optional(s->xid) : std::nullopt, s->xmin, s->xmax, {active.begin(), active.end()}};
    }
    if (txn.status == Status::kCommitted) committed_ |= 1U << t;
    if (txn.status == Status::kUnknown) unknown_ |= 1U << t;
    for (std::uint32_t i = history.first_op(id); i < history.end_op(id); ++i) {
      const OpHead op = history.op(i);
      if (!is_predicate(op.kind())) {
        add_op(txn, op.kind(), op.key(), history.op_value(i));
        continue;
      }
      add_look(txn, op, history.op_value(i));
      if (op.kind() != OpKind::kAggregate) {
        const OpKind kind = op.kind() == OpKind::kScan ? OpKind::kRead : OpKind::kWrite;
        for (const Item& item : history.items(history.predicate(op.predicate())))
          add_op(txn, kind, item.key, item.value);
      }
    }
    txns.push_back(std::move(txn));
  }
  use_.assign(keys, KeyUse::kWritten);
  for (std::size_t k = 0; k < keys; ++k) {
    bool written = false;
    bool incremented = false;
    for (const Txn& txn : txns) {
      for (const Op& op : txn.ops) {
        written |= op.key == k && op.kind == OpKind::kWrite;
        incremented |= op.key == k && op.kind == OpKind::kIncrement;
      }
    }
    if (is_list_[k]) use_[k] = KeyUse::kAppended;
    if (incremented || (is_list_[k] && written)) use_[k] = KeyUse::kOther;
  }
}

void Tiny::add_op(Txn& txn, OpKind kind, KeyId key, ValueId value) {
  const bool has_state = kind == OpKind::kRead || kind == OpKind::kWrite;
  txn.ops.push_back({kind, raw(key), has_state ? state_of(value, raw(key)) : State{-1}, value, op_count_++});
  if (kind != OpKind::kRead) txn.writes |= 1U << raw(key);
}

void Tiny::add_look(Txn& txn, OpHead op, ValueId value) {
  const Predicate& predicate = history_.predicate(op.predicate());
  Look look{op.kind(), op.predicate(), txn.ops.size(), {}, std::nullopt, value};
  for (const Item& item : history_.items(predicate)) {
    look.items.emplace_back(raw(item.key), state_of(item.value, raw(item.key)));
  }
  has_looks = true;
  if (predicate.has_vset != 0) {
    has_vsets = true;
    look.looked.emplace();
    for (std::uint32_t k = 0; k < keys; ++k) (*look.looked)[k] = state_of(kNullValue, k);
    for (const Item& item : history_.vset(predicate)) {
      (*look.looked)[raw(item.key)] = state_of(item.value, raw(item.key));
      look.named.emplace_back(raw(item.key), item.value);
    }
  }
  txn.looks.push_back(std::move(look));
}

State Tiny::intern(Content content) {
  const auto found = std::find(states_.begin(), states_.end(), content);
  if (found != states_.end()) return static_cast<State>(found - states_.begin());
  states_.push_back(std::move(content));
  return static_cast<State>(states_.size() - 1);
}

State Tiny::state_of(ValueId value, std::uint32_t key) {
  using Type = Content::Type;
  const ValueTable& values = history_.values();
  Content content{Type::kOther, value, 0, {}};
  if (values.type(value) == ValueType::kInteger) content = {Type::kInteger, kNullValue, values.integer(value), {}};
  if (values.type(value) == ValueType::kList) {
    const auto elements = values.list(value);
    if (elements.empty() && is_list_[key]) {
      content.value = kNullValue;
    } else {
      content = {Type::kList, kNullValue, 0, {elements.begin(), elements.end()}};
    }
  }
  const State state = intern(std::move(content));
  if (value_of_.size() < states_.size()) value_of_.resize(states_.size(), kNullValue);
  value_of_[static_cast<std::size_t>(state)] = value;
  return state;
}

State Tiny::apply(State before, const Op& op) {
  if (op.kind == OpKind::kWrite) return op.state;
  const auto row = static_cast<std::size_t>(before);
  if (applied_.size() <= row) applied_.resize(row + 1);
  if (applied_[row].empty()) applied_[row].assign(op_count_, State{-1});
  if (applied_[row][op.id] >= 0) return applied_[row][op.id];

  using Type = Content::Type;
  Content after = states_[row];
  const bool absent = after.type == Type::kOther && after.value == kNullValue;
  if (op.kind == OpKind::kAppend) {
    if (absent) after = {Type::kList, kNullValue, 0, {}};
    if (after.type == Type::kList) after.elements.push_back(op.value);
    if (after.type != Type::kList) after = {Type::kBroken, kNullValue, 0, {}};
  } else {
    if (absent) after = {Type::kInteger, kNullValue, 0, {}};
    const std::int64_t delta = history_.values().integer(op.value);
    if (after.type != Type::kInteger || __builtin_add_overflow(after.integer, delta, &after.integer)) {
      after = {Type::kBroken, kNullValue, 0, {}};
    }
  }
  const State result = intern(std::move(after));
  applied_[row][op.id] = result;
  return result;
}

void Tiny::commit(States& states, std::size_t t) {
  for (const Op& op : txns[t].ops) {
    if (op.kind != OpKind::kRead) states[op.key] = apply(states[op.key], op);
  }
}

Pairs Tiny::session_pairs(TxnSet counted) const {
  Pairs pairs;
  for (std::size_t a = 0; a < size(); ++a) {
    for (std::size_t b = a + 1; b < size(); ++b) {
      if (contains(counted, a) && contains(counted, b) && txns[a].session == txns[b].session) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

Pairs Tiny::realtime_pairs(TxnSet counted) const {
  Pairs pairs;
  for (std::size_t a = 0; a < size(); ++a) {
    if (!contains(counted, a) || txns[a].status != Status::kCommitted || txns[a].end == kNoTime) continue;
    for (std::size_t b = 0; b < size(); ++b) {
      if (a == b || !contains(counted, b) || txns[b].begin == kNoTime) continue;
      if (txns[a].end < txns[b].begin) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

std::pair<Tiny::Writers, std::size_t> Tiny::writer_of(std::uint32_t key, ValueId value, TxnSet among,
                                                      bool with_initial) const {
  std::pair<Writers, std::size_t> found{Writers::kNobody, 0};
  const std::vector<ValueId>* const first = list(initial[key]);
  const bool is_initial =
      with_initial && (history_.initial(KeyId{key}) == value ||
                       (first != nullptr && std::find(first->begin(), first->end(), value) != first->end()));
  for (std::size_t t = 0; t < size(); ++t) {
    const bool wrote = std::any_of(txns[t].ops.begin(), txns[t].ops.end(), [&](const Op& op) {
      return (op.kind == OpKind::kWrite || op.kind == OpKind::kAppend) && op.key == key && op.value == value;
    });
    if (!wrote || !contains(among, t)) continue;
    found = {found.first == Writers::kNobody && !is_initial ? Writers::kOne : Writers::kSeveral, t};
  }
  return found;
}

std::optional<Pairs> Tiny::version_pairs(TxnSet counted) const {
  Pairs all;
  for (std::uint32_t key = 0; key < keys; ++key) {
    const auto of_key = version_pairs(counted, key);
    if (!of_key) return std::nullopt;
    all.insert(all.end(), of_key->begin(), of_key->end());
  }
  return all;
}

TxnSet Tiny::seen() const {
  TxnSet counted = committed_;
  for (TxnSet before = ~counted; before != counted;) {
    before = counted;
    for (std::size_t t = 0; t < size(); ++t) {
      for (const Op& op : txns[t].ops) {
        if (!contains(counted, t) || op.kind != OpKind::kRead) continue;
        const std::vector<ValueId>* const elements = use_of(op.key) == KeyUse::kAppended ? list(op.state) : nullptr;
        const std::vector<ValueId> values = elements != nullptr ? *elements : std::vector{op.value};
        for (const ValueId value : values) {
          const auto [how_many, writer] = writer_of(op.key, value, committed_ | unknown_);
          if (how_many == Writers::kOne && contains(unknown_, writer)) counted |= 1U << writer;
        }
      }
      for (const Look& look : txns[t].looks) {
        for (const auto& [key, value] : look.named) {
          const auto [how_many, writer] = writer_of(key, value, committed_ | unknown_);
          if (contains(counted, t) && how_many == Writers::kOne && contains(unknown_, writer)) counted |= 1U << writer;
        }
      }
    }
  }
  return counted;
}

std::optional<Pairs> Tiny::version_pairs(TxnSet counted, std::uint32_t key) const {
  Pairs pairs;
  for (const VersionOrder& order : history_.columns().version_orders) {
    if (raw(order.key) != key) continue;
    std::vector<std::size_t> writers;
    for (std::uint32_t i = 0; i < order.count; ++i) {
      const std::uint32_t entry = history_.columns().version_entries[order.first + i];
      if (order.by_txn != 0) {
        writers.push_back(entry);
        continue;
      }
      // The initial version can only be the first entry; there it says nothing of transactions, and may always be
      // meant.
      const bool is_initial = history_.initial(order.key) == ValueId{entry};
      if (is_initial && i == 0) continue;
      const auto [how_many, writer] = writer_of(raw(order.key), ValueId{entry}, ~0U, !is_initial);
      if (how_many == Writers::kSeveral) return std::nullopt;
      if (how_many == Writers::kOne) writers.push_back(writer);
    }
    std::erase_if(writers,
                  [&](std::size_t t) { return !contains(counted, t) || (txns[t].writes >> raw(order.key) & 1U) == 0; });
    for (std::size_t i = 1; i < writers.size(); ++i) {
      if (writers[i - 1] != writers[i]) pairs.emplace_back(writers[i - 1], writers[i]);
    }
  }
  return pairs;
}

const std::vector<ValueId>* Tiny::list(State state) const {
  const Content& content = states_[static_cast<std::size_t>(state)];
  return content.type == Content::Type::kList ? &content.elements : nullptr;
}

}  // namespace isolde::tiny
