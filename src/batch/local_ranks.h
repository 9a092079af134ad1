// batch/local_ranks.h: ranks that are threads of one process.
//
// For tests, and for checks that only want passes (one rank).
// Always:  what a rank sends is moved, not copied.
#pragma once

#include <functional>

#include "batch/ranks.h"

namespace isolde::batch {

// Runs `work` once per rank, each in a thread of its own (rank 0 in the caller's), and returns when all are done.
void run_local_ranks(unsigned size, const std::function<void(Ranks&)>& work);

}  // namespace isolde::batch
