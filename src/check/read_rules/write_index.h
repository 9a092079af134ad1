// check/read_rules/write_index.h: who wrote a value to a key, for every write of a history.
//
// In, out: a History -> (key, value) -> one writer and what kinds of writers there are.
// Cost:    one look-up a write; 16 bytes a slot, at most three slots a write. Where values are written once and count
//          up, their slots lie side by side, so that what is written together is found together in the caches.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "base/prefetch.h"
#include "history/history.h"

namespace isolde {

class WriteIndex {
 public:
  enum Kind : std::uint8_t {
    kFinal = 1,         // the last write of the key in a transaction that committed or may have
    kIntermediate = 2,  // overwritten by the same transaction
    kAborted = 4,
    kSeveral = 8,  // more than one transaction wrote it (aborted ones not counted)
  };
  struct Entry {
    std::uint64_t id = kFree;
    TxnId txn{};  // a writer of the best kind there is: final, else intermediate, else aborted
    std::uint8_t kinds = 0;
  };

  explicit WriteIndex(const History& history);

  // Null if nobody wrote it. For lists, `value` is an element.
  [[nodiscard]] const Entry* find(KeyId key, ValueId value) const;
  // Says that find() will be asked for it soon.
  void prefetch(KeyId key, ValueId value) const { isolde::prefetch(&slots_[home(id(key, value))]); }
  // Values that more than one transaction wrote to one key.
  [[nodiscard]] std::uint64_t repeated() const { return repeated_; }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static std::uint64_t id(KeyId key, ValueId value) { return (std::uint64_t{raw(key)} << 32) | raw(value); }
  // Where the search for an id starts. By value, in proportion, while no search gets long; else all over the table.
  [[nodiscard]] std::uint64_t home(std::uint64_t id) const {
    const std::uint64_t value = id & 0xffffffffU;
    if (scale_ == 0 || value == raw(kNullValue)) return mix64(id) & (slots_.size() - 1);
    const std::uint64_t place = value < kFirstTableValue ? value * scale_ >> 32 : value - kFirstTableValue;
    return place & (slots_.size() - 1);
  }
  // False: a search got too long.
  bool fill(const History& history);
  bool add(std::uint64_t id, TxnId txn, Kind kind);

  static constexpr std::uint64_t kMostSteps = 32;  // of a search by value

  std::vector<Entry> slots_;
  std::uint64_t scale_ = 0;  // slots for each integer, in 2^-32; 0: not by value
  std::uint64_t repeated_ = 0;
};

}  // namespace isolde
