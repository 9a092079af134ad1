#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace isolde {
namespace {

constexpr std::uint32_t kNoCharacter = 0xffffffff;

// Takes the character at the start of `text`; kNoCharacter: one byte that begins none.
std::uint32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  std::uint32_t c = length <= 1 ? first : first & (0xffU >> (length + 1));
  bool good = length > 0 && length <= text.size();
  for (std::size_t i = 1; good && i < length; ++i) {
    good = (byte(i) & 0xc0) == 0x80;
    c = c << 6 | (byte(i) & 0x3f);
  }
  const bool too_long = (length == 3 && c < 0x800) || (length == 4 && c < 0x10000);
  if (!good || too_long || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
    text.remove_prefix(1);
    return kNoCharacter;
  }
  text.remove_prefix(length);
  return c;
}

struct Range {
  std::uint32_t first, last;
};
constexpr Range kEscaped[] = {
    {0x00, 0x1f},       {0x7f, 0x9f},  // C0, DEL, C1
    {0xad, 0xad},                      // soft hyphen
    {0x061c, 0x061c},                  // Arabic letter mark
    {0x180e, 0x180e},                  // Mongolian vowel separator
    {0x200b, 0x200f},                  // zero width, left-to-right and right-to-left marks
    {0x2028, 0x202e},                  // line and paragraph separator, embeddings and overrides
    {0x2060, 0x206f},                  // invisible operators, isolates
    {0xfeff, 0xfeff},                  // byte order mark
    {0xfff9, 0xfffb},                  // interlinear annotation
    {0xe0000, 0xe007f},                // tags
};

bool is_escaped(std::uint32_t c) {
  return std::any_of(std::begin(kEscaped), std::end(kEscaped),
                     [c](const Range& r) { return r.first <= c && c <= r.last; });
}

// Whether all of it is printable as it stands: mostly so.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= ' ' && c < '\x7f') || c == '\n'; });
}

// The length of a sequence of ours at the start of the text, such as ESC [ 1 ; 3 1 m; 0: there is none.
std::size_t colour_at(std::string_view text) {
  constexpr std::string_view kOurs[] = {"0", "1", "2", "31", "32", "33", "1;31", "1;32", "1;33"};
  if (!text.starts_with("\033[")) return 0;
  const std::size_t end = text.find('m');
  if (end == std::string_view::npos) return 0;
  const std::string_view code = text.substr(2, end - 2);
  return std::find(std::begin(kOurs), std::end(kOurs), code) == std::end(kOurs) ? 0 : end + 1;
}

void append_escaped(std::uint32_t c, std::string& out) {
  if (c < 0x10000) {
    out += fmt::format("\\u{:04x}", c);
  } else {
    out += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + ((c - 0x10000) & 0x3ff));
  }
}

std::string made_printable(std::string_view text, bool keep_lines, Colours colours) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if (colours == Colours::kKeep) {
      if (const std::size_t length = colour_at(text); length > 0) {
        out += text.substr(0, length);
        text.remove_prefix(length);
        continue;
      }
    }
    const std::string_view before = text;
    const std::uint32_t c = take_character(text);
    if (c == kNoCharacter) {
      out += "\xef\xbf\xbd";
    } else if (is_escaped(c) && !(keep_lines && (c == '\n' || c == '\t'))) {
      append_escaped(c, out);
    } else {
      out += before.substr(0, before.size() - text.size());
    }
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text, Colours colours) {
  return is_plain(text) ? std::string(text) : made_printable(text, true, colours);
}

std::string printable_line(std::string_view text) { return made_printable(text, false, Colours::kEscape); }

}  // namespace isolde
