#include "audit/graph/rechecks.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "audit/facts/same_rows.h"

namespace isolde::audit {
namespace {

bool is_part_of_key(const Schema& schema, ColumnId column) {
  const Table& table = schema.table(schema.column(column).table);
  const auto has = [&](const std::vector<ColumnId>& key) { return std::ranges::find(key, column) != key.end(); };
  return has(table.primary_key) || std::ranges::any_of(table.unique_keys, has);
}

struct Recheck {
  std::uint32_t statement;
  std::uint16_t rows;
  ColumnId column;
  auto operator<=>(const Recheck&) const = default;
};

std::set<Recheck> rechecks_of(const Classes& classes, const TransactionClass& one) {
  std::set<Recheck> out;
  for (const Operation& operation : one.operations) {
    const Access& access = operation.access;
    const ClassRows& rows = one.rows[access.row_set];
    if (access.action != Action::kWrite || access.inserts || !rows.single) continue;
    for (const ClassRowKey& key : rows.keys) {
      if (!is_part_of_key(classes.schema, key.column)) out.insert({operation.statement, access.row_set, key.column});
    }
  }
  return out;
}

}  // namespace

Rechecks::Rechecks(const Classes& classes) : classes_(classes) {
  const RowFacts facts(classes);
  for (std::uint32_t id = 0; id < classes.classes.size(); ++id) {
    const TransactionClass& one = classes.classes[id];
    std::vector<std::vector<ColumnId>>& checked = checked_.emplace_back(one.operations.size());
    for (const Recheck& recheck : rechecks_of(classes, one)) {
      const auto is_of_row = [&](const Operation& read) {
        return read.access.action == Action::kRead && read.statement < recheck.statement &&
               facts.same_in(ClassId(id), read.access.row_set, recheck.rows);
      };
      std::optional<std::uint32_t> read_at;  // the last statement that read what is asked for
      for (const Operation& read : one.operations) {
        if (is_of_row(read) && read.access.column == recheck.column) read_at = read.statement;
      }
      if (!read_at) continue;
      for (std::size_t op = 0; op < one.operations.size(); ++op) {
        if (is_of_row(one.operations[op]) && one.operations[op].statement >= *read_at)
          checked[op].push_back(recheck.column);
      }
    }
  }
}

// Does the statement of this write change the column that is asked for, in the same row?
bool Rechecks::changes(OperationRef write, ColumnId checked) const {
  const TransactionClass& one = classes_.classes[raw(write.of)];
  const Operation& operation = one.operations[write.place];
  if (operation.access.inserts) return false;
  if (operation.access.deletes || operation.access.column == checked) return true;
  return std::ranges::any_of(one.changes,
                             [&](const TransactionClass::Change& change) {
                               return change.statement == operation.statement && change.column == checked;
                             }) &&
         std::ranges::any_of(one.operations, [&](const Operation& other) {
           return other.statement == operation.statement && other.access.action == Action::kWrite &&
                  other.access.row_set == operation.access.row_set && other.access.column == checked;
         });
}

bool Rechecks::asks_again(OperationRef read, ColumnId column) const {
  const std::vector<ColumnId>& all = checked_[raw(read.of)][read.place];
  return std::ranges::find(all, column) != all.end();
}

bool Rechecks::certainly_changes(OperationRef write) const {
  const TransactionClass& one = classes_.classes[raw(write.of)];
  const Operation& operation = one.operations[write.place];
  return std::ranges::any_of(one.changes, [&](const TransactionClass::Change& change) {
    return change.statement == operation.statement && change.column == operation.access.column;
  });
}

bool Rechecks::holds(OperationRef read, OperationRef write) const {
  return std::ranges::any_of(checked_[raw(read.of)][read.place],
                             [&](ColumnId checked) { return changes(write, checked); });
}

}  // namespace isolde::audit
