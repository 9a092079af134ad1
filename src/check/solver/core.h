// check/solver/core.h: of many cycles a few that by themselves leave no way to choose.
//
// In, out: a Problem and cycles -> a subset from which none can be left out (within a budget), or nothing if some
// choices
//          avoid them all.
// Always:  what is checked is only this: of two writers of a key one comes first, a read has one of its candidates, and
//          not all choices of a cycle are made.
// Cost:    a SAT call over the cycles, and one for each cycle of the first core.
#pragma once

#include <optional>
#include <vector>

#include "base/limits.h"
#include "check/solver/problem.h"

namespace isolde::solver {

// Short cycles are preferred. When the time is up, what is left is returned though it may not be minimal.
[[nodiscard]] std::optional<std::vector<Cycle>> minimal_core(const Problem& problem, std::vector<Cycle> cycles,
                                                             const Limits& limits);
// The same, as places in `cycles`.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> minimal_core_places(const Problem& problem,
                                                                            const std::vector<Cycle>& cycles,
                                                                            const Limits& limits);

}  // namespace isolde::solver
