// check/timeline/order.h: the session and real-time orders against the order of the events.
//
// In, out: ranks of starts and commits -> transactions whose start comes before the commit of one that precedes them.
// Cost:    session: linear. Real time: linear (radix sort of the client's clock).
// Source:  Chronos, SESSION; CONTRACT section 2 for real time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/timeline/schedule.h"
#include "history/history.h"

namespace isolde::timeline {

struct OrderFinding {
  TxnId before;  // comes first in its session, or had ended by the client's clock …
  TxnId after;   // … but the start of this one stands before its commit
};

// Ranks count from 1; 0 means that there is no such event. Serial orders: both ranks are the place.
struct Ranks {
  std::span<const std::uint32_t> start, commit;
};

[[nodiscard]] std::vector<OrderFinding> session_findings(const History& history, const Ranks& ranks);
[[nodiscard]] std::vector<OrderFinding> realtime_findings(const History& history, const Ranks& ranks);

}  // namespace isolde::timeline
