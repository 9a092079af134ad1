// history/session_gaps.h: where the client's count of the transactions of a session (`sno`) has gaps.
//
// In, out: a History -> the transactions whose number is not the successor of the one before them in their session.
// Always:  only two neighbours of a session that both have a number are compared, whatever became of them: an aborted
//          transaction that the history holds takes its number. A session may begin with any number, since nothing is
//          known of what a client did before the recording began.
// Cost:    one pass over the transactions, only where some have a number.
// Source:  Chronos (algorithm 2, lines 7 to 9), where it is a part of the axiom SESSION.
#pragma once

#include <cstdint>
#include <vector>

#include "history/history.h"

namespace isolde {

struct SessionGap {
  TxnId before, after;  // neighbours in their session
};

// Of the numbers of two neighbours; kNoTime: it has none.
[[nodiscard]] bool is_numbered_apart(std::int64_t before, std::int64_t after);

[[nodiscard]] std::vector<SessionGap> session_gaps(const History& history);

}  // namespace isolde
