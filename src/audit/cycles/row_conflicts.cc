#include "audit/cycles/row_conflicts.h"

namespace isolde::audit {
namespace {

// A lock of a row that is not there yet holds off nobody but at MySQL's rr, which locks the gap.
bool holds_off(const Access& first, WeakLevel first_level, const Access& second, WeakLevel second_level) {
  if (!locks_row(first, first_level) || !locks_row(second, second_level)) return false;
  const bool first_writes = first.action == Action::kWrite, second_writes = second.action == Action::kWrite;
  if (!first_writes && second.inserts && first_level != WeakLevel::kMysqlRepeatableRead) return false;
  if ((first.foreign_key && second_writes) || (second.foreign_key && first_writes)) {
    return first.column == second.column;
  }
  return first_writes || second_writes || first.lock == Lock::kExclusive || second.lock == Lock::kExclusive;
}

}  // namespace

bool locks_row(const Access& access, WeakLevel level) {
  return access.action == Action::kWrite || access.lock != Lock::kNone ||
         (access.of_write && level == WeakLevel::kMysqlRepeatableRead);
}

std::optional<EdgeKind> conflict_on_row(const Access& first, WeakLevel first_level, const Access& second,
                                        WeakLevel second_level) {
  const bool first_writes = first.action == Action::kWrite, second_writes = second.action == Action::kWrite;
  if (holds_off(first, first_level, second, second_level)) {
    if (first_writes) return second_writes ? EdgeKind::kWw : EdgeKind::kWr;
    return second_writes ? EdgeKind::kLockedRw : EdgeKind::kLock;
  }
  if (first.column != second.column) return std::nullopt;
  if (first_writes) return second_writes ? EdgeKind::kWw : EdgeKind::kWr;
  if (second_writes) return EdgeKind::kRw;
  return std::nullopt;
}

}  // namespace isolde::audit
