#include "format/text_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/ascii.h"

namespace isolde {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

std::optional<WideInteger> take_integer(std::string_view& text) {
  std::size_t i = 0;
  WideInteger number;
  if (i < text.size() && text[i] == '-') {
    number.negative = true;
    ++i;
  }
  const std::size_t first = i;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    const auto digit = static_cast<std::uint64_t>(text[i] - '0');
    if (number.magnitude > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return std::nullopt;
    number.magnitude = number.magnitude * 10 + digit;
  }
  if (i == first) return std::nullopt;
  if (number.negative && number.magnitude > std::uint64_t{1} << 63) return std::nullopt;
  if (number.magnitude == 0) number.negative = false;
  text.remove_prefix(i);
  return number;
}

bool TextLines::next() {
  while (!rest_.empty()) {
    const std::size_t newline = rest_.find('\n');
    has_newline_ = newline != std::string_view::npos;
    line_ = rest_.substr(0, newline);
    rest_.remove_prefix(has_newline_ ? newline + 1 : rest_.size());
    ++number_;
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    left_ = line_;
    skip_blanks();
    if (!left_.empty()) return true;
  }
  return false;
}

void TextLines::skip_blanks() {
  while (!left_.empty() && is_blank(left_.front())) left_.remove_prefix(1);
}

bool TextLines::at_end() {
  skip_blanks();
  return left_.empty();
}

bool TextLines::take(char c) {
  skip_blanks();
  if (!left_.starts_with(c)) return false;
  left_.remove_prefix(1);
  return true;
}

std::optional<WideInteger> TextLines::integer() {
  skip_blanks();
  return take_integer(left_);
}

std::string_view TextLines::word() {
  skip_blanks();
  const auto end = std::find_if(left_.begin(), left_.end(), is_blank);
  const std::string_view word = left_.substr(0, static_cast<std::size_t>(end - left_.begin()));
  left_.remove_prefix(word.size());
  return word;
}

Error TextLines::error(std::string text) const { return error_at(std::move(text), column()); }

std::string dropped_line_note(const TextLines& lines) {
  return fmt::format("dropped the last line ({}): it is cut off", lines.number());
}

std::string_view first_line_of(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start);
  return text.substr(0, text.find('\n'));
}

}  // namespace isolde
