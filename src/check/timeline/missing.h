// check/timeline/missing.h: transactions whose snapshot is not known: is there a moment whose state explains their
// reads?
//
// In, out: the versions that the sweep recorded -> a place for each such transaction, or the reads that no place
//          explains.
// Always:  exact for registers and counters, and for lists that are only appended to; otherwise kUnclear.
// Cost:    for each read, the number of versions of its key that hold the value read.
#pragma once

#include <cstdint>
#include <vector>

#include "check/timeline/schedule.h"
#include "check/timeline/sweep.h"
#include "history/history.h"

namespace isolde::timeline {

struct Placement {
  enum class Answer : std::uint8_t { kPlaced, kNowhere, kUnclear };
  TxnId txn;
  Answer answer;
  std::uint32_t after_rank = 0;  // kPlaced: its start stands right behind the event of that rank (0: before all)
  // kNowhere: two reads that no one moment explains (kNoOp where the trouble is not a pair).
  OpId one = kNoOp, other = kNoOp;
  KeyId one_key = kNoKey, other_key = kNoKey;
};

// The keys whose versions the sweep must record.
[[nodiscard]] std::vector<bool> keys_to_record(const History& history, const Schedule& schedule);

[[nodiscard]] std::vector<Placement> place_missing(const History& history, const Schedule& schedule,
                                                   const SweepResult& swept, LevelFamily family, AddedOrder order,
                                                   const Uncertain& uncertain);

// INT for the transactions that the sweep did not replay.
[[nodiscard]] std::vector<Finding> internal_findings(const History& history, TxnId txn);

}  // namespace isolde::timeline
