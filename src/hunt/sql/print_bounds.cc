#include <fmt/format.h>

#include <cmath>

#include "hunt/sql/bounds.h"
#include "hunt/sql/printer.h"

namespace isolde::hunt::sql {

Expression Printer::modulo(Expression x) const {
  if (x.type == Type::kText) {
    if (x.most <= kColumnCharacters) return x;
    x.text = fmt::format("substr({}, 1, {})", x.text, kColumnCharacters);
    x.most = kColumnCharacters;
    x.whole = true;
    return x;
  }
  const bool decimal = x.type == Type::kDecimal;
  const double modulus = decimal ? kDecimalModulus : kIntegerModulus;
  if ((!decimal && x.type != Type::kInteger) || x.most <= modulus) return x;
  // A decimal of SQLite's is a number of hundredths.
  const std::string_view written = !decimal ? "1000000" : grammar_.hundredths ? "1000000" : "10000.00";
  x.text = fmt::format("{} % {}", in_brackets(x), written);
  x.most = modulus;
  x.whole = false;
  return x;
}

Expression Printer::bounded(Expression x) const {
  if (x.type == Type::kText) return modulo(std::move(x));
  if (x.type == Type::kDecimal) {
    if (x.most > kColumnDecimal + kDecimalModulus) x = modulo(std::move(x));
    return two_decimals(std::move(x));
  }
  if (x.type == Type::kInteger && x.most > kColumnInteger + kIntegerModulus) return modulo(std::move(x));
  return x;
}

Expression Printer::two_decimals(Expression x) const {
  if (x.type != Type::kDecimal || x.decimals == 2) return x;
  x.text = fmt::format("round({}, 2)", x.text);
  x.whole = true;
  x.decimals = 2;
  return x;
}

Expression Printer::wide(Expression x) const {
  if (!grammar_.strict_types || x.type != Type::kInteger || !x.narrow) return x;
  x.text = fmt::format("cast({} as bigint)", x.text);
  x.whole = true;
  x.narrow = false;
  return x;
}

Expression Printer::to_decimal(Expression x) const {
  if (x.type != Type::kInteger) return x;
  const Spelling* spelling = cast_spelling(grammar_, Type::kInteger, Type::kDecimal);
  if (x.most > kColumnDecimal) x = modulo(std::move(x));
  x = spelled(x, *spelling, {x});
  x.type = Type::kDecimal;
  x.decimals = 2;
  x.narrow = false;
  return x;
}

Expression Printer::small_integer(Expression x, int modulus) const {
  if (x.most > modulus) {
    x.text = fmt::format("{} % {}", in_brackets(x), modulus);
    x.whole = false;
    x.most = modulus;
  }
  if (grammar_.strict_types && !x.narrow) {
    x.text = fmt::format("cast({} as integer)", x.text);
    x.whole = true;
    x.narrow = true;
  }
  return x;
}

Expression Printer::typed(Expression x, const Node& node) const {
  if (!grammar_.strict_types || node.kind != Kind::kLiteral || node.type != Type::kText || node.text == "null")
    return x;
  x.text = fmt::format("cast({} as text)", x.text);
  x.whole = true;
  return x;
}

}  // namespace isolde::hunt::sql
