#include "record/workload/traced_table.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "history/value.h"

namespace isolde::record {
namespace {

constexpr std::string_view kNull = "null";

// Whether every byte belongs to a well-formed character: UTF-8 without overlong forms, surrogates or beyond U+10FFFF.
bool is_utf8(std::string_view text) {
  std::size_t at = 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  while (at < text.size()) {
    const unsigned lead = byte(at);
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || at + length > text.size()) return false;
    for (std::size_t i = 1; i < length; ++i) {
      if ((byte(at + i) & 0xc0U) != 0x80) return false;
    }
    const unsigned second = byte(at + 1);
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) || (lead == 0xf0 && second < 0x90) ||
        (lead == 0xf4 && second >= 0x90)) {
      return false;
    }
    at += length;
  }
  return true;
}

// Bytes that are no text are shown as PostgreSQL shows them, \x and hexadecimal: two of them never become one value.
std::string readable(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  std::string hex = "\\x";
  for (const char c : bytes) fmt::format_to(std::back_inserter(hex), "{:02x}", static_cast<unsigned char>(c));
  return hex;
}

void append_json_text(const db::Cell& cell, std::string& out) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    const fmt::format_int text(*integer);
    out.append(text.data(), text.size());
  } else if (const auto* real = std::get_if<double>(&cell)) {
    std::string text = fmt::format("{}", *real);
    if (!std::isfinite(*real)) {
      append_json_string(text, out);
      return;
    }
    if (text.find_first_of(".e") == std::string::npos) text += ".0";  // 5.0 is not the integer 5
    out += text;
  } else if (const auto* bytes = std::get_if<std::string>(&cell)) {
    append_json_string(readable(*bytes), out);
  } else {
    out += kNull;
  }
}

// One part of "table/7/x": what separates parts is escaped as in a JSON pointer, so that two keys never become one.
void append_key_part(std::string_view part, std::string& out) {
  for (const char c : part) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
}

std::string plain_text(const db::Cell& cell) {
  if (const auto* bytes = std::get_if<std::string>(&cell)) return readable(*bytes);
  return json_text(cell);
}

bool is_integer_text(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return false;
  return is_all_digits(text);
}

// A list of integers: "1,2,3" between `open` and `close`. What is none is given as the text that it is: then it is a
// value that nobody wrote, and the checker says so.
std::string list_text(const db::Cell& cell, bool bracketed) {
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr) {
    const bool one_element = !bracketed && std::holds_alternative<std::int64_t>(cell);  // SQLite may give "7" as 7
    return one_element ? "[" + json_text(cell) + "]" : json_text(cell);
  }
  std::string_view rest = *text;
  if (bracketed) {
    rest = trimmed(rest);
    const bool is_list = rest.size() >= 2 &&
                         ((rest.front() == '{' && rest.back() == '}') || (rest.front() == '[' && rest.back() == ']'));
    if (!is_list) return json_text(cell);
    rest = trimmed(rest.substr(1, rest.size() - 2));
  }
  std::string out = "[";
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view element = trimmed(rest.substr(0, comma));
    const bool dangling = comma != std::string_view::npos && comma + 1 == rest.size();
    if (!is_integer_text(element) || dangling) return json_text(cell);
    if (out.size() > 1) out += ',';
    out += element;
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return out + "]";
}

}  // namespace

std::string json_text(const db::Cell& cell) {
  std::string out;
  append_json_text(cell, out);
  return out;
}

std::string key_text(const TracedTable& table, std::span<const db::Cell> key_cells) {
  if (table.bare_key && key_cells.size() == 1) {
    const db::Cell& cell = key_cells[0];
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) return fmt::format_int(*integer).str();
    std::string out;
    append_json_string(plain_text(cell), out);  // a key is an integer or a string and nothing else
    return out;
  }
  std::string name;
  append_key_part(table.name, name);
  for (const db::Cell& cell : key_cells) {
    name += '/';
    append_key_part(plain_text(cell), name);
  }
  std::string out;
  append_json_string(name, out);
  return out;
}

std::string key_text(const TracedTable& table, std::initializer_list<std::int64_t> key) {
  if (table.bare_key && key.size() == 1) return fmt::format_int(*key.begin()).str();
  std::vector<db::Cell> cells(key.begin(), key.end());
  return key_text(table, cells);
}

std::string value_text(const TracedTable& table, std::span<const db::Cell> value_cells) {
  if (table.style != ValueStyle::kRow) {
    if (value_cells.empty()) return std::string(kNull);
    if (table.style == ValueStyle::kScalar) return json_text(value_cells[0]);
    return list_text(value_cells[0], table.style == ValueStyle::kArray);
  }
  std::string out = "{";
  for (std::size_t i = 0; i < table.value_columns.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(table.value_columns[i], out);
    out += ':';
    append_json_text(i < value_cells.size() ? value_cells[i] : db::Cell{}, out);
  }
  return out + "}";
}

}  // namespace isolde::record
