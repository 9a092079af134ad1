// proxy/values/rows.h: columns, rows and parameters in MySQL's protocol -> values.
//
// Always:  bodies that are not as the protocol says are nothing, never a read beyond their end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/values/value.h"

namespace isolde::proxy::values {

// What a result says of one of its columns. Empty names: it is an expression.
struct ColumnSeen {
  std::string schema, alias, table, column;  // the column's own name, in lower case
  std::uint8_t type = 0;
  bool is_unsigned = false;
};
[[nodiscard]] std::optional<ColumnSeen> column_seen(std::string_view packet, bool extended_metadata);

// A field as the wire has it: what it says as text, or an integer; none: NULL, or of a type that is not read.
struct FieldSeen {
  enum class Kind : std::uint8_t { kNull, kInteger, kText, kOther };
  Kind kind = Kind::kOther;
  std::int64_t number = 0;
  std::string_view text = {};
};
[[nodiscard]] Value field_value(const FieldSeen& field, ColumnKind kind, bool utf8);

[[nodiscard]] bool text_row(std::string_view packet, std::size_t columns, std::vector<FieldSeen>& to);
[[nodiscard]] bool binary_row(std::string_view packet, const std::vector<ColumnSeen>& columns,
                              std::vector<FieldSeen>& to);

// The parameters of COM_STMT_EXECUTE, without its head of 10 bytes. `types`: those that were sent before, if these are
// not; `sent_apart`: parameters that came in pieces before, and are not here.
[[nodiscard]] bool parameters_seen(std::string_view body, std::size_t count, std::vector<std::uint16_t>& types,
                                   const std::vector<bool>& sent_apart, std::vector<FieldSeen>& to);

}  // namespace isolde::proxy::values
