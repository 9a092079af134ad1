#include "hunt/generate/query.h"

#include "hunt/case/dialects.h"
#include "hunt/generate/aggregate.h"
#include "hunt/generate/expression.h"
#include "hunt/generate/row_source.h"

namespace isolde::hunt::generate {
namespace {

using sql::Kind;
using sql::make;
using sql::NodePtr;
using sql::Type;

// Items under new names.
class Items {
 public:
  explicit Items(Draw& draw) : draw_(draw) {}
  void add(NodePtr value) {
    const std::string name = draw_.new_item();
    columns_.push_back({.name = name, .type = value->type});
    const Type type = value->type;
    nodes_.push_back(make(Kind::kItem, type, "", {std::move(value)}, name));
  }
  [[nodiscard]] const std::vector<NodePtr>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

 private:
  Draw& draw_;
  std::vector<NodePtr> nodes_;
  std::vector<Column> columns_;
};

void limit_totally(Draw& draw, const Items& items, Clauses& clauses) {
  std::vector<NodePtr> orders;
  for (const Column& column : items.columns())
    orders.push_back(make(Kind::kOrder, Type::kNone, draw_direction(draw), {column_of("", column)}));
  clauses.orders = list(std::move(orders));
  clauses.limit = integer(draw.rng.between(1, 6));
}

enum class Keys { kWanted, kNo };

Query finish(Draw& draw, const Items& items, Clauses clauses, bool limits) {
  clauses.items = items.nodes();
  if (limits) limit_totally(draw, items, clauses);
  return {select_of(std::move(clauses)), items.columns()};
}

Query draw_plain(Draw& draw, std::uint32_t depth, const Scope* outer, Keys keys) {
  Scope scope{.sources = {}, .outer = outer};
  Clauses clauses;
  clauses.from = draw_from(draw, depth, scope);
  if (!clauses.from) return {};
  if (draw.percent(80)) clauses.where = draw_predicate(draw, depth, scope);
  Items items(draw);
  if (keys == Keys::kWanted)
    for (const Source& source : scope.sources)
      if (source.keyed)
        for (std::size_t c = 0; c < 2; ++c) items.add(column_of(source.alias, source.columns[c]));
  const std::int64_t values = draw.rng.between(items.nodes().empty() ? 1 : 0, 3);
  for (std::int64_t i = 0; i < values; ++i) {
    const Type type = draw_type(draw, scope);
    items.add(draw_value(draw, type, draw.percent(50) ? 0 : depth, scope));
  }
  if (draw.percent(18)) items.add(draw_window(draw, scope));
  clauses.distinct = draw.percent(10);
  const bool limits = draw.percent(15);
  return finish(draw, items, std::move(clauses), limits);
}

Query draw_grouped(Draw& draw, std::uint32_t depth) {
  Scope scope;
  Clauses clauses;
  clauses.from = draw_from(draw, depth, scope);
  if (!clauses.from) return {};
  if (draw.percent(65)) clauses.where = draw_predicate(draw, depth, scope);
  Items items(draw);
  if (draw.percent(80)) {
    std::vector<NodePtr> groups;
    const std::int64_t count = draw.rng.between(1, 2);
    for (std::int64_t i = 0; i < count; ++i) {
      NodePtr by = draw_column(draw, draw_type(draw, scope), scope);
      if (!by) continue;
      if (by->type == Type::kInteger && draw.percent(20)) by = binary(Type::kInteger, "%", by, integer(3));
      items.add(by);
      groups.push_back(by);
    }
    if (!groups.empty()) clauses.groups = list(std::move(groups));
  }
  const std::int64_t aggregates = draw.rng.between(1, 3);
  for (std::int64_t i = 0; i < aggregates; ++i) items.add(draw_any_aggregate(draw, scope));
  if (clauses.groups && draw.percent(45)) {
    const NodePtr left = draw_any_aggregate(draw, scope);
    static constexpr std::array<std::string_view, 5> kHavingComparisons = {">", ">=", "<", "=", "<>"};
    const std::string operation(draw.pick(kHavingComparisons));
    clauses.having = comparison(operation, left, draw_literal(draw.rng, left->type));
  }
  const bool limits = draw.percent(15);
  return finish(draw, items, std::move(clauses), limits);
}

// A query whose rows have these types, to stand beside another in a set operation.
NodePtr draw_like(Draw& draw, const std::vector<Column>& columns, std::uint32_t depth, const Scope* outer) {
  Scope scope{.sources = {}, .outer = outer};
  Clauses clauses;
  clauses.from = draw_from(draw, depth, scope);
  if (!clauses.from) return nullptr;
  if (draw.percent(75)) clauses.where = draw_predicate(draw, depth, scope);
  Items items(draw);
  for (const Column& column : columns) items.add(draw_value(draw, column.type, draw.percent(75) ? 0 : depth, scope));
  clauses.items = items.nodes();
  return select_of(std::move(clauses));
}

Query draw_set(Draw& draw, std::uint32_t depth) {
  std::vector<Column> wanted;
  const std::int64_t width = draw.rng.between(1, 3);
  static constexpr std::array<Type, 4> kTypes = {Type::kInteger, Type::kInteger, Type::kText, Type::kDecimal};
  for (std::int64_t i = 0; i < width; ++i) wanted.push_back({.type = draw.pick(kTypes)});
  NodePtr left = draw_like(draw, wanted, depth, nullptr);
  NodePtr right = draw_like(draw, wanted, depth, nullptr);
  if (!left || !right) return {};
  // The names are those of the first.
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i].name = left->children[0]->children[i]->alias;
  static constexpr std::array<std::string_view, 5> kSets = {"union", "union all", "union all", "except", "intersect"};
  std::string which(draw.pick(kSets));
  if (draw.options.server_version < draw.options.rules().first_except && !which.starts_with("union")) which = "union";
  return {make(Kind::kSetOf, Type::kNone, which, {left, right}), std::move(wanted)};
}

// From one row to the one whose pkey it has in a column, a few times.
Query draw_recursive(Draw& draw, std::uint32_t depth) {
  const Relation* table = draw_table(draw);
  if (table == nullptr || draw.sources_left < 3) return {};
  const std::string name = fmt::format("w{}", draw.commons.size());
  const auto step_of = [](const Source& source) {
    for (std::size_t c = source.columns.size(); c-- > 2;)
      if (source.columns[c].type == Type::kInteger) return column_of(source.alias, source.columns[c]);
    return column_of(source.alias, source.columns[0]);
  };
  Scope first_scope, next_scope;
  Items first(draw), next(draw);
  Clauses begin, go_on;
  begin.from = take_table(draw, *table, first_scope);
  begin.where = draw_key_predicate(draw, first_scope.sources[0]);
  first.add(column_of(first_scope.sources[0].alias, table->columns[0]));
  first.add(step_of(first_scope.sources[0]));
  first.add(integer(1));
  begin.items = first.nodes();

  const Relation common{.name = name, .columns = first.columns(), .keyed = false};
  const NodePtr before = take_table(draw, common, next_scope);
  const NodePtr row = take_table(draw, *table, next_scope);
  const std::string& walk = next_scope.sources[0].alias;
  const Source& source = next_scope.sources[1];
  const NodePtr on = comparison("=", column_of(source.alias, table->columns[0]), column_of(walk, common.columns[1]));
  go_on.from = make(Kind::kJoin, Type::kNone, "join", {before, row, on});
  const NodePtr length = column_of(walk, common.columns[2]);
  go_on.where = comparison("<", length, integer(draw.rng.between(2, 5)));
  next.add(column_of(source.alias, table->columns[0]));
  next.add(step_of(source));
  next.add(binary(Type::kInteger, "+", length, integer(1)));
  go_on.items = next.nodes();

  const NodePtr both =
      make(Kind::kSetOf, Type::kNone, "union all", {select_of(std::move(begin)), select_of(std::move(go_on))});
  draw.commons.push_back(common);
  Query body = draw_plain(draw, depth - 1, nullptr, Keys::kWanted);
  draw.commons.pop_back();
  if (!body.node) return {};
  return {make(Kind::kWith, Type::kNone, "recursive", {body.node, make(Kind::kCommon, Type::kNone, "", {both}, name)}),
          std::move(body.columns)};
}

Query draw_with(Draw& draw, std::uint32_t depth) {
  if (draw.percent(20)) return draw_recursive(draw, depth);
  const std::size_t before = draw.commons.size();
  std::vector<NodePtr> commons;
  const std::int64_t count = draw.rng.between(1, 2);
  for (std::int64_t i = 0; i < count && draw.sources_left > 2; ++i) {
    const std::string name = fmt::format("w{}", draw.commons.size());
    Query query = draw.percent(60) ? draw_plain(draw, depth - 1, nullptr, Keys::kNo) : draw_grouped(draw, depth - 1);
    if (!query.node) break;
    commons.push_back(make(Kind::kCommon, Type::kNone, "", {query.node}, name));
    draw.commons.push_back({.name = name, .columns = std::move(query.columns), .keyed = false});
  }
  if (commons.empty()) return {};
  Query body = draw_plain(draw, depth - 1, nullptr, Keys::kWanted);
  draw.commons.resize(before);
  if (!body.node) return {};
  std::vector<NodePtr> children = {body.node};
  children.insert(children.end(), commons.begin(), commons.end());
  return {make(Kind::kWith, Type::kNone, "", std::move(children)), std::move(body.columns)};
}

}  // namespace

NodePtr select_of(Clauses clauses) {
  return make(Kind::kSelect, Type::kNone, clauses.distinct ? "distinct" : "",
              {list(std::move(clauses.items)), clauses.from, clauses.where, clauses.groups, clauses.having,
               clauses.orders, clauses.limit});
}

Query draw_query(Draw& draw, std::uint32_t depth) {
  const std::uint32_t sources = draw.sources_left;
  Query query;
  switch (draw.weighted({56, 20, 12, 12})) {
    case 1:
      query = draw_grouped(draw, depth);
      break;
    case 2:
      query = draw_set(draw, depth);
      break;
    case 3:
      if (depth > 0) query = draw_with(draw, depth);
      break;
    default:
      break;
  }
  if (query.node) return query;
  draw.sources_left = sources;  // what was begun is thrown away
  return draw_plain(draw, depth, nullptr, Keys::kWanted);
}

Query draw_lateral(Draw& draw, std::uint32_t depth, const Scope& beside) {
  return draw_plain(draw, depth, &beside, Keys::kNo);
}

Query draw_derived(Draw& draw, std::uint32_t depth) {
  switch (draw.weighted({55, 30, 15})) {
    case 1:
      return draw_grouped(draw, depth);
    case 2:
      return draw_set(draw, depth);
    default:
      return draw_plain(draw, depth, nullptr, Keys::kNo);
  }
}

Query draw_lookup(Draw& draw, const Relation& table) {
  Scope scope;
  Clauses clauses;
  clauses.from = take_table(draw, table, scope);
  const Source& source = scope.sources[0];
  clauses.where = draw.percent(draw.by_key + 10) ? draw_key_predicate(draw, source) : draw_predicate(draw, 0, scope);
  Items items(draw);
  for (const Column& column : source.columns)
    if (column.name == "pkey" || column.name == "vkey" || draw.percent(60)) items.add(column_of(source.alias, column));
  clauses.items = items.nodes();
  return {select_of(std::move(clauses)), items.columns()};
}

Query draw_lockable(Draw& draw, const Relation& table, std::uint32_t depth) {
  Scope scope;
  Clauses clauses;
  clauses.from = take_table(draw, table, scope);
  if (draw.percent(20)) {
    const Relation& other = draw.pick(draw.model.tables);
    const NodePtr right = take_table(draw, other, scope);
    const std::string how = draw.percent(70) ? "join" : "left join";
    const NodePtr on = draw_join_condition(draw, scope);
    clauses.from = make(Kind::kJoin, Type::kNone, how, {clauses.from, right, on});
  }
  clauses.where =
      draw.percent(draw.by_key) ? draw_key_predicate(draw, scope.sources[0]) : draw_predicate(draw, depth, scope);
  Items items(draw);
  for (const Source& source : scope.sources)
    for (const Column& column : source.columns)
      if (column.name == "pkey" || column.name == "vkey" || draw.percent(40))
        items.add(column_of(source.alias, column));
  clauses.items = items.nodes();
  return {select_of(std::move(clauses)), items.columns()};
}

NodePtr draw_exists_query(Draw& draw, std::uint32_t depth, const Scope& scope) {
  return draw_like(draw, {{.type = Type::kInteger}}, depth, &scope);
}

NodePtr draw_row_query(Draw& draw, const std::vector<Type>& types, std::uint32_t depth, const Scope& scope) {
  std::vector<Column> columns;
  for (const Type type : types) columns.push_back({.type = type});
  return draw_like(draw, columns, depth, &scope);
}

NodePtr draw_scalar_query(Draw& draw, Type type, std::uint32_t depth, const Scope& scope) {
  if (draw.sources_left == 0) return nullptr;
  Scope own{.sources = {}, .outer = &scope};
  Clauses clauses;
  Items items(draw);
  if (draw.percent(30)) {  // the one row of a pkey
    const Relation* table = draw_table(draw);
    if (table == nullptr) return nullptr;
    clauses.from = take_table(draw, *table, own);
    const Source& source = own.sources[0];
    const NodePtr pkey = column_of(source.alias, source.columns[0]);
    NodePtr key = draw.percent(50) ? draw_column(draw, Type::kInteger, scope) : nullptr;
    if (!key) key = integer(draw.pick(draw.hot));
    clauses.where = comparison("=", pkey, key);
    items.add(draw_value(draw, type, draw.percent(70) ? 0 : depth, own));
  } else {
    clauses.from = draw_from(draw, depth, own);
    if (!clauses.from) return nullptr;
    NodePtr aggregate = draw_aggregate(draw, type, own);
    if (!aggregate) return nullptr;
    if (draw.percent(80)) clauses.where = draw_predicate(draw, depth, own);
    items.add(aggregate);
  }
  clauses.items = items.nodes();
  return select_of(std::move(clauses));
}

}  // namespace isolde::hunt::generate
