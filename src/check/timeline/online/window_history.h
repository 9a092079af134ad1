// check/timeline/online/window_history.h: the transactions of the window as one History, for the engine `timeline`.
//
// In, out: held transactions, the keys that matter and what these held before -> a History of their operations on these
//          keys, and which transaction and key of the stream each of its own is.
// Always:  values that are known by their fingerprint only have a name made of it; a list that was begun before the
// window
//          is one such name and what was appended.
// Cost:    linear in the operations.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "check/timeline/online/entry.h"
#include "history/chunk.h"
#include "history/history_builder.h"

namespace isolde::timeline {

class WindowHistory {
 public:
  // `with_predicates`: the operations themselves; else the rows that they read and wrote.
  explicit WindowHistory(bool with_predicates) : with_predicates_(with_predicates) {}

  // A key that matters, its state before the window, and where that is known as a value.
  void add_key(const Chunk& chunk, KeyId key, State before, const History* head, ValueId initial);
  // … that is known by its fingerprint: its name and its value before the window, in that table.
  void add_key(Fingerprint fingerprint, const ValueTable& values, ValueId name, ValueId before);
  [[nodiscard]] bool has_key(Fingerprint key) const { return keys_.contains(raw64(key)); }
  // Whether nobody knows what that key held.
  [[nodiscard]] bool is_opaque(KeyId key) const { return opaque_[raw(key)]; }
  void set_default_initial(const History& head, ValueId initial);

  void add_txn(const Chunk& chunk, TxnId txn, std::uint32_t number);
  [[nodiscard]] std::optional<History> finish();

  [[nodiscard]] std::uint32_t number_of(TxnId txn) const { return numbers_[raw(txn)]; }
  [[nodiscard]] Fingerprint fingerprint_of(KeyId key) const { return fingerprints_[raw(key)]; }

 private:
  struct Before {
    KeyId key;
    Fingerprint fingerprint = kNullFingerprint;  // of a value known by that only
    ValueId name = kNullValue;                   // that stands for it; kNullValue: the value is known
    bool list = false;
  };
  ValueId copy(const ValueTable& from, ValueId value);
  ValueId copy_of_key(const Chunk& chunk, const Before& before, ValueId value);

  const bool with_predicates_;
  HistoryBuilder builder_;
  std::unordered_map<std::uint64_t, Before> keys_;
  std::vector<Fingerprint> fingerprints_;
  std::vector<bool> opaque_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace isolde::timeline
