// format/register_output.h: what the writers of register formats share: which transactions to write, which values can
// be told apart, and how values of any kind become numbers without changing what the history says.
//
// Always:  numbering is one to one on each key, and what a key held at first stays what it held at first; so every
//          verdict on the written history is the verdict on this one.
// Cost:    linear.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "format/format.h"
#include "history/history.h"

namespace isolde {

// The non-negative integer that a value is, up to 2^64-1.
[[nodiscard]] std::optional<std::uint64_t> as_unsigned(const ValueTable& values, ValueId v);
// The integer that a value is, if it fits 64 signed bits.
[[nodiscard]] std::optional<std::int64_t> as_signed(const ValueTable& values, ValueId v);

// Per transaction: whether it counts as committed: it is, or its commit is unknown and a transaction that counts as
// committed saw one of its writes.
[[nodiscard]] std::vector<bool> effective(const History& h);

// Names or values as distinct non-negative integers: those that are integers already keep them.
class Numbering {
 public:
  explicit Numbering(const ValueTable& values) : values_(values) {}

  // The number 0 means something else in the format: the integer 0 is given another number like any other name.
  void reserve_zero() { zero_is_reserved_ = true; }
  void add(ValueId v);
  // Requires: add(v) was called, and no add() follows.
  std::uint64_t operator()(ValueId v);
  // How many had to be given a number, and an example such as `"x" as 3`.
  [[nodiscard]] std::size_t given() const { return given_.size(); }
  [[nodiscard]] const std::string& example() const { return example_; }

 private:
  const ValueTable& values_;
  std::unordered_set<std::uint64_t> used_;
  std::unordered_map<std::uint32_t, std::uint64_t> given_;
  std::uint64_t next_ = 1;
  bool zero_is_reserved_ = false;
  std::string example_;
};

// A value that several transactions that are not known to be aborted wrote to a key, or that the key held at first,
// too.
struct Repeat {
  KeyId key;
  ValueId value;
  std::uint64_t times;  // beyond the first
};
[[nodiscard]] std::vector<Repeat> repeats_of(const History& h);

// Per transaction: whether it writes a whole value to a key that somebody appends to, of which a read may show a part.
[[nodiscard]] std::vector<bool> whole_list_writers(const History& h);

// How many aborted transactions wrote a value that another transaction read, and that it can have from nobody else; or
// a whole list, of which nobody can say.
[[nodiscard]] std::uint64_t aborted_and_read(const History& h);

// How many transactions of unknown outcome count as committed.
[[nodiscard]] std::uint64_t unknown_and_seen(const History& h);

}  // namespace isolde
