// base/text.h: small helpers for text that several layers need.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/ascii.h"

namespace isolde {

// Without these characters at both ends.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// At least one character, and nothing but digits.
[[nodiscard]] constexpr bool is_all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// A name as people write it in several ways: lower case, without '-', '_' and ' '.
[[nodiscard]] inline std::string folded(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (const char c : name) {
    if (c != '-' && c != '_' && c != ' ') out += lower(c);
  }
  return out;
}

// Whether these are one name: case does not count, and '-', '_' and ' ' are alike.
[[nodiscard]] constexpr bool same_name(std::string_view a, std::string_view b) {
  const auto alike = [](char c) { return c == '_' || c == ' ' ? '-' : lower(c); };
  return std::ranges::equal(a, b, {}, alike, alike);
}

// What `render` makes of each element, with `between` between them. (Elements as they are: fmt::join.)
template <typename Range, typename Render>
[[nodiscard]] std::string joined(const Range& range, Render&& render, std::string_view between = ", ") {
  std::string out;
  bool first = true;
  for (const auto& element : range) {
    if (!first) out += between;
    first = false;
    out += render(element);
  }
  return out;
}

}  // namespace isolde
