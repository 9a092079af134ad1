// check/weak/look_aggregates.h: versions whose aggregate is the one that was recorded.
//
// In, out: an order of all transactions, an aggregate of one of them -> the versions that match, of each key at most
// one. Always:  what is found is evaluated: the versions, and what the transaction itself wrote, have the recorded
// result. No
//          version lies below its key's floor or comes from after the transaction.
//          States that the order goes through about the time of the operation are tried, the earliest first; then
//          states that have one or two of the transactions of that time more, or fewer: the clocks do not tell which of
//          them had committed.
// Cost:    keys, and for each state tried the keys that were written about that time.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "check/graph/match.h"
#include "check/weak/look_floors.h"

namespace isolde::weak {

// What a walk over the transactions of an order knows: everything by this order.
struct LookOrder {
  const History& history;
  const PredicateSet& predicates;
  const graph::Trace& trace;
  graph::Slots& slots;
  std::span<const TxnId> turns;
  std::span<const std::uint32_t> place;  // by transaction; kNone32: it does not count
};

// A value that the transaction itself wrote.
struct OwnRow {
  KeyId key;
  ValueId value;
};

class LookAggregates {
 public:
  LookAggregates(const LookOrder& order, bool one_view);

  // The looks at versions that match; nothing if none were found. `own`: each key once. `forced`, by key: the one slot
  // that may be looked at, or kNoSlot; may be empty.
  [[nodiscard]] std::optional<std::span<const graph::Slot>> explain(TxnId t, OpId op, const LookFloors& floors,
                                                                    std::span<const OwnRow> own,
                                                                    std::span<const graph::Slot> forced);
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  static constexpr std::uint32_t kWindow = 64;  // a bit each
  struct Window {
    std::uint32_t first, end;  // places
  };
  // Places of those who may have committed while the operation ran, or not.
  [[nodiscard]] Window window_of(TxnId t, OpId op) const;
  [[nodiscard]] bool explain_at(TxnId t, OpId op, OpId when, const LookFloors& floors, std::span<const OwnRow> own,
                                std::span<const graph::Slot> forced);
  // One key that was written in the window.
  struct Moved {
    KeyId key;
    std::uint32_t first, end;  // in candidates_
  };
  struct Candidate {
    graph::Slot slot;
    std::uint64_t bit;  // of its writer; 0: it was there before
    graph::Match match;
  };

  [[nodiscard]] graph::Slot slot_before(KeyId key, std::uint32_t place);
  // Parts the keys into those that were written in the window and those that were not.
  void sort_keys(const Window& window, const LookFloors& floors, std::span<const graph::Slot> forced,
                 const graph::Matcher& matcher);
  [[nodiscard]] bool search(const Window& window, ValueId recorded);
  // With what stood before the window and those of its transactions that `in` has.
  [[nodiscard]] bool agrees(std::uint64_t in, ValueId recorded);

  const LookOrder& o_;
  const bool one_view_;
  std::vector<std::int64_t> latest_end_;       // by place: of all up to it
  std::vector<std::int64_t> earliest_commit_;  // by place: of all from it on
  std::vector<graph::Slot> at_;                // by key: what slot_before() found last
  // For one aggregate:
  std::vector<std::uint64_t> own_stamp_, moved_stamp_;  // by key
  std::uint64_t stamp_ = 0;
  std::optional<AggregateState> fixed_;  // of keys that were not written in the window
  bool faulty_ = false;
  std::vector<graph::Slot> fixed_looks_, looks_;
  std::vector<Moved> moved_;
  std::vector<Candidate> candidates_;
  std::uint64_t steps_ = 0;
};

}  // namespace isolde::weak
