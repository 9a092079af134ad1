#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "hunt/sql/bounds.h"
#include "hunt/sql/form.h"
#include "hunt/sql/printer.h"

namespace isolde::hunt::sql {
namespace {

double number_in(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "1.25" -> "125"; digits after the second are dropped.
std::string hundredths(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  std::string_view after = point < text.size() ? text.substr(point + 1) : std::string_view();
  for (std::size_t i = 0; i < 2; ++i) digits += i < after.size() ? after[i] : '0';
  const bool negative = !digits.empty() && digits[0] == '-';
  digits.erase(0, digits.find_first_not_of(negative ? "-0" : "0"));
  if (digits.empty()) return "0";
  return negative ? "-" + digits : digits;
}

Expression of_boolean(std::string text, bool whole = false) {
  Expression x;
  x.text = std::move(text);
  x.whole = whole;
  x.type = Type::kBoolean;
  x.most = 1;
  return x;
}

// Covers both.
void join_bounds(Expression& x, const Expression& other) {
  x.most = std::max(x.most, other.most);
  x.narrow = x.narrow && other.narrow;
}

bool is_comparison(std::string_view op) {
  return op == "=" || op == "<>" || op == "<" || op == "<=" || op == ">" || op == ">=" || op.starts_with("is ");
}

}  // namespace

Expression of_type(Type type) {
  Expression x;
  x.type = type;
  x.most = 1;
  if (type == Type::kInteger) x.most = kColumnInteger;
  if (type == Type::kDecimal) x.most = kColumnDecimal;
  if (type == Type::kText) x.most = kColumnCharacters;
  return x;
}

Expression Printer::spelled(Expression x, const Spelling& spelling, const std::vector<Expression>& operands) const {
  const std::vector<Written> written(operands.begin(), operands.end());
  Written filled = fill(spelling.text, written);
  return with_text(std::move(x), std::move(filled.text), filled.whole);
}

Expression Printer::expression(const Node& node) {
  switch (node.kind) {
    case Kind::kLiteral:
      return literal(node);
    case Kind::kColumn:
      return column(node);
    case Kind::kUnary:
      return unary(node);
    case Kind::kBinary:
      return binary(node);
    case Kind::kCall:
      return call(node);
    case Kind::kCase:
      return case_of(node);
    case Kind::kScalar:
      return scalar(node);
    case Kind::kAggregate:
      return aggregate(node);
    case Kind::kWindow:
      return window(node);
    case Kind::kCast:
      return cast(node);
    case Kind::kRow:
      return row(node);
    default:
      return predicate(node);
  }
}

Expression Printer::literal(const Node& node) {
  Expression x;
  x.type = node.type;
  x.text = node.text;
  if (node.text == "null") {
    static constexpr std::string_view kTypes[] = {"", "bigint", "numeric", "text", "boolean", "date"};
    if (grammar_.strict_types && node.type != Type::kNone)
      x.text = fmt::format("cast(null as {})", kTypes[static_cast<std::size_t>(node.type)]);
    return x;
  }
  switch (node.type) {
    case Type::kInteger:
      x.most = std::abs(number_in(node.text));
      x.narrow = x.most <= kMostNarrow;
      break;
    case Type::kDecimal: {
      x.most = std::abs(number_in(node.text));
      const std::size_t point = node.text.find('.');
      x.decimals = point == std::string::npos ? 0 : static_cast<int>(node.text.size() - point - 1);
      if (grammar_.hundredths) {
        x.text = hundredths(node.text);
        x.decimals = 2;
      }
      break;
    }
    case Type::kText:
      x.most = static_cast<double>(node.text.size());
      break;
    case Type::kDate:
      if (!grammar_.dates_are_texts) x.text = "date " + node.text;
      break;
    default:
      break;
  }
  x.whole = !x.text.starts_with('-');
  return x;
}

Expression Printer::column(const Node& node) {
  Expression x = of_type(node.type);
  // Keys stay far below other columns: they are drawn once and never computed with.
  if (node.text == "pkey") x.most = kMostKey;
  if (node.text == "vkey") x.most = kMostVersion;
  if (node.alias == "excluded" && grammar_.upsert == db::UpsertClause::kOnDuplicateKey)
    return with_text(x, "values(" + node.text + ")", true);
  const auto other = renamed_.find(node.alias);
  const std::string& alias = other == renamed_.end() ? node.alias : other->second;
  return with_text(x, alias.empty() ? node.text : alias + "." + node.text, true);
}

Expression Printer::unary(const Node& node) {
  Expression x = expression(*node.children[0]);
  if (node.text == "not") return of_boolean("not " + in_brackets(x));
  return with_text(x, "-" + in_brackets(x), false);
}

std::vector<Expression> Printer::alike(const std::vector<const Node*>& nodes) {
  std::vector<Expression> all;
  bool decimal = false;
  for (const Node* node : nodes) {
    all.push_back(expression(*node));
    decimal = decimal || all.back().type == Type::kDecimal;
  }
  if (decimal)
    for (Expression& x : all) x = to_decimal(std::move(x));
  return all;
}

Expression Printer::binary(const Node& node) {
  const Node& left_node = *node.children[0];
  const Node& right_node = *node.children[1];
  if (node.text == "and" || node.text == "or") {
    const auto side = [&](const Node& child) {
      const bool same = child.kind == Kind::kBinary && child.text == node.text;
      const Expression x = expression(child);
      return same ? x.text : in_brackets(x);
    };
    std::string left = side(left_node);
    return of_boolean(fmt::format("{} {} {}", left, node.text, side(right_node)));
  }
  std::vector<Expression> sides = alike({&left_node, &right_node});
  if (node.text.size() == 1 && std::string_view("+-*/%").find(node.text[0]) != std::string_view::npos)
    return arithmetic(node.text[0], std::move(sides[0]), std::move(sides[1]));
  Expression x = is_comparison(node.text) ? of_boolean("") : of_type(node.type);
  if (node.text == "||") {
    if (sides[0].most + sides[1].most > kMostCharacters)
      for (Expression& side : sides) side = bounded(std::move(side));
    x.most = sides[0].most + sides[1].most;
  }
  const Spelling* spelling = spelling_of(grammar_, node.text, sides[0].type);
  if (!spelling)
    return with_text(x, fmt::format("{} {} {}", in_brackets(sides[0]), node.text, in_brackets(sides[1])), false);
  return spelled(std::move(x), *spelling, sides);
}

Expression Printer::arithmetic(char op, Expression left, Expression right) {
  const bool decimal = left.type == Type::kDecimal;
  const double limit = decimal ? kMostDecimal : kMostInteger;
  if (op == '/' || op == '%') {
    right = two_decimals(bounded(std::move(right)));
    const bool nonzero = right.text.find_first_not_of("0123456789.") == std::string::npos &&
                         right.text.find_first_of("123456789") != std::string::npos;
    if (!nonzero) right = with_text(right, fmt::format("nullif({}, 0)", right.text), true);
  }
  const auto reach = [&] {
    if (op == '*') return left.most * right.most;
    if (op == '/') return decimal ? left.most * 100 : left.most;
    return op == '%' ? left.most : left.most + right.most;
  };
  if (reach() > limit) {
    left = modulo(std::move(left));
    if (op != '/' && op != '%') right = modulo(std::move(right));
  }
  Expression x;
  x.type = left.type;
  x.most = op == '%' ? std::min(left.most, right.most) : reach();
  if (left.narrow && right.narrow && x.most > kMostNarrow) left = wide(std::move(left));
  x.narrow = left.narrow && right.narrow;
  if (decimal && !grammar_.hundredths && op != '/')
    x.decimals = op == '*' ? left.decimals + right.decimals : std::max(left.decimals, right.decimals);
  const std::string name(1, op);
  const Spelling* spelling = spelling_of(grammar_, name, x.type);
  if (!spelling) return with_text(x, fmt::format("{} {} {}", in_brackets(left), name, in_brackets(right)), false);
  return spelled(std::move(x), *spelling, {std::move(left), std::move(right)});
}

Expression Printer::call(const Node& node) {
  const std::string_view name = node.text;
  if (name == "coalesce" || name == "nullif") return choice(node, name);
  if (name == "greatest") return choice(node, grammar_.greatest);
  if (name == "least") return choice(node, grammar_.least);
  if (name == "substr" && node.children.size() == 3) return substring(node);
  if ((name == "add_days" || name == "add_hours") && node.children.size() == 2) return add_days(node);
  std::vector<Expression> operands;
  for (const NodePtr& child : node.children) operands.push_back(expression(*child));
  Expression x = of_type(node.type);
  if (!operands.empty() && operands[0].type == x.type) x = operands[0];
  if (makes_form(name) && operands.size() == 1) operands[0] = bounded(std::move(operands[0]));
  if (name == "replace" && operands.size() == 3) {
    for (Expression& operand : operands) operand = bounded(std::move(operand));
    x.most = operands[0].most * std::max(1.0, operands[2].most);
  }
  if (name == "round") x.decimals = 2;
  constexpr double kMostSeconds = 1e11, kNullCharacters = 4;  // MariaDB's NULL comes back as a text
  if (name == "seconds") x.most = kMostSeconds;
  if (name == "json_text") x.most = std::max(x.most, kNullCharacters);
  const Spelling* spelling = spelling_of(grammar_, name, operands.empty() ? Type::kNone : operands[0].type);
  if (!spelling) {
    std::string text;
    for (const Expression& operand : operands) text += (text.empty() ? "" : ", ") + operand.text;
    return with_text(x, fmt::format("{}({})", name, text), true);
  }
  x.narrow = spelling->narrow || (x.narrow && x.type == Type::kInteger);
  return spelled(std::move(x), *spelling, operands);
}

Expression Printer::choice(const Node& node, std::string_view name) {
  std::vector<const Node*> nodes;
  for (const NodePtr& child : node.children) nodes.push_back(child.get());
  std::vector<Expression> operands = alike(nodes);
  if (operands.size() == 1) return operands[0];
  Expression x = operands.empty() ? of_type(node.type) : operands[0];
  x.decimals = 2;
  std::string text;
  for (Expression& operand : operands) {
    operand = two_decimals(std::move(operand));
    join_bounds(x, operand);
    text += (text.empty() ? "" : ", ") + operand.text;
  }
  return with_text(x, fmt::format("{}({})", name, text), true);
}

Expression Printer::substring(const Node& node) {
  std::vector<Expression> operands;
  for (const NodePtr& child : node.children) operands.push_back(expression(*child));
  const Expression text = operands[0];
  operands[1] = small_integer(std::move(operands[1]), 100);
  // PostgreSQL refuses a negative length.
  if (node.children[2]->kind != Kind::kLiteral || node.children[2]->text.starts_with('-'))
    operands[2] = with_text(operands[2], fmt::format("abs({})", operands[2].text), true);
  operands[2] = small_integer(std::move(operands[2]), 100);
  const Spelling* spelling = spelling_of(grammar_, "substr", Type::kText);
  return spelled(text, *spelling, operands);
}

Expression Printer::add_days(const Node& node) {
  std::vector<Expression> operands = {expression(*node.children[0]), expression(*node.children[1])};
  operands[1] = small_integer(std::move(operands[1]), 1000);
  const Spelling* spelling = spelling_of(grammar_, node.text, Type::kDate);
  return spelled(of_type(Type::kDate), *spelling, operands);
}

Expression Printer::scalar(const Node& node) {
  const Node& inner = *node.children[0];
  Expression x = of_type(node.type);
  if (inner.kind != Kind::kSelect) return with_text(x, "(" + query(inner, Items::kColumns) + ")", true);
  x.most = expression(*inner.children[0]->children[0]->children[0]).most;
  return with_text(x, "(" + query(inner, Items::kScalar) + ")", true);
}

Expression Printer::case_of(const Node& node) {
  std::vector<const Node*> values;
  for (std::size_t i = 1; i < node.children.size(); i += 2) values.push_back(node.children[i].get());
  values.push_back(node.children.back().get());
  std::vector<Expression> results = alike(values);
  Expression x = results[0];
  x.decimals = 2;
  std::string text = "case";
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i] = two_decimals(std::move(results[i]));
    join_bounds(x, results[i]);
    if (i + 1 < results.size())
      text += fmt::format(" when {} then {}", expression(*node.children[2 * i]).text, results[i].text);
    else
      text += fmt::format(" else {} end", results[i].text);
  }
  return with_text(x, std::move(text), true);
}

Expression Printer::predicate(const Node& node) {
  const std::string_view no = node.text == "not" ? "not " : "";
  std::vector<const Node*> nodes;
  for (const NodePtr& child : node.children) nodes.push_back(child.get());
  switch (node.kind) {
    case Kind::kBetween: {
      const std::vector<Expression> x = alike(nodes);
      return of_boolean(
          fmt::format("{} {}between {} and {}", in_brackets(x[0]), no, in_brackets(x[1]), in_brackets(x[2])));
    }
    case Kind::kIn: {
      const std::vector<Expression> x = alike(nodes);
      const bool rows = node.children[0]->kind == Kind::kRow;
      std::string text;
      for (std::size_t i = 1; i < x.size(); ++i) text += (i == 1 ? "" : ", ") + x[i].text;
      return of_boolean(fmt::format("{} {}in ({}{})", in_brackets(x[0]), no,
                                    rows && grammar_.rows_after_values ? "values " : "", text));
    }
    case Kind::kInQuery:
      return of_boolean(
          fmt::format("{} {}in ({})", in_brackets(expression(*nodes[0])), no, query(*nodes[1], Items::kColumns)));
    case Kind::kLike:
      return of_boolean(
          fmt::format("{} {}like {}", in_brackets(expression(*nodes[0])), no, in_brackets(expression(*nodes[1]))));
    case Kind::kIsNull:
      return of_boolean(fmt::format("{} is {}null", in_brackets(expression(*nodes[0])), no));
    case Kind::kExists:
      return of_boolean(fmt::format("{}exists ({})", no, query(*nodes[0], Items::kAnswer)), no.empty());
    default:
      return of_boolean(print(node));
  }
}

Expression Printer::row(const Node& node) {
  Expression x;
  for (const NodePtr& child : node.children) x.text += (x.text.empty() ? "(" : ", ") + expression(*child).text;
  x.text += ")";
  return x;
}

Expression Printer::cast(const Node& node) {
  Expression from = expression(*node.children[0]);
  if (from.type == node.type) return from;
  if (node.type == Type::kDecimal && from.type == Type::kInteger) return to_decimal(std::move(from));
  Expression x = of_type(node.type);
  if (node.type == Type::kText) x.most = 30;
  if (node.type == Type::kInteger) x.most = std::max(1.0, from.most);
  const Spelling* spelling = cast_spelling(grammar_, from.type, node.type);
  if (!spelling) return with_text(x, fmt::format("cast({} as {})", from.text, column_type(node.type, grammar_)), true);
  x.narrow = spelling->narrow;
  return spelled(std::move(x), *spelling, {std::move(from)});
}

}  // namespace isolde::hunt::sql
