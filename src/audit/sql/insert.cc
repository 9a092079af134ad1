// INSERT, REPLACE and upserts.
#include <algorithm>

#include "audit/sql/meaning.h"
#include "audit/sql/times.h"
#include "base/ascii.h"

namespace isolde::audit {

using tree::as;
using tree::child;
using tree::inner;
using tree::list;
using tree::text;

Query Meaning::insert(Fields fields, const Scope* outer) {
  Query query;
  Parts parts;
  Scope with{.outer = outer};
  with_clause(fields, with, parts.with);
  const auto relation = inner(fields, "relation");
  if (!relation) return query;
  Row row{.source = table_source(*relation, with, true)};
  const TableId table = sources_[row.source].table;
  if (table == kNoTable) return query;
  for (const Json item : list(fields, "cols")) {
    const auto target = as(item, "ResTarget");
    const auto column = target ? names_.find_or_add(table, text(*target, "name")) : std::nullopt;
    if (column) {
      row.columns.push_back(*column);
    } else if (target) {
      fail("the column " + std::string(text(*target, "name")) + ", which is written, is not in the schema");
    }
  }
  if (row.columns.empty()) {
    row.columns = names_.table(table).columns;
    row.in_order = !names_.table(table).learned;
  }
  insert_rows(fields, row, with, parts);

  const auto conflict = inner(fields, "onConflictClause");
  const std::string_view action = conflict ? text(*conflict, "action") : std::string_view{};
  Scope scope{.outer = &with};
  if (text_.replaces) {
    did(StatementKind::kReplace);
    met_row(row, keys_given(row), Lock::kExclusive, parts.where);
  } else if (action == "ONCONFLICT_UPDATE") {
    did(StatementKind::kUpsert);
    upsert(*conflict, row, scope, parts);
  } else {
    did(StatementKind::kInsert);
    keeps_old_row_ = action == "ONCONFLICT_NOTHING" || text_.ignores;
    if (keeps_old_row_) met_row(row, keys_given(row), Lock::kNone, parts.where);
    write_all(row.source, parts.main, true, false);
    check_parents(row.source, row.not_null, nullptr, parts.main);
  }
  if (text_.replaces) {
    write_all(row.source, parts.main, true, true);
    check_parents(row.source, row.not_null, nullptr, parts.main);
  }
  // RETURNING tells what was just written: nobody else's data. What else it asks for is read.
  Scope returning{.outer = &with, .sources = {row.source}};
  Parts of_returning;
  bool has_window = false;
  select_list(fields, "returningList", returning, of_returning, query, has_window);
  parts.of_rest.insert(parts.of_rest.end(), of_returning.of_target.begin(), of_returning.of_target.end());
  for (Output& output : query.outputs) output.base.reset();
  query.drafts = parts.in_order();
  return query;
}

void Meaning::insert_rows(Fields fields, Row& row, Scope& scope, Parts& parts) {
  const auto select_json = child(fields, "selectStmt");
  const auto select_fields = select_json ? as(*select_json, "SelectStmt") : std::nullopt;
  const auto bind = [&](std::size_t place, std::uint32_t value) {
    if (row.in_order) equalities_.bind({row.source, row.columns[place]}, value);
  };
  if (!select_fields) {  // DEFAULT VALUES
    row.columns.clear();
    row.single = true;
  } else if (const std::vector<Json> rows = list(*select_fields, "valuesLists"); !rows.empty()) {
    with_clause(*select_fields, scope, parts.with);
    row.single = rows.size() == 1;
    const Scope nothing{.outer = &scope};  // a name in VALUES is a column of the same new row
    Place place{.scope = nothing, .reads = parts.main, .subqueries = parts.of_rest};
    std::vector<bool> ever_given(row.columns.size(), false);
    for (const Json json : rows) {
      const auto items = as(json, "List");
      const std::vector<Json> values = items ? list(*items, "items") : std::vector<Json>{};
      for (std::size_t i = 0; i < values.size(); ++i) {
        walk(values[i], place);
        if (i >= row.columns.size()) continue;
        if (!tree::is_null(values[i]) && !as(values[i], "SetToDefault")) ever_given[i] = true;
        if (const auto given = literal(values[i]); given && row.single) bind(i, *given);
        if (row.single && row.in_order && tree::is_null(values[i])) nulls_.push_back(row.columns[i]);
        if (row.single && row.in_order && is_now(values[i])) equalities_.just_now({row.source, row.columns[i]});
      }
    }
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      if (ever_given[i]) row.not_null.push_back(row.columns[i]);
    }
  } else {
    Query query = select(*select_fields, &scope);
    parts.of_from.insert(parts.of_from.end(), query.drafts.begin(), query.drafts.end());
    row.single = query.one_row;
    row.not_null = row.columns;
    for (std::size_t i = 0; i < query.outputs.size() && i < row.columns.size(); ++i) {
      const Output& output = query.outputs[i];
      if (output.literal) bind(i, *output.literal);
      if (output.base && row.in_order) equalities_.follows(*output.base, {row.source, row.columns[i]});
    }
  }
  single_[row.source] = row.single;
}

// The keys of the table that an inserted row may have in common with a row that is there.
std::vector<std::vector<ColumnId>> Meaning::keys_given(const Row& row) const {
  const Table& table = names_.table(sources_[row.source].table);
  std::vector<std::vector<ColumnId>> keys;
  const auto add = [&](const std::vector<ColumnId>& key) {
    const bool given = !key.empty() && std::ranges::all_of(key, [&](ColumnId column) {
      return holds(row.not_null, column) ||
             (!holds(row.columns, column) && names_.schema().column(column).default_value);
    });
    if (given) keys.push_back(key);
  };
  add(table.primary_key);
  for (const auto& key : table.unique_keys) add(key);
  return keys;
}

std::uint32_t Meaning::met_row(const Row& row, const std::vector<std::vector<ColumnId>>& keys, Lock lock,
                               Drafts& reads) {
  const std::uint32_t met = add_source({.alias = sources_[row.source].alias, .table = sources_[row.source].table});
  for (const auto& key : keys) {
    for (const ColumnId column : key) {
      emit(reads, Action::kRead, {met, column}, true);
      reads.back().access.lock = lock;
      // With more than one key it is not known which of them the row has.
      if (keys.size() == 1) equalities_.follows({row.source, column}, {met, column});
    }
  }
  return met;
}

void Meaning::upsert(Fields conflict, const Row& row, Scope& scope, Parts& parts) {
  const TableId table = sources_[row.source].table;
  std::vector<std::vector<ColumnId>> keys;
  const auto infer = inner(conflict, "infer");
  std::vector<ColumnId> named;
  for (const Json item : infer ? list(*infer, "indexElems") : std::vector<Json>{}) {
    const auto element = as(item, "IndexElem");
    const auto column = element ? names_.find_or_add(table, text(*element, "name")) : std::nullopt;
    if (column) named.push_back(*column);
  }
  const std::vector<Json> set = list(conflict, "targetList");
  if (!named.empty() && !text_.on_duplicate_key) {
    names_.learn_unique_key(table, named);
    keys.push_back(named);
  } else {
    keys = keys_given(row);
  }
  if (keys.empty()) {
    // No key is known. What is given and not changed is most likely what finds the row.
    std::vector<ColumnId> likely = row.not_null;
    for (const Json item : set) {
      const auto target = as(item, "ResTarget");
      const auto column = target ? names_.find(table, text(*target, "name")) : std::nullopt;
      if (column) std::erase(likely, *column);
    }
    if (!likely.empty()) keys.push_back(std::move(likely));
  }
  const std::uint32_t met = met_row(row, keys, Lock::kExclusive, parts.where);
  FromSource excluded{.alias = "excluded", .open = true};
  const std::vector<RowKey> given = row.single ? equalities_.keys_of(row.source) : std::vector<RowKey>{};
  for (const ColumnId column : row.columns) {
    Output output{.name = lower_case(names_.schema().column(column).name)};
    const auto key = std::ranges::lower_bound(given, column, {}, &RowKey::column);
    if (key != given.end() && key->column == column) output.literal = key->literal;
    excluded.outputs.push_back(std::move(output));
  }
  scope.sources = {met, add_source(std::move(excluded))};
  Parts of_update;
  const auto assigned = assignments(set, met, scope, of_update.main, of_update.of_target);
  for (const Assigned& one : assigned) {
    const auto key = std::ranges::lower_bound(given, one.column.column, {}, &RowKey::column);
    if (one.made && key != given.end() && key->column == one.column.column && key->literal == *one.made)
      given_again_.push_back(one.column.column);
  }
  if (const auto where = child(conflict, "whereClause")) {
    Place place{.scope = scope, .reads = of_update.main, .subqueries = of_update.of_where, .in_where = true};
    walk(*where, place);
  }
  mark_target({met}, of_update);
  write_all(row.source, parts.main, true, false);
  check_parents(row.source, row.not_null, nullptr, parts.main);
  write_assigned(assigned, of_update.main);
  const Drafts update = of_update.in_order();
  parts.main.insert(parts.main.end(), update.begin(), update.end());
}

}  // namespace isolde::audit
