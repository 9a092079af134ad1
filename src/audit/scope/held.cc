#include "audit/scope/held.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kMostParents = 16;  // that are kept of a row

bool writes_column(const Statement& statement, std::uint16_t rows, ColumnId column) {
  return std::ranges::any_of(statement.accesses, [&](const Access& access) {
    return access.action == Action::kWrite && access.row_set == rows && access.column == column;
  });
}

bool asks_for(const Statement& statement, std::uint16_t rows, ColumnId column) {
  return std::ranges::any_of(statement.accesses, [&](const Access& access) {
    return access.action == Action::kRead && access.in_where && !access.foreign_key && access.row_set == rows &&
           access.column == column;
  });
}

bool is_in(const std::vector<ColumnId>& key, ColumnId column) { return std::ranges::find(key, column) != key.end(); }

}  // namespace

Holdings::Holdings(const TraceLog& log, const Classes& classes)
    : log_(log),
      classes_(classes),
      values_(log, classes.statements),
      domains_(classes.schema),
      made_(log, classes.schema, classes.statements) {}

void Holdings::begin(std::span<const RequestStep> steps) {
  steps_ = steps;
  inserted_.clear();
  given_.clear();
  locks_.clear();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    find_row_lock(i);
    find_session_lock(i);
  }
  if (!locks_.empty() && !has_parents_) note_parents();
}

void Holdings::done(std::size_t step) {
  const std::uint32_t here = steps_[step].statement;
  const Statement& statement = values_.meaning(here);
  if (statement.kind != StatementKind::kInsert || statement.keeps_old_row) return;
  std::set<std::uint16_t> rows;
  for (const Access& access : statement.accesses) {
    if (access.inserts) rows.insert(access.row_set);
  }
  for (const std::uint16_t i : rows) {
    const RowSet& set = statement.row_sets[i];
    inserted_[set.table].push_back(here);
    const std::vector<ColumnId>& key = classes_.schema.table(set.table).primary_key;
    if (key.size() != 1) continue;
    const LiteralId value = values_.value(here, set, key[0]);
    if (value != kNoLiteral) given_.emplace(domains_.of(key[0]), value);
  }
}

bool Holdings::owns(const KeyValue& key) const {
  if (given_.contains({domains_.of(key.column), key.value})) return true;
  const TableId table = made_.ids_of(key.column);
  if (table == kNoTable) return false;
  const auto inserts = inserted_.find(table);
  return inserts != inserted_.end() && std::ranges::any_of(inserts->second, [&](std::uint32_t insert) {
           return made_.made_after(table, key.value, insert);
         });
}

// UPDATE … SET c = 'Y' … WHERE key AND c = 'N', and from then on until c is set to something else.
void Holdings::find_row_lock(std::size_t step) {
  const std::uint32_t here = steps_[step].statement;
  const Statement& statement = values_.meaning(here);
  if (statement.kind != StatementKind::kUpdate || statement.row_sets.empty()) return;
  for (const RowKey& set : statement.assigned) {
    const TableId table = classes_.schema.column(set.column).table;
    for (std::uint16_t rows = 0; rows < statement.row_sets.size(); ++rows) {
      const RowSet& of = statement.row_sets[rows];
      if (of.table != table || is_in(classes_.schema.table(table).primary_key, set.column)) continue;
      if (!writes_column(statement, rows, set.column) || !asks_for(statement, rows, set.column)) continue;
      const LiteralId taken = values_.literal(here, set.literal), free = values_.value(here, of, set.column);
      if (taken == free) continue;
      const auto new_number = values_.number(taken), old_number = values_.number(free);
      if (new_number && (free == kNoLiteral || (old_number && *new_number == *old_number + 1 && *old_number != 0)))
        continue;
      HeldLock lock{step, steps_.size(), {}};
      for (const RowKey& key : of.keys) {
        if (key.column != set.column) lock.keys.push_back({key.column, values_.literal(here, key.literal)});
      }
      for (std::size_t later = step + 1; later < steps_.size() && lock.to == steps_.size(); ++later) {
        const std::uint32_t there = steps_[later].statement;
        const Statement& other = values_.meaning(there);
        for (const RowSet& found : other.row_sets) {
          if (found.table != table) continue;
          const bool same = std::ranges::all_of(lock.keys, [&](const KeyValue& key) {
            const LiteralId value = values_.value(there, found, key.column);
            return value == kNoLiteral || value == key.value;
          });
          const auto given = std::ranges::find(other.assigned, set.column, &RowKey::column);
          const bool frees = other.kind == StatementKind::kUpdate && given != other.assigned.end() &&
                             values_.literal(there, given->literal) != taken;
          if (same && (frees || other.kind == StatementKind::kDelete)) lock.to = later;
        }
      }
      locks_.push_back(std::move(lock));
    }
  }
}

// An advisory lock that outlives its transaction. The call that gives it back is a read of the same table that locks
// nothing.
void Holdings::find_session_lock(std::size_t step) {
  const Statement& statement = values_.meaning(steps_[step].statement);
  for (const Access& access : statement.accesses) {
    if (!access.for_session || access.lock == Lock::kNone) continue;
    const TableId table = statement.row_sets[access.row_set].table;
    HeldLock lock{step, steps_.size(), {}};
    for (const RowKey& key : statement.row_sets[access.row_set].keys)
      lock.keys.push_back({key.column, values_.literal(steps_[step].statement, key.literal)});
    for (std::size_t later = step + 1; later < steps_.size() && lock.to == steps_.size(); ++later) {
      const Statement& other = values_.meaning(steps_[later].statement);
      if (std::ranges::any_of(other.accesses, [&](const Access& there) {
            return there.lock == Lock::kNone && other.row_sets[there.row_set].table == table;
          }))
        lock.to = later;
    }
    locks_.push_back(std::move(lock));
    return;
  }
}

void Holdings::note_parents() {
  has_parents_ = true;
  for (std::uint32_t i = 0; i < log_.statements.size(); ++i) {
    const Statement& statement = values_.meaning(i);
    for (const RowSet& rows : statement.row_sets) {
      const std::vector<ColumnId>& key = classes_.schema.table(rows.table).primary_key;
      if (key.size() != 1) continue;
      const LiteralId value = values_.value(i, rows, key[0]);
      if (value == kNoLiteral) continue;
      std::vector<KeyValue>& all = parents_[{domains_.of(key[0]), value}];
      std::vector<RowKey> columns = rows.keys;
      for (const RowKey& set : statement.assigned) {
        if (classes_.schema.column(set.column).table == rows.table) columns.push_back(set);
      }
      for (const RowKey& other : columns) {
        if (!domains_.names_rows(other.column)) continue;
        const KeyValue parent{other.column, values_.literal(i, other.literal)};
        const bool known = std::ranges::any_of(
            all, [&](const KeyValue& one) { return one.column == parent.column && one.value == parent.value; });
        if (other.column != key[0] && !known && all.size() < kMostParents) all.push_back(parent);
      }
    }
  }
}

// The same value in columns of one domain, or of one name.
bool Holdings::same_thing(const KeyValue& a, const KeyValue& b) const {
  if (a.value != b.value) return false;
  return domains_.of(a.column) == domains_.of(b.column) ||
         lower_case(classes_.schema.column(a.column).name) == lower_case(classes_.schema.column(b.column).name);
}

bool Holdings::is_about(const HeldLock& lock, std::span<const KeyValue> keys) const {
  if (lock.keys.empty()) return true;
  const bool advisory = classes_.schema.table(classes_.schema.column(lock.keys[0].column).table).is_lock;
  return std::ranges::any_of(lock.keys, [&](const KeyValue& held) {
    return std::ranges::any_of(keys, [&](const KeyValue& key) {
      // GET_LOCK('order-154'): the text names the row.
      if (advisory && log_.shapes.literal(held.value).find(log_.shapes.literal(key.value)) != std::string_view::npos)
        return true;
      if (same_thing(held, key)) return true;
      const auto row = parents_.find({domains_.of(key.column), key.value});
      return row != parents_.end() &&
             std::ranges::any_of(row->second, [&](const KeyValue& parent) { return same_thing(held, parent); });
    });
  });
}

bool Holdings::kept_away(std::size_t from, std::size_t to, std::span<const KeyValue> keys, std::uint32_t& other) const {
  other = kNone32;
  for (const HeldLock& lock : locks_) {
    if (lock.from >= from || lock.to < to) continue;
    if (is_about(lock, keys)) return true;
    other = steps_[lock.from].statement;
  }
  return false;
}

}  // namespace isolde::audit
