#include "hunt/generate/row_source.h"

#include <algorithm>

#include "hunt/case/dialects.h"
#include "hunt/generate/expression.h"

namespace isolde::hunt::generate {
namespace {

using sql::Kind;
using sql::make;
using sql::NodePtr;
using sql::Type;

bool reads(const Model& model, const Relation& view, const std::string& table) {
  const auto found = std::find_if(model.schema.views.begin(), model.schema.views.end(),
                                  [&](const View& of) { return of.name == view.name; });
  return found != model.schema.views.end() &&
         std::find(found->reads.begin(), found->reads.end(), table) != found->reads.end();
}

NodePtr take_named(Draw& draw, const Relation& relation, Scope& scope) {
  Source source{.alias = draw.new_alias(), .columns = relation.columns, .keyed = relation.keyed};
  if (!relation.cells.empty()) source.table = &relation;
  if (draw.sources_left > 0) --draw.sources_left;
  const NodePtr node = make(Kind::kTable, Type::kNone, relation.name, {}, source.alias);
  scope.sources.push_back(std::move(source));
  return node;
}

NodePtr draw_source(Draw& draw, std::uint32_t depth, Scope& scope) {
  if (draw.sources_left == 0) return nullptr;
  if (!draw.commons.empty() && draw.percent(45)) return take_named(draw, draw.pick(draw.commons), scope);
  if (!draw.model.views.empty() && draw.percent(18)) {
    const Relation& view = draw.pick(draw.model.views);
    if (draw.untouchable.empty() || !reads(draw.model, view, draw.untouchable)) return take_named(draw, view, scope);
  }
  if (depth > 0 && draw.sources_left > 1 && draw.percent(22)) {
    Query query = draw_derived(draw, depth - 1);
    if (query.node) {
      Source source{.alias = draw.new_alias(), .columns = std::move(query.columns)};
      const NodePtr node = make(Kind::kDerived, Type::kNone, "", {query.node}, source.alias);
      scope.sources.push_back(std::move(source));
      return node;
    }
  }
  const Relation* table = draw_table(draw);
  return table == nullptr ? nullptr : take_named(draw, *table, scope);
}

// Two sides that PostgreSQL can join in full: columns of tables, and nothing but their equality. Null: there are none.
NodePtr full_condition(Draw& draw, const Scope& scope) {
  const Source& right = scope.sources.back();
  if (right.table == nullptr) return nullptr;
  const Column& of = draw.pick(right.columns);
  std::vector<NodePtr> others;
  for (std::size_t i = 0; i + 1 < scope.sources.size(); ++i) {
    const Source& source = scope.sources[i];
    if (source.table == nullptr) continue;
    for (const Column& column : source.columns)
      if (column.type == of.type) others.push_back(column_of(source.alias, column));
  }
  return others.empty() ? nullptr : comparison("=", draw.pick(others), column_of(right.alias, of));
}

// The table that stands there once more, joined by all its columns. Null: it is no table.
NodePtr join_naturally(Draw& draw, const NodePtr& from, Scope& scope) {
  if (from->kind != Kind::kTable || scope.sources.size() != 1 || scope.sources[0].table == nullptr) return nullptr;
  if (draw.sources_left == 0) return nullptr;
  const Relation& table = *scope.sources[0].table;
  return make(Kind::kJoin, Type::kNone, "natural join", {from, take_named(draw, table, scope), nullptr});
}

NodePtr join_outer_or_inner(Draw& draw, const NodePtr& from, const NodePtr& right, const Scope& scope) {
  const bool has_right = draw.options.server_version >= draw.options.rules().first_outer_joins;
  const bool has_full = has_right && draw.options.grammar().has_full_join;
  std::string how;
  switch (draw.weighted({66, 20, has_right ? 9U : 0U, has_full ? 5U : 0U})) {
    case 0:
      how = "join";
      break;
    case 2:
      how = "right join";
      break;
    case 3:
      if (const NodePtr on = full_condition(draw, scope))
        return make(Kind::kJoin, Type::kNone, "full join", {from, right, on});
      [[fallthrough]];
    default:
      how = "left join";
      break;
  }
  return make(Kind::kJoin, Type::kNone, how, {from, right, draw_join_condition(draw, scope)});
}

NodePtr join_lateral(Draw& draw, std::uint32_t depth, const NodePtr& from, Scope& scope) {
  const Scope beside{.sources = scope.sources};
  Query query = draw_lateral(draw, depth, beside);
  if (!query.node) return nullptr;
  scope.sources.push_back({.alias = draw.new_alias(), .columns = std::move(query.columns)});
  const NodePtr right = make(Kind::kDerived, Type::kNone, "", {query.node}, scope.sources.back().alias);
  const std::string how = draw.percent(60) ? "join lateral" : "left join lateral";
  return make(Kind::kJoin, Type::kNone, how, {from, right, draw_join_condition(draw, scope)});
}

}  // namespace

const Relation* draw_table(Draw& draw) {
  std::vector<const Relation*> tables;
  for (const Relation& table : draw.model.tables)
    if (table.name != draw.untouchable) tables.push_back(&table);
  return tables.empty() ? nullptr : draw.pick(tables);
}

NodePtr take_table(Draw& draw, const Relation& table, Scope& scope) { return take_named(draw, table, scope); }

NodePtr draw_join_condition(Draw& draw, const Scope& scope) {
  const Source& right = scope.sources.back();
  const Scope before{.sources = {scope.sources.begin(), scope.sources.end() - 1}};
  const Scope last{.sources = {right}};
  const Source& left = draw.pick(before.sources);
  NodePtr on;
  if (left.keyed && right.keyed && draw.percent(35)) {
    on = comparison("=", column_of(left.alias, left.columns[0]), column_of(right.alias, right.columns[0]));
  } else {
    const Column& of = draw.pick(right.columns);
    NodePtr other = draw_column(draw, of.type, before);
    if (!other) other = draw_literal(draw.rng, of.type);
    const std::string operation = draw.percent(85) ? "=" : "<=";
    on = comparison(operation, other, column_of(right.alias, of));
  }
  if (!draw.percent(25)) return on;
  const Scope own{.sources = scope.sources};
  return binary(Type::kBoolean, "and", on, draw_predicate(draw, 0, own));
}

NodePtr draw_from(Draw& draw, std::uint32_t depth, Scope& scope) {
  NodePtr from = draw_source(draw, depth, scope);
  if (!from) return nullptr;
  const std::size_t more = depth == 0 ? draw.weighted({85, 15}) : draw.weighted({55, 32, 13});
  for (std::size_t i = 0; i < more; ++i) {
    if (depth > 0 && draw.options.grammar().has_lateral && draw.percent(7)) {
      if (const NodePtr joined = join_lateral(draw, depth - 1, from, scope)) from = joined;
      continue;
    }
    if (i == 0 && draw.percent(4)) {
      if (const NodePtr joined = join_naturally(draw, from, scope)) {
        from = joined;
        continue;
      }
    }
    const NodePtr right = draw_source(draw, depth == 0 ? 0 : depth - 1, scope);
    if (!right) break;
    if (i == 0 && draw.percent(8)) {
      from = make(Kind::kJoin, Type::kNone, "cross join", {from, right, nullptr});
      continue;
    }
    from = join_outer_or_inner(draw, from, right, scope);
  }
  return from;
}

}  // namespace isolde::hunt::generate
