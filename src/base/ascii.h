// base/ascii.h: upper and lower case of names and keywords: the ASCII letters, whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace isolde {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

}  // namespace isolde
