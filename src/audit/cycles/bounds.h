// audit/cycles/bounds.h: what one dependency says about moments: one inequality between a commit and a moment.
//
// In, out: a dependency and the level -> Bound.
// Always:  as the head of moments.h has it. Moments of a member are numbers: 2s is the R of its statement s, 2s + 1 its
//          L; its commit comes after all of them.
#pragma once

#include <cstdint>
#include <span>

#include "audit/cycles/cycle.h"

namespace isolde::audit {

constexpr std::uint32_t looks_at(std::uint32_t statement) { return 2 * statement; }
constexpr std::uint32_t locks_at(std::uint32_t statement) { return 2 * statement + 1; }

struct Bound {
  std::uint32_t from, to;  // members
  std::uint32_t moment;
  bool after_commit;  // the commit of `from` < the moment of `to`; else the moment of `from` < the commit of `to`
};

// `level`: of members whose class has none of its own.
[[nodiscard]] Bound bound_of(const Classes& classes, std::span<const ClassId> members, const CycleEdge& edge,
                             WeakLevel level);

}  // namespace isolde::audit
