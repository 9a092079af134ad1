#include "audit/cycles/break_points.h"

#include <array>

#include "audit/cycles/bounds.h"

namespace isolde::audit {

std::uint32_t BreakPoints::arrives(ClassId from, ClassId to, const Conflict& conflict) const {
  if (rule_ == TimingRule::kOperations) return conflict.to_op;
  const std::array<ClassId, 2> members{from, to};
  const Bound bound = bound_of(classes_, members, {0, 1, conflict}, level_);
  return bound.after_commit ? bound.moment : kCommit;
}

std::uint32_t BreakPoints::leaves(ClassId from, ClassId to, const Conflict& conflict) const {
  if (rule_ == TimingRule::kOperations) return conflict.from_op;
  const std::array<ClassId, 2> members{from, to};
  const Bound bound = bound_of(classes_, members, {0, 1, conflict}, level_);
  return bound.after_commit ? kCommit : bound.moment;
}

}  // namespace isolde::audit
