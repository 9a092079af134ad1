// audit/cycles/row_conflicts.h: what two operations of different transactions on the same single row do to each other.
//
// In, out: accesses of the first and of the second, level -> the dependency from first to second, if there is one.
// Always:  rows are locked whole: two that lock the row depend on each other whatever their columns are. A plain read
//          depends on writes of its own column only. A foreign key's check keeps nobody from changing other columns.
#pragma once

#include <optional>

#include "audit/graph/graph.h"
#include "audit/schema/ids.h"
#include "audit/sql/statement.h"

namespace isolde::audit {

// Writes, and reads that lock until the end. At MySQL's rr whatever a writing statement reads is locked.
[[nodiscard]] bool locks_row(const Access& access, WeakLevel level);

// Requires: both are about the same row, which both find. The levels are those of their transactions.
[[nodiscard]] std::optional<EdgeKind> conflict_on_row(const Access& first, WeakLevel first_level, const Access& second,
                                                      WeakLevel second_level);
[[nodiscard]] inline std::optional<EdgeKind> conflict_on_row(const Access& first, const Access& second,
                                                             WeakLevel level) {
  return conflict_on_row(first, level, second, level);
}

}  // namespace isolde::audit
