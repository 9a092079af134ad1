// audit/story/grouping.h: cycles that tell the same story, each group with the one that tells it best, the likeliest
// first.
//
// Always:  same story: the same name and, for a lost update, the same column; for all others the same tables in which
//          something is missed. Likelier: its classes were seen concurrent, with a row in common; few
//          transactions; single rows; all of them write; none is a single statement;
//          they are frequent.
#pragma once

#include <cstdint>
#include <vector>

#include "audit/cycles/same_rows.h"
#include "audit/story/story.h"

namespace isolde::audit {

struct Grouped {
  std::size_t cycle;  // the best of its group
  AnomalyName name;
  double rank;
  std::uint32_t concurrent, same_row;
  std::uint64_t cycles;
};

[[nodiscard]] std::vector<Grouped> group_cycles(const Classes& classes, SameRows& rows,
                                                const std::vector<Cycle>& cycles);

}  // namespace isolde::audit
