// check/cycles/seen_writers.h: the transactions of unknown outcome that count, because a write of theirs was seen.
//
// In, out: what transactions that count read -> Trace::counts, and each that counts anew once, to be traced too.
// Always:  a value shows its writer only if no other transaction wrote it and the key did not start with it.
// Cost:    one hash look-up a value, and none if no outcome is unknown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "check/read_rules/write_index.h"
#include "history/history.h"

namespace isolde::graph {

class SeenWriters {
 public:
  SeenWriters(const History& history, const WriteIndex& index, std::vector<std::uint8_t>& counts)
      : h_(history), index_(index), counts_(counts) {
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) has_unknown_ |= h_.status(TxnId{t}) == Status::kUnknown;
  }

  [[nodiscard]] bool can_count_more() const { return has_unknown_; }

  void see(TxnId writer) {
    if (!has_unknown_ || counts_[raw(writer)] != 0 || h_.status(writer) != Status::kUnknown) return;
    counts_[raw(writer)] = 1;
    waiting_.push_back(writer);
  }

  // For lists, `value` is an element.
  void see_value(KeyId key, ValueId value) {
    if (!has_unknown_ || value == h_.initial(key) || stands_at_first(key, value)) return;
    const WriteIndex::Entry* const entry = index_.find(key, value);
    if (entry != nullptr && (entry->kinds & (WriteIndex::kSeveral | WriteIndex::kAborted)) == 0) see(entry->txn);
  }

  // An element of the initial list shows nobody's write.
  [[nodiscard]] bool stands_at_first(KeyId key, ValueId element) const {
    const auto initial = h_.values().elements(h_.initial(key));
    return initial && std::find(initial->begin(), initial->end(), element) != initial->end();
  }

  // One that counts anew; kNoTxn if there is none.
  TxnId take() {
    if (waiting_.empty()) return kNoTxn;
    const TxnId t = waiting_.back();
    waiting_.pop_back();
    return t;
  }

 private:
  const History& h_;
  const WriteIndex& index_;
  std::vector<std::uint8_t>& counts_;  // by transaction
  bool has_unknown_ = false;
  std::vector<TxnId> waiting_;
};

}  // namespace isolde::graph
