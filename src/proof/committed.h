// proof/committed.h: who counts as committed, and who wrote the keys that anomalies are about, in the order of the
// evidence.
//
// In, out: a History and a violated Verdict -> writers of a value, the content of a key at a time.
// Cost:    one pass over the history.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "anomaly/verdict.h"
#include "history/history.h"
#include "proof/operations.h"

namespace isolde::proof {

class Committed {
 public:
  struct Write {
    TxnId txn;
    Touch touch;
    bool final;
  };

  Committed(const History& history, const Verdict& verdict);

  [[nodiscard]] const std::vector<Write>& writers(KeyId key, ValueId value) const;
  [[nodiscard]] bool is_appended_to(KeyId key) const { return appended_[raw(key)]; }
  [[nodiscard]] const std::vector<bool>& counted() const { return counted_; }
  [[nodiscard]] bool counts(TxnId t) const { return counted_[raw(t)]; }
  // When its writes take effect, by the evidence that the verdict is about.
  [[nodiscard]] std::int64_t time_of(TxnId t) const { return by_order_ ? h_.order(t) : h_.commit_ts(t); }
  // The same, where a transaction that wrote nothing may have no commit timestamp.
  [[nodiscard]] std::int64_t moment_of_commit(TxnId t) const {
    if (by_order_) return h_.order(t);
    return h_.commit_ts(t) != kNoTime ? h_.commit_ts(t) : h_.start_ts(t);
  }
  // The moment whose state a transaction reads: its snapshot, or its place in the serial order.
  [[nodiscard]] std::int64_t moment(TxnId t) const { return serial_ ? moment_of_commit(t) : h_.start_ts(t); }
  // The level is about one order of whole transactions.
  [[nodiscard]] bool is_serial() const { return serial_; }

  // Among commits of one time: those that started before, then those whose start is not known, then those that started
  // at that time.
  [[nodiscard]] int turn(TxnId t) const {
    if (by_order_) return 0;
    return h_.start_ts(t) == kNoTime ? 1 : h_.start_ts(t) == h_.commit_ts(t) ? 2 : 0;
  }

  // What the key holds at that time: all commits up to and including it (of that very time only those whose turn is at
  // most `last_turn`), but that of `except`.
  [[nodiscard]] Content content_at(KeyId key, std::int64_t time, TxnId except, int last_turn = 2) const;
  // Whether writers of the key committed at one time, or one at this time.
  [[nodiscard]] bool has_ties(KeyId key, std::int64_t time) const;
  [[nodiscard]] const std::vector<TxnId>& committed_writers(KeyId key) const;

 private:
  [[nodiscard]] bool overwrites(TxnId t, KeyId key) const;
  void find_counted();
  bool see(const std::unordered_map<std::uint64_t, std::vector<TxnId>>& unknown, KeyId key, ValueId value);
  void gather(TxnId t);

  const History& h_;
  const bool by_order_, serial_;
  std::vector<bool> keys_, counted_, appended_;
  std::unordered_map<std::uint64_t, std::vector<Write>> by_value_;
  std::unordered_set<std::uint32_t> tied_;                           // keys of which two writers committed at one time
  std::unordered_map<std::uint32_t, std::vector<TxnId>> committed_;  // counted writers of a key, by commit_ts
};

}  // namespace isolde::proof
