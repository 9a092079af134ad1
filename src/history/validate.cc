// history/validate.cc: defect_of: what columns read from a file must satisfy before a History is made of them.

#include <fmt/format.h>

#include <algorithm>

#include "history/commit_interval.h"
#include "history/history.h"

namespace isolde {
namespace {

// Tells what is wrong with the first column that does not have the length it must have.
std::string defect_of_lengths(const HistoryColumns& c) {
  const std::size_t txns = c.session.size();
  const std::size_t ops = c.op.size();
  if (c.first_op.size() != txns + 1) return "column first_op does not match the number of transactions";
  if (c.id.size() != txns || c.status.size() != txns) return "columns id and status do not match";
  const auto optional = [](std::size_t size, std::size_t whole) { return size == 0 || size == whole; };
  for (const auto& column : {c.begin, c.end, c.start_ts, c.commit_ts, c.order, c.sno}) {
    if (!optional(column.size(), txns)) return "a column of times does not match the number of transactions";
  }
  if (!optional(c.commit_before.size(), txns) || c.commit_before.size() != c.commit_length.size()) {
    return "the columns of commits do not match the number of transactions";
  }
  if (c.op_value.size() != ops) return "column op_value does not match the number of operations";
  if (!optional(c.op_before.size(), ops) || c.op_before.size() != c.op_length.size()) {
    return "the columns of intervals do not match the number of operations";
  }
  if (!optional(c.key_initial.size(), c.key_name.size())) return "column key_initial does not match the number of keys";
  if (c.defaults.size() != 1 || c.flags.size() != 1) return "the header values are missing";
  if (c.key_name.size() >= OpHead::kMaxSubjects || c.predicates.size() >= OpHead::kMaxSubjects) return "too many keys";
  if (txns >= kNone32 || ops >= kNone32 || c.session_name.size() >= kNone32) {
    return "too many transactions or operations";
  }
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

std::string defect_of_intervals(const HistoryColumns& c) {
  // Where a transaction begins this late, an offset and a duration may lead past the end of time.
  constexpr std::int64_t kLate = INT64_MAX - (std::int64_t{1} << 33);
  for (std::size_t t = 0; t < c.begin.size() && !c.op_before.empty(); ++t) {
    for (std::uint32_t i = c.first_op[t]; c.begin[t] > kLate && i < c.first_op[t + 1]; ++i) {
      const auto room = static_cast<std::uint64_t>(INT64_MAX - c.begin[t]);
      const bool is_offset = c.op_before[i] != kNone32 && c.op_length[i] != kNone32;
      if (is_offset && std::uint64_t{c.op_before[i]} + c.op_length[i] > room) return "an interval past the end of time";
    }
  }
  for (std::size_t i = 0; i < c.wide_intervals.size(); ++i) {
    const WideInterval& wide = c.wide_intervals[i];
    if (i > 0 && c.wide_intervals[i - 1].op >= wide.op) return "wide intervals out of order";
    if (raw(wide.op) >= c.op_before.size() || wide.before == kNoTime || wide.after == kNoTime) {
      return "a wide interval of no operation";
    }
  }
  return {};
}

std::string defect_of_commits(const HistoryColumns& c) {
  for (std::size_t i = 0; i < c.wide_commits.size(); ++i) {
    const WideCommit& wide = c.wide_commits[i];
    if (i > 0 && c.wide_commits[i - 1].txn >= wide.txn) return "wide commits out of order";
    if (raw(wide.txn) >= c.commit_before.size() || wide.before == kNoTime) return "a wide commit of no transaction";
  }
  for (std::size_t t = 0; t < c.commit_before.size(); ++t) {
    if (c.commit_length[t] == kNone32 || c.commit_before[t] == kNone32) continue;
    const std::int64_t begin = c.begin.empty() || c.begin[t] == kNoTime ? 0 : c.begin[t];
    const std::uint64_t length = c.commit_length[t] == kOpenCommit ? 0 : c.commit_length[t];
    const bool past_the_end = begin > 0 && c.commit_before[t] + length > static_cast<std::uint64_t>(INT64_MAX - begin);
    if (past_the_end) return "a commit past the end of time";
  }
  return {};
}

// Requires: everything else is well formed.
std::string contradiction_of_commits(const HistoryColumns& c) {
  if (c.commit_before.empty()) return {};
  const History history(c, nullptr);
  for (std::uint32_t t = 0; t < history.txn_count(); ++t) {
    std::string wrong = commit_contradiction(history, TxnId{t});
    if (!wrong.empty()) return fmt::format("transaction {}: {}", history.txn_text(TxnId{t}), wrong);
  }
  return {};
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
  if (!good) return "an operation names a key or predicate that does not exist";
  if (!in_range(c.op_value, value_bound(c))) return "an operation names a value that does not exist";
  const ValueTable values(c.value_begin, c.value_type, c.value_bytes);
  for (std::size_t i = 0; i < c.op.size(); ++i) {
    const OpKind kind = c.op[i].kind();
    if (kind == OpKind::kIncrement && values.type(c.op_value[i]) != ValueType::kInteger) {
      return "an increment by something that is not an integer";
    }
    if (!is_predicate(kind)) continue;
    const bool has_aggregate = c.predicates[raw(c.op[i].predicate())].aggregate != kNullValue;
    if (has_aggregate != (kind == OpKind::kAggregate)) return "an aggregate with no expression or more than one";
    if (kind != OpKind::kAggregate && c.op_value[i] != kNullValue) return "a scan or update with a value";
  }
  return defect_of_intervals(c);
}

bool is_string(const HistoryColumns& c, ValueId v) {
  return is_table_value(v) && raw(v) - kFirstTableValue < c.value_type.size() &&
         static_cast<ValueType>(c.value_type[raw(v) - kFirstTableValue] & 0x0f) == ValueType::kString;
}

std::string defect_of_faults(const HistoryColumns& c) {
  for (const FaultMark& fault : c.faults) {
    if (!is_string(c, fault.name) || (fault.detail != kNullValue && !is_string(c, fault.detail)))
      return "a fault names something that does not exist";
    if (fault.begin == kNoTime || (fault.end != kNoTime && fault.end < fault.begin)) return "a fault without a time";
  }
  return {};
}

std::string defect_of_evidence(const HistoryColumns& c) {
  const std::uint64_t values = value_bound(c);
  const auto within = [](std::uint64_t first, std::uint64_t count, std::size_t size) { return first + count <= size; };
  for (const Predicate& p : c.predicates) {
    if (p.has_vset > 1 || !is_string(c, p.where) || (p.aggregate != kNullValue && !is_string(c, p.aggregate)) ||
        !within(p.items, p.item_count, c.items.size()) || !within(p.vset, p.vset_count, c.items.size())) {
      return "a predicate names something that does not exist";
    }
  }
  for (const Item& item : c.items) {
    if (raw(item.key) >= c.key_name.size() || raw(item.value) >= values)
      return "an item names something that does not exist";
  }
  for (std::size_t i = 0; i < c.snapshots.size(); ++i) {
    const Snapshot& s = c.snapshots[i];
    if (s.has_xid > 1 || raw(s.txn) >= c.session.size() || !within(s.active, s.active_count, c.active_xids.size()) ||
        (i > 0 && c.snapshots[i - 1].txn >= s.txn)) {
      return "a snapshot names something that does not exist";
    }
  }
  for (const VersionOrder& order : c.version_orders) {
    if (raw(order.key) >= c.key_name.size() || !within(order.first, order.count, c.version_entries.size())) {
      return "a version order names something that does not exist";
    }
    const std::uint64_t bound = order.by_txn != 0 ? c.session.size() : values;
    for (const std::uint32_t entry : c.version_entries.subspan(order.first, order.count)) {
      if (entry >= bound) return "a version order names something that does not exist";
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
    return "a name refers to something that does not exist";
  }
  if (duplicate_in(c.id)) return "a transaction id occurs twice";
  if (duplicate_in(c.key_name)) return "a key name occurs twice";
  if (duplicate_in(c.session_name)) return "a session name occurs twice";
  if (ValueTable(c.value_begin, c.value_type, c.value_bytes).type(c.defaults[0]) == ValueType::kRow) {
    return "the initial value of every key is a row";
  }
  for (const Status status : c.status) {
    if (status > Status::kUnknown) return "a transaction has an unknown status";
  }
  if (std::string defect = defect_of_operations(c); !defect.empty()) return defect;
  if (std::string defect = defect_of_commits(c); !defect.empty()) return defect;
  if (std::string defect = defect_of_evidence(c); !defect.empty()) return defect;
  if (std::string defect = defect_of_faults(c); !defect.empty()) return defect;
  return contradiction_of_commits(c);
}

}  // namespace isolde
