// hunt/sql/spelling.h: how a grammar (db/grammar.h) writes operators, functions, casts and types.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "db/grammar.h"
#include "hunt/sql/tree.h"

namespace isolde::hunt::sql {

using db::Spelling;

// One operand, written.
struct Written {
  std::string text;
  bool whole = true;  // needs no brackets as an operand
};
[[nodiscard]] std::string in_brackets(const Written& operand);
// The spelling with its places filled in; it is whole if all its blanks stand inside of brackets.
[[nodiscard]] Written fill(std::string_view spelling, std::span<const Written> operands);

// Null: the grammar has no spelling of its own, and it is written as it is named.
[[nodiscard]] const Spelling* spelling_of(const db::Grammar& grammar, std::string_view name, Type operand);
[[nodiscard]] const Spelling* cast_spelling(const db::Grammar& grammar, Type from, Type to);

}  // namespace isolde::hunt::sql
