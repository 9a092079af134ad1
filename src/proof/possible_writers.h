// proof/possible_writers.h: whose version a read may have returned, for the reads that cases are about.
//
// In, out: a History and reads -> for each of them all transactions that left its value in its key, and the initial
//          state if the key held it.
// Always:  written from the operations alone. A transaction of unknown outcome may have been the one; one that aborted
//          or the reader itself was not. Of keys that are appended to or incremented nothing is said.
// Cost:    one pass over the history.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "anomaly/anomaly.h"
#include "history/history.h"

namespace isolde::proof {

struct ReadAt {
  TxnId txn;
  OpId op;
  KeyId key;
};

// The reads that the assumed steps of an anomaly's cases are about.
[[nodiscard]] std::vector<ReadAt> assumed_reads(const Anomaly& anomaly);

class PossibleWriters {
 public:
  PossibleWriters(const History& history, std::span<const ReadAt> reads);

  // Ascending; kNoTxn, the initial state, last. Null: not asked for, no read of what others wrote, or a key whose
  // values do not tell.
  [[nodiscard]] const std::vector<TxnId>* of(OpId op, KeyId key) const;

 private:
  std::map<std::pair<OpId, KeyId>, std::vector<TxnId>> writers_;
};

}  // namespace isolde::proof
