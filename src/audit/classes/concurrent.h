// audit/classes/concurrent.h: what the trace shows of transactions that ran at the same time.
//
// In, out: TraceLog, classes -> pairs of classes seen concurrent, of these with a row in common that one of them
//          writes, and columns whose values always differed.
// Always:  each pair of concurrent transactions counts once. Of a hot row not more than kMostMeetings pairs are looked
//          at in all: the counts are for ranking only. A column is unique only if rows are looked for by it, no two
//          concurrent transactions ever had the same value of it, and enough pairs used it.
// Cost:    linear in the statements' keys, plus a step for each class that is open when a transaction begins.
// Source:  IsoDiff, section 3.3 (tagging unique IDs).
#pragma once

#include <cstdint>

#include "audit/classes/classes.h"

namespace isolde::audit {

inline constexpr std::uint64_t kMostMeetings = 10'000'000;

// Fills in unique, seen_concurrent and seen_same_row. Requires: the rest of `classes` is there.
void look_at_concurrency(const TraceLog& log, std::uint64_t pairs_for_unique, Classes& classes);

}  // namespace isolde::audit
