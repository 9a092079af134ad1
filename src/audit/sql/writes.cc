// UPDATE, DELETE, MERGE, TRUNCATE; what assignments read and write; foreign keys.
#include <algorithm>

#include "audit/sql/meaning.h"
#include "base/ascii.h"

namespace isolde::audit {

using tree::as;
using tree::child;
using tree::flag;
using tree::inner;
using tree::list;
using tree::node_of;
using tree::number;
using tree::text;

namespace {

// a - b.
bool is_difference(tree::Json value) {
  const auto operation = as(tree::without_casts(value), "A_Expr");
  if (!operation) return false;
  const auto op = tree::names(*operation, "name");
  return op.size() == 1 && op[0] == "-";
}

}  // namespace

Meaning::Sources Meaning::targets(Fields fields, std::string_view others, Scope& scope, Parts& parts) {
  const auto relation = inner(fields, "relation");
  if (!relation) return {};
  if (!text_.multi_table_write) {
    const std::uint32_t target = table_source(*relation, scope, true);
    scope.sources.push_back(target);
    for (const Json item : list(fields, others)) from_item(item, scope, parts);
    return {target};
  }
  for (const Json item : list(fields, others)) from_item(item, scope, parts);
  Sources found;
  for (const std::string& written : text_.deletes_from) {
    const std::string name = lower_case(std::string_view(written).substr(written.rfind('.') + 1));
    if (const auto source = source_named(name, scope)) found.push_back(*source);
  }
  if (found.empty()) {
    const auto source = source_named(lower_case(text(*relation, "relname")), scope);
    if (source) found.push_back(*source);
  }
  if (found.empty() && !scope.sources.empty()) found.push_back(scope.sources[0]);
  return found;
}

// By its alias, else by the table's own name.
std::optional<std::uint32_t> Meaning::source_named(std::string_view name, const Scope& scope) const {
  if (const auto source = resolver_.source_of(name, scope)) return source;
  for (const std::uint32_t source : scope.sources) {
    const TableId table = sources_[source].table;
    if (table != kNoTable && lower_case(names_.table(table).name) == name) return source;
  }
  return std::nullopt;
}

Query Meaning::update(Fields fields, const Scope* outer) {
  did(StatementKind::kUpdate);
  Query query;
  Parts parts;
  Scope with{.outer = outer};
  with_clause(fields, with, parts.with);
  Scope scope{.outer = &with};
  const Sources target = targets(fields, "fromClause", scope, parts);
  if (target.empty()) return query;
  if (const auto where = child(fields, "whereClause")) {
    Place place{.scope = scope, .reads = parts.where, .subqueries = parts.of_where, .in_where = true};
    walk(*where, place);
    equalities(*where, scope, nullptr);
  }
  const auto assigned = assignments(list(fields, "targetList"), target[0], scope, parts.main, parts.of_target);
  bool has_window = false;
  select_list(fields, "returningList", scope, parts, query, has_window);
  Sources written;
  for (const Assigned& one : assigned) written.push_back(one.column.source);
  for (const std::uint32_t source : written) touched_[source] = true;
  read_presence(scope, parts.main);
  mark_target(written, parts);
  write_assigned(assigned, parts.main);
  query.drafts = parts.in_order();
  return query;
}

Query Meaning::remove(Fields fields, const Scope* outer) {
  did(StatementKind::kDelete);
  Query query;
  Parts parts;
  Scope with{.outer = outer};
  with_clause(fields, with, parts.with);
  Scope scope{.outer = &with};
  const Sources written = targets(fields, "usingClause", scope, parts);
  if (written.empty()) return query;
  if (const auto where = child(fields, "whereClause")) {
    Place place{.scope = scope, .reads = parts.where, .subqueries = parts.of_where, .in_where = true};
    walk(*where, place);
    equalities(*where, scope, nullptr);
  }
  bool has_window = false;
  select_list(fields, "returningList", scope, parts, query, has_window);
  for (const std::uint32_t source : written) touched_[source] = true;
  read_presence(scope, parts.main);
  mark_target(written, parts);
  for (const std::uint32_t source : written) write_all(source, parts.main, false, true);
  query.drafts = parts.in_order();
  return query;
}

Query Meaning::merge(Fields fields, const Scope* outer) {
  Query query;
  Parts parts;
  Scope with{.outer = outer};
  with_clause(fields, with, parts.with);
  Scope scope{.outer = &with};
  const auto relation = inner(fields, "relation");
  if (!relation) return query;
  const std::uint32_t target = table_source(*relation, scope, true);
  scope.sources.push_back(target);
  if (const auto source = child(fields, "sourceRelation")) from_item(*source, scope, parts);
  const Sources only = {target};
  if (const auto condition = child(fields, "joinCondition")) {
    Place place{.scope = scope, .reads = parts.joins, .subqueries = parts.of_from, .in_where = true};
    walk(*condition, place);
    equalities(*condition, scope, &only);
  }
  bool inserts = false, updates = false;
  Drafts writes;
  for (const Json item : list(fields, "mergeWhenClauses")) {
    const auto clause = as(item, "MergeWhenClause");
    if (!clause) continue;
    Place place{.scope = scope, .reads = parts.where, .subqueries = parts.of_where, .in_where = true};
    if (const auto condition = child(*clause, "condition")) walk(*condition, place);
    const std::string_view command = text(*clause, "commandType");
    if (command == "CMD_UPDATE") {
      updates = true;
      write_assigned(assignments(list(*clause, "targetList"), target, scope, parts.main, parts.of_target), writes);
    } else if (command == "CMD_DELETE") {
      updates = true;
      write_all(target, writes, false, true);
    } else if (command == "CMD_INSERT") {
      inserts = true;
      Place values{.scope = scope, .reads = parts.main, .subqueries = parts.of_target};
      for (const Json value : list(*clause, "values")) walk(value, values);
      const std::uint32_t made = add_source({.table = sources_[target].table});
      std::vector<ColumnId> columns;
      const TableId table = sources_[target].table;
      for (const Json column : list(*clause, "targetList")) {
        const auto named = as(column, "ResTarget");
        const auto id = named && table != kNoTable ? names_.find_or_add(table, text(*named, "name")) : std::nullopt;
        if (id) columns.push_back(*id);
      }
      write_all(made, writes, true, false);
      check_parents(made, columns, nullptr, writes);
    }
  }
  did(inserts && updates ? StatementKind::kUpsert : inserts ? StatementKind::kInsert : StatementKind::kUpdate);
  touched_[target] = true;
  read_presence(scope, parts.main);
  mark_target({target}, parts);
  append(parts.main, writes);
  query.drafts = parts.in_order();
  return query;
}

void Meaning::truncate(Fields fields) {
  did(StatementKind::kDelete);
  const Scope scope;
  for (const Json item : list(fields, "relations")) {
    const auto relation = as(item, "RangeVar");
    if (relation) write_all(table_source(*relation, scope, true), drafts_, false, true);
  }
}

// t.x = … of MySQL comes as the column t with the field x.
std::optional<SourceColumn> Meaning::assigned_column(Fields target_fields, std::uint32_t target, const Scope& scope) {
  const std::string name = lower_case(text(target_fields, "name"));
  const auto fields = tree::names(target_fields, "indirection");
  if (!fields.empty()) {
    const auto source = resolver_.source_of(name, scope);
    const bool is_column = resolver_.column_of(target, name).has_value();
    const bool has_field = source && resolver_.column_of(*source, lower_case(fields[0])).has_value();
    if (source && (has_field || !is_column)) {
      const Meant meant = resolver_.in_source(*source, lower_case(fields[0]), true);
      if (meant.kind == Meant::Kind::kColumn) return meant.column;
    }
  }
  const Meant own = resolver_.in_source(target, name, false);
  if (own.kind == Meant::Kind::kColumn) return own.column;
  // An UPDATE of several tables: another one may have it.
  if (text_.multi_table_write) {
    for (const std::uint32_t source : scope.sources) {
      const Meant other = resolver_.in_source(source, name, false);
      if (other.kind == Meant::Kind::kColumn) return other.column;
    }
    if (names_.learning() == Learning::kSure) {
      names_.leave_open();
      return std::nullopt;
    }
  }
  const Meant added = resolver_.in_source(target, name, true);
  if (added.kind == Meant::Kind::kColumn) return added.column;
  if (!names_.learns()) fail("the column " + name + ", which is written, is not in the schema");
  return std::nullopt;
}

std::vector<Meaning::Assigned> Meaning::assignments(const std::vector<Json>& items, std::uint32_t target,
                                                    const Scope& scope, Drafts& reads, Drafts& subqueries) {
  std::vector<Assigned> assigned;
  for (const Json item : items) {
    const auto target_fields = as(item, "ResTarget");
    auto value = target_fields ? child(*target_fields, "val") : std::nullopt;
    if (!value) continue;
    const auto column = assigned_column(*target_fields, target, scope);
    bool counts = true;
    if (const auto several = as(*value, "MultiAssignRef")) {  // (a, b) = (…): each has the whole right side
      const auto place = static_cast<std::size_t>(std::max<std::int64_t>(1, number(*several, "colno")) - 1);
      value = child(*several, "source");
      if (!value) continue;
      const auto row = as(*value, "RowExpr");
      const std::vector<Json> parts = row ? list(*row, "args") : std::vector<Json>{};
      counts = row.has_value() || place == 0;
      if (place < parts.size()) value = parts[place];
    }
    const bool increments = column && is_increment(*value, *column, scope);
    if (counts) {
      const std::size_t before = reads.size();
      Place place{.scope = scope, .reads = reads, .subqueries = subqueries};
      walk(*value, place);
      for (std::size_t i = before; increments && i < reads.size(); ++i) reads[i].of_increment = true;
    }
    if (!column) continue;
    const Meant meant = as(*value, "ColumnRef") ? term(*value, scope) : Meant{};
    assigned.push_back({.column = *column,
                        .literal = literal(*value),
                        .negative = negative_literal(*value),
                        .made = meant.kind == Meant::Kind::kMade ? meant.literal : std::nullopt,
                        .is_null = tree::is_null(*value),
                        .increments = increments,
                        .subtracts = increments && is_difference(*value)});
  }
  return assigned;
}

bool Meaning::is_increment(Json value, SourceColumn column, const Scope& scope) {
  enum class Kind : std::uint8_t { kOther, kConstant, kColumn };
  const auto is_zero = [&](Json json) {
    const auto place = literal(json);
    return place && !literals_[*place].empty() && literals_[*place].find_first_not_of("0.") == std::string_view::npos;
  };
  // As deep as the tree, which is bounded.
  const auto kind_of = [&](const auto& self, Json json) -> Kind {
    json = tree::without_casts(json);
    const auto node = node_of(json);
    if (!node) return Kind::kOther;
    if (node->type == "ParamRef") return Kind::kConstant;
    if (node->type == "A_Const") return tree::is_null(json) ? Kind::kOther : Kind::kConstant;
    if (node->type == "ColumnRef") {
      const Meant meant = term(json, scope);
      if (meant.kind == Meant::Kind::kColumn && meant.column == column) return Kind::kColumn;
      return meant.kind == Meant::Kind::kMade && meant.literal ? Kind::kConstant : Kind::kOther;
    }
    if (node->type == "CoalesceExpr" || node->type == "FuncCall") {
      const auto function = tree::names(node->fields, "funcname");
      if (node->type == "FuncCall" && (function.empty() || function.back() != "ifnull")) return Kind::kOther;
      const std::vector<Json> args = list(node->fields, "args");
      return args.size() == 2 && is_zero(args[1]) ? self(self, args[0]) : Kind::kOther;
    }
    if (node->type != "A_Expr" || text(node->fields, "kind") != "AEXPR_OP") return Kind::kOther;
    const auto op = tree::names(node->fields, "name");
    const auto right_json = child(node->fields, "rexpr");
    if (op.size() != 1 || (op[0] != "+" && op[0] != "-") || !right_json) return Kind::kOther;
    const Kind right = self(self, *right_json);
    const auto left_json = child(node->fields, "lexpr");
    if (!left_json) return right == Kind::kConstant ? right : Kind::kOther;
    const Kind left = self(self, *left_json);
    if (left == Kind::kConstant && right == Kind::kConstant) return Kind::kConstant;
    if (left == Kind::kColumn && right == Kind::kConstant) return Kind::kColumn;
    if (left == Kind::kConstant && right == Kind::kColumn && op[0] == "+") return Kind::kColumn;
    return Kind::kOther;
  };
  const auto operation = node_of(tree::without_casts(value));
  return operation && operation->type == "A_Expr" && kind_of(kind_of, value) == Kind::kColumn;
}

void Meaning::write_assigned(const std::vector<Assigned>& assigned, Drafts& to) {
  Sources sources;
  for (const Assigned& one : assigned) {
    emit(to, Action::kWrite, one.column, false);
    to.back().access.increments = one.increments;
    to.back().access.subtracts = one.subtracts;
    if (one.literal) assigned_.push_back({.column = one.column.column, .literal = *one.literal});
    if (one.negative) assigned_negative_.push_back({.column = one.column.column, .literal = *one.negative});
    if (one.is_null) nulls_.push_back(one.column.column);
    if (one.increments) added_to_.push_back(one.column.column);
    const std::uint32_t source = one.column.source;
    if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
  }
  for (const std::uint32_t source : sources) {
    std::vector<ColumnId> columns;
    for (const Assigned& one : assigned) {
      if (one.column.source == source && !one.is_null) columns.push_back(one.column.column);
    }
    written_.push_back(sources_[source].table);
    check_parents(source, columns, &assigned, to);
  }
}

void Meaning::write_all(std::uint32_t source, Drafts& to, bool inserts, bool deletes) {
  const TableId id = sources_[source].table;
  if (id == kNoTable) return;
  const Table& table = names_.table(id);
  if (table.columns.empty() && !names_.learns()) fail("no column of the table " + table.name + " is known");
  written_.push_back(id);
  for (const ColumnId column : table.columns) {
    emit(to, Action::kWrite, {source, column}, false);
    to.back().access.inserts = inserts;
    to.back().access.deletes = deletes;
  }
}

// Reads of the row that is written: those that find it, and those that are made under its lock.
void Meaning::mark_target(const Sources& written, Parts& parts) {
  const auto is_target = [&](const AccessDraft& draft) {
    return draft.access.action == Action::kRead && std::ranges::find(written, draft.source) != written.end();
  };
  for (Drafts* part : {&parts.joins, &parts.where}) {
    for (AccessDraft& draft : *part) draft.of_target_where = draft.of_target_where || is_target(draft);
  }
  for (Drafts* part : {&parts.of_target, &parts.of_from, &parts.of_where, &parts.of_rest, &parts.main}) {
    for (AccessDraft& draft : *part) {
      if (!is_target(draft)) continue;
      draft.access.of_written_row = true;
      draft.access.lock = Lock::kExclusive;
    }
  }
}

void Meaning::check_parents(std::uint32_t source, const std::vector<ColumnId>& written,
                            const std::vector<Assigned>* assigned, Drafts& to) {
  const TableId id = sources_[source].table;
  if (id == kNoTable) return;
  for (const ForeignKey& key : names_.table(id).foreign_keys) {
    if (std::ranges::none_of(key.columns, [&](ColumnId column) { return holds(written, column); })) continue;
    const std::uint32_t parent = add_source({.table = key.parent});
    for (std::size_t i = 0; i < key.parent_columns.size(); ++i) {
      const SourceColumn of_parent{parent, key.parent_columns[i]};
      emit(to, Action::kRead, of_parent, true);
      to.back().access.lock = Lock::kShare;
      to.back().access.foreign_key = true;
      if (i >= key.columns.size()) continue;
      if (assigned == nullptr) {
        equalities_.follows({source, key.columns[i]}, of_parent);
        continue;
      }
      const auto set = std::ranges::find(*assigned, SourceColumn{source, key.columns[i]}, &Assigned::column);
      if (set == assigned->end()) {
        equalities_.follows({source, key.columns[i]}, of_parent);
      } else if (set->literal) {
        equalities_.bind(of_parent, *set->literal);
      }
    }
  }
}

}  // namespace isolde::audit
