// history/number.h: the value of a decimal number written as text, in one canonical form per value.
//
// In, out: text in the grammar of JSON -> an integer, a real, or text that keeps all digits.
// Always:  two texts of the same value give the same Number; whole numbers (no '.', no exponent) never equal others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "history/value.h"

namespace isolde {

struct Number {
  ValueType type;  // kInteger, kReal or kNumberText
  std::int64_t integer = 0;
  double real = 0;
  std::string text = {};
};

// Nothing if the text is not a JSON number.
[[nodiscard]] std::optional<Number> number_of(std::string_view text);

// The shortest text that reads back as this double and not as an integer. Requires: it is finite.
[[nodiscard]] std::string shortest(double value);

}  // namespace isolde
