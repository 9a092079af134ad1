// check/weak/look_aggregates.h: versions whose aggregate is the one that was recorded.
//
// In, out: an order of all transactions, an aggregate of one of them -> the versions that match, of a key at most one.
// Always:  what is found is evaluated: the versions, and what the transaction itself wrote, have the recorded result.
//          None lies below its key's floor or comes from after the transaction.
//          What was committed before the operation by the clients' clocks is in the state. Of those that were
//          committing just then, as many as it takes are added, in the order in which they were heard to have
//          committed; then one or two of them more, or fewer.
// Cost:    keys, and for each state tried the keys that were written about that time.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "check/cycles/match.h"
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
  explicit LookAggregates(const LookOrder& order);

  // The transaction reads from a snapshot, taken up to its first operation.
  void set_snapshot(bool snapshot) { snapshot_ = snapshot; }

  // The looks at versions that match; nothing if none were found. `own`: each key once. `forced`, by key: the one slot
  // that may be looked at, or kNoSlot; may be empty.
  [[nodiscard]] std::optional<std::span<const graph::Slot>> explain(TxnId t, OpId op, const LookFloors& floors,
                                                                    std::span<const OwnRow> own,
                                                                    std::span<const graph::Slot> forced);
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  static constexpr std::uint32_t kMostOpen = 64;  // a bit each
  // Places whose transactions may be part of the state or not, as far as clocks tell: all before it are, none after it.
  struct Window {
    std::uint32_t first, end;
    History::Interval at;
  };
  // One key that was written in the window.
  struct Moved {
    KeyId key;
    std::uint32_t first, end;  // in candidates_
  };
  struct Candidate {
    graph::Slot slot;
    std::uint64_t bit;  // of its writer, if that is open
    graph::Match match;
  };
  static constexpr std::uint8_t kIn = kMostOpen, kOut = kMostOpen + 1;  // in kind_

  [[nodiscard]] Window window_of(TxnId t, OpId op) const;
  // Tells the transactions of the window apart.
  void sort_writers(TxnId t, OpId op, const Window& window);
  // Whether what the transaction reads or does not find later shows that it had not seen the writer.
  [[nodiscard]] bool is_missed_later(TxnId t, OpId op, TxnId writer);
  [[nodiscard]] graph::Slot slot_before(KeyId key, std::uint32_t place);
  // Parts the keys into those that were written in the window and those that were not.
  void sort_keys(const Window& window, const LookFloors& floors, std::span<const graph::Slot> forced,
                 const graph::Matcher& matcher);
  void add_moved(KeyId key, const Window& window, const LookFloors& floors, const graph::Matcher& matcher);
  [[nodiscard]] bool search(ValueId recorded);
  // With what is in for sure and those of the open transactions that `in` has.
  [[nodiscard]] bool agrees(std::uint64_t in, ValueId recorded);

  const LookOrder& o_;
  bool snapshot_ = false;
  // By place: the client's clock before the commit and after it; the earliest of the former of all from the place on,
  // and the latest of the latter of all up to it.
  std::vector<std::int64_t> done_, end_, first_done_, last_end_;
  std::vector<graph::Slot> at_;  // by key: what slot_before() found last
  // For one aggregate:
  std::vector<std::uint64_t> own_stamp_, moved_stamp_;  // by key
  std::uint64_t stamp_ = 0;
  std::vector<std::uint8_t> kind_;       // by place in the window: its bit, kIn or kOut
  std::vector<std::uint32_t> open_;      // places, by bit
  std::optional<AggregateState> fixed_;  // of keys that were not written in the window
  bool faulty_ = false;
  std::vector<graph::Slot> fixed_looks_, looks_;
  std::vector<Moved> moved_;
  std::vector<Candidate> candidates_;
  std::uint64_t steps_ = 0;
};

}  // namespace isolde::weak
