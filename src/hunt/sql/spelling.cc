#include "hunt/sql/spelling.h"

#include <fmt/format.h>

#include <algorithm>

#include "hunt/case/dialects.h"

namespace isolde::hunt::sql {
namespace {

constexpr std::string_view kCast = "cast";

const Spelling* look_up(const db::Grammar& grammar, std::string_view name, Type operand, Type to) {
  for (const std::span<const Spelling> table : {grammar.own, grammar.spellings}) {
    const auto row = std::find_if(table.begin(), table.end(), [&](const Spelling& spelling) {
      return spelling.to == to && spelling.name == name && (spelling.type == Type::kNone || spelling.type == operand);
    });
    if (row != table.end()) return &*row;
  }
  return nullptr;
}

}  // namespace

std::string in_brackets(const Written& operand) {
  return operand.whole ? operand.text : fmt::format("({})", operand.text);
}

Written fill(std::string_view spelling, std::span<const Written> operands) {
  Written written;
  int depth = 0;
  for (std::size_t i = 0; i < spelling.size(); ++i) {
    const char c = spelling[i];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ' ' && depth == 0) written.whole = false;
    const bool place = i + 2 < spelling.size() && spelling[i + 1] >= '0' && spelling[i + 1] <= '9' &&
                       ((c == '{' && spelling[i + 2] == '}') || (c == '<' && spelling[i + 2] == '>'));
    if (!place) {
      written.text += c;
      continue;
    }
    const auto number = static_cast<std::size_t>(spelling[i + 1] - '0');
    if (number < operands.size()) written.text += c == '{' ? operands[number].text : in_brackets(operands[number]);
    i += 2;
  }
  return written;
}

const Spelling* spelling_of(const db::Grammar& grammar, std::string_view name, Type operand) {
  return look_up(grammar, name, operand, Type::kNone);
}

const Spelling* cast_spelling(const db::Grammar& grammar, Type from, Type to) {
  return look_up(grammar, kCast, from, to);
}

std::string_view column_type(Type type, const db::Grammar& grammar) {
  switch (type) {
    case Type::kInteger:
      return grammar.types.integer;
    case Type::kDecimal:
      return grammar.types.decimal;
    case Type::kText:
      return grammar.types.text;
    case Type::kBoolean:
      return grammar.types.boolean;
    case Type::kDate:
      return grammar.types.date;
    case Type::kNone:
      break;
  }
  return "";
}

std::string_view column_type(Type type, std::string_view dialect) { return column_type(type, grammar_of(dialect)); }

std::string table_options(std::string_view dialect) {
  return translated(std::string(grammar_of(dialect).table_options), kWrittenCollation, dialect);
}

}  // namespace isolde::hunt::sql
