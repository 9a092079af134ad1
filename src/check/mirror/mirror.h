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
  // Of one partition: another thread looks up the keys of so many transactions ahead of the one that judges; 0: it does
  // that itself (pipelined.h).
  std::uint32_t ahead = 0;
};

// So many threads used as well as is known: one judges all; of two, one looks keys up ahead; more have partitions.
[[nodiscard]] MirrorOptions with_threads(MirrorOptions options, std::uint32_t threads);

// `sink` outlives the engine.
[[nodiscard]] std::unique_ptr<OnlineEngine> make_mirror(const MirrorOptions& options, OnlineSink& sink);

}  // namespace isolde::mirror
