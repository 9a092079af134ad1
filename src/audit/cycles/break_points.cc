#include "audit/cycles/break_points.h"

#include <array>

#include "audit/cycles/bounds.h"

namespace isolde::audit {

BreakPoints::BreakPoints(const Classes& classes, WeakLevel level, TimingRule rule) : rule_(rule) {
  for (std::uint32_t id = 0; id < classes.classes.size(); ++id) {
    first_.push_back(operations_.size());
    const std::array<ClassId, 2> members{ClassId(id), ClassId(id)};
    const auto operations = static_cast<std::uint32_t>(classes.classes[id].operations.size());
    for (std::uint32_t op = 0; op < operations; ++op) {
      const ColumnId column = classes.classes[id].operations[op].access.column;
      const auto moment = [&](EdgeKind kind) {
        return bound_of(classes, members, {0, 1, {op, op, column, kind}}, level).moment;
      };
      operations_.push_back({moment(EdgeKind::kRw), moment(EdgeKind::kWr), moment(EdgeKind::kLockedRw)});
    }
  }
}

}  // namespace isolde::audit
