// base/ascii.h: letters and digits of names, keywords and numbers: ASCII only, whatever the locale.
#pragma once

#include <algorithm>
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

// Whether these are the same word, ignoring case.
[[nodiscard]] inline bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace isolde
