#include "hunt/generate/query.h"

#include <optional>

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

std::string draw_direction(Draw& draw) { return draw.percent(70) ? "asc" : "desc"; }

NodePtr draw_aggregate(Draw& draw, Type type, const Scope& scope) {
  // Only of the query's own rows: an aggregate of outer columns alone would belong to the query around it.
  const Scope own{.sources = scope.sources};
  if (type == Type::kInteger && draw.percent(40)) {
    if (draw.percent(50)) return make(Kind::kAggregate, type, "count", {nullptr});
    const Type counted = draw_type(draw, own);
    const std::string function = draw.percent(50) ? "count distinct" : "count";
    return make(Kind::kAggregate, type, function, {draw_column(draw, counted, own)});
  }
  NodePtr of = draw_column(draw, type, own);
  if (!of) return nullptr;
  const bool number = type == Type::kInteger || type == Type::kDecimal;
  if (type == Type::kInteger && draw.percent(20)) {
    const std::string operation = draw.percent(60) ? "+" : "*";
    of = binary(type, operation, of, draw_literal(draw.rng, type));
  }
  static constexpr std::array<std::string_view, 3> kFunctions = {"min", "max", "sum"};
  std::string function(kFunctions[draw.rng.below(number ? 3 : 2)]);
  if (type == Type::kDecimal && draw.percent(15)) function = "avg";
  return make(Kind::kAggregate, type, function, {of});
}

// `orders` of a window: some column, then the keys of all sources, so that no two rows are equal. None: a source has no
// keys.
std::optional<std::vector<NodePtr>> draw_total_order(Draw& draw, const Scope& scope) {
  std::vector<NodePtr> orders;
  if (NodePtr first = draw_column(draw, draw_type(draw, scope), scope))
    orders.push_back(make(Kind::kOrder, Type::kNone, draw_direction(draw), {first}));
  for (const Source& source : scope.sources) {
    if (!source.keyed) return std::nullopt;
    orders.push_back(make(Kind::kOrder, Type::kNone, "asc", {column_of(source.alias, source.columns[0])}));
  }
  return orders;
}

NodePtr draw_window(Draw& draw, const Scope& all) {
  const Scope scope{.sources = all.sources};
  NodePtr partitions;
  if (draw.percent(60))
    if (NodePtr by = draw_column(draw, draw_type(draw, scope), scope)) partitions = list({by});
  if (draw.percent(50)) {
    if (auto orders = draw_total_order(draw, scope)) {
      const std::size_t which = draw.weighted({30, 25, 25, 20});
      if (which == 0)
        return make(Kind::kWindow, Type::kInteger, "row_number", {list({}), partitions, list(*std::move(orders))});
      static constexpr std::array<std::string_view, 4> kFunctions = {"", "lag", "lead", "first_value"};
      const Type type = draw_type(draw, scope);
      const NodePtr of = draw_column(draw, type, scope);
      return make(Kind::kWindow, type, std::string(kFunctions[which]),
                  {list({of}), partitions, list(*std::move(orders))});
    }
  }
  // These are the same for rows of equal rank.
  const Type type = draw.percent(70) ? Type::kInteger : Type::kDecimal;
  const NodePtr of = draw_column(draw, type, scope);
  NodePtr orders;
  if (!of || draw.percent(70))
    orders = list(
        {make(Kind::kOrder, Type::kNone, draw_direction(draw), {draw_column(draw, draw_type(draw, scope), scope)})});
  if (!of || draw.percent(40)) {
    const std::string function = draw.percent(50) ? "rank" : "dense_rank";
    if (orders) return make(Kind::kWindow, Type::kInteger, function, {list({}), partitions, orders});
    return make(Kind::kWindow, Type::kInteger, "count", {list({integer(1)}), partitions, orders});
  }
  static constexpr std::array<std::string_view, 4> kFunctions = {"sum", "min", "max", "count"};
  const std::string function(draw.pick(kFunctions));
  return make(Kind::kWindow, function == "count" ? Type::kInteger : type, function, {list({of}), partitions, orders});
}

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

// What HAVING compares and items show: an aggregate that there is for certain.
NodePtr sure_aggregate(Draw& draw, const Scope& scope) {
  const Type type = draw_type(draw, scope);
  if (type != Type::kBoolean)
    if (NodePtr aggregate = draw_aggregate(draw, type, scope)) return aggregate;
  return make(Kind::kAggregate, Type::kInteger, "count", {nullptr});
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
  for (std::int64_t i = 0; i < aggregates; ++i) items.add(sure_aggregate(draw, scope));
  if (clauses.groups && draw.percent(45)) {
    const NodePtr left = sure_aggregate(draw, scope);
    static constexpr std::array<std::string_view, 5> kComparisons = {">", ">=", "<", "=", "<>"};
    const std::string operation(draw.pick(kComparisons));
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
  const std::string which(draw.pick(kSets));
  return {make(Kind::kSetOf, Type::kNone, which, {left, right}), std::move(wanted)};
}

Query draw_with(Draw& draw, std::uint32_t depth) {
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
    const NodePtr on = draw_join_condition(draw, scope);
    clauses.from = make(Kind::kJoin, Type::kNone, "join", {clauses.from, right, on});
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

NodePtr draw_column_query(Draw& draw, Type type, std::uint32_t depth, const Scope& scope) {
  return draw_like(draw, {{.type = type}}, depth, &scope);
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
