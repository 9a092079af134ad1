#include "audit/cycles/bounds.h"

#include <algorithm>

namespace isolde::audit {
namespace {

bool is_plain_read(const Access& access) { return access.action == Action::kRead && access.lock == Lock::kNone; }

// Of the rows that the statement itself changes: these it looks at again when it has waited for them.
bool finds_written_rows(const TransactionClass& one, const Schema& schema, std::uint32_t op) {
  const Operation& read = one.operations[op];
  if (!read.access.of_write || !read.access.in_where) return false;
  const TableId table = schema.column(read.access.column).table;
  for (std::size_t i = op + 1; i < one.operations.size() && one.operations[i].statement == read.statement; ++i) {
    const Access& access = one.operations[i].access;
    if (access.action == Action::kWrite && schema.column(access.column).table == table) return true;
  }
  return false;
}

// MySQL's snapshot is taken by the first plain read of a statement that only reads.
std::uint32_t mysql_snapshot(const TransactionClass& one) {
  for (const Operation& operation : one.operations) {
    if (is_plain_read(operation.access) && !operation.access.of_write) return looks_at(operation.statement);
  }
  return 0;
}

// The latest update of the member itself, before `op`, of rows that `op` may read; what such a row holds is then as of
// the update, whatever the snapshot says. None: 0.
std::uint32_t own_update_before(const TransactionClass& one, const Schema& schema, std::uint32_t op) {
  const TableId table = schema.column(one.operations[op].access.column).table;
  for (std::uint32_t i = op; i-- > 0;) {
    const Operation& earlier = one.operations[i];
    if (earlier.access.action == Action::kWrite && !earlier.access.inserts && !earlier.access.deletes &&
        earlier.statement < one.operations[op].statement && schema.column(earlier.access.column).table == table) {
      return locks_at(earlier.statement);
    }
  }
  return 0;
}

// When `op` sees what others committed before: the latest moment that this can be.
std::uint32_t sees_at(const TransactionClass& one, const Schema& schema, std::uint32_t op, WeakLevel level) {
  const Operation& operation = one.operations[op];
  switch (one.level_or(level)) {
    case WeakLevel::kReadCommitted:
      return is_plain_read(operation.access) && !finds_written_rows(one, schema, op) ? looks_at(operation.statement)
                                                                                     : locks_at(operation.statement);
    case WeakLevel::kMysqlRepeatableRead:
      if (!is_plain_read(operation.access) || operation.access.of_write) return locks_at(operation.statement);
      return std::max(mysql_snapshot(one), own_update_before(one, schema, op));
    case WeakLevel::kSnapshotIsolation:
      return looks_at(one.snapshot);
  }
  return 0;
}

// When a read may have missed what others committed after: the earliest moment that this can be.
std::uint32_t misses_at(const TransactionClass& one, std::uint32_t op, WeakLevel level) {
  const Operation& operation = one.operations[op];
  switch (one.level_or(level)) {
    case WeakLevel::kReadCommitted:
      return looks_at(operation.statement);
    case WeakLevel::kMysqlRepeatableRead:
      if (!is_plain_read(operation.access) || operation.access.of_write) return locks_at(operation.statement);
      return mysql_snapshot(one);
    case WeakLevel::kSnapshotIsolation:
      return looks_at(one.snapshot);
  }
  return 0;
}

}  // namespace

Bound bound_of(const Classes& classes, std::span<const ClassId> members, const CycleEdge& edge, WeakLevel level) {
  const TransactionClass& to = classes.classes[raw(members[edge.to])];
  switch (edge.conflict.kind) {
    case EdgeKind::kRw: {
      const TransactionClass& from = classes.classes[raw(members[edge.from])];
      const Access& write = to.operations[edge.conflict.to_op].access;
      // A row that is deleted later was there to be found: the statement that found it has changed it, and holds it.
      if (write.deletes && !write.inserts && finds_written_rows(from, classes.schema, edge.conflict.from_op)) {
        return {edge.from, edge.to, sees_at(to, classes.schema, edge.conflict.to_op, level), true};
      }
      return {edge.from, edge.to, misses_at(from, edge.conflict.from_op, level), false};
    }
    case EdgeKind::kWw:
    case EdgeKind::kWr: {
      // Nobody waits for a row that was not there when the statement looked: it does not find it.
      const Access& write = classes.classes[raw(members[edge.from])].operations[edge.conflict.from_op].access;
      const Operation& finder = to.operations[edge.conflict.to_op];
      if (to.level_or(level) == WeakLevel::kReadCommitted && write.inserts && !write.deletes &&
          !finder.access.inserts) {
        return {edge.from, edge.to, looks_at(finder.statement), true};
      }
      return {edge.from, edge.to, sees_at(to, classes.schema, edge.conflict.to_op, level), true};
    }
    case EdgeKind::kLockedRw:  // that the read is before the other's commit follows
    case EdgeKind::kLock:
      break;
  }
  return {edge.from, edge.to, locks_at(to.operations[edge.conflict.to_op].statement), true};
}

}  // namespace isolde::audit
