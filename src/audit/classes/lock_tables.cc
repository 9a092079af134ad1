#include "audit/classes/lock_tables.h"

#include <algorithm>
#include <set>

namespace isolde::audit {
namespace {

void take_share(Statement& statement, TableId lock, ColumnId column, bool writes) {
  Access access{.action = Action::kRead,
                .lock = Lock::kShare,
                .column = column,
                .row_set = static_cast<std::uint16_t>(statement.row_sets.size())};
  access.in_where = true;
  access.of_write = writes;
  statement.row_sets.push_back({.table = lock, .single = true, .keys = {}});
  statement.accesses.insert(statement.accesses.begin(), access);
}

}  // namespace

void add_lock_tables(const TraceLog& log, Schema& schema, std::vector<Statement>& statements) {
  for (std::uint32_t i = 0; i < schema.tables(); ++i) {
    Table& lock = schema.table(TableId(i));
    if (!lock.is_lock || lock.columns.empty()) continue;
    if (lock.lock_of == kNoTable) {
      std::set<std::vector<LiteralId>> keys;
      for (const TraceStatement& statement : log.statements) {
        const std::span<const LiteralId> literals = log.literals_of(statement);
        for (const RowSet& rows : statements[raw(statement.shape)].row_sets) {
          if (rows.table != TableId(i) || rows.keys.empty()) continue;
          std::vector<LiteralId> key;
          for (const RowKey& part : rows.keys) key.push_back(literals[part.literal]);
          keys.insert(std::move(key));
        }
      }
      lock.one_row = keys.size() == 1;
      continue;
    }
    for (Statement& statement : statements) {
      bool reads = false, writes = false;
      for (const Access& access : statement.accesses) {
        if (schema.column(access.column).table != lock.lock_of) continue;
        (access.action == Action::kWrite ? writes : reads) = true;
      }
      if (writes || (reads && lock.holds_off_reads)) take_share(statement, TableId(i), lock.columns[0], writes);
    }
  }
}

void settle_lock_tables(const Schema& schema, SqlDialect dialect, TransactionClass& one) {
  const auto table_of = [&](const Operation& operation) -> const Table& {
    return schema.table(schema.column(operation.access.column).table);
  };
  const auto gives_back = [&](const Operation& operation) {
    return table_of(operation).is_lock && operation.access.lock == Lock::kNone;
  };
  if (std::ranges::any_of(one.operations, gives_back)) {
    for (Operation& operation : one.operations) {
      if (operation.access.for_session) operation.access.lock = Lock::kNone;
    }
  }
  // MySQL's snapshot is of the first statement that reads a table of its own; PostgreSQL's of the first that is no
  // LOCK.
  std::set<std::uint32_t> others;
  for (const Operation& operation : one.operations) {
    const Table& table = table_of(operation);
    const bool takes_none = table.is_lock && (table.lock_of != kNoTable || dialect == SqlDialect::kMysql);
    if (!takes_none) others.insert(operation.statement);
  }
  one.snapshot = others.empty() ? 0 : *others.begin();
}

}  // namespace isolde::audit
