// format/grouped_ops.h: operations that a file gives in any order, put together transaction by transaction.
//
// In, out: (transaction, operation) pairs in file order -> HistoryBuilder calls, transaction after transaction.
// Always:  transactions keep the order in which they were added; operations of one keep theirs.
// Cost:    linear, 16 bytes an operation; no sorting where the file has them together already.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/column.h"
#include "history/history_builder.h"

namespace isolde {

class GroupedOps {
 public:
  // The place of a new transaction.
  std::uint32_t add_txn() { return txns_++; }
  [[nodiscard]] std::uint32_t txn_count() const { return txns_; }
  // Requires: `txn` was added; `kind` is kRead, kWrite or kAppend.
  void add(std::uint32_t txn, OpKind kind, KeyId key, ValueId value) {
    if (!ops_.empty() && ops_.back().txn > txn) sorted_ = false;
    ops_.push_back({txn, kind, key, value});
  }
  // Removes the transaction added last with its operations. Requires: they were added last, too.
  void drop_last_txn() {
    --txns_;
    while (!ops_.empty() && ops_.back().txn == txns_) ops_.truncate(ops_.size() - 1);
  }

  // Gives each transaction another place: `to[place]`. Requires: `to` is a permutation.
  void rearrange(std::span<const std::uint32_t> to) {
    for (Op& op : ops_) op.txn = to[op.txn];
    sorted_ = false;
  }

  // Calls `head(txn)`, which begins the transaction, then adds its operations and ends it; for every transaction.
  template <typename Head>
  void emit(HistoryBuilder& builder, Head&& head) {
    if (!sorted_) sort();
    std::size_t next = 0;
    for (std::uint32_t txn = 0; txn < txns_; ++txn) {
      head(txn);
      for (; next < ops_.size() && ops_[next].txn == txn; ++next) put(builder, ops_[next]);
      builder.end_txn();
    }
  }

 private:
  struct Op {
    std::uint32_t txn;
    OpKind kind;
    KeyId key;
    ValueId value;
  };
  static void put(HistoryBuilder& builder, const Op& op) {
    if (op.kind == OpKind::kRead) {
      builder.read(op.key, op.value);
    } else if (op.kind == OpKind::kAppend) {
      builder.append(op.key, op.value);
    } else {
      builder.write(op.key, op.value);
    }
  }
  void sort() {
    std::vector<std::size_t> place(std::size_t{txns_} + 1, 0);
    for (const Op& op : ops_) ++place[op.txn + 1];
    for (std::size_t t = 1; t < place.size(); ++t) place[t] += place[t - 1];
    Column<Op> sorted;
    sorted.extend(ops_.size());
    for (const Op& op : ops_) sorted[place[op.txn]++] = op;
    ops_ = std::move(sorted);
    sorted_ = true;
  }

  Column<Op> ops_;
  std::uint32_t txns_ = 0;
  bool sorted_ = true;
};

}  // namespace isolde
