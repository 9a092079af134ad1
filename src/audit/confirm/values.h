// audit/confirm/values.h: values for columns of any type, as text that a database of any dialect takes in quotes.
//
// Always: what is made for a type fits it; different numbers give different values where the type has that many.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isolde::audit {

enum class ValueKind : std::uint8_t {
  kInteger,
  kDecimal,
  kText,
  kDate,
  kTime,
  kDateTime,
  kBoolean,
  kEnum,
  kUuid,
  kJson
};

struct SqlValueType {
  ValueKind kind = ValueKind::kText;
  std::uint64_t most = 0;          // kInteger, kDecimal: the largest value before the point; 0: large
  std::uint32_t length = 0;        // kText: 0: any
  std::uint32_t fraction = 0;      // kDecimal that has no digit before the point: how many behind it
  std::vector<std::string> words;  // kEnum
};

// From a type as MySQL, PostgreSQL or SQLite writes it; an unknown word is text.
[[nodiscard]] SqlValueType value_type(std::string_view sql_type);
// The type that a literal looks like: "bigint", "decimal(20,4)", "varchar(255)", "datetime".
[[nodiscard]] std::string_view type_of_literal(std::string_view literal);

// The n-th value of the type. Those of numbers, texts, … of the same n are equal when compared: 1 and '1'.
[[nodiscard]] std::string nth_value(const SqlValueType& type, std::uint64_t n);
// Unlike `value`, by n > 0, and of the type; the same text if the type has no other.
[[nodiscard]] std::string value_beside(const SqlValueType& type, std::string_view value, std::int64_t n);
// The value as the type takes it: texts cut, what is no number 0, MySQL's zero dates as the first date that there is.
[[nodiscard]] std::string fitting_value(const SqlValueType& type, std::string_view value);

[[nodiscard]] bool looks_like_number(std::string_view text);
// No word that a program would have in it: letters and digits mixed, or an address.
[[nodiscard]] bool looks_like_data(std::string_view text);
// Equal as a database compares them in a column of the type: 1 and 1.0 are one number.
[[nodiscard]] bool same_value(const SqlValueType& type, std::string_view a, std::string_view b);
// 'it''s', with backslashes doubled where they escape.
[[nodiscard]] std::string quoted_value(std::string_view value, bool backslash_escapes);

}  // namespace isolde::audit
