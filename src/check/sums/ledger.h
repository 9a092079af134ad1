// check/sums/ledger.h: a history of reads and increments as amounts: who adds what to which key, who read which
// balance.
//
// In, out: a History without plain writes -> its transactions that committed or may have, with what each adds to a key
// in
//          all, and what its reads say that the key held before it came (its own earlier increments taken off).
// Always:  no sum of amounts leaves 64 bits, or `lack` says so.
// Cost:    linear in operations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "history/history.h"

namespace isolde::sums {

// What a key holds: absent until something is added, or a number.
struct Balance {
  std::int64_t number = 0;
  bool present = false;
  friend bool operator==(const Balance&, const Balance&) = default;
};

struct BalanceRead {
  std::uint32_t key;
  Balance seen;
  bool may_be_absent;  // it had added something itself: absent and 0 look the same
  OpId op;
};

struct Amount {
  std::uint32_t key;
  std::int64_t amount;
};

struct LedgerTxn {
  TxnId id;
  bool sure;  // committed; else of unknown outcome
  std::vector<BalanceRead> reads;
  std::vector<Amount> adds;  // one a key, by key; also where they cancel out: the key is there then
};

struct Ledger {
  explicit Ledger(const History& history);

  std::string lack;  // why the history is not for this; empty if it is
  std::vector<Balance> initial;
  std::vector<LedgerTxn> txns;  // in the order of the history
};

}  // namespace isolde::sums
