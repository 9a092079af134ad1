// history/number.h: what the text of a decimal number stands for, in one form for each value.
//
// In, out: text by the grammar of JSON -> an integer, a real, or a text that keeps all digits.
// Always:  two texts of one value give one Number; whole numbers (no '.', no exponent) and others are never equal.
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

// Nothing if the text is no number by the grammar of JSON.
[[nodiscard]] std::optional<Number> number_of(std::string_view text);

// The shortest text that gives this double back, told from an integer's. Requires: it is finite.
[[nodiscard]] std::string shortest(double value);

}  // namespace isolde
