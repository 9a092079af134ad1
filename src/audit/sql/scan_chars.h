// audit/sql/scan_chars.h: what the bytes of SQL text are to the scanner.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace isolde::audit::chars {

enum : std::uint8_t { kSpace = 1, kDigit = 2, kWordStart = 4, kHex = 8, kOperator = 16 };

inline constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\n', '\r', '\f', '\v'}) classes[static_cast<std::uint8_t>(c)] |= kSpace;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] |= kDigit | kHex;
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<std::size_t>(c)] |= kWordStart;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<std::size_t>(c)] |= kWordStart;
  for (int c = 'a'; c <= 'f'; ++c) classes[static_cast<std::size_t>(c)] |= kHex;
  for (int c = 'A'; c <= 'F'; ++c) classes[static_cast<std::size_t>(c)] |= kHex;
  for (std::size_t c = 128; c < 256; ++c) classes[c] |= kWordStart;
  classes['_'] |= kWordStart;
  for (const char c : std::string_view("+-*/<>=~!@#%^&|`?")) classes[static_cast<std::uint8_t>(c)] |= kOperator;
  return classes;
}();

inline bool is(char c, int classes) { return (kClasses[static_cast<std::uint8_t>(c)] & classes) != 0; }
inline bool in_word(char c) { return is(c, kWordStart | kDigit) || c == '$'; }

inline bool same_upper_word(std::string_view text, std::string_view upper) {
  if (text.size() != upper.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i]) != upper[i]) return false;
  }
  return true;
}

inline std::uint32_t short_size(std::size_t n) { return static_cast<std::uint32_t>(n); }

}  // namespace isolde::audit::chars
