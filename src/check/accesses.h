// check/accesses.h: the item reads and writes of a transaction, whichever operations they come from.
//
// A scan reads the rows that it returned, and a predicate update writes the rows that it left. They do not show whether
// the predicate found every row that it should have found.
#pragma once

#include <cstdint>

#include "history/history.h"

namespace isolde {

struct Access {
  OpKind kind;  // kRead, kWrite, kAppend or kIncrement
  KeyId key;
  ValueId value;
  std::uint32_t op;
};

// Calls `f(Access)` for each, in program order.
template <typename F>
void for_each_access(const History& h, TxnId t, F&& f) {
  for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
    const OpHead op = h.op(i);
    const OpKind kind = op.kind();
    if (!is_predicate(kind)) {
      f(Access{kind, op.key(), h.op_value(i), i});
    } else if (kind != OpKind::kAggregate) {
      const OpKind as = kind == OpKind::kScan ? OpKind::kRead : OpKind::kWrite;
      for (const Item& item : h.items(h.predicate(op.predicate()))) f(Access{as, item.key, item.value, i});
    }
  }
}

}  // namespace isolde
