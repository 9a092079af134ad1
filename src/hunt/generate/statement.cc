#include "hunt/generate/statement.h"

#include <algorithm>

#include "hunt/generate/expression.h"
#include "hunt/generate/query.h"
#include "hunt/generate/row_source.h"

namespace isolde::hunt::generate {
namespace {

using sql::Kind;
using sql::make;
using sql::NodePtr;
using sql::Type;

NodePtr assignment(const std::string& column, NodePtr value) {
  return make(Kind::kAssignment, value->type, column, {value});
}
NodePtr assignment(const Column& column, NodePtr value) {
  return assignment(column.name, sql::put_into(column.form, std::move(value)));
}

bool assignable(const Column& column) { return column.name != "pkey" && column.name != "vkey" && !column.generated; }

const Relation* relation_named(const Model& model, const std::string& table) {
  const auto found = std::find_if(model.tables.begin(), model.tables.end(),
                                  [&](const Relation& relation) { return relation.name == table; });
  return found == model.tables.end() ? nullptr : &*found;
}

// What may be stored in `column`: mostly no more than it takes, seldom a violation.
NodePtr draw_stored(Draw& draw, const Column& column, std::uint32_t depth, const Scope& scope) {
  if (!column.parent.empty()) {
    const Relation* parent = relation_named(draw.model, column.parent);
    return draw.percent(20) ? null_of(column.type)
                            : integer(draw.rng.between(1, parent == nullptr ? 1 : parent->rows()));
  }
  const bool plain = scope.sources.empty() || (depth == 0 && draw.percent(40));
  NodePtr value = plain ? draw_literal(draw.rng, column.type) : draw_value(draw, column.type, depth, scope);
  if (column.nullable || draw.percent(3)) return value;
  if (value->kind == Kind::kLiteral) return value->text == "null" ? draw_literal(draw.rng, column.type) : value;
  return make(Kind::kCall, column.type, "coalesce", {value, draw_literal(draw.rng, column.type)});
}

// Whether a column under a unique index may be assigned. Servers check it row by row, so that more than a constant
// would fail or not by the order in which the rows lie; and so would a constant where rows are inserted as well.
enum class Unique : std::uint8_t { kConstant, kNever };

// vkey = version, and one to three columns. `own`: how columns of the row that is changed are named.
NodePtr draw_assignments(Draw& draw, const Relation& table, std::int64_t version, const std::string& own,
                         std::uint32_t depth, const Scope& scope, Unique unique = Unique::kConstant) {
  std::vector<NodePtr> assignments = {assignment("vkey", integer(version))};
  std::vector<const Column*> free;
  for (const Column& column : table.columns)
    if (assignable(column) && !(column.unique && (unique == Unique::kNever || !draw.percent(30))))
      free.push_back(&column);
  const std::int64_t count = std::min<std::int64_t>(draw.rng.between(1, 3), static_cast<std::int64_t>(free.size()));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t at = draw.rng.below(free.size());
    const Column& column = *free[at];
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(at));
    if (column.unique) {
      // Mostly one that no row has.
      const bool fresh = draw.percent(80);
      assignments.push_back(
          assignment(column, fresh ? integer(draw.rng.between(1000, 99999)) : draw_literal(draw.rng, column.type)));
      continue;
    }
    // A row's new value made of its old one: what is lost when an update is.
    if (column.type == Type::kInteger && column.parent.empty() && column.nullable && draw.percent(35)) {
      const NodePtr old = column_of(own, column);
      assignments.push_back(assignment(column, binary(Type::kInteger, "+", old, integer(draw.rng.between(1, 3)))));
      continue;
    }
    assignments.push_back(assignment(column, draw_stored(draw, column, depth, scope)));
  }
  return list(std::move(assignments));
}

// The target of an UPDATE, DELETE or MERGE.
Scope target_of(Draw& draw, const Relation& table) {
  Scope scope;
  scope.sources.push_back({.alias = draw.new_alias(), .columns = table.columns, .keyed = true, .table = &table});
  return scope;
}

NodePtr draw_where(Draw& draw, const Scope& scope) {
  if (draw.percent(draw.by_key)) {
    const NodePtr key = draw_key_predicate(draw, scope.sources[0]);
    if (!draw.percent(20)) return key;
    return binary(Type::kBoolean, "and", key, draw_predicate(draw, 1, scope));
  }
  return draw_predicate(draw, draw.percent(45) ? 0 : draw.options.depth, scope);
}

// A second table for an UPDATE or DELETE of `scope`'s first: one row of it at most for each row that is changed. It is
// put into `scope`. Null: there is none.
struct Second {
  NodePtr source, on;
};
Second draw_second(Draw& draw, const Relation& table, Scope& scope) {
  std::vector<const Relation*> others;
  for (const Relation& other : draw.model.tables)
    if (other.name != table.name || draw.options.grammar().second_may_be_target) others.push_back(&other);
  std::vector<NodePtr> columns;
  for (const Column& column : table.columns)
    if (column.type == Type::kInteger && column.name != "vkey")
      columns.push_back(column_of(scope.sources[0].alias, column));
  if (others.empty() || draw.sources_left == 0) return {};
  const Relation& other = *draw.pick(others);
  Second second;
  second.source = take_table(draw, other, scope);
  second.on = comparison("=", column_of(scope.sources.back().alias, other.columns[0]), draw.pick(columns));
  return second;
}

// Subqueries of its WHERE.
bool may_read_target(const GenerateOptions& options) {
  return options.grammar().where_sees_start || options.own_target;
}

// Columns of INSERT, and for each of them what the row gets.
struct NewRow {
  std::vector<NodePtr> columns, values;
};
NewRow draw_new_row(Draw& draw, const Relation& table, NodePtr pkey, std::int64_t version, std::uint32_t depth,
                    const Scope& scope) {
  NewRow row;
  for (const Column& column : table.columns) {
    if (column.generated) continue;
    row.columns.push_back(make(Kind::kColumn, column.type, column.name));
    if (column.name == "pkey")
      row.values.push_back(pkey);
    else if (column.name == "vkey")
      row.values.push_back(integer(version));
    else if (column.unique && !draw.percent(10))
      row.values.push_back(pkey);  // as new as the row's key is
    else
      row.values.push_back(sql::put_into(column.form, column.nullable && draw.percent(12)
                                                          ? null_of(column.type)
                                                          : draw_stored(draw, column, depth, scope)));
  }
  return row;
}

// Of a row that may be there already.
std::int64_t draw_key_to_put(Draw& draw, NewKeys& keys) {
  const std::size_t which = draw.weighted({60, 25, 15});
  return which == 0 ? draw.pick(draw.hot) : (which == 1 ? keys.shared(draw.rng) : keys.fresh());
}

// A source of MERGE, put into `scope`: each of its pkeys (the first column) once, so that no row is changed twice.
NodePtr draw_merged(Draw& draw, const Relation& table, Scope& scope) {
  const Relation& other = draw.percent(40) ? table : draw.pick(draw.model.tables);
  const std::size_t how = draw.weighted({35, 25, 40});
  if (how == 0) return take_table(draw, other, scope);
  Clauses clauses;
  Source derived{.alias = draw.new_alias(), .columns = {}, .keyed = how == 2};
  const auto add = [&](const NodePtr& value) {
    const std::string name = draw.new_item();
    clauses.items.push_back(make(Kind::kItem, value->type, "", {value}, name));
    derived.columns.push_back({.name = name, .type = value->type});
  };
  if (how == 1) {  // one row, given
    add(integer(draw.pick(draw.hot)));
    add(draw_literal(draw.rng, Type::kInteger));
    if (draw.percent(50)) add(draw_literal(draw.rng, draw.pick(table.columns).type));
  } else {
    Scope inner;
    clauses.from = take_table(draw, other, inner);
    clauses.where = draw_where(draw, inner);
    for (const Column& column : inner.sources[0].columns)
      if (column.name == "pkey" || column.name == "vkey" || draw.percent(60))
        add(column_of(inner.sources[0].alias, column));
  }
  const NodePtr source = make(Kind::kDerived, Type::kNone, "", {select_of(std::move(clauses))}, derived.alias);
  scope.sources.push_back(std::move(derived));
  return source;
}

}  // namespace

NodePtr draw_update(Draw& draw, const Relation& table, std::int64_t version) {
  Scope scope = target_of(draw, table);
  Second second;
  if (draw.percent(10)) second = draw_second(draw, table, scope);
  // SET is evaluated row by row: a subquery would see the rows that it changed already. PostgreSQL's sees none of them.
  if (!draw.options.grammar().set_sees_start) draw.untouchable = table.name;
  const std::uint32_t depth = draw.percent(60) ? 0 : 2;
  NodePtr assignments = draw_assignments(draw, table, version, scope.sources[0].alias, depth, scope);
  if (may_read_target(draw.options)) draw.untouchable.clear();
  NodePtr where = draw_where(draw, scope);
  return make(Kind::kUpdate, Type::kNone, table.name, {assignments, where, second.source, second.on},
              scope.sources[0].alias);
}

NodePtr draw_delete(Draw& draw, const Relation& table) {
  Scope scope = target_of(draw, table);
  Second second;
  if (draw.options.grammar().second != db::SecondSource::kUpdateOnly && draw.percent(12))
    second = draw_second(draw, table, scope);
  if (!may_read_target(draw.options)) draw.untouchable = table.name;
  NodePtr where = draw_where(draw, scope);
  return make(Kind::kDelete, Type::kNone, table.name, {where, second.source, second.on}, scope.sources[0].alias);
}

NodePtr draw_insert_rows(Draw& draw, const Relation& table, std::int64_t version, NewKeys& keys) {
  const Scope nothing;
  std::vector<NodePtr> columns, rows;
  const std::int64_t count = draw.percent(70) ? 1 : draw.rng.between(2, 3);
  bool collides = draw.percent(15);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t pkey = collides ? keys.shared(draw.rng) : keys.fresh();
    collides = false;  // once: the rows of one statement must differ
    NewRow row = draw_new_row(draw, table, integer(pkey), version, 0, nothing);
    columns = std::move(row.columns);
    rows.push_back(make(Kind::kRow, Type::kNone, "", std::move(row.values)));
  }
  return make(Kind::kInsertRows, Type::kNone, table.name, {list(std::move(columns)), list(std::move(rows))});
}

NodePtr draw_insert_query(Draw& draw, const Relation& table, std::int64_t version, NewKeys& keys) {
  Scope scope;
  Clauses clauses;
  const Relation* from = draw_table(draw);
  const Relation& source = from == nullptr ? table : *from;
  clauses.from = take_table(draw, source, scope);
  const NodePtr pkey =
      binary(Type::kInteger, "+", integer(keys.base()), column_of(scope.sources[0].alias, scope.sources[0].columns[0]));
  NewRow row = draw_new_row(draw, table, pkey, version, draw.percent(60) ? 0 : draw.options.depth, scope);
  for (std::size_t i = 0; i < row.values.size(); ++i)
    clauses.items.push_back(make(Kind::kItem, row.values[i]->type, "", {row.values[i]}, draw.new_item()));
  clauses.where = draw_where(draw, scope);
  return make(Kind::kInsertQuery, Type::kNone, table.name,
              {list(std::move(row.columns)), select_of(std::move(clauses))});
}

bool can_replace(const GenerateOptions& options, const Model& model, const Relation& table) {
  if (!options.grammar().has_replace) return false;
  for (const Table& other : model.schema.tables)
    for (const ForeignKey& key : other.foreign_keys)
      if (key.parent == table.name) return false;
  return std::none_of(table.columns.begin(), table.columns.end(), [](const Column& column) { return column.unique; });
}

NodePtr draw_replace(Draw& draw, const Relation& table, std::int64_t version, NewKeys& keys) {
  NewRow row = draw_new_row(draw, table, integer(draw_key_to_put(draw, keys)), version, 0, {});
  return make(Kind::kReplace, Type::kNone, table.name,
              {list(std::move(row.columns)), make(Kind::kRow, Type::kNone, "", std::move(row.values))});
}

NodePtr draw_upsert(Draw& draw, const Relation& table, std::int64_t version, NewKeys& keys) {
  const Scope nothing;
  NewRow row = draw_new_row(draw, table, integer(draw_key_to_put(draw, keys)), version, 0, nothing);
  Scope scope;
  scope.sources.push_back({.alias = table.name, .columns = table.columns, .keyed = true});
  Source excluded{.alias = "excluded", .columns = {}};
  for (const Column& column : table.columns)
    if (!column.generated) excluded.columns.push_back(column);
  excluded.keyed = true;
  scope.sources.push_back(std::move(excluded));
  draw.sources_left = 0;  // no subqueries: not every server has them here
  NodePtr assignments =
      draw_assignments(draw, table, version, table.name, draw.percent(60) ? 0 : draw.options.depth, scope);
  return make(Kind::kUpsert, Type::kNone, table.name,
              {list(std::move(row.columns)), make(Kind::kRow, Type::kNone, "", std::move(row.values)), assignments});
}

NodePtr draw_merge(Draw& draw, const Relation& table, std::int64_t version, NewKeys& keys) {
  const Scope target = target_of(draw, table);
  Scope from;
  const NodePtr source = draw_merged(draw, table, from);
  const Source& row = from.sources[0];
  const NodePtr key = column_of(row.alias, row.columns[0]);
  Scope both = target;
  both.sources.push_back(row);

  NodePtr on = comparison("=", column_of(target.sources[0].alias, table.columns[0]), key);
  if (source->kind == Kind::kTable || draw.percent(25)) {
    // A table as it stands would match all rows.
    const NodePtr few = source->kind == Kind::kTable && draw.percent(75) ? draw_key_predicate(draw, row)
                                                                         : draw_predicate(draw, 0, both);
    on = binary(Type::kBoolean, "and", on, few);
  }
  const bool inserts = keys.more_bases() && draw.percent(35);
  NodePtr assignments, values, columns;
  // PostgreSQL fails with an internal error where a new row goes to another partition and the UPDATE has a subquery
  // (docs/found/postgres-merge-partitioned-subplan.md): hunts would find little else.
  const std::uint32_t depth = draw.percent(60) || table.partitioned ? 0 : 2;
  if (!inserts || draw.percent(70))
    assignments = draw_assignments(draw, table, version, target.sources[0].alias, depth, both,
                                   inserts ? Unique::kNever : Unique::kConstant);
  if (inserts) {
    NewRow fresh = draw_new_row(draw, table, binary(Type::kInteger, "+", integer(keys.base()), key), version,
                                draw.percent(60) ? 0 : 1, from);
    columns = list(std::move(fresh.columns));
    values = make(Kind::kRow, Type::kNone, "", std::move(fresh.values));
  }
  return make(Kind::kMerge, Type::kNone, table.name, {source, on, assignments, values, columns},
              target.sources[0].alias);
}

}  // namespace isolde::hunt::generate
