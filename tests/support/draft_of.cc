#include "tests/support/draft_of.h"

#include <fmt/format.h>

namespace isolde {
namespace {

DraftValue value_of(const History& h, ValueId value) {
  return value == kNullValue ? DraftValue{} : DraftValue::of(h.values().integer(value));
}

std::optional<std::int64_t> time_of(std::int64_t time) { return time == kNoTime ? std::nullopt : std::optional(time); }

}  // namespace

Draft draft_of(const History& h) {
  const auto key_of = [&](KeyId key) { return fmt::format("k{}", h.key_text(key)); };
  const auto name_of = [](TxnId t) { return fmt::format("T{}", raw(t) + 1); };
  Draft out;
  for (std::uint32_t i = 0; i < h.txn_count(); ++i) {
    const TxnId t{i};
    DraftTxn txn;
    txn.name = name_of(t);
    txn.session = fmt::format("s{}", raw(h.session(t)));
    txn.status = h.status(t);
    txn.begin = time_of(h.begin(t));
    txn.end = time_of(h.end(t));
    txn.start_ts = time_of(h.start_ts(t));
    txn.commit_ts = time_of(h.commit_ts(t));
    txn.order = time_of(h.order(t));
    txn.sno = time_of(h.sno(t));
    txn.commit_before = time_of(h.commit_interval(t).before);
    txn.commit_after = time_of(h.commit_interval(t).after);
    for (std::uint32_t op = h.first_op(t); op < h.end_op(t); ++op)
      txn.ops.push_back({h.op(op).kind(), key_of(h.op(op).key()), value_of(h, h.op_value(op))});
    out.txns.push_back(std::move(txn));
  }
  for (std::uint32_t k = 0; k < h.key_count(); ++k) {
    if (h.initial(KeyId{k}) != kNullValue) out.initial.emplace_back(key_of(KeyId{k}), value_of(h, h.initial(KeyId{k})));
  }
  for (const VersionOrder& order : h.columns().version_orders) {
    DraftVersions versions;
    versions.key = key_of(order.key);
    versions.complete = order.complete != 0;
    for (const std::uint32_t entry : h.columns().version_entries.subspan(order.first, order.count)) {
      if (order.by_txn != 0) versions.txns.push_back(name_of(TxnId{entry}));
      if (order.by_txn == 0) versions.values.push_back(value_of(h, ValueId{entry}));
    }
    out.versions.push_back(std::move(versions));
  }
  out.serial_by_commit_ts = h.has_flag(kSerialByCommitTs);
  return out;
}

}  // namespace isolde
