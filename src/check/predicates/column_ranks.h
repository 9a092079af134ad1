// check/predicates/column_ranks.h: one column of the current state as small numbers that stand in the column's order.
//
// In, out: all versions that can occur -> the rank of each among the column's values; set() as the state changes ->
//          the keys whose rank lies in a range.
// Always:  ranks agree with index_less; a key that is absent, or whose version has NULL there, has no rank (kNone32).
// Cost:    building sorts the distinct values of the column. set() is constant. A range is found by a pass over 4 bytes
//          a key, or (with an index) by the bits of the ranks that are in use: as many steps as it finds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "history/history.h"
#include "history/predicate.h"

namespace isolde {

// Numbers 0 … n-1, of which some are in; the next one that is in takes as many steps as there are levels.
class RankBits {
 public:
  explicit RankBits(std::uint32_t count);
  void insert(std::uint32_t rank);
  void erase(std::uint32_t rank);
  // The first that is in, from `rank` on; kNone32: none.
  [[nodiscard]] std::uint32_t next(std::uint32_t rank) const;

 private:
  std::vector<std::vector<std::uint64_t>> levels_;  // a bit says that the word below it is not zero
};

class ColumnRanks {
 public:
  using Subject = PredicateRange::Subject;

  // `versions`: every version that a key may have, each once, inline integers first and ascending. `with_index`: ranges
  // can be walked.
  ColumnRanks(const History& history, Subject subject, ValueId column, std::span<const ValueId> versions,
              bool with_index);

  [[nodiscard]] bool is(Subject subject, ValueId column) const { return subject_ == subject && column_ == column; }
  // The class (class_of) of all values in the column; 0: there are none, -1: several.
  [[nodiscard]] int value_class() const { return class_; }

  void set(KeyId key, ValueId version);

  struct Range {
    std::uint32_t from, size;
    [[nodiscard]] bool has(std::uint32_t rank) const { return rank - from < size; }
  };
  [[nodiscard]] Range range_of(const PredicateRange& range) const;

  [[nodiscard]] std::span<const std::uint32_t> ranks() const { return {now_.data(), key_count_}; }
  // For the 64 keys from 64 * block on, a bit each: whether its rank lies in the range; whether it has one that does
  // not.
  [[nodiscard]] std::uint64_t bits_in(Range range, std::size_t block) const;
  [[nodiscard]] std::uint64_t bits_outside(Range range, std::size_t block) const;
  // Appends the keys in the range to `out` from its start on; false once there are more than `most`.
  // Requires: an index.
  bool walk(Range range, std::size_t most, std::vector<KeyId>& out) const;

 private:
  [[nodiscard]] ValueId field_of(ValueId version) const;
  void rank_fields(std::vector<ValueId> fields);
  [[nodiscard]] std::uint32_t rank_of_field(ValueId field) const;
  void link(std::uint32_t key, std::uint32_t rank);
  void unlink(std::uint32_t key, std::uint32_t rank);

  const ValueTable& values_;
  const Subject subject_;
  const ValueId column_;
  std::vector<Scalar> sorted_;               // by rank
  std::vector<std::uint32_t> field_, rank_;  // distinct values of the column, ascending by id, and their ranks
  std::vector<std::uint32_t> of_entry_;      // the rank of each version that is an entry of the table (not kKey)
  std::vector<std::uint32_t> of_key_;        // kKey: the rank of each key's name
  std::uint32_t key_count_;
  std::vector<std::uint32_t> now_;  // by key, up to a whole number of blocks
  int class_ = 0;
  // The index: keys of one rank as a list.
  bool with_index_;
  RankBits used_{0};
  std::vector<std::uint32_t> head_, next_, before_;
};

}  // namespace isolde
