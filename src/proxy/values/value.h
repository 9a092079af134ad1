// proxy/values/value.h: what a column holds, in one form for literals, parameters, and results of both protocols of
// rows.
//
// Always:  two values are equal only if the server would hold the same. What may not be (a text in another character
// set,
//          a number with decimals) is unknown. Long texts are named by their length and a hash of 128 bits; all of them
//          with --hash-values, under a secret of the recording.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/values/statement.h"

namespace isolde::proxy::values {

struct Value {
  enum class Kind : std::uint8_t { kUnknown, kNull, kInteger, kText, kAbsent };
  Kind kind = Kind::kUnknown;
  std::int64_t number = 0;
  std::string text = {};

  friend bool operator==(const Value&, const Value&) = default;
};

enum class ColumnKind : std::uint8_t { kInteger, kText };

[[nodiscard]] Value integer_value(std::int64_t number);
// As a column of that kind holds it. `utf8`: of the session that sent it or gets it.
[[nodiscard]] Value text_value(std::string_view text, ColumnKind kind, bool utf8);
// "-12", as the server writes it; nothing else.
[[nodiscard]] std::optional<std::int64_t> plain_integer(std::string_view text);

// As the trace has it: null, a number, a text, false for a row that is not there. Requires: not kUnknown.
[[nodiscard]] std::string value_json(const Value& value, std::uint64_t secret);

}  // namespace isolde::proxy::values
