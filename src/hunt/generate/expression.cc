#include "hunt/generate/expression.h"

#include <algorithm>

#include "hunt/case/dialects.h"
#include "hunt/generate/query.h"

namespace isolde::hunt::generate {
namespace {

using sql::Kind;
using sql::make;
using sql::NodePtr;
using sql::Type;

constexpr std::array<std::string_view, 8> kComparisons = {"=", "=", "<>", "<", "<=", ">", ">=", "is distinct from"};

NodePtr leaf(Draw& draw, Type type, const Scope& scope) {
  if (!draw.percent(22))
    if (NodePtr column = draw_column(draw, type, scope)) return column;
  return draw.percent(5) ? null_of(type) : draw_literal(draw.rng, type);
}

// A leaf that is not the column `other` itself: comparing a column with itself tests little.
NodePtr another_leaf(Draw& draw, Type type, const Scope& scope, const NodePtr& other) {
  NodePtr one = leaf(draw, type, scope);
  const bool same = one->kind == Kind::kColumn && other->kind == Kind::kColumn && one->alias == other->alias &&
                    one->text == other->text;
  return same ? draw_literal(draw.rng, type) : one;
}

NodePtr call(Type type, std::string name, std::vector<NodePtr> arguments) {
  return make(Kind::kCall, type, std::move(name), std::move(arguments));
}

NodePtr draw_case(Draw& draw, Type type, std::uint32_t depth, const Scope& scope) {
  std::vector<NodePtr> children;
  const std::int64_t arms = draw.rng.between(1, 2);
  for (std::int64_t arm = 0; arm < arms; ++arm) {
    children.push_back(draw_predicate(draw, depth - 1, scope));
    children.push_back(draw_value(draw, type, depth - 1, scope));
  }
  children.push_back(draw_value(draw, type, depth - 1, scope));
  return make(Kind::kCase, type, "", std::move(children));
}

NodePtr draw_integer(Draw& draw, std::uint32_t depth, const Scope& scope) {
  const auto value = [&](Type type = Type::kInteger) { return draw_value(draw, type, depth - 1, scope); };
  switch (draw.weighted({30, 14, 10, 6, 6, 6, 5, 5, 4, 3, 4, 3, 2})) {
    case 0: {
      const NodePtr left = value();
      const std::string operation = draw.percent(65) ? "+" : "-";
      return binary(Type::kInteger, operation, left, another_leaf(draw, Type::kInteger, scope, left));
    }
    case 1: {
      static constexpr std::array<std::string_view, 3> kOperations = {"+", "-", "*"};
      const NodePtr left = value();
      const std::string operation(draw.pick(kOperations));
      return binary(Type::kInteger, operation, left, value());
    }
    case 2: {
      const NodePtr left = value();
      return binary(Type::kInteger, "%", left, integer(draw.rng.between(2, 7)));
    }
    case 3:
      return call(Type::kInteger, "abs", {value()});
    case 4:
      return call(Type::kInteger, "length", {value(Type::kText)});
    case 5: {
      const std::string which = draw.percent(50) ? "greatest" : "least";
      return call(Type::kInteger, which, {value(), value()});
    }
    case 6:
      return make(Kind::kCast, Type::kInteger, "", {value(Type::kBoolean)});
    case 7: {
      const NodePtr left = value();
      return binary(Type::kInteger, "/", left, leaf(draw, Type::kInteger, scope));
    }
    case 8: {
      const std::string which = draw.percent(50) ? "day" : "month";
      return call(Type::kInteger, which, {value(Type::kDate)});
    }
    case 9:
      if (NodePtr column = draw_column(draw, Type::kInteger, scope))
        return make(Kind::kUnary, Type::kInteger, "-", {column});
      return value();
    case 11:
      return call(Type::kInteger, "half", {value()});
    case 12:
      return call(Type::kInteger, "seconds", {value(Type::kDate)});
    default:
      return call(Type::kInteger, "instr", {value(Type::kText), draw_literal(draw.rng, Type::kText)});
  }
}

NodePtr draw_decimal(Draw& draw, std::uint32_t depth, const Scope& scope) {
  const auto value = [&](Type type = Type::kDecimal) { return draw_value(draw, type, depth - 1, scope); };
  switch (draw.weighted({40, 15, 20, 8, 7})) {
    case 0: {
      const NodePtr left = value();
      const std::string operation = draw.percent(60) ? "+" : "-";
      return binary(Type::kDecimal, operation, left, value());
    }
    case 1: {
      const NodePtr left = value();
      return binary(Type::kDecimal, "*", left, draw_literal(draw.rng, Type::kDecimal));
    }
    case 2:
      return make(Kind::kCast, Type::kDecimal, "", {value(Type::kInteger)});
    case 3:
      return call(Type::kDecimal, "abs", {value()});
    default:
      return call(Type::kDecimal, "round", {value()});
  }
}

NodePtr draw_text_expression(Draw& draw, std::uint32_t depth, const Scope& scope) {
  const auto value = [&](Type type = Type::kText) { return draw_value(draw, type, depth - 1, scope); };
  switch (draw.weighted({30, 20, 15, 10, 15, 8})) {
    case 5:
      return call(Type::kText, "json_text", {value()});
    case 0: {
      const NodePtr left = value();
      return binary(Type::kText, "||", left, leaf(draw, Type::kText, scope));
    }
    case 1: {
      const NodePtr of = value();
      const NodePtr from = integer(draw.rng.between(1, 2));
      return call(Type::kText, "substr", {of, from, integer(draw.rng.between(1, 3))});
    }
    case 2:
      return call(Type::kText, "replace",
                  {value(), draw_literal(draw.rng, Type::kText), draw_literal(draw.rng, Type::kText)});
    case 3:
      return call(Type::kText, "lower", {value()});
    default:
      return make(Kind::kCast, Type::kText, "", {value(Type::kInteger)});
  }
}

NodePtr draw_date(Draw& draw, std::uint32_t depth, const Scope& scope) {
  const NodePtr of = draw_value(draw, Type::kDate, depth - 1, scope);
  if (draw.percent(30)) return call(Type::kDate, "add_hours", {of, integer(draw.rng.between(0, 60))});
  return call(Type::kDate, "add_days", {of, integer(draw.rng.between(0, 3))});
}

NodePtr draw_comparison(Draw& draw, std::uint32_t depth, const Scope& scope) {
  const Type type = draw_type(draw, scope);
  const NodePtr left = draw_value(draw, type, depth, scope);
  const std::string operation(draw.pick(kComparisons));
  const bool deep = depth > 0 && draw.percent(40);
  return comparison(operation, left,
                    deep ? draw_value(draw, type, depth, scope) : another_leaf(draw, type, scope, left));
}

// What one of the hot rows had in a column at first: it is met by others' changes to that row. Null: not known.
NodePtr draw_hot_predicate(Draw& draw, const Source& source) {
  const std::int64_t row = draw.pick(draw.hot) - 1;
  if (source.table == nullptr || row >= source.table->rows()) return nullptr;
  std::vector<std::size_t> indexed;
  for (std::size_t c = 1; c < source.columns.size(); ++c)
    if (source.columns[c].indexed) indexed.push_back(c);
  const bool served = !indexed.empty() && draw.percent(60);
  const std::size_t at = served ? draw.pick(indexed) : 2 + draw.rng.below(source.columns.size() - 2);
  const NodePtr& cell = source.table->cells[static_cast<std::size_t>(row)][at];
  if (!cell) return nullptr;
  const NodePtr of = column_of(source.alias, source.columns[at]);
  if (cell->text == "null") return make(Kind::kIsNull, Type::kBoolean, "", {of});
  switch (draw.weighted({60, 12, 12, 16})) {
    case 0:
      return comparison("=", of, cell);
    case 1:
      return make(Kind::kIn, Type::kBoolean, "", {of, draw_literal(draw.rng, cell->type), cell});
    case 2:
      if (cell->type != Type::kBoolean)
        return make(Kind::kBetween, Type::kBoolean, "", {of, cell, draw_literal(draw.rng, cell->type)});
      return comparison("=", of, cell);
    default:
      return comparison(draw.percent(50) ? ">=" : "<=", of, cell);
  }
}

// About one column and literals: what an index may serve.
NodePtr draw_simple_predicate(Draw& draw, const Scope& scope) {
  const Source& source = draw.pick(scope.sources);
  if (source.keyed && draw.percent(18)) return draw_key_predicate(draw, source);
  if (draw.percent(35))
    if (NodePtr predicate = draw_hot_predicate(draw, source)) return predicate;
  const std::size_t first = source.keyed && source.columns.size() > 2 && !draw.percent(8) ? 2 : 0;
  const Column& column = source.columns[first + draw.rng.below(source.columns.size() - first)];
  const NodePtr of = column_of(source.alias, column);
  const std::string negated = draw.percent(25) ? "not" : "";
  switch (draw.weighted({45, 12, 13, 13, 17})) {
    case 0: {
      if (column.type == Type::kBoolean && draw.percent(60)) return of;
      const std::string operation(draw.pick(kComparisons));
      return comparison(operation, of, draw_literal(draw.rng, column.type));
    }
    case 1:
      return make(Kind::kIsNull, Type::kBoolean, negated, {of});
    case 2:
      if (column.type == Type::kBoolean) return of;
      return make(Kind::kBetween, Type::kBoolean, negated,
                  {of, draw_literal(draw.rng, column.type), draw_literal(draw.rng, column.type)});
    case 3: {
      std::vector<NodePtr> children = {of};
      const Column& second = draw.pick(source.columns);
      const bool rows = second.name != column.name && draw.percent(15);
      if (rows) children[0] = make(Kind::kRow, Type::kNone, "", {of, column_of(source.alias, second)});
      const std::int64_t items = draw.rng.between(1, 4);
      for (std::int64_t i = 0; i < items; ++i) {
        NodePtr item = draw_literal(draw.rng, column.type);
        if (rows) item = make(Kind::kRow, Type::kNone, "", {item, draw_literal(draw.rng, second.type)});
        children.push_back(std::move(item));
      }
      return make(Kind::kIn, Type::kBoolean, negated, std::move(children));
    }
    default:
      if (column.type == Type::kText && draw.percent(20)) {
        // Patterns that are both regular expressions and SQLite's, whatever they match.
        static constexpr std::array<std::string_view, 4> kExpressions = {"'[a-c]'", "'a[a-z]'", "'[a-z]*'",
                                                                         "'[b-y][a-z]*'"};
        return comparison("matches", of, make(Kind::kLiteral, Type::kText, std::string(draw.pick(kExpressions))));
      }
      if (column.type == Type::kText && draw.percent(70))
        return make(Kind::kLike, Type::kBoolean, negated, {of, draw_pattern(draw.rng)});
      const std::string operation(draw.pick(kComparisons));
      return comparison(operation, of, another_leaf(draw, column.type, scope, of));
  }
}

NodePtr draw_subquery_predicate(Draw& draw, std::uint32_t depth, const Scope& scope) {
  const std::string negated = draw.percent(30) ? "not" : "";
  if (draw.percent(50)) {
    if (NodePtr query = draw_exists_query(draw, depth - 1, scope))
      return make(Kind::kExists, Type::kBoolean, negated, {query});
    return nullptr;
  }
  std::vector<Type> types = {draw_type(draw, scope)};
  if (draw.percent(15)) types.push_back(draw_type(draw, scope));
  const NodePtr query = draw_row_query(draw, types, depth - 1, scope);
  if (!query) return nullptr;
  std::vector<NodePtr> row;
  // MariaDB has no subqueries in a row before IN.
  const bool plain = types.size() > 1 && !draw.options.grammar().subqueries_in_rows;
  for (const Type type : types) row.push_back(draw_value(draw, type, plain || draw.percent(70) ? 0 : 1, scope));
  const NodePtr of = row.size() == 1 ? row[0] : make(Kind::kRow, Type::kNone, "", std::move(row));
  return make(Kind::kInQuery, Type::kBoolean, negated, {of, query});
}

}  // namespace

Type draw_type(Draw& draw, const Scope& scope) {
  const Source& source = draw.pick(scope.sources);
  return draw.pick(source.columns).type;
}

NodePtr draw_column(Draw& draw, Type type, const Scope& scope) {
  const Scope* from = &scope;
  while (from->outer != nullptr && draw.percent(30)) from = from->outer;
  // The keys are columns like others, but they are not what expressions are mostly about.
  std::vector<NodePtr> columns, keys;
  for (const Source& source : from->sources)
    for (std::size_t c = 0; c < source.columns.size(); ++c)
      if (source.columns[c].type == type)
        (source.keyed && c < 2 ? keys : columns).push_back(column_of(source.alias, source.columns[c]));
  if (!columns.empty() && (keys.empty() || !draw.percent(12))) return draw.pick(columns);
  return keys.empty() ? nullptr : draw.pick(keys);
}

NodePtr draw_value(Draw& draw, Type type, std::uint32_t depth, const Scope& scope) {
  if (depth == 0 || draw.percent(35)) return leaf(draw, type, scope);
  switch (draw.weighted({62, 12, 10, 4, 12})) {
    case 1:
      return draw_case(draw, type, depth, scope);
    case 2:
      return call(type, "coalesce",
                  {draw_value(draw, type, depth - 1, scope), draw_value(draw, type, depth - 1, scope)});
    case 3: {
      const NodePtr of = draw_value(draw, type, depth - 1, scope);
      return call(type, "nullif", {of, leaf(draw, type, scope)});
    }
    case 4:
      if (NodePtr query = draw_scalar_query(draw, type, depth - 1, scope))
        return make(Kind::kScalar, type, "", {query});
      break;
    default:
      break;
  }
  switch (type) {
    case Type::kDecimal:
      return draw_decimal(draw, depth, scope);
    case Type::kText:
      return draw_text_expression(draw, depth, scope);
    case Type::kBoolean:
      return draw_predicate(draw, depth - 1, scope);
    case Type::kDate:
      return draw_date(draw, depth, scope);
    case Type::kInteger:
    case Type::kNone:
      break;
  }
  return draw_integer(draw, depth, scope);
}

NodePtr draw_predicate(Draw& draw, std::uint32_t depth, const Scope& scope) {
  if (depth == 0 || draw.percent(25)) return draw_simple_predicate(draw, scope);
  switch (draw.weighted({28, 14, 6, 22, 22, 8})) {
    case 0:
    case 1: {
      const NodePtr left = draw_predicate(draw, depth - 1, scope);
      const std::string operation = draw.percent(60) ? "and" : "or";
      return binary(Type::kBoolean, operation, left, draw_predicate(draw, depth - 1, scope));
    }
    case 2:
      return make(Kind::kUnary, Type::kBoolean, "not", {draw_predicate(draw, depth - 1, scope)});
    case 3:
      return draw_comparison(draw, depth - 1, scope);
    case 4:
      if (NodePtr predicate = draw_subquery_predicate(draw, depth, scope)) return predicate;
      break;
    default: {
      const Type type = draw.percent(70) ? Type::kInteger : Type::kDecimal;
      const std::string negated = draw.percent(25) ? "not" : "";
      return make(Kind::kBetween, Type::kBoolean, negated,
                  {draw_value(draw, type, depth - 1, scope), draw_value(draw, type, 0, scope),
                   draw_value(draw, type, depth - 1, scope)});
    }
  }
  return draw_simple_predicate(draw, scope);
}

NodePtr draw_key_predicate(Draw& draw, const Source& source) {
  const NodePtr pkey = column_of(source.alias, source.columns[0]);
  const auto key = [&] { return draw.percent(85) ? draw.pick(draw.hot) : draw.rng.between(1, 12); };
  switch (draw.weighted({70, 15, 15})) {
    case 0:
      return comparison("=", pkey, integer(key()));
    case 1: {
      std::vector<NodePtr> children = {pkey};
      const std::int64_t items = draw.rng.between(2, 3);
      for (std::int64_t i = 0; i < items; ++i) children.push_back(integer(key()));
      return make(Kind::kIn, Type::kBoolean, "", std::move(children));
    }
    default: {
      const std::int64_t low = key();
      return make(Kind::kBetween, Type::kBoolean, "", {pkey, integer(low), integer(low + draw.rng.between(1, 4))});
    }
  }
}

}  // namespace isolde::hunt::generate
