// FROM: tables, subqueries and joins; and the equalities that tell which rows count.
#include <algorithm>

#include "audit/sql/meaning.h"
#include "audit/sql/times.h"
#include "base/ascii.h"

namespace isolde::audit {

using tree::as;
using tree::child;
using tree::flag;
using tree::inner;
using tree::list;
using tree::node_of;
using tree::text;

namespace {

constexpr std::size_t kMaxSources = 10'000;  // mentions of tables in one statement

std::vector<std::string> alias_columns(tree::Fields fields) {
  std::vector<std::string> columns;
  const auto alias = inner(fields, "alias");
  if (!alias) return columns;
  for (const std::string_view name : tree::names(*alias, "colnames")) columns.push_back(lower_case(name));
  return columns;
}

std::string alias_name(tree::Fields fields) {
  const auto alias = inner(fields, "alias");
  return alias ? lower_case(text(*alias, "aliasname")) : std::string{};
}

}  // namespace

std::uint32_t Meaning::add_source(FromSource source) {
  if (sources_.size() >= kMaxSources) {
    fail("more tables than can be told apart");
    source = {.alias = std::move(source.alias), .open = true};
  }
  sources_.push_back(std::move(source));
  touched_.push_back(false);
  single_.emplace_back();
  return static_cast<std::uint32_t>(sources_.size() - 1);
}

std::uint32_t Meaning::table_source(Fields range_var, const Scope& scope, bool written) {
  const std::string_view name = text(range_var, "relname");
  const std::string_view schema = text(range_var, "schemaname");
  FromSource source{.alias = alias_name(range_var)};
  if (source.alias.empty()) source.alias = lower_case(name);
  std::vector<std::string> renamed = alias_columns(range_var);
  const WithQuery* with = written || !schema.empty() ? nullptr : resolver_.with_query(lower_case(name), scope);
  if (with != nullptr) {
    source.outputs = with->outputs;
    source.open = with->open;
    for (std::size_t i = 0; i < renamed.size() && i < source.outputs.size(); ++i) source.outputs[i].name = renamed[i];
    return add_source(std::move(source));
  }
  if (is_system_table(schema, name) && !names_.schema().find_table(name)) {
    source.open = true;
    return add_source(std::move(source));
  }
  if (written && names_.schema().find_view(name) != nullptr) {
    fail("it writes through the view " + std::string(name));
    source.open = true;
    return add_source(std::move(source));
  }
  const auto table = names_.find_or_add(name);
  if (!table) {
    fail("the table " + std::string(name) + " is not in the schema");
    source.open = true;
    return add_source(std::move(source));
  }
  source.table = *table;
  source.renamed = std::move(renamed);
  named_.push_back(*table);
  return add_source(std::move(source));
}

// What a subquery makes, as a source of this level.
std::uint32_t Meaning::derived(Query query, Fields fields, Scope& scope) {
  FromSource source{.alias = alias_name(fields), .outputs = std::move(query.outputs), .open = query.open};
  const std::vector<std::string> renamed = alias_columns(fields);
  for (std::size_t i = 0; i < renamed.size(); ++i) {
    if (i < source.outputs.size()) {
      source.outputs[i].name = renamed[i];
    } else {
      source.outputs.push_back({.name = renamed[i]});
    }
  }
  const std::uint32_t added = add_source(std::move(source));
  scope.sources.push_back(added);
  return added;
}

// A view is its query.
std::uint32_t Meaning::view_source(const View& view, Fields range_var, Scope& scope, Parts& parts) {
  constexpr std::uint32_t kDeepestViews = 16;
  Query query{.open = true};
  tree::Tree tree;
  if (++views_open_ > kDeepestViews) {
    fail("the view " + view.name + " is made of too many views");
  } else if (!tree.parse(view.query) || tree.statements().size() != 1) {
    fail("the query of the view " + view.name + " cannot be read");
  } else {
    query = query_of(tree.statements()[0], nullptr);
    for (std::size_t i = 0; i < view.columns.size() && i < query.outputs.size(); ++i)
      query.outputs[i].name = lower_case(view.columns[i]);
  }
  --views_open_;
  append(parts.of_from, query.drafts);
  const std::uint32_t source = derived(std::move(query), range_var, scope);
  if (sources_[source].alias.empty()) sources_[source].alias = lower_case(view.name);
  return source;
}

Meaning::Sources Meaning::from_item(Json json, Scope& scope, Parts& parts) {
  const auto node = node_of(json);
  if (!node) return {};
  if (node->type == "RangeVar") {
    const std::string_view name = text(node->fields, "relname");
    const View* view = names_.schema().find_view(name);
    if (view != nullptr && resolver_.with_query(lower_case(name), scope) == nullptr)
      return {view_source(*view, node->fields, scope, parts)};
    const std::uint32_t source = table_source(node->fields, scope, false);
    scope.sources.push_back(source);
    return {source};
  }
  if (node->type == "JoinExpr") return join(node->fields, scope, parts);
  if (node->type == "RangeSubselect") {
    const auto subquery = child(node->fields, "subquery");
    const auto query_node = subquery ? node_of(*subquery) : std::nullopt;
    if (!query_node) return {};
    // Only LATERAL sees its neighbours. (MySQL before 8 has none, and its subqueries in FROM see nothing outside.)
    Query query = query_of(*query_node, flag(node->fields, "lateral") ? &scope : scope.outer);
    append(parts.of_from, query.drafts);
    return {derived(std::move(query), node->fields, scope)};
  }
  if (node->type == "RangeTableSample") {
    const auto relation = child(node->fields, "relation");
    return relation ? from_item(*relation, scope, parts) : Sources{};
  }
  // A function's arguments may name what stands before it.
  Place place{.scope = scope, .reads = parts.joins, .subqueries = parts.of_from, .in_where = true};
  walk(json, place);
  Query query{.open = true};
  const std::string alias = alias_name(node->fields);
  if (!alias.empty()) query.outputs.push_back({.name = alias});
  const std::uint32_t source = derived(std::move(query), node->fields, scope);
  return {source};
}

Meaning::Sources Meaning::join(Fields fields, Scope& scope, Parts& parts) {
  Sources left, right;
  if (const auto arm = child(fields, "larg")) left = from_item(*arm, scope, parts);
  if (const auto arm = child(fields, "rarg")) right = from_item(*arm, scope, parts);
  Sources both = left;
  both.insert(both.end(), right.begin(), right.end());
  // The condition of an outer join says nothing about the rows of the side that is kept whatever happens.
  const std::string_view type = text(fields, "jointype");
  const Sources none;
  const Sources* only = nullptr;
  if (type == "JOIN_LEFT") only = &right;
  if (type == "JOIN_RIGHT") only = &left;
  if (type == "JOIN_FULL") only = &none;

  std::vector<std::string> shared;
  for (const std::string_view name : tree::names(fields, "usingClause")) shared.push_back(lower_case(name));
  if (flag(fields, "isNatural")) {
    for (const std::uint32_t source : right) {
      Query columns;
      append_outputs(source, columns);
      for (const Output& output : columns.outputs) {
        const bool in_left = std::ranges::any_of(left, [&](std::uint32_t other) {
          return resolver_.in_source(other, output.name, false).kind != Meant::Kind::kNothing;
        });
        if (in_left) shared.push_back(output.name);
      }
    }
  }
  for (const std::string& name : shared) join_column(left, right, name, only, parts);
  if (const auto condition = child(fields, "quals")) {
    Place place{.scope = scope, .reads = parts.joins, .subqueries = parts.of_from, .in_where = true};
    walk(*condition, place);
    equalities(*condition, scope, only);
  }
  if (!alias_name(fields).empty()) {  // (a JOIN b …) AS j: all of it is what j may tell
    Query columns;
    for (const std::uint32_t source : both) {
      read_all(source, parts.joins, false);
      append_outputs(source, columns);
    }
    both.push_back(derived(std::move(columns), fields, scope));
  }
  return both;
}

void Meaning::join_column(const Sources& left, const Sources& right, std::string_view name, const Sources* only,
                          Parts& parts) {
  const auto find = [&](const Sources& side) {
    for (const std::uint32_t source : side) {
      if (const Meant meant = resolver_.in_source(source, name, false); meant.kind != Meant::Kind::kNothing) {
        return meant;
      }
    }
    return side.size() == 1 ? resolver_.in_source(side[0], name, true) : Meant{};
  };
  Meant l = find(left), r = find(right);
  l.local = r.local = true;
  for (const Meant& meant : {l, r}) {
    if (meant.kind == Meant::Kind::kColumn) emit(parts.joins, Action::kRead, meant.column, true);
  }
  tie(l, r, only);
}

void Meaning::equalities(Json condition, const Scope& scope, const Sources* only) {
  const auto node = node_of(condition);
  if (!node) return;
  const Fields fields = node->fields;
  if (node->type == "BoolExpr") {
    if (text(fields, "boolop") != "AND_EXPR") return;
    for (const Json part : list(fields, "args")) equalities(part, scope, only);
    return;
  }
  if (node->type != "A_Expr") return;
  const std::string_view kind = text(fields, "kind");
  const auto left = child(fields, "lexpr"), right = child(fields, "rexpr");
  const auto op = tree::names(fields, "name");
  if (!left || !right || op.size() != 1) return;
  if (kind == "AEXPR_OP" && (op[0] == "<" || op[0] == "<=")) note_age(*left, *right, scope, only);
  if (kind == "AEXPR_OP" && (op[0] == ">" || op[0] == ">=")) note_age(*right, *left, scope, only);
  if (kind == "AEXPR_OP" && (op[0] == "<>" || op[0] == "<" || op[0] == ">")) {
    return tell_apart(*left, *right, scope, only);
  }
  if (kind == "AEXPR_LIKE" && op[0] == "~~") note_pattern(*left, *right, scope, only);
  if (op[0] != "=") return;
  if (kind == "AEXPR_OP" || kind == "AEXPR_NOT_DISTINCT") tie_terms(*left, *right, scope, only);
  if (kind == "AEXPR_IN") {
    const auto items = as(*right, "List");
    const std::vector<Json> values = items ? list(*items, "items") : std::vector<Json>{};
    if (values.size() == 1) tie_terms(*left, values[0], scope, only);
    if (values.size() > 1) note_choices(*left, values, scope, only);
  }
}

void Meaning::tie_terms(Json a, Json b, const Scope& scope, const Sources* only) {
  const auto left_row = as(a, "RowExpr"), right_row = as(b, "RowExpr");
  if (left_row && right_row) {
    const std::vector<Json> left = list(*left_row, "args"), right = list(*right_row, "args");
    for (std::size_t i = 0; left.size() == right.size() && i < left.size(); ++i) {
      tie(term(left[i], scope), term(right[i], scope), only);
    }
    return;
  }
  tie(term(a, scope), term(b, scope), only);
}

// a <> b, a < b, a > b, one of them a literal: rows of the other's table that have it there do not count.
void Meaning::tell_apart(Json a, Json b, const Scope& scope, const Sources* only) {
  for (const auto& [column, value] :
       {std::pair(term(a, scope), term(b, scope)), std::pair(term(b, scope), term(a, scope))}) {
    if (!value.literal || column.kind != Meant::Kind::kColumn || !column.local) continue;
    if (only != nullptr && std::ranges::find(*only, column.source) == only->end()) continue;
    equalities_.unlike(column.column, *value.literal);
  }
}

// A column of this level whose condition holds for all rows that count.
std::optional<SourceColumn> Meaning::conditioned(Json json, const Scope& scope, const Sources* only) {
  const Meant column = term(json, scope);
  if (column.kind != Meant::Kind::kColumn || !column.local) return std::nullopt;
  if (only != nullptr && std::ranges::find(*only, column.source) == only->end()) return std::nullopt;
  return column.column;
}

void Meaning::note_choices(Json left, const std::vector<Json>& values, const Scope& scope, const Sources* only) {
  std::vector<std::uint32_t> literals;
  for (const Json value : values) {
    const auto place = literal(value);
    if (!place) return;
    literals.push_back(*place);
  }
  if (const auto column = conditioned(left, scope, only)) equalities_.among(*column, std::move(literals));
}

void Meaning::note_pattern(Json left, Json right, const Scope& scope, const Sources* only) {
  const auto column = conditioned(left, scope, only);
  if (const auto pattern = literal(right); column && pattern) equalities_.like(*column, *pattern);
}

// column < NOW() - INTERVAL 1 HOUR
void Meaning::note_age(Json older, Json newer, const Scope& scope, const Sources* only) {
  const auto column = conditioned(older, scope, only);
  if (column && is_long_ago(newer, literals_)) equalities_.long_ago(*column);
}

std::optional<std::uint32_t> Meaning::literal(Json json) const {
  const auto place = tree::parameter(json);
  return place && *place < literals_.size() ? place : std::nullopt;
}

// The literal behind a minus sign.
std::optional<std::uint32_t> Meaning::negative_literal(Json json) const {
  const auto sign = as(tree::without_casts(json), "A_Expr");
  if (!sign || tree::text(*sign, "kind") != "AEXPR_OP" || child(*sign, "lexpr")) return std::nullopt;
  const auto op = tree::names(*sign, "name");
  const auto value = child(*sign, "rexpr");
  return op.size() == 1 && op[0] == "-" && value ? literal(*value) : std::nullopt;
}

// A column by itself or a literal; a column under a cast is another value (a timestamp's date).
Meant Meaning::term(Json json, const Scope& scope) {
  if (const auto place = literal(json)) return {.kind = Meant::Kind::kMade, .literal = place};
  const auto column = as(json, "ColumnRef");
  const auto parts = column ? tree::names(*column, "fields") : std::vector<std::string_view>{};
  if (parts.empty() || parts.back() == "*") return {};
  return resolver_.resolve(parts, scope, Clause::kPlain);
}

void Meaning::tie(const Meant& a, const Meant& b, const Sources* only) {
  const auto column = [](const Meant& m) {
    return m.kind == Meant::Kind::kColumn ? std::optional(m.column)
           : m.kind == Meant::Kind::kMade ? m.base
                                          : std::nullopt;
  };
  const auto restricted = [&](const Meant& m) {
    return column(m) && m.local && (only == nullptr || std::ranges::find(*only, m.source) != only->end());
  };
  if (a.literal && restricted(b)) return equalities_.bind(*column(b), *a.literal);
  if (b.literal && restricted(a)) return equalities_.bind(*column(a), *b.literal);
  if (!column(a) || !column(b)) return;
  if (restricted(a) && restricted(b)) return equalities_.equal(*column(a), *column(b));
  if (restricted(a)) return equalities_.follows(*column(b), *column(a));
  if (restricted(b)) return equalities_.follows(*column(a), *column(b));
}

}  // namespace isolde::audit
