#include "history/empty_lists.h"

#include <memory>
#include <optional>

namespace isolde {
namespace {

// Whether each key holds lists, as far as the history shows.
std::vector<bool> list_keys(const HistoryColumns& c, const ValueTable& values, ValueId empty, ValueId default_initial) {
  std::vector<bool> lists(c.key_name.size(), false);
  std::vector<bool> other(c.key_name.size(), false);
  const auto is_other = [&](ValueId v) {
    return is_inline_integer(v) || (v != kNullValue && values.type(v) != ValueType::kList);
  };
  for (std::size_t i = 0; i < c.op.size(); ++i) {
    const OpHead op = c.op[i];
    const ValueId value = c.op_value[i];
    if (op.kind() == OpKind::kAppend) {
      lists[raw(op.key())] = true;
    } else if (op.kind() == OpKind::kIncrement || (op.kind() == OpKind::kWrite && value == empty) ||
               (!is_predicate(op.kind()) && is_other(value))) {
      other[raw(op.key())] = true;
    }
  }
  // A row that a predicate operation found or left behind is there, so that `[]` is no absence.
  for (const Item& item : c.items) {
    if (item.value == empty || is_other(item.value)) other[raw(item.key)] = true;
  }
  for (const VersionOrder& order : c.version_orders) {
    for (std::uint32_t i = order.first; order.by_txn == 0 && i < order.first + order.count; ++i) {
      if (is_other(ValueId{c.version_entries[i]})) other[raw(order.key)] = true;
    }
  }
  for (std::size_t k = 0; k < lists.size(); ++k) {
    const bool begins_as_other = is_other(c.key_initial.empty() ? default_initial : c.key_initial[k]);
    lists[k] = lists[k] || !(other[k] || begins_as_other);
  }
  return lists;
}

std::optional<ValueId> empty_list_in(const ValueTable& values) {
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const ValueId id{kFirstTableValue + i};
    if (values.type(id) == ValueType::kList && values.list(id).empty()) return id;
  }
  return std::nullopt;
}

// The columns that differ, and the history that the others belong to.
struct Normalised {
  explicit Normalised(const History& h) : base(h) {}
  History base;
  Column<ValueId> op_value, key_initial, defaults;
  Column<Item> items;
  Column<std::uint32_t> version_entries;
};

template <typename T, typename Change>
void rewrite(std::span<const T>& column, Column<T>& own, const std::vector<std::uint32_t>& places, Change&& change) {
  if (places.empty()) return;
  if (own.empty()) own.append(column);
  for (const std::uint32_t place : places) change(own[place]);
  column = own.view();
}

}  // namespace

EmptyListPlaces empty_list_places(const HistoryColumns& c, const ValueTable& values, ValueId empty,
                                  ValueId default_initial) {
  const std::vector<bool> is_list = list_keys(c, values, empty, default_initial);
  const auto is_empty_state = [&](KeyId key, ValueId value) { return value == empty && is_list[raw(key)]; };
  EmptyListPlaces places;
  for (std::uint32_t i = 0; i < c.op.size(); ++i) {
    const OpKind kind = c.op[i].kind();
    if ((kind == OpKind::kRead || kind == OpKind::kWrite) && is_empty_state(c.op[i].key(), c.op_value[i])) {
      places.op_value.push_back(i);
    }
  }
  for (std::uint32_t i = 0; i < c.items.size(); ++i) {
    if (is_empty_state(c.items[i].key, c.items[i].value)) places.items.push_back(i);
  }
  for (const VersionOrder& order : c.version_orders) {
    for (std::uint32_t i = order.first; order.by_txn == 0 && i < order.first + order.count; ++i) {
      if (is_empty_state(order.key, ValueId{c.version_entries[i]})) places.version_entries.push_back(i);
    }
  }
  for (std::uint32_t k = 0; k < c.key_initial.size(); ++k) {
    if (is_empty_state(KeyId{k}, c.key_initial[k])) places.key_initial.push_back(k);
  }
  return places;
}

History with_empty_lists_absent(const History& history) {
  const std::optional<ValueId> empty = empty_list_in(history.values());
  if (!empty) return history;
  const auto out = std::make_shared<Normalised>(history);
  HistoryColumns columns = history.columns();
  // A default that is a list becomes each key's own, as in what is built.
  const bool list_by_default = history.values().type(history.default_initial()) == ValueType::kList;
  if (list_by_default) {
    for (std::uint32_t k = 0; k < history.key_count(); ++k) out->key_initial.push_back(history.initial(KeyId{k}));
    columns.key_initial = out->key_initial.view();
    out->defaults.push_back(kNullValue);
    columns.defaults = out->defaults.view();
  }
  const EmptyListPlaces places = empty_list_places(columns, history.values(), *empty, columns.defaults[0]);
  const bool any = list_by_default || !places.op_value.empty() || !places.items.empty() ||
                   !places.version_entries.empty() || !places.key_initial.empty();
  if (!any) return history;
  const auto to_null = [](ValueId& value) { value = kNullValue; };
  rewrite(columns.op_value, out->op_value, places.op_value, to_null);
  rewrite(columns.items, out->items, places.items, [](Item& item) { item.value = kNullValue; });
  rewrite(columns.version_entries, out->version_entries, places.version_entries,
          [](std::uint32_t& entry) { entry = raw(kNullValue); });
  rewrite(columns.key_initial, out->key_initial, places.key_initial, to_null);
  return {columns, out};
}

}  // namespace isolde
