// batch/past.h: whether the order of the file shows that causality holds, over all ranks.
//
// In the order of the file, a read of a version that was the latest asks for nothing. Of a stale read it has to be
// known whether somebody who overwrote the version since is in the reader's past: what a chain of sessions and reads
// leads back to. All of that chain lies between the two in the file. So the stretches from an overwriter to the reader
// are brought to ranks, and searched there. This is check/weak/past_search.h on many ranks.
//
// In, out: reads and writes by key, edges -> empty if no read misses what is in its past; else why that is not shown.
// Always:  the same on all ranks.
// Cost:    stale reads; the transactions of the stretches, and a search back through each.
#pragma once

#include <cstdint>
#include <string>

#include "batch/edges.h"

namespace isolde::batch {

// Requires: no dependency leads backward. Sorts `found.writes`. `most`: bytes that stretches may take at a rank.
[[nodiscard]] Result<std::string> contradicted_by_past(Ranks& ranks, Parts& parts, KeyEdges& found, std::uint64_t most);

}  // namespace isolde::batch
