// check/mirror/windows.h: when a transaction of a trace, and each of its operations, can have happened.
//
// In, out: a History's clocks -> the windows of begin, end, commit and every operation.
// Always:  a window contains the real moment whatever the clocks' unit: readings out of order widen it, and an
//          operation whose interval was not recorded lies between its neighbours. A commit lies within its own interval
//          where that is known, else between the last answer and the end. (Its interval fits the other readings:
//          history/commit_interval.h. It may begin before the last answer: commit_lo is then no bound for operations.)
// Cost:    linear in its operations; the buffer is the caller's.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "history/history.h"

namespace isolde::mirror {

struct Window {
  std::int64_t lo, hi;
};

struct TxnWindows {
  std::int64_t begin, end;
  std::int64_t commit_lo, commit_hi;  // or release, if aborted; an unknown one may come to it at any time
};

// One window an operation into `ops`.
[[nodiscard]] TxnWindows measure(const History& history, TxnId txn, std::vector<Window>& ops);

// `key = 7` and `key between 3 and 9`, as recorders write them. Anything else says nothing of what is not there.
[[nodiscard]] bool whole_key_range(std::string_view where, std::int64_t& low, std::int64_t& high);

}  // namespace isolde::mirror
