// check/weak/past.h: contradictions of causality: stale reads of a key that one in the reader's past had written since.
//
// In, out: stale reads of an order -> the pairs that the causal axiom asks for and the order has the other way round.
// Always:  the past is what a chain of session order and reads-from leads back to. It is kept as a clock: of each
//          session, how many of its transactions are in it. All clocks are kept if there is room, so that further
//          orders find them; else each while somebody may still ask for it.
// Cost:    transactions x sessions in time, kCells clock entries in memory. Where that is not enough: past_search.h.
// Source:  AWDIT.
#pragma once

#include <span>

#include "check/weak/contradictions.h"

namespace isolde::weak {

class Past {
 public:
  Past(const Table& table, std::uint32_t sessions);

  // `previous`: of each version, the one before it in the order.
  void look_back(std::vector<StaleRead> stale, std::span<const graph::Version> previous, const Limits& limits,
                 Contradictions& out);

 private:
  // False: there is no room for the clocks.
  bool by_clocks(std::span<const StaleRead> stale, std::span<const graph::Version> previous, const Limits& limits,
                 Contradictions& out);
  [[nodiscard]] std::uint32_t* clock(Number i) { return clocks_.data() + std::size_t{slot_[i]} * sessions_; }
  void count_asked();
  // Makes the clock of a number, after those of all before it. False: there is no room.
  bool advance(Number i);
  [[nodiscard]] bool take_slot(Number i);
  void done_with(Number i) {
    if (!keeps_all_ && --asked_[i] == 0) free_.push_back(slot_[i]);
  }
  // False: too much work.
  bool look_at(const StaleRead& stale, std::span<const graph::Version> previous, Contradictions& out);

  const Table& table_;
  const std::uint32_t sessions_;
  const bool keeps_all_;
  bool has_room_;
  bool has_all_ = false;
  std::uint64_t steps_left_ = 0;
  std::vector<Number> before_;           // in the session
  std::vector<std::uint32_t> at_;        // how many of its session come before it
  std::vector<std::uint32_t> asked_;     // how often its clock will be asked for
  std::vector<std::uint32_t> slot_;      // where its clock is
  std::vector<std::uint32_t> free_;      // slots
  std::vector<std::uint32_t> clocks_;    // sessions_ entries a slot
  std::vector<std::uint32_t> found_in_;  // by session: the read that found a writer there last
};

}  // namespace isolde::weak
