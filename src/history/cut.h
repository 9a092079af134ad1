// history/cut.h: some transactions of a history as a history of their own.
//
// In, out: a History and some of its transactions -> a History with these, whose tables have only what they use.
// Always:  names, operations, values, times and statuses are the same, and so is the order of the transactions. Columns
//          that the history has are there, even if none of these transactions has an entry. Version orders are left
//          out, since they name versions of other transactions; rest() has them. join.h puts pieces together again.
//          Values stay as they are: an empty list that is a value of the history is one in each piece.
//          With marked keys the operations on other keys are left out, and nothing else.
// Cost:    linear in the operations, and in what values are used for the first time in the piece.
#pragma once

#include <span>
#include <vector>

#include "history/history.h"

namespace isolde {

class HistoryCutter {
 public:
  explicit HistoryCutter(const History& history);

  // Requires: ascending.
  [[nodiscard]] History cut(std::span<const TxnId> txns);
  [[nodiscard]] History cut(std::uint32_t first, std::uint32_t end);
  // Only their operations on the keys that are marked, by id. Requires: no predicates.
  [[nodiscard]] History cut(std::span<const TxnId> txns, const std::vector<bool>& keys);
  // No transactions, but all version orders and faults, and the keys that no operation names. Entries of orders by
  // transaction are places in the whole history, so this piece is well formed only when joined. Requires: all
  // transactions were cut.
  [[nodiscard]] History rest();
  // Whether rest() has anything.
  [[nodiscard]] bool has_rest() const;

 private:
  class Piece;

  const History& h_;
  // Ids in the piece at hand; kNone32: not used yet.
  std::vector<std::uint32_t> value_, key_, session_;
  std::vector<std::uint32_t> used_values_, used_keys_, used_sessions_;
  std::vector<bool> named_;  // keys that some piece has
};

}  // namespace isolde
