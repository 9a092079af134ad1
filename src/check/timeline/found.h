// check/timeline/found.h: a verdict from what sweeps found elsewhere, in a history of which only a part is at hand.
//
// A sweep judges keys apart, so that a large history can be swept in shares of its keys (src/batch). What it finds is
// about few transactions; this turns it into the verdict that `judge` gives on the whole history.
//
// In, out: whole transactions (all that the findings need: transactions_needed_by()) and the findings -> Verdict.
// Requires: nothing was left open: no ties, no transactions without a place, no predicates.
// Cost:    linear in the part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "anomaly/verdict.h"
#include "check/timeline/order.h"
#include "check/timeline/schedule.h"
#include "check/timeline/sweep.h"
#include "history/history.h"

namespace isolde::timeline {

// Some of a kind, the first ones, and how many there are in the whole history.
template <typename T>
struct FirstOf {
  std::vector<T> first;
  std::uint64_t count = 0;
};

struct Found {
  std::vector<Counts> counts;              // one per transaction of the part
  std::vector<std::uint32_t> commit_rank;  // likewise; only their order counts, here and in the findings
  std::vector<Finding> findings;           // all, in the order of a sweep
  // As many as may be kept (Limits::max_anomalies).
  FirstOf<OrderFinding> session, realtime;
  FirstOf<TxnId> start_after_commit;
  // Where clients' clocks contradict the timestamps, at levels that allow it: at least the first.
  FirstOf<OrderFinding> clocks;

  [[nodiscard]] bool violates() const {
    return !findings.empty() || session.count > 0 || realtime.count > 0 || start_after_commit.count > 0;
  }
};

// `method` of the verdict is not set.
[[nodiscard]] Verdict judge_found(const History& part, Level level, const Limits& limits, Clock clock,
                                  const Found& found);

// Notes that both ways of judging make.
[[nodiscard]] std::string clock_note(const History& history, const LevelInfo& level, std::uint64_t count,
                                     const OrderFinding& first);
[[nodiscard]] std::string order_note(Clock clock);
[[nodiscard]] constexpr Given given_by(Clock clock) {
  return clock == Clock::kOrder ? Given::kExpectedOrder : Given::kTimestamps;
}

}  // namespace isolde::timeline
