#include "audit/cycles/cycle.h"

#include <array>

#include "base/hash.h"

namespace isolde::audit {

std::uint64_t fingerprint(const Cycle& cycle) {
  const std::size_t n = cycle.edges.size();
  const auto step = [&](std::size_t i) {
    const CycleEdge& edge = cycle.edges[i % n];
    return std::array<std::uint32_t, 4>{raw(cycle.members[edge.from]), edge.conflict.from_op,
                                        raw(cycle.members[edge.to]), edge.conflict.to_op};
  };
  // The rotation that reads smallest.
  std::size_t first = 0;
  for (std::size_t candidate = 1; candidate < n; ++candidate) {
    for (std::size_t i = 0; i < n; ++i) {
      if (step(candidate + i) == step(first + i)) continue;
      if (step(candidate + i) < step(first + i)) first = candidate;
      break;
    }
  }
  std::uint64_t hash = n;
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::uint32_t word : step(first + i)) hash = mix64(hash ^ word) + i;
  }
  return hash;
}

}  // namespace isolde::audit
