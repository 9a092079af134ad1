#include "tests/support/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "history/commit_interval.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

ValueId id_of(HistoryBuilder& builder, const DraftValue& value) {
  ValueInterner& values = builder.values();
  switch (value.type) {
    case DraftValue::Type::kNull:
      return kNullValue;
    case DraftValue::Type::kInteger:
      return values.integer(value.integer);
    case DraftValue::Type::kList: {
      std::vector<ValueId> elements;
      for (const std::int64_t element : value.list) elements.push_back(values.integer(element));
      return values.list(elements);
    }
    case DraftValue::Type::kRow: {
      std::vector<RowField> fields;
      for (const auto& [name, column] : value.columns) {
        fields.push_back({values.string(name), column ? values.integer(*column) : kNullValue});
      }
      return values.row(fields);
    }
    case DraftValue::Type::kReal:
      return values.real(value.real);
  }
  return kNullValue;
}

void add_draft_op(HistoryBuilder& builder, const DraftOp& op) {
  const auto items = [&](const auto& rows) {
    std::vector<Item> out;
    for (const auto& [key, value] : rows) out.push_back({builder.key(key), id_of(builder, value)});
    return out;
  };
  switch (op.kind) {
    case OpKind::kRead:
      return builder.read(builder.key(op.key), id_of(builder, op.value));
    case OpKind::kWrite:
      return builder.write(builder.key(op.key), id_of(builder, op.value));
    case OpKind::kAppend:
      return builder.append(builder.key(op.key), id_of(builder, op.value));
    case OpKind::kIncrement:
      return builder.increment(builder.key(op.key), id_of(builder, op.value));
    case OpKind::kScan:
      builder.scan(op.where, items(op.items));
      break;
    case OpKind::kAggregate:
      builder.aggregate(op.aggregate, op.where, id_of(builder, op.value));
      break;
    case OpKind::kUpdate:
      builder.update(op.where, items(op.items));
      break;
  }
  if (op.vset) builder.vset(items(*op.vset));
}

}  // namespace

bool DraftTxn::writes() const {
  return std::any_of(ops.begin(), ops.end(), [](const DraftOp& op) {
    return is_item_write(op.kind) || (op.kind == OpKind::kUpdate && !op.items.empty());
  });
}

History Draft::build() const {
  HistoryBuilder builder;
  if (serial_by_commit_ts) builder.set_serial_by_commit_ts();
  for (const DraftTxn& txn : txns) {
    builder.begin_txn(builder.session(builder.values().string(txn.session)));
    builder.set_id(builder.values().string(txn.name));
    builder.set_status(txn.status);
    if (txn.begin) builder.set_begin(*txn.begin);
    if (txn.end) builder.set_end(*txn.end);
    if (txn.commit_before) {
      const CommitReadings readings{.before = *txn.commit_before,
                                    .after = txn.commit_after.value_or(kNoTime),
                                    .begin = txn.begin.value_or(kNoTime),
                                    .end = txn.end.value_or(kNoTime)};
      if (commit_contradiction(readings).empty()) builder.set_commit(readings.before, readings.after);
    }
    if (txn.start_ts) builder.set_start_ts(*txn.start_ts);
    if (txn.commit_ts) builder.set_commit_ts(*txn.commit_ts);
    if (txn.order) builder.set_order(*txn.order);
    if (txn.sno) builder.set_sno(*txn.sno);
    if (const auto& s = txn.snapshot) builder.set_snapshot(s->xid, s->xmin, s->xmax, s->active);
    for (const DraftOp& op : txn.ops) add_draft_op(builder, op);
    builder.end_txn();
  }
  for (const auto& [key, value] : initial) builder.set_initial(builder.key(key), id_of(builder, value));
  for (const DraftVersions& order : versions) {
    std::vector<ValueId> entries;
    for (const DraftValue& value : order.values) entries.push_back(id_of(builder, value));
    for (const std::string& txn : order.txns) entries.push_back(builder.values().string(txn));
    if (order.txns.empty()) {
      builder.version_order(builder.key(order.key), entries, order.complete);
    } else {
      builder.version_order_by_txn(builder.key(order.key), entries, order.complete);
    }
  }
  Result<History> history = builder.finish();
  if (!history) {
    fmt::print(stderr, "a test's history is not well formed: {}\n", history.error().message());
    std::abort();
  }
  return std::move(history).value();
}

}  // namespace isolde
