// audit/cycles/break_points.h: whether a single cycle can come to pass, by one comparison a member.
//
// In, out: a dependency -> the moment where it arrives at its second transaction, the moment where it leaves its first.
// Always:  the same as can_happen (moments.h) for the edges of one cycle and nothing else. Each edge says that a moment
//          of one member is before a moment of the next. These make a cycle unless some member is left at a moment
//          earlier than the one it is entered at: there the chain breaks. Entered by a plain rw means at the commit;
//          left by anything but a plain rw as well. By the paper's rule the moments are the operations.
// Cost:    one bound_of (bounds.h).
#pragma once

#include <cstdint>
#include <limits>

#include "audit/cycles/moments.h"

namespace isolde::audit {

class BreakPoints {
 public:
  // Requires: the classes outlive it.
  BreakPoints(const Classes& classes, WeakLevel level, TimingRule rule)
      : classes_(classes), level_(level), rule_(rule) {}

  [[nodiscard]] std::uint32_t arrives(ClassId from, ClassId to, const Conflict& conflict) const;
  [[nodiscard]] std::uint32_t leaves(ClassId from, ClassId to, const Conflict& conflict) const;

 private:
  static constexpr std::uint32_t kCommit = std::numeric_limits<std::uint32_t>::max();
  const Classes& classes_;
  WeakLevel level_;
  TimingRule rule_;
};

}  // namespace isolde::audit
