// hunt/sql/spelling.h: how each grammar (hunt/dialects.h) writes operators, functions, casts and types; data, one row a
// thing.
//
// A spelling has places: {0} is an operand as it stands, <0> the same in brackets where it needs them.
//
// Always: what a spelling computes is defined for every value of its operands, in every dialect; two dialects may
//         differ in what they compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hunt/sql/tree.h"

namespace isolde::hunt::sql {

enum class DialectId : std::uint8_t { kPostgres, kMariadb, kSqlite };
[[nodiscard]] DialectId dialect_id(std::string_view name);  // an unknown name: PostgreSQL's

// One operand, written.
struct Written {
  std::string text;
  bool whole = true;  // needs no brackets as an operand
};
[[nodiscard]] std::string in_brackets(const Written& operand);
// The spelling with its places filled in; it is whole if all its blanks stand inside of brackets.
[[nodiscard]] Written fill(std::string_view spelling, std::span<const Written> operands);

struct Spelling {
  std::string_view name;
  Type type = Type::kNone;  // of the first operand, where that makes a difference; kNone: any
  std::string_view by_dialect[3];
  bool narrow = false;  // its result is PostgreSQL's integer, not bigint
};
// None: there is no such thing, and it is written as it is named.
[[nodiscard]] const Spelling* binary_spelling(std::string_view name, Type operand);
[[nodiscard]] const Spelling* call_spelling(std::string_view name, Type operand);
[[nodiscard]] const Spelling* cast_spelling(Type from, Type to);

}  // namespace isolde::hunt::sql
