// check/mirror/mirror.h: Leopard's checker: mirrors what a DBMS does by the intervals that its clients measured.
//
// In, out: transactions in order of begin, each operation with its interval, and a Profile -> violations of its
//          mechanisms. Finds bugs against a profile; does not certify.
// Always:  violated only if no choice of one moment in each interval explains what was read, locked and committed; a
//          version is installed within its commit's interval. docs/online.md.
// Source:  Leopard (sections IV, V).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "check/mirror/profile.h"
#include "check/online.h"

namespace isolde::mirror {

inline constexpr std::uint32_t kMostPartitions = 64;

struct MirrorOptions {
  Profile profile;
  std::size_t memory_limit = std::size_t{512} << 20;  // bytes; what was longest untouched is given up first
  std::uint32_t partitions = 1;                       // of the keys, each on a thread of its own (partition.h)
  bool pipelined = false;  // of one partition: another thread looks keys up ahead of the one that judges (pipelined.h)
};

// `sink` outlives the engine.
[[nodiscard]] std::unique_ptr<OnlineEngine> make_mirror(const MirrorOptions& options, OnlineSink& sink);

}  // namespace isolde::mirror
