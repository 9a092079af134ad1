// audit/story/grouping.h: cycles that have the same cause are one story; what is at stake and likely comes first.
//
// Always:  same cause: the same statement reads what is out of date and the same statement has changed it, in the
//          dependency that people should look at first (main_edge). Which columns of theirs it is, and which way the
//          cycle closes, does not matter: one change to the application ends them all.
//          The score adds, more or less, logarithms of odds:
//            how the read is used     3 if the reader writes back what it read, down to 0 if it only reads
//            what is at stake         2 for quantities, amounts, balances …; less for ids, negative for time stamps,
//                                     sessions, caches: by the words in the names (stakes.h)
//            seen happening           an update that was lost while the trace was recorded comes before all others
//            seen in the trace        classes that were concurrent, most of all with a row in common
//            what makes it unlikely   each transaction beyond two; a reader that is one statement by itself; a row that
//                                     is looked for by its key and inserted by another; a set-up; a column that is
//                                     always written back as it was; rows with a value that nobody writes in the trace
//          The weights were set by eye. Each cause is shown by its story with the best score.
// Cost:    a microsecond a cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "audit/facts/same_rows.h"
#include "audit/story/story.h"

namespace isolde::audit {

struct Grouped {
  std::vector<std::size_t> candidates;  // the best few of the group, the best first
  AnomalyName name;
  double rank;
  std::uint32_t concurrent, same_row;
  std::uint64_t cycles;
  Cause cause = {};
  std::uint32_t lost = kNone32;  // in Classes::lost: it happened while the trace was recorded
};

[[nodiscard]] std::vector<Grouped> group_cycles(const Classes& classes, const TraceLog& log, SameRows& rows,
                                                const RowFacts& facts, const std::vector<Cycle>& cycles);

}  // namespace isolde::audit
