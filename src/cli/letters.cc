#include "cli/letters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace isolde::cli {
namespace {

struct Letter {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

Letter first_letter(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) : 0U;
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0xC0) return {lead, 1};
  const std::size_t bytes = std::min<std::size_t>(lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2, text.size());
  std::uint32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) code = code << 6 | (byte(i) & 0x3F);
  return {code, bytes};
}

// An escape sequence of a colour: its bytes, or 0.
std::size_t escape_at(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const std::size_t end = text.find_first_of("mK");
  return end == std::string_view::npos ? 0 : end + 1;
}

// East Asian letters and emoji take two.
std::size_t columns_of_letter(std::uint32_t code) {
  const bool none = (code >= 0x300 && code <= 0x36F) || code == 0x200D || (code >= 0xFE00 && code <= 0xFE0F);
  const bool two = (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
                   (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
                   (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) || code >= 0x1F300;
  return none ? 0 : two ? 2 : 1;
}

struct Plain {
  std::string_view letter, ascii;
};
constexpr std::array<Plain, 27> kPlain = {{
    {"…", "..."}, {"─", "-"}, {"│", "|"}, {"—", "-"}, {"–", "-"}, {"✓", "+"}, {"✗", "x"}, {"┌", "+"},  {"┐", "+"},
    {"└", "+"},   {"┘", "+"}, {"┼", "+"}, {"├", "+"}, {"┤", "+"}, {"╌", "-"}, {"╎", ":"}, {"→", "->"}, {"←", "<-"},
    {"▶", ">"},   {"◀", "<"}, {"▲", "^"}, {"▼", "v"}, {"★", "*"}, {"·", "."}, {"µ", "u"}, {"×", "x"},  {"≤", "<="},
}};

std::string escape_of(std::uint32_t code) {
  if (code < 0x10000) return fmt::format("\\u{:04x}", code);
  const std::uint32_t rest = code - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

// Where a line's own text begins: after its indentation, or after a label and at least two blanks.
std::size_t text_begins(std::string_view line) {
  constexpr std::size_t kWidestLabel = 30;
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", indent);
  if (gap == std::string_view::npos || gap > kWidestLabel) return indent;
  const std::size_t begins = line.find_first_not_of(' ', gap);
  return begins == std::string_view::npos || begins > kWidestLabel ? indent : columns_of(line.substr(0, begins));
}

void fold_line(std::string_view line, std::size_t columns, std::string& out) {
  std::size_t hanging = text_begins(line);
  if (hanging + 20 > columns) hanging = std::min<std::size_t>(hanging, 4);
  std::size_t column = 0, word_from = 0, at = 0, word_columns = 0;
  bool any = false;  // a word is on the line
  const auto put_word = [&](std::size_t end) {
    const std::string_view word = line.substr(word_from, end - word_from);
    if (any && column + word_columns > columns) {
      while (out.ends_with(' ')) out.pop_back();
      out += "\n" + std::string(hanging, ' ');
      column = hanging;
    }
    out += word;
    column += word_columns;
    any = any || word_columns > 0;
  };
  while (at < line.size()) {
    if (const std::size_t escape = escape_at(line.substr(at)); escape > 0) {
      at += escape;
    } else if (line[at] == ' ') {
      put_word(at);
      out += ' ';
      ++column;
      word_from = ++at;
      word_columns = 0;
    } else {
      const Letter letter = first_letter(line.substr(at));
      at += letter.bytes;
      word_columns += columns_of_letter(letter.code);
    }
  }
  put_word(line.size());
}

}  // namespace

std::string in_ascii(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    const std::string_view bytes = text.substr(0, letter.bytes);
    text.remove_prefix(letter.bytes);
    if (letter.code < 0x80) {
      out += bytes;
      continue;
    }
    const auto plain = std::ranges::find(kPlain, bytes, &Plain::letter);
    out += plain == kPlain.end() ? escape_of(letter.code) : std::string(plain->ascii);
  }
  return out;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const std::size_t escape = escape_at(text);
    const Letter letter = first_letter(text);
    if (escape == 0) columns += columns_of_letter(letter.code);
    text.remove_prefix(escape > 0 ? escape : letter.bytes);
  }
  return columns;
}

std::string cut_to_columns(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns || columns == 0) return std::string(text);
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    const std::size_t takes = columns_of_letter(letter.code);
    if (used + takes + 1 > columns) break;
    out += text.substr(0, letter.bytes);
    used += takes;
    text.remove_prefix(letter.bytes);
  }
  return out + "…";
}

std::string folded(std::string_view text, std::size_t columns) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (columns_of(line) <= columns) {
      out += line;
    } else {
      fold_line(line, columns, out);
    }
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace isolde::cli
