#include "audit/story/row_columns.h"

#include <algorithm>
#include <span>

#include "audit/facts/occurrences.h"

namespace isolde::audit {
namespace {

void add_column(std::vector<ClassRowKey>& to, ClassRowKey key) {
  if (key.variable == kNoVariable || std::ranges::find(to, key.column, &ClassRowKey::column) != to.end()) return;
  to.push_back(key);
}

ColumnId column_with(const ClassRows& rows, std::uint32_t variable) {
  const auto key = std::ranges::find(rows.keys, variable, &ClassRowKey::variable);
  return key == rows.keys.end() ? kNoColumn : key->column;
}

// The SELECT returns the column, and no statement of the class writes it or makes rows with it.
bool only_returns(const TransactionClass& one, std::uint32_t statement, std::uint16_t rows, ColumnId column) {
  const bool writes = std::ranges::any_of(one.operations, [&](const Operation& operation) {
    return operation.access.action == Action::kWrite && operation.access.column == column;
  });
  return !writes && std::ranges::any_of(one.operations, [&](const Operation& operation) {
    return operation.statement == statement && operation.access.row_set == rows && operation.access.column == column &&
           operation.access.action == Action::kRead && !operation.access.counts_only;
  });
}

bool is_used_by(const TransactionClass& one, std::span<const RowsPlace> places, std::uint32_t statement,
                std::uint32_t variable) {
  for (std::size_t rows = 0; rows < one.rows.size(); ++rows) {
    if (places[rows].statement == kNone32 || places[rows].statement > statement) continue;
    const auto has = [&](const ClassRowKey& key) { return key.variable == variable; };
    if (std::ranges::any_of(one.rows[rows].keys, has) || std::ranges::any_of(one.rows[rows].unlike, has)) return true;
  }
  return false;
}

}  // namespace

RowColumns::RowColumns(const Classes& classes, const RowFacts& facts) : classes_(classes), facts_(facts) {
  for (std::uint32_t i = 0; i < classes.schema.tables(); ++i) {
    for (const ForeignKey& key : classes.schema.table(TableId(i)).foreign_keys) {
      TableReference made{TableId(i), key.parent, {}};
      for (const ColumnId part : classes.schema.table(key.parent).primary_key) {
        const auto at = std::ranges::find(key.parent_columns, part) - key.parent_columns.begin();
        if (at < std::ssize(key.columns)) made.columns.push_back(key.columns[static_cast<std::size_t>(at)]);
      }
      if (made.columns.size() == key.columns.size()) references_.push_back(std::move(made));
    }
  }
  references_.insert(references_.end(), classes.references.begin(), classes.references.end());
  for (const TransactionClass& one : classes.classes) learn(one);
  std::ranges::sort(references_);
  references_.erase(std::ranges::unique(references_).begin(), references_.end());
}

void RowColumns::learn(const TransactionClass& one) {
  std::vector<bool> seen(one.rows.size(), false);
  for (const Operation& operation : one.operations) {
    const std::uint16_t child = operation.access.row_set;
    if (!operation.access.inserts || operation.access.action != Action::kWrite || seen[child]) continue;
    seen[child] = true;
    for (const ClassRows& parent : one.rows) {
      const Table& table = classes_.schema.table(parent.table);
      if (parent.table == one.rows[child].table || table.is_lock || table.primary_key.empty()) continue;
      TableReference made{one.rows[child].table, parent.table, {}};
      for (const ColumnId part : table.primary_key) {
        const std::uint32_t variable = variable_in(parent, part);
        const ColumnId column = variable == kNoVariable ? kNoColumn : column_with(one.rows[child], variable);
        if (column != kNoColumn) made.columns.push_back(column);
      }
      if (made.columns.size() == table.primary_key.size()) references_.push_back(std::move(made));
    }
  }
}

const std::vector<ClassRowKey>& RowColumns::of(ClassId id, std::uint16_t rows) {
  const auto [at, is_new] = known_.try_emplace({id, rows});
  if (is_new) at->second = find(id, rows);
  return at->second;
}

const std::vector<RowColumns::Found>& RowColumns::found(ClassId id) {
  const auto [at, is_new] = found_.try_emplace(id);
  if (!is_new) return at->second;
  const TransactionClass& one = classes_.classes[raw(id)];
  for (std::uint16_t rows = 0; rows < one.rows.size(); ++rows) {
    const std::vector<ColumnId>& key = classes_.schema.table(one.rows[rows].table).primary_key;
    const auto names = [&](ColumnId part) { return variable_in(one.rows[rows], part) != kNoVariable; };
    if (key.empty() || one.rows[rows].keys.empty() || std::ranges::all_of(key, names)) continue;
    Found row{one.rows[rows].table, {}, {}};
    for (const ClassRowKey& column : of(id, rows)) {
      if (facts_.stable(column.column)) row.columns.push_back(column);
    }
    for (const ColumnId part : key) {
      const auto known = std::ranges::lower_bound(row.columns, part, {}, &ClassRowKey::column);
      if (known != row.columns.end() && known->column == part) row.key.push_back(known->variable);
    }
    if (row.key.size() == key.size()) at->second.push_back(std::move(row));
  }
  return at->second;
}

std::vector<ClassRowKey> RowColumns::find(ClassId id, std::uint16_t rows) const {
  const TransactionClass& one = classes_.classes[raw(id)];
  std::vector<ClassRowKey> out;
  for (const ClassRowKey& key : one.rows[rows].keys) add_column(out, key);
  for (std::uint16_t same = 0; same < one.rows.size(); ++same) {
    if (one.rows[same].table != one.rows[rows].table || !facts_.same_in(id, rows, same)) continue;
    for (const Choice& choice : one.choices) {
      if (choice.taken == same) {
        for (const ClassRowKey& asked : choice.arguments) {
          if (facts_.stable(asked.column)) add_column(out, asked);
        }
      }
      if (choice.found != same) continue;
      for (const ClassRowKey& key : choice.key) {
        if (facts_.stable(key.column)) add_column(out, key);
      }
    }
    add_used_later(one, same, out);
  }
  std::ranges::sort(out, {}, &ClassRowKey::column);
  return out;
}

void RowColumns::add_used_later(const TransactionClass& one, std::uint16_t read, std::vector<ClassRowKey>& to) const {
  const ClassRows& rows = one.rows[read];
  const std::vector<RowsPlace> places = places_of_rows(one);
  const std::uint32_t at = places[read].statement;
  if (at == kNone32 || classes_.statements[raw(one.statements[at])].kind != StatementKind::kSelect) return;
  for (const TableReference& reference : references_) {
    if (reference.child != rows.table && reference.parent != rows.table) continue;
    const std::vector<ColumnId>& key = classes_.schema.table(reference.parent).primary_key;
    const bool is_parent = reference.parent == rows.table;
    const std::vector<ColumnId>& here = is_parent ? key : reference.columns;
    const std::vector<ColumnId>& there = is_parent ? reference.columns : key;
    for (std::size_t later = 0; later < one.rows.size(); ++later) {
      const ClassRows& other = one.rows[later];
      if (other.table != (is_parent ? reference.child : reference.parent) || other.own) continue;
      if (places[later].statement == kNone32 || places[later].statement <= at) continue;
      // All parts but one are what the row is named by; that one comes from the answer.
      ClassRowKey taken{kNoColumn, kNoVariable};
      bool agree = true;
      for (std::size_t i = 0; i < here.size() && agree; ++i) {
        const std::uint32_t mine = variable_in(rows, here[i]), theirs = variable_in(other, there[i]);
        if (mine == kNoVariable && taken.column == kNoColumn && theirs != kNoVariable) {
          taken = {here[i], theirs};
        } else {
          agree = mine != kNoVariable && mine == theirs;
        }
      }
      if (!agree || taken.column == kNoColumn || !facts_.stable(taken.column)) continue;
      if (only_returns(one, at, read, taken.column) && !is_used_by(one, places, at, taken.variable))
        add_column(to, taken);
    }
  }
}

}  // namespace isolde::audit
