// check/timeline/seen.h: which transactions of unknown outcome count as committed.
//
// In, out: a History -> for each transaction whether it counts (CONTRACT section 2).
// Always:  a transaction whose write was seen, and can have been written by nobody else, counts; one that nobody can
// have
//          seen does not; between the two it is kMaybe.
// Cost:    linear; nothing but one look at the statuses where none is unknown.
#pragma once

#include <span>
#include <vector>

#include "check/timeline/schedule.h"
#include "history/history.h"

namespace isolde::timeline {

// `already`: transactions of unknown outcome that are known to count, for a history that is a part of another one.
[[nodiscard]] std::vector<Counts> who_counts(const History& history, std::span<const TxnId> already = {});

}  // namespace isolde::timeline
