// check/mirror/partitioned.h: the mirror with its keys dealt out to threads (partition.h).
//
// In, out: as check/mirror/mirror.h.
// Always:  for one number of partitions, equal calls give equal violations in equal order, whatever the threads do.
// Cost:    a step of some thousand transactions costs what its slowest partition takes, then the merger; a stream that
//          trickles is judged after at most kLongestStep of its own time, or as soon as nothing comes.
#pragma once

#include <memory>

#include "check/mirror/mirror.h"

namespace isolde::mirror {

// Requires: options.partitions > 1. `sink` is called by the caller's thread and outlives the engine.
[[nodiscard]] std::unique_ptr<OnlineEngine> make_partitioned(const MirrorOptions& options, OnlineSink& sink);

}  // namespace isolde::mirror
