// audit/cycles/correlation.h: dependencies that must come with those of a cycle, because they are about the same rows.
//
// In, out: a cycle -> can it still happen when every dependency that its rows imply has a direction?
// Always:  an edge of the cycle between two single rows makes the variables of their keys equal; two operations of
//          different members whose rows are then the same by a whole key depend on each other too, one way or the
//          other. The cycle is impossible if no choice of directions can happen (moments) and stays within the level.
//          Directions are fixed one after the other and given up early; when the limit of steps runs out it counts as
//          possible and says so.
// Source:  IsoDiff, sections 3.4 and 3.6 (correlation).
#pragma once

#include <cstdint>
#include <vector>

#include "audit/cycles/cycle.h"
#include "audit/cycles/moments.h"

namespace isolde::audit {

enum class Possible : std::uint8_t { kYes, kNo, kLimit };

struct CorrelationResult {
  Possible possible = Possible::kYes;
  std::vector<CycleEdge> implied;  // with the directions that work; kYes only
};

struct CorrelationOptions {
  WeakLevel level = WeakLevel::kReadCommitted;
  TimingRule timing = TimingRule::kMoments;
  std::uint64_t most_steps = 1'000'000;  // instead of the paper's 15 s: the same on every machine
};

[[nodiscard]] CorrelationResult check_correlation(const Classes& classes, const DependencyGraph& graph,
                                                  const Hints& hints, const Cycle& cycle,
                                                  const CorrelationOptions& options);

}  // namespace isolde::audit
