// batch/timeline.h: the engines `timeline` and `replay` over several ranks.
//
// In, out: the parts of all ranks, a level -> the verdict that check/timeline gives on the whole history, on rank 0,
//          with the transactions that it refers to; or the reason why it takes the whole history to judge.
// Always:  the same anomalies in the same order, the same counts and notes. A share of the keys is swept by
//          check/timeline itself; what the sweeps find is put into the order of events of the whole history. What the
//          timestamps leave open in a way that ties keys together (equal timestamps of transactions that touch each
//          other, missing ones, unknown outcomes that may or may not have been seen) is not judged here.
// Cost:    of a rank: its share of the keys (batch/deal.h), and the sweep over it. Rank 0: the transactions that
//          anomalies involve.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anomaly/verdict.h"
#include "batch/facts.h"
#include "batch/orders.h"
#include "batch/parts.h"
#include "batch/places.h"
#include "batch/ranks.h"
#include "history/session_gaps.h"

namespace isolde::batch {

struct TimelineJob {
  Level level = Level::kSnapshotIsolation;
  timeline::Clock clock = timeline::Clock::kTimestamps;
  unsigned passes = 1;
  std::size_t max_anomalies = SIZE_MAX;
};

struct TimelineAnswer {
  std::string open;                       // why the whole history is needed; empty: it is not. The same on all ranks
  Outcome outcome = Outcome::kUndecided;  // on all ranks
  // On rank 0, if nothing is open:
  Verdict verdict;  // its `method` is not set
  std::optional<History> part;
  std::vector<SessionGap> gaps;  // in the numbers of sessions, the first ones; not yet in the verdict
  std::uint64_t gap_count = 0;
  // On all ranks:
  std::uint64_t keys = 0, sessions = 0;
  OrderEvidence orders = {};
};

// Requires: the engine can judge the level on this history.
[[nodiscard]] Result<TimelineAnswer> judge_by_time(Ranks& ranks, Parts& parts, const Facts& facts,
                                                   const TimelineJob& job);

}  // namespace isolde::batch
