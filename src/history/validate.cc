// history/validate.cc: defect_of: what columns read from a file must satisfy before a History is made of them.

#include <fmt/format.h>

#include <algorithm>

#include "history/history.h"

namespace isolde {
namespace {

// Tells what is wrong with the first column that does not have the length it must have.
std::string defect_of_lengths(const HistoryColumns& c) {
  const std::size_t txns = c.session.size();
  const std::size_t ops = c.op.size();
  if (c.first_op.size() != txns + 1) return "column first_op does not fit the number of transactions";
  if (c.id.size() != txns || c.status.size() != txns) return "columns id and status do not fit";
  const auto optional = [](std::size_t size, std::size_t whole) { return size == 0 || size == whole; };
  for (const auto& column : {c.begin, c.end, c.start_ts, c.commit_ts, c.order}) {
    if (!optional(column.size(), txns)) return "a column of times does not fit the number of transactions";
  }
  if (c.op_value.size() != ops) return "column op_value does not fit the number of operations";
  if (!optional(c.op_before.size(), ops) || c.op_before.size() != c.op_length.size()) {
    return "the columns of intervals do not fit the number of operations";
  }
  if (!optional(c.key_initial.size(), c.key_name.size())) return "column key_initial does not fit the number of keys";
  if (c.defaults.size() != 1 || c.flags.size() != 1) return "the header values are missing";
  if (c.key_name.size() >= OpHead::kMaxSubjects || c.predicates.size() >= OpHead::kMaxSubjects) return "too many keys";
  if (txns >= kNone32 || ops >= kNone32 || c.session_name.size() > txns) return "too many transactions or operations";
  return {};
}

// One past the largest id that a table value may have.
std::uint64_t value_bound(const HistoryColumns& c) { return std::uint64_t{kFirstTableValue} + c.value_type.size(); }

template <typename T>
bool in_range(std::span<const T> column, std::uint64_t bound) {
  std::uint32_t largest = 0;
  for (const T id : column) largest = std::max(largest, raw(id));
  return column.empty() || largest < bound;
}

std::string defect_of_operations(const HistoryColumns& c) {
  if (c.first_op[0] != 0 || c.first_op.back() != c.op.size() || !std::is_sorted(c.first_op.begin(), c.first_op.end())) {
    return "column first_op is not ascending";
  }
  const auto keys = static_cast<std::uint32_t>(c.key_name.size());
  const auto predicates = static_cast<std::uint32_t>(c.predicates.size());
  bool good = true;
  for (const OpHead op : c.op) {
    const std::uint32_t bound = is_predicate(op.kind()) ? predicates : keys;
    good &= op.valid() && raw(op.key()) < bound;
  }
  if (!good) return "an operation names a key or predicate that is not there";
  if (!in_range(c.op_value, value_bound(c))) return "an operation names a value that is not there";
  for (std::size_t i = 0; i < c.op.size(); ++i) {
    if (c.op[i].kind() == OpKind::kIncrement && !is_inline_integer(c.op_value[i]) &&
        (c.op_value[i] == kNullValue ||
         static_cast<ValueType>(c.value_type[raw(c.op_value[i]) - kFirstTableValue] & 0x0f) != ValueType::kInteger)) {
      return "an increment by something that is no integer";
    }
  }
  for (std::size_t i = 0; i < c.wide_intervals.size(); ++i) {
    if (i > 0 && c.wide_intervals[i - 1].op >= c.wide_intervals[i].op) return "wide intervals out of order";
  }
  return {};
}

bool is_string(const HistoryColumns& c, ValueId v) {
  return is_table_value(v) && raw(v) - kFirstTableValue < c.value_type.size() &&
         static_cast<ValueType>(c.value_type[raw(v) - kFirstTableValue] & 0x0f) == ValueType::kString;
}

std::string defect_of_evidence(const HistoryColumns& c) {
  const std::uint64_t values = value_bound(c);
  const auto within = [](std::uint64_t first, std::uint64_t count, std::size_t size) { return first + count <= size; };
  for (const Predicate& p : c.predicates) {
    if (!is_string(c, p.where) || (p.aggregate != kNullValue && !is_string(c, p.aggregate)) ||
        !within(p.items, p.item_count, c.items.size()) || !within(p.vset, p.vset_count, c.items.size())) {
      return "a predicate names something that is not there";
    }
  }
  for (const Item& item : c.items) {
    if (raw(item.key) >= c.key_name.size() || raw(item.value) >= values)
      return "an item names something that is not there";
  }
  for (std::size_t i = 0; i < c.snapshots.size(); ++i) {
    const Snapshot& s = c.snapshots[i];
    if (raw(s.txn) >= c.session.size() || !within(s.active, s.active_count, c.active_xids.size()) ||
        (i > 0 && c.snapshots[i - 1].txn >= s.txn)) {
      return "a snapshot names something that is not there";
    }
  }
  for (const VersionOrder& order : c.version_orders) {
    if (raw(order.key) >= c.key_name.size() || !within(order.first, order.count, c.version_entries.size())) {
      return "a version order names something that is not there";
    }
    const std::uint64_t bound = order.by_txn != 0 ? c.session.size() : values;
    for (const std::uint32_t entry : c.version_entries.subspan(order.first, order.count)) {
      if (entry >= bound) return "a version order names something that is not there";
    }
  }
  return {};
}

}  // namespace

std::string defect_of(const HistoryColumns& c) {
  if (std::string defect = defect_of_lengths(c); !defect.empty()) return defect;
  if (std::string defect = defect_of_values(c.value_begin, c.value_type, c.value_bytes); !defect.empty()) return defect;
  const std::uint64_t values = value_bound(c);
  if (!in_range(c.session, c.session_name.size()) || !in_range(c.id, values) || !in_range(c.key_name, values) ||
      !in_range(c.key_initial, values) || !in_range(c.session_name, values) || !in_range(c.defaults, values)) {
    return "a name refers to something that is not there";
  }
  for (const Status status : c.status) {
    if (status > Status::kUnknown) return "a transaction has an unknown status";
  }
  if (std::string defect = defect_of_operations(c); !defect.empty()) return defect;
  return defect_of_evidence(c);
}

}  // namespace isolde
