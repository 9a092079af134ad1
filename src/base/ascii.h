// base/ascii.h: digits and letters of names, numbers and keywords: ASCII, whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace isolde {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

}  // namespace isolde
