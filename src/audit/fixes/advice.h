// audit/fixes/advice.h: what to write differently so that a target column's cycles cannot happen.
//
// In, out: the column and the cycles through it -> advice, the best first; each was simulated.
// Always:  at most three; advice that would end none of the cycles is not given. What ends all of them comes first,
//          then one changed statement that ends half of them, then what ends more; SERIALIZABLE, which always does and
//          costs most, is the last resort and stands at the end.
#pragma once

#include <span>
#include <vector>

#include "audit/fixes/fixes.h"
#include "audit/fixes/simulation.h"

namespace isolde::audit {

[[nodiscard]] std::vector<Advice> advise(const Classes& classes, const TraceLog& log, const DependencyGraph& graph,
                                         ColumnId column, std::span<const Cycle* const> cycles, Simulation& simulation);

}  // namespace isolde::audit
