// batch/fetch.h: whole transactions of all ranks, brought to the first one.
//
// In, out: places in the whole history (on every rank the same) -> on rank 0 a joiner that holds those transactions, in
//          that order; or, for fetch_all(), the whole history.
// Cost:    what is fetched, in memory of the first rank.
#pragma once

#include <cstdint>
#include <vector>

#include "batch/parts.h"
#include "batch/ranks.h"
#include "history/join.h"

namespace isolde::batch {

// `places`: ascending, each once.
[[nodiscard]] Result<HistoryJoiner> fetch(Ranks& ranks, Parts& parts, const std::vector<std::uint64_t>& places);
[[nodiscard]] Result<HistoryJoiner> fetch_all(Ranks& ranks, Parts& parts);

}  // namespace isolde::batch
