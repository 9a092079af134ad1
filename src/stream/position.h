// stream/position.h: positions in an input as text: a word that says of which kind, then numbers.
#pragma once

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isolde::stream {

inline std::string make_position(std::string_view kind, std::initializer_list<std::uint64_t> numbers) {
  std::string text(kind);
  for (const std::uint64_t number : numbers) text += ' ' + std::to_string(number);
  return text;
}

// Nothing if the text is no position of this kind with so many numbers.
inline std::optional<std::vector<std::uint64_t>> numbers_of(std::string_view text, std::string_view kind,
                                                            std::size_t count) {
  if (!text.starts_with(kind)) return std::nullopt;
  text.remove_prefix(kind.size());
  std::vector<std::uint64_t> numbers;
  while (text.starts_with(' ')) {
    std::uint64_t number = 0;
    const auto [stop, failed] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
    if (failed != std::errc{}) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
  if (!text.empty() || numbers.size() != count) return std::nullopt;
  return numbers;
}

}  // namespace isolde::stream
