// history/session_gaps.h: gaps in the client's numbers of the transactions of a session (`sno`).
//
// In, out: a History -> the transactions whose number does not follow that of the previous one in their session.
// Always:  only two neighbours in a session that both have a number are compared, whatever their status: an aborted
//          transaction in the history uses up its number. A session may begin with any number, because it is not known
//          what a client did before the recording began.
// Cost:    one pass over the transactions, only if some have a number.
// Source:  Chronos (algorithm 2, lines 7 to 9), where it is part of the axiom SESSION.
#pragma once

#include <cstdint>
#include <vector>

#include "history/history.h"

namespace isolde {

struct SessionGap {
  TxnId before, after;  // neighbours in their session
};

// Whether the numbers of two neighbours are not consecutive; kNoTime: no number.
[[nodiscard]] bool is_numbered_apart(std::int64_t before, std::int64_t after);

[[nodiscard]] std::vector<SessionGap> session_gaps(const History& history);

}  // namespace isolde
