#include "base/json_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace isolde {
namespace {

// Length of the UTF-8 sequence at `text`, or 0 if it is not valid.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  std::uint32_t least = 0;
  std::uint32_t code = 0;
  if ((first & 0xe0) == 0xc0) {
    length = 2, least = 0x80, code = first & 0x1fU;
  } else if ((first & 0xf0) == 0xe0) {
    length = 3, least = 0x800, code = first & 0x0fU;
  } else if ((first & 0xf8) == 0xf0) {
    length = 4, least = 0x10000, code = first & 0x07U;
  } else {
    return 0;
  }
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3fU);
  }
  if (code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
  return length;
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  const auto stands_as_it_is = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (stands_as_it_is(c)) {
      const std::size_t begin = i;
      while (i < text.size() && stands_as_it_is(text[i])) ++i;
      out.append(text, begin, i - begin);
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
      ++i;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
      ++i;
    } else if (const std::size_t length = utf8_length(text.substr(i)); length > 0) {
      out.append(text, i, length);
      i += length;
    } else {
      out += "\xef\xbf\xbd";
      ++i;
    }
  }
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(text, out);
  return out;
}

JsonObject& JsonObject::decimal(std::string_view name, double value, int digits) {
  return raw(name, fmt::format("{:.{}f}", value, digits));
}

void JsonObject::begin(std::string_view name) {
  const bool spaced = spaces_ == JsonSpaces::kAfterSigns;
  if (!empty()) text_ += spaced ? ", " : ",";
  append_json_string(name, text_);
  text_ += spaced ? ": " : ":";
}

}  // namespace isolde
