#include "audit/cycles/cycle.h"

#include <algorithm>
#include <array>

#include "base/hash.h"

namespace isolde::audit {
namespace {

std::array<std::uint32_t, 4> step(const Cycle& cycle, std::size_t i) {
  const CycleEdge& edge = cycle.edges[i % cycle.edges.size()];
  return {raw(cycle.members[edge.from]), edge.conflict.from_op, raw(cycle.members[edge.to]), edge.conflict.to_op};
}

// Where the rotation that reads smallest begins.
std::size_t smallest_rotation(const Cycle& cycle) {
  const std::size_t n = cycle.edges.size();
  std::size_t first = 0;
  for (std::size_t candidate = 1; candidate < n; ++candidate) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto here = step(cycle, candidate + i);
      const auto best = step(cycle, first + i);
      if (here == best) continue;
      if (here < best) first = candidate;
      break;
    }
  }
  return first;
}

}  // namespace

void make_canonical(Cycle& cycle) {
  const auto first = static_cast<std::ptrdiff_t>(smallest_rotation(cycle));
  std::ranges::rotate(cycle.members, cycle.members.begin() + first);
  std::ranges::rotate(cycle.edges, cycle.edges.begin() + first);
  const auto n = static_cast<std::uint32_t>(cycle.edges.size());
  for (std::uint32_t i = 0; i < n; ++i) {
    cycle.edges[i].from = i;
    cycle.edges[i].to = i + 1 == n ? 0 : i + 1;
  }
}

std::uint64_t fingerprint(const Cycle& cycle) {
  const std::size_t n = cycle.edges.size();
  const std::size_t first = smallest_rotation(cycle);
  std::uint64_t hash = n;
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::uint32_t word : step(cycle, first + i)) hash = mix64(hash ^ word) + i;
  }
  return hash;
}

}  // namespace isolde::audit
