#include "hunt/generate/aggregate.h"

#include <optional>

#include "hunt/generate/expression.h"

namespace isolde::hunt::generate {
namespace {

using sql::Kind;
using sql::make;
using sql::NodePtr;
using sql::Type;

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

// Functions that depend on the order of the rows within it: it must be total.
NodePtr draw_ordered_window(Draw& draw, const Scope& scope, const NodePtr& partitions, NodePtr orders) {
  static constexpr std::array<std::string_view, 4> kOfValue = {"lag", "lead", "first_value", "last_value"};
  static constexpr std::array<std::string_view, 4> kOfFrame = {"sum", "min", "max", "count"};
  static constexpr std::array<std::string_view, 3> kFrames = {"rows between 1 preceding and current row",
                                                              "rows between unbounded preceding and 1 preceding",
                                                              "rows between current row and 2 following"};
  switch (draw.weighted({30, 6, 50, 14})) {
    case 0:
      return make(Kind::kWindow, Type::kInteger, "row_number", {list({}), partitions, orders});
    case 1:
      return make(Kind::kWindow, Type::kInteger, "ntile",
                  {list({integer(draw.rng.between(2, 4))}), partitions, orders});
    case 2: {
      const Type type = draw_type(draw, scope);
      const NodePtr of = draw_column(draw, type, scope);
      const std::string function(draw.pick(kOfValue));
      return make(Kind::kWindow, type, function, {list({of}), partitions, orders});
    }
    default: {
      const NodePtr of = draw_column(draw, Type::kInteger, scope);
      const std::string function(of ? draw.pick(kOfFrame) : "count");
      const NodePtr frame = make(Kind::kLiteral, Type::kNone, std::string(draw.pick(kFrames)));
      return make(Kind::kWindow, Type::kInteger, function, {list({of ? of : integer(1)}), partitions, orders, frame});
    }
  }
}

}  // namespace

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

NodePtr draw_any_aggregate(Draw& draw, const Scope& scope) {
  const Type type = draw_type(draw, scope);
  if (type != Type::kBoolean)
    if (NodePtr aggregate = draw_aggregate(draw, type, scope)) return aggregate;
  return make(Kind::kAggregate, Type::kInteger, "count", {nullptr});
}

NodePtr draw_window(Draw& draw, const Scope& all) {
  const Scope scope{.sources = all.sources};
  const auto any_column = [&] { return draw_column(draw, draw_type(draw, scope), scope); };
  NodePtr partitions;
  if (draw.percent(60)) partitions = list({any_column()});
  if (draw.percent(50))
    if (auto orders = draw_total_order(draw, scope))
      return draw_ordered_window(draw, scope, partitions, list(*std::move(orders)));
  // These are the same for rows of equal rank.
  const Type type = draw.percent(70) ? Type::kInteger : Type::kDecimal;
  const NodePtr of = draw_column(draw, type, scope);
  NodePtr orders;
  if (draw.percent(70)) {
    const std::string direction = draw_direction(draw);
    orders = list({make(Kind::kOrder, Type::kNone, direction, {any_column()})});
  }
  if (orders && draw.percent(40)) {
    const std::string function = draw.percent(50) ? "rank" : "dense_rank";
    return make(Kind::kWindow, Type::kInteger, function, {list({}), partitions, orders});
  }
  static constexpr std::array<std::string_view, 4> kFunctions = {"sum", "min", "max", "count"};
  const std::string function(of ? draw.pick(kFunctions) : "count");
  return make(Kind::kWindow, function == "count" ? Type::kInteger : type, function,
              {list({of ? of : integer(1)}), partitions, orders});
}

}  // namespace isolde::hunt::generate
