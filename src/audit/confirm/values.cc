#include "audit/confirm/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "base/ascii.h"

namespace isolde::audit {
namespace {

struct TypeWord {
  std::string_view word;
  ValueKind kind;
  std::uint64_t most = 0;
};

// The first whose word the type begins with.
constexpr TypeWord kTypeWords[] = {
    {"tinyint(1)", ValueKind::kInteger, 127},  // MySQL's boolean takes any small number
    {"tinyint", ValueKind::kInteger, 127},
    {"smallint", ValueKind::kInteger, 32767},
    {"int2", ValueKind::kInteger, 32767},
    {"smallserial", ValueKind::kInteger, 32767},
    {"year", ValueKind::kInteger, 2155},
    {"mediumint", ValueKind::kInteger, 8388607},
    {"interval", ValueKind::kText},
    {"int", ValueKind::kInteger, 2147483647},
    {"serial", ValueKind::kInteger, 2147483647},
    {"bigint", ValueKind::kInteger},
    {"bigserial", ValueKind::kInteger},
    {"bool", ValueKind::kBoolean, 1},
    {"dec", ValueKind::kDecimal},
    {"numeric", ValueKind::kDecimal},
    {"money", ValueKind::kDecimal},
    {"float", ValueKind::kDecimal},
    {"double", ValueKind::kDecimal},
    {"real", ValueKind::kDecimal},
    {"datetime", ValueKind::kDateTime},
    {"timestamp", ValueKind::kDateTime},
    {"date", ValueKind::kDate},
    {"time", ValueKind::kTime},
    {"enum", ValueKind::kEnum},
    {"set", ValueKind::kEnum},
    {"uuid", ValueKind::kUuid},
    {"json", ValueKind::kJson},
};

std::uint64_t number_at(std::string_view text, std::size_t at) {
  std::uint64_t n = 0;
  if (at < text.size()) std::from_chars(text.data() + at, text.data() + text.size(), n);
  return n;
}

// 'a','b''c' -> a, b'c
std::vector<std::string> quoted_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = text.find('\''); i != std::string_view::npos; i = text.find('\'', i)) {
    std::string word;
    for (++i; i < text.size(); ++i) {
      if (text[i] == '\'' && (i + 1 == text.size() || text[i + 1] != '\'')) break;
      if (text[i] == '\'') ++i;
      word += text[i];
    }
    words.push_back(std::move(word));
    if (i < text.size()) ++i;
  }
  return words;
}

std::uint64_t power_of_ten(std::uint64_t n) {
  std::uint64_t power = 1;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(n, 18); ++i) power *= 10;
  return power;
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return n;
}

std::string cut(std::string text, std::uint32_t length) {
  if (length == 0 || text.size() <= length) return text;
  text.resize(length);
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) text.pop_back();
  if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0U) text.pop_back();
  return text;
}

// A day of 2020, with no leap in it that matters.
std::string day(std::uint64_t n) { return fmt::format("2020-{:02}-{:02}", 1 + n / 28 % 12, 1 + n % 28); }

}  // namespace

SqlValueType value_type(std::string_view sql_type) {
  const std::string text = lower_case(sql_type);
  SqlValueType type;
  const std::size_t bracket = text.find('(');
  for (const TypeWord& row : kTypeWords) {
    if (!text.starts_with(row.word)) continue;
    type.kind = row.kind;
    type.most = row.most;
    if (type.kind == ValueKind::kEnum) type.words = quoted_words(sql_type);
    if (type.kind == ValueKind::kDecimal && bracket != std::string::npos) {
      const std::uint64_t digits = number_at(text, bracket + 1);
      const std::size_t comma = text.find(',', bracket);
      std::uint64_t scale = 0;
      if (comma != std::string::npos) scale = number_at(text, text.find_first_not_of(' ', comma + 1));
      if (digits > scale && digits < 18) type.most = power_of_ten(digits - scale) - 1;
      if (digits > 0 && digits <= scale) type.fraction = static_cast<std::uint32_t>(std::min<std::uint64_t>(scale, 18));
    }
    return type;
  }
  type.kind = ValueKind::kText;
  if (text.find("char") != std::string::npos || text.find("binary") != std::string::npos) {
    if (bracket != std::string::npos) type.length = static_cast<std::uint32_t>(number_at(text, bracket + 1));
    if (bracket == std::string::npos && (text == "char" || text == "character" || text == "binary")) type.length = 1;
  }
  return type;
}

std::string_view type_of_literal(std::string_view literal) {
  if (integer(literal)) return "bigint";
  if (looks_like_number(literal)) return "decimal(20,4)";
  constexpr std::string_view kDay = "dddd-dd-dd";
  bool date = literal.size() >= kDay.size() && literal.size() <= 26;
  for (std::size_t i = 0; date && i < kDay.size(); ++i) {
    const bool digit = literal[i] >= '0' && literal[i] <= '9';
    date = kDay[i] == 'd' ? digit : literal[i] == '-';
  }
  if (date) return literal.size() == kDay.size() ? "date" : "datetime";
  return literal.size() > 200 ? "text" : "varchar(255)";
}

std::string nth_value(const SqlValueType& type, std::uint64_t n) {
  switch (type.kind) {
    case ValueKind::kInteger:
    case ValueKind::kDecimal:
      if (type.fraction > 0) return fmt::format("0.{:0{}}", n % power_of_ten(type.fraction), type.fraction);
      return std::to_string(type.most == 0 ? n : n % (type.most + 1));
    case ValueKind::kBoolean:
      return n % 2 == 1 ? "1" : "0";
    case ValueKind::kDate:
      return day(n);
    case ValueKind::kTime:
      return fmt::format("{:02}:{:02}:00", n / 60 % 24, n % 60);
    case ValueKind::kDateTime:
      return day(n) + " 00:00:00";
    case ValueKind::kEnum:
      return type.words.empty() ? std::to_string(n) : type.words[(n + type.words.size() - 1) % type.words.size()];
    case ValueKind::kUuid:
      return fmt::format("00000000-0000-0000-0000-{:012}", n % 1000000000000ULL);
    case ValueKind::kJson:
    case ValueKind::kText:
      break;
  }
  std::string text = std::to_string(n);
  if (type.length != 0 && text.size() > type.length) text = text.substr(text.size() - type.length);
  return text;
}

std::string value_beside(const SqlValueType& type, std::string_view value, std::int64_t n) {
  const auto positive = static_cast<std::uint64_t>(n < 0 ? -n : n);
  switch (type.kind) {
    case ValueKind::kInteger:
    case ValueKind::kDecimal: {
      if (type.fraction > 0) {
        const std::string other = nth_value(type, positive + 1);
        return other == value ? nth_value(type, positive + 2) : other;
      }
      const double now = std::strtod(std::string(value).c_str(), nullptr);
      const std::string_view whole = value.substr(0, value.find('.'));
      const std::string_view rest = value.substr(whole.size());
      const auto base = integer(whole);
      const bool up =
          type.most == 0 || (now >= 0 && now + static_cast<double>(positive) <= static_cast<double>(type.most));
      if (!base) return nth_value(type, positive + 1);
      return fmt::format("{}{}", *base + (up ? 1 : -1) * static_cast<std::int64_t>(positive), rest);
    }
    case ValueKind::kBoolean:
      return value == "0" || value == "f" || value == "false" ? "1" : "0";
    case ValueKind::kEnum: {
      const auto at = std::find(type.words.begin(), type.words.end(), value);
      if (type.words.empty()) break;
      const auto place = static_cast<std::size_t>(at - type.words.begin());
      return type.words[(place + positive) % type.words.size()];
    }
    case ValueKind::kDate:
    case ValueKind::kTime:
    case ValueKind::kDateTime:
    case ValueKind::kUuid: {
      const std::string other = nth_value(type, positive + 1);
      return other == value ? nth_value(type, positive + 15) : other;
    }
    case ValueKind::kJson:
      return std::to_string(positive);
    case ValueKind::kText:
      break;
  }
  if (const auto base = integer(value); base && value.size() < 16) {
    const std::string text = std::to_string(*base + static_cast<std::int64_t>(positive));
    if (type.length == 0 || text.size() <= type.length) return text;
    return std::to_string(*base - static_cast<std::int64_t>(positive));
  }
  const std::string tail = fmt::format("~{}", positive);
  if (type.length != 0 && tail.size() > type.length) return std::string(1, static_cast<char>('a' + positive % 26));
  if (type.length == 0) return std::string(value) + tail;
  return cut(std::string(value), type.length - static_cast<std::uint32_t>(tail.size())) + tail;
}

std::string fitting_value(const SqlValueType& type, std::string_view value) {
  switch (type.kind) {
    case ValueKind::kInteger:
      if (integer(value)) return std::string(value);
      return looks_like_number(value) ? fmt::format("{:.0f}", std::strtod(std::string(value).c_str(), nullptr)) : "0";
    case ValueKind::kDecimal: {
      const double number = looks_like_number(value) ? std::strtod(std::string(value).c_str(), nullptr) : 0;
      const bool fits = type.fraction == 0 || (number > -1 && number < 1);
      return looks_like_number(value) && fits ? std::string(value) : "0";
    }
    case ValueKind::kDate:
    case ValueKind::kDateTime:
      if (value.empty() || value.starts_with("0000-00-00") || value == "0") return "0001-01-01";
      break;
    case ValueKind::kText:
      return cut(std::string(value), type.length);
    default:
      break;
  }
  return std::string(value);
}

bool looks_like_data(std::string_view text) {
  constexpr std::size_t kShortest = 8;  // 'utf8' is a word
  constexpr std::ptrdiff_t kFewestDigits = 2;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() < kShortest) return false;
  return text.find('@') != std::string_view::npos || std::ranges::count_if(text, is_digit) >= kFewestDigits;
}

bool looks_like_number(std::string_view text) {
  if (text.empty()) return false;
  double n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  const char last = text.back();
  return error == std::errc{} && end == text.data() + text.size() && ((last >= '0' && last <= '9') || last == '.');
}

bool same_value(const SqlValueType& type, std::string_view a, std::string_view b) {
  if (a == b) return true;
  const bool numeric = type.kind == ValueKind::kInteger || type.kind == ValueKind::kDecimal;
  if (!numeric || !looks_like_number(a) || !looks_like_number(b)) return false;
  return std::strtod(std::string(a).c_str(), nullptr) == std::strtod(std::string(b).c_str(), nullptr);
}

std::string quoted_value(std::string_view value, bool backslash_escapes) {
  std::string out = "'";
  for (const char c : value) {
    if (c == '\0') {  // of which PostgreSQL's texts can hold none
      if (backslash_escapes) out += "\\0";
      continue;
    }
    if (c == '\'' || (c == '\\' && backslash_escapes)) out += c;
    out += c;
  }
  return out + "'";
}

}  // namespace isolde::audit
