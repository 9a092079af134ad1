#include "tests/support/replayer_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace isolde::replayer {
namespace {

void apply_write(State& state, OpHead op, ValueId value) {
  if (op.kind() == OpKind::kWrite) state.clear();
  state.push_back(raw(value));
}

// What predicate operations must have returned: `state` gives every key's row. Empty, or what does not fit.
std::string misfit(const History& h, const PredicateSet& predicates, std::uint32_t op,
                   const std::function<State(Key)>& state) {
  const PredicateId id = h.op(op).predicate();
  const OpKind kind = h.op(op).kind();
  std::map<Key, State> found;
  for (const Item& item : h.items(h.predicate(id))) found[raw(item.key)] = state_of(h, item.value);
  std::optional<AggregateState> aggregate;
  if (kind == OpKind::kAggregate) aggregate.emplace(predicates.aggregate(id), h.values());
  for (Key key = 0; key < h.key_count(); ++key) {
    const State row = state(key);
    const ValueId value = row.empty() ? kNullValue : ValueId{row[0]};
    const ValueId name = h.columns().key_name[key];
    const bool matches = predicates.condition(id).evaluate(h.values(), name, value).matches();
    if (aggregate) {
      if (matches) aggregate->add(name, value);
    } else if (matches != found.contains(key) || (matches && kind == OpKind::kScan && found[key] != row)) {
      return fmt::format("operation {}: row {} of key {}", op, h.value_text(value), key);
    }
  }
  if (aggregate && !aggregate->agrees(h.op_value(op))) return fmt::format("operation {}: aggregate", op);
  return "";
}

bool counts_as_committed(const History& h, TxnId t, bool seen) {
  return h.status(t) == Status::kCommitted || (h.status(t) == Status::kUnknown && seen);
}

}  // namespace

State state_of(const History& h, ValueId value) {
  if (value == kNullValue) return {};
  if (h.values().type(value) != ValueType::kList) return {raw(value)};
  State state;
  for (const ValueId element : h.values().list(value)) state.push_back(raw(element));
  return state;
}

std::map<Key, State> run(const History& h, const PredicateSet& predicates, TxnId t,
                         const std::function<State(Key)>& store, std::string& why) {
  std::map<Key, State> own;
  for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
    if (is_predicate(h.op(i).kind())) {
      const auto now = [&](Key key) { return own.contains(key) ? own[key] : store(key); };
      if (why.empty()) why = misfit(h, predicates, i, now);
      if (h.op(i).kind() != OpKind::kUpdate) continue;
      for (const Item& item : h.items(h.predicate(h.op(i).predicate()))) own[raw(item.key)] = state_of(h, item.value);
      continue;
    }
    const Key key = raw(h.op(i).key());
    const auto at = own.find(key);
    if (h.op(i).kind() == OpKind::kRead) {
      const State expected = at == own.end() ? store(key) : at->second;
      if (why.empty() && expected != state_of(h, h.op_value(i))) {
        why = fmt::format("transaction {} read {} of key {}", raw(t), h.value_text(h.op_value(i)), key);
      }
      continue;
    }
    State& state = at == own.end() ? own.emplace(key, store(key)).first->second : at->second;
    apply_write(state, h.op(i), h.op_value(i));
  }
  return own;
}

std::string replay_serially(const History& h, const PredicateSet& predicates, const std::vector<TxnId>& order) {
  std::map<Key, State> store;
  std::string why;
  for (const TxnId t : order) {
    for (auto& [key, state] : run(h, predicates, t, [&](Key k) { return store[k]; }, why)) store[key] = state;
  }
  return why;
}

std::vector<Access> accesses(const History& h, TxnId t, const std::set<Key>& keys) {
  std::vector<Access> out;
  for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
    const OpHead op = h.op(i);
    if (!is_predicate(op.kind())) {
      out.push_back({op.kind() == OpKind::kRead, raw(op.key()), h.op_value(i)});
    } else if (op.kind() != OpKind::kAggregate) {
      const bool scan = op.kind() == OpKind::kScan;
      const auto items = h.items(h.predicate(op.predicate()));
      for (const Key key : keys) {
        if (scan && std::ranges::none_of(items, [&](const Item& item) { return raw(item.key) == key; })) {
          out.push_back({true, key, kNullValue});
        }
      }
      for (const Item& item : items) out.push_back({scan, raw(item.key), item.value});
    }
  }
  return out;
}

std::vector<TxnId> counted(const History& h, const std::vector<TxnId>& txns) {
  std::vector<bool> in(h.txn_count(), false);
  std::map<std::pair<Key, std::uint32_t>, TxnId> unknown_writer;
  for (const TxnId t : txns) {
    if (h.status(t) != Status::kUnknown) continue;
    for (const Access& a : accesses(h, t)) {
      if (!a.is_read) unknown_writer[{a.key, raw(a.value)}] = t;
    }
  }
  std::vector<TxnId> waiting;
  for (const TxnId t : txns) {
    if (!counts_as_committed(h, t, !h.columns().predicates.empty() && h.commit_ts(t) != kNoTime)) continue;
    in[raw(t)] = true;
    waiting.push_back(t);
  }
  while (!waiting.empty() && !unknown_writer.empty()) {
    const TxnId t = waiting.back();
    waiting.pop_back();
    for (const Access& a : accesses(h, t)) {
      if (!a.is_read) continue;
      for (const std::uint32_t value : state_of(h, a.value)) {
        const auto at = unknown_writer.find({a.key, value});
        if (at == unknown_writer.end() || in[raw(at->second)]) continue;
        in[raw(at->second)] = true;
        waiting.push_back(at->second);
      }
    }
  }
  std::vector<TxnId> out;
  for (const TxnId t : txns) {
    if (in[raw(t)]) out.push_back(t);
  }
  return out;
}

}  // namespace isolde::replayer
