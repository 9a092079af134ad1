#include "probe/words.h"

#include <charconv>

namespace isolde::probe {

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::uint64_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view kept = trimmed(whole);
    if (kept.empty() || kept.front() == '#') continue;
    lines.push_back({kept, number, static_cast<std::uint64_t>(kept.data() - whole.data()) + 1});
  }
  return lines;
}

std::optional<StepName> step_name(std::string_view word) {
  if (word.empty() || (word[0] != 'T' && word[0] != 't')) return std::nullopt;
  StepName name;
  const char* const end = word.data() + word.size();
  const auto [after, failed] = std::from_chars(word.data() + 1, end, name.transaction);
  if (failed != std::errc() || name.transaction == 0 || name.transaction > kMostTransactions) return std::nullopt;
  --name.transaction;
  if (after == end) return name;
  if (*after != '.') return std::nullopt;
  const auto [last, bad] = std::from_chars(after + 1, end, name.number);
  if (bad != std::errc() || last != end || name.number == 0) return std::nullopt;
  return name;
}

std::size_t quoted_size(std::string_view text) {
  if (text.empty()) return 0;
  const char quote = text[0];
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] != quote) continue;
    if (i + 1 < text.size() && text[i + 1] == quote) {
      ++i;
    } else {
      return i + 1;
    }
  }
  return 0;
}

std::optional<db::Cell> cell_named(std::string_view word) {
  if (lower_case(word) == "null") return db::Cell{};
  if (word.starts_with('\'')) {
    if (quoted_size(word) != word.size()) return std::nullopt;
    std::string text;
    for (std::size_t i = 1; i + 1 < word.size(); ++i) {
      text += word[i];
      if (word[i] == '\'') ++i;
    }
    return db::Cell{std::move(text)};
  }
  const char* const begin = word.data();
  const char* const end = begin + word.size();
  std::int64_t integer = 0;
  if (const auto [after, failed] = std::from_chars(begin, end, integer); failed == std::errc() && after == end)
    return db::Cell{integer};
  double real = 0;
  if (word.empty() || (!is_digit(word[0]) && word[0] != '-')) return std::nullopt;
  if (const auto [after, failed] = std::from_chars(begin, end, real); failed == std::errc() && after == end)
    return db::Cell{real};
  return std::nullopt;
}

}  // namespace isolde::probe
