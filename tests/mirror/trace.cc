#include "tests/mirror/trace.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "history/history_builder.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace {

ValueId value_in(HistoryBuilder& builder, const DraftValue& value, bool as_row = false) {
  if (value.type == DraftValue::Type::kInteger) {
    const ValueId number = builder.values().integer(value.integer);
    if (!as_row) return number;
    const std::vector<RowField> fields = {{builder.values().string("a"), number}};
    return builder.values().row(fields);
  }
  if (value.type != DraftValue::Type::kList) return kNullValue;
  std::vector<ValueId> elements;
  for (const std::int64_t n : value.list) elements.push_back(builder.values().integer(n));
  return builder.values().list(elements);
}

void add_trace_op(HistoryBuilder& builder, const TraceOp& op, const Trace& trace) {
  const KeyId key = builder.key(op.key);
  const ValueId value = value_in(builder, op.value, trace.as_rows && op.kind != OpKind::kAggregate);
  std::vector<Item> rows;
  for (const auto& [k, row] : op.rows) rows.push_back({builder.key(k), value_in(builder, row, trace.as_rows)});
  const char* const column = trace.as_rows ? "a" : "value";
  const std::string where = op.by_value ? fmt::format("{} between {} and {}", column, trace.low, trace.high)
                                        : fmt::format("key between {} and {}", op.low, op.high);
  switch (op.kind) {
    case OpKind::kRead:
      builder.read(key, value, op.lock);
      break;
    case OpKind::kWrite:
      builder.write(key, value);
      break;
    case OpKind::kAppend:
      builder.append(key, value);
      break;
    case OpKind::kIncrement:
      builder.increment(key, value);
      break;
    case OpKind::kScan:
      builder.scan(where, rows, op.lock);
      break;
    case OpKind::kAggregate:
      builder.aggregate(op.sum ? fmt::format("sum({})", column) : "count(*)", where, value, op.lock);
      break;
    default:
      builder.update(where, rows);
      break;
  }
  builder.at(op.before, op.after);
}

}  // namespace

History Trace::build() const {
  HistoryBuilder builder;
  for (std::size_t k = 0; k < initial.size(); ++k) {
    const KeyId key = builder.key(static_cast<std::int64_t>(k));
    if (initial[k].type != DraftValue::Type::kNull) builder.set_initial(key, value_in(builder, initial[k], as_rows));
  }
  for (std::size_t t = 0; t < txns.size(); ++t) {
    const TraceTxn& txn = txns[t];
    builder.begin_txn(builder.session(static_cast<std::int64_t>(t)));
    builder.set_status(txn.status);
    builder.set_begin(txn.begin);
    if (txn.end != kForever) builder.set_end(txn.end);
    if (txn.commit_before != kNoTime) {
      builder.set_commit(txn.commit_before, txn.commit_after == kForever ? kNoTime : txn.commit_after);
    }
    for (const TraceOp& op : txn.ops) add_trace_op(builder, op, *this);
    builder.end_txn();
  }
  auto history = builder.finish();
  if (!history) {
    std::fprintf(stderr, "%s\n", history.error().message().c_str());
    std::abort();
  }
  return *std::move(history);
}

std::string Trace::text() const { return native_text(build()); }

}  // namespace isolde
