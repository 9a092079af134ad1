// audit/cycles/break_points.h: whether a single cycle can come to pass, by one comparison a member.
//
// In, out: a dependency -> the moment where it arrives at its second transaction, the moment where it leaves its first.
// Always:  the same as can_happen (moments.h) for the edges of one cycle and nothing else. Each edge says that a moment
//          of one member is before a moment of the next. These make a circle unless some member is left at a moment
//          earlier than the one it is entered at: there the chain breaks. Entered by a plain rw means at the commit;
//          left by anything but a plain rw as well. By the paper's rule the moments are the operations.
// Cost:    two loads and a comparison; made once a search.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "audit/cycles/moments.h"

namespace isolde::audit {

class BreakPoints {
 public:
  BreakPoints(const Classes& classes, WeakLevel level, TimingRule rule);

  [[nodiscard]] std::uint32_t arrives(ClassId to, const Conflict& conflict) const {
    if (rule_ == TimingRule::kOperations) return conflict.to_op;
    const OfOperation& of = operations_[first_[raw(to)] + conflict.to_op];
    switch (conflict.kind) {
      case EdgeKind::kRw:
        return kCommit;
      case EdgeKind::kWw:
      case EdgeKind::kWr:
        return of.sees;
      case EdgeKind::kLockedRw:
      case EdgeKind::kLock:
        break;
    }
    return of.locks;
  }
  [[nodiscard]] std::uint32_t leaves(ClassId from, const Conflict& conflict) const {
    if (rule_ == TimingRule::kOperations) return conflict.from_op;
    return conflict.kind == EdgeKind::kRw ? operations_[first_[raw(from)] + conflict.from_op].misses : kCommit;
  }

 private:
  static constexpr std::uint32_t kCommit = std::numeric_limits<std::uint32_t>::max();
  struct OfOperation {
    std::uint32_t misses, sees, locks;
  };
  TimingRule rule_;
  std::vector<std::size_t> first_;  // by class
  std::vector<OfOperation> operations_;
};

}  // namespace isolde::audit
