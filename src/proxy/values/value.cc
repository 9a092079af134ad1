#include "proxy/values/value.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>

#include "base/hash.h"
#include "base/json_text.h"

namespace isolde::proxy::values {
namespace {

constexpr std::size_t kLongestText = 200;

bool is_ascii_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string hashed_text(std::string_view text, std::uint64_t secret) {
  return fmt::format("#{}:{:016x}{:016x}", text.size(), hash_bytes(text.data(), text.size(), secret),
                     hash_bytes(text.data(), text.size(), mix64(secret + 1)));
}

}  // namespace

Value integer_value(std::int64_t number) { return {Value::Kind::kInteger, number}; }

std::optional<std::int64_t> plain_integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (text != std::to_string(number)) return std::nullopt;  // "007", "-0"
  return number;
}

Value text_value(std::string_view text, ColumnKind kind, bool utf8) {
  if (kind == ColumnKind::kInteger) {
    const auto number = plain_integer(text);
    return number ? integer_value(*number) : Value{};
  }
  // A character that the session's set does not have becomes a question mark.
  if (!utf8 && (!is_ascii_text(text) || text.find('?') != std::string_view::npos)) return {};
  if (!simdjson::validate_utf8(text.data(), text.size())) return {};
  // Columns of a fixed length lose spaces at the end, others keep them.
  if (text.ends_with(' ')) return {};
  return {Value::Kind::kText, 0, std::string(text)};
}

std::string value_json(const Value& value, std::uint64_t secret) {
  if (value.kind == Value::Kind::kAbsent) return "false";
  if (value.kind == Value::Kind::kNull) return "null";
  if (value.kind == Value::Kind::kInteger) {
    const std::string digits = std::to_string(value.number);
    return secret == 0 ? digits : json_string(hashed_text(digits, secret));
  }
  if (secret != 0 || value.text.size() > kLongestText) return json_string(hashed_text(value.text, secret));
  // What looks like a hash is hashed, too: the two are never the same text.
  return json_string(value.text.starts_with('#') ? hashed_text(value.text, secret) : value.text);
}

}  // namespace isolde::proxy::values
