#include "check/cycles/slots.h"

#include <algorithm>
#include <numeric>

#include "check/accesses.h"

namespace isolde::graph {

Slots::Slots(const History& history, const Trace& trace, const VersionOrders& orders)
    : h_(history), trace_(trace), kind_(history.key_count(), KeyKind::kOrdered) {
  place_versions(orders);
  fill_values();
}

void Slots::place_versions(const VersionOrders& orders) {
  const std::uint32_t keys = h_.key_count();
  begin_.assign(keys + std::size_t{1}, 0);
  for (std::uint32_t k = 0; k < keys; ++k) begin_[k + 1] = 1;  // the initial state
  for (const VersionInfo& v : trace_.versions) {
    if (trace_.is_counted(v.txn)) ++begin_[raw(v.key) + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  const std::size_t count = begin_.back();
  value_.assign(count, kNullValue);
  writer_.assign(count, kNoTxn);
  key_.resize(count);
  slot_of_.assign(trace_.versions.size(), kNoSlot);
  std::vector<Slot> at(begin_.begin(), begin_.end() - 1);
  const auto place = [&](Version v, KeyId key) {
    slot_of_[v] = ++at[raw(key)];
    writer_[slot_of_[v]] = trace_.versions[v].txn;
  };
  for (std::uint32_t k = 0; k < keys; ++k) {
    std::fill(key_.begin() + begin_[k], key_.begin() + begin_[k + 1], KeyId{k});
    value_[begin_[k]] = h_.initial(KeyId{k});
    const std::uint32_t versions = begin_[k + 1] - begin_[k] - 1;
    std::uint32_t reached = 0;
    for (Version v = orders.first[k]; v != kNoVersion && reached < versions; v = orders.next[v], ++reached) {
      place(v, KeyId{k});
    }
    if (reached < versions) kind_[k] = KeyKind::kOpen;
  }
  for (Version v = 0; v < trace_.versions.size(); ++v) {
    if (slot_of_[v] == kNoSlot && trace_.is_counted(trace_.versions[v].txn)) place(v, trace_.versions[v].key);
  }
}

void Slots::fill_values() {
  for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
    const bool counted = trace_.is_counted(TxnId{t});
    if (!counted && h_.status(TxnId{t}) == Status::kAborted) continue;
    for_each_access(h_, TxnId{t}, [&](const Access& a) {
      if (a.kind == OpKind::kRead) return;
      if (a.kind != OpKind::kWrite) {
        kind_[raw(a.key)] = KeyKind::kOpaque;
      } else if (!counted) {
        maybes_[raw(a.key)].push_back(a.value);
      } else {
        value_[slot_of_[trace_.version_of(TxnId{t}, a.key)]] = a.value;
      }
    });
  }
  link_equal_values();
}

void Slots::link_equal_values() {
  std::size_t capacity = 2;
  hash_shift_ = 63;
  for (; capacity < 2 * value_.size(); capacity *= 2) --hash_shift_;
  first_of_value_.assign(capacity, kNoSlot);
  same_value_.assign(value_.size(), kNoSlot);
  for (auto s = static_cast<Slot>(value_.size()); s-- > 0;) {
    std::size_t i = hash(key_[s], value_[s]);
    while (first_of_value_[i] != kNoSlot &&
           !(value_[first_of_value_[i]] == value_[s] && key_[first_of_value_[i]] == key_[s])) {
      i = (i + 1) & (capacity - 1);
    }
    same_value_[s] = first_of_value_[i];
    first_of_value_[i] = s;
  }
}

std::span<const ValueId> Slots::maybes(KeyId key) const {
  const auto at = maybes_.find(raw(key));
  return at == maybes_.end() ? std::span<const ValueId>() : at->second;
}

const std::vector<Scalar>& Slots::column(ValueId name) {
  auto& column = columns_[raw(name)];
  if (!column) {
    column = std::make_unique<ColumnOf>();
    column->scalars.resize(value_.size());
    for (Slot s = 0; name == kKeyColumn && s < value_.size(); ++s) {
      // What an opaque key holds is not known: it may be there.
      if (value_[s] == kNullValue && kind(key_[s]) != KeyKind::kOpaque) continue;
      column->scalars[s] = scalar_of(h_.values(), h_.columns().key_name[raw(key_[s])]);
      column->all_integers &= column->scalars[s].kind == ScalarKind::kInteger;
    }
    for (Slot s = 0; name != kKeyColumn && s < value_.size(); ++s) {
      if (h_.values().type(value_[s]) != ValueType::kRow) continue;
      for (const RowField& field : h_.values().row(value_[s])) {
        if (field.name != name) continue;
        const Scalar scalar = scalar_of(h_.values(), field.value);
        column->scalars[s] = scalar;
        column->all_integers &= scalar.kind == ScalarKind::kInteger || scalar.is_null();
      }
    }
  }
  return column->scalars;
}

bool Slots::is_all_integers(ValueId name) {
  (void)column(name);
  return columns_[raw(name)]->all_integers;
}

const std::vector<Slot>& Slots::by_column(ValueId name) {
  const std::vector<Scalar>& scalars = column(name);
  auto& order = columns_[raw(name)]->order;
  if (order.empty()) {
    order.resize(scalars.size());
    std::iota(order.begin(), order.end(), Slot{0});
    std::stable_sort(order.begin(), order.end(), [&](Slot a, Slot b) { return index_less(scalars[a], scalars[b]); });
  }
  return order;
}

}  // namespace isolde::graph
