// check/weak/look_floors.h: of each key, the latest version that a transaction has seen the writer of: what it reads of
// the key, and looks at, is not older.
//
// In, out: an order of all transactions; the transactions in that order, each with the writers that it read from -> the
//          floor of each key, by the level's SeenRule.
// Always:  in an order in which no read and no look lies below its floor the level's axiom holds. Floors only rise,
//          until another transaction is entered.
// Cost:    kLater: the versions of the writers that were seen. kAny: also the keys, for each transaction; kPast: for
//          each writer seen. At most kCells entries are kept.
// Source:  Biswas and Enea (the axioms).
#pragma once

#include <vector>

#include "check/cycles/cycles.h"
#include "check/cycles/slots.h"

namespace isolde::weak {

class LookFloors {
 public:
  LookFloors(const History& history, const graph::Trace& trace, const graph::Slots& slots, graph::SeenRule rule);

  // There is room for what the rule needs; else nothing may be asked.
  [[nodiscard]] bool has_room() const { return has_room_; }

  // The transactions, in the order; each is left before the next is entered. One that is entered again has seen
  // nothing.
  void enter(TxnId t);
  void leave();
  // The transaction read from `writer`; kNoTxn: the initial state.
  void see(TxnId writer);

  [[nodiscard]] graph::Slot of(KeyId key) const {
    const Floor& floor = floors_[raw(key)];
    return floor.stamp == stamp_ ? floor.slot : slots_.begin(key);
  }
  // The keys whose floor is above the initial state.
  [[nodiscard]] std::span<const KeyId> raised() const { return raised_; }
  // Counts up whenever a floor rises.
  [[nodiscard]] std::uint64_t rises() const { return rises_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  struct Floor {
    std::uint64_t stamp = 0;
    graph::Slot slot = 0;
  };

  void raise(KeyId key, graph::Slot slot);
  [[nodiscard]] std::span<graph::Slot> row(std::uint32_t i) {
    return std::span(rows_).subspan(std::size_t{i} * slots_of_key_, slots_of_key_);
  }
  void raise_to_row(std::uint32_t i);

  const History& h_;
  const graph::Trace& trace_;
  const graph::Slots& slots_;
  const graph::SeenRule rule_;
  const std::size_t slots_of_key_;  // entries a row
  bool has_room_ = true;
  TxnId now_ = kNoTxn;
  std::uint64_t stamp_ = 0;    // of who was entered last
  std::vector<Floor> floors_;  // by key
  std::vector<KeyId> raised_;
  std::vector<std::uint64_t> seen_by_;  // by transaction: the stamp of who saw it last
  std::vector<graph::Slot> rows_;       // kAny: by session, what it wrote; kPast: by transaction, its past and itself
  std::vector<TxnId> session_last_;     // kPast
  std::uint64_t rises_ = 0, steps_ = 0;
};

}  // namespace isolde::weak
