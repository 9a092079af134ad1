// history/join.h: pieces of a history put together again.
//
// In, out: Histories, each with transactions that follow those of the one before -> one History.
// Always:  names that are equal are one key, one session, one value. Nothing else is changed or judged: an empty list
//          stays what it is in the pieces. The inverse of cut.h, but for the numbers of ids.
// Cost:    linear in the operations and in the tables of the pieces.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "history/history.h"

namespace isolde {

class HistoryJoiner {
 public:
  HistoryJoiner();

  // An error if the whole does not fit 32-bit ids.
  [[nodiscard]] Result<void> add(const History& piece);
  // For values that no piece has.
  [[nodiscard]] ValueInterner& values() { return values_; }
  // An error if the pieces do not make a history, e.g. if a version order names a transaction that there is not.
  [[nodiscard]] Result<History> finish();

 private:
  struct Maps {  // of the ids of one piece
    std::vector<ValueId> value;
    std::vector<KeyId> key;
    std::vector<SessionId> session;
    std::uint32_t first_predicate, first_item, first_txn, first_op;
  };
  [[nodiscard]] Maps map_tables(const History& piece);
  void add_transactions(const History& piece, const Maps& maps);
  void add_predicates(const History& piece, const Maps& maps);
  void add_orders(const History& piece, const Maps& maps);

  std::unique_ptr<OwnedColumns> c_;
  ValueInterner values_;
  std::unordered_map<std::uint32_t, KeyId> keys_;          // by name
  std::unordered_map<std::uint32_t, SessionId> sessions_;  // by name
  bool any_ = false, own_initial_ = false;
  ValueId default_initial_ = kNullValue;
  std::uint32_t flags_ = 0;
};

}  // namespace isolde
