#include "history/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cmath>

namespace isolde {
namespace {

constexpr std::int64_t kMaxExponent = 1'000'000'000'000;

// The parts of a JSON number's text; empty where it has none.
struct NumberParts {
  bool negative = false;
  std::string_view whole, fraction, exponent;
  bool has_exponent = false;
};

std::optional<NumberParts> parts_of(std::string_view text) {
  NumberParts parts;
  const auto digits = [&text] {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
    const std::string_view taken = text.substr(0, count);
    text.remove_prefix(count);
    return taken;
  };
  parts.negative = text.starts_with('-');
  if (parts.negative) text.remove_prefix(1);
  parts.whole = digits();
  if (parts.whole.empty() || (parts.whole.size() > 1 && parts.whole[0] == '0')) return std::nullopt;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = digits();
    if (parts.fraction.empty()) return std::nullopt;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    parts.has_exponent = true;
    const std::string_view sign_on = text.substr(1);
    text = sign_on;
    const bool has_sign = text.starts_with('-') || text.starts_with('+');
    if (has_sign) text.remove_prefix(1);
    if (digits().empty()) return std::nullopt;
    parts.exponent = sign_on.substr(0, sign_on.size() - text.size());
    if (parts.exponent.starts_with('+')) parts.exponent.remove_prefix(1);
  }
  if (!text.empty()) return std::nullopt;
  return parts;
}

// 0.DIGITS x 10^point, no zero at either end of the digits: one form for each value.
struct PlainDecimal {
  bool negative = false;
  std::string digits;
  std::int64_t point = 0;
};

// Nothing if the exponent is out of all bounds.
std::optional<PlainDecimal> decimal_of(const NumberParts& parts) {
  PlainDecimal out{parts.negative, std::string(parts.whole) + std::string(parts.fraction), 0};
  std::int64_t exponent = 0;
  if (parts.has_exponent) {
    const char* const end = parts.exponent.data() + parts.exponent.size();
    if (std::from_chars(parts.exponent.data(), end, exponent).ec != std::errc{}) return std::nullopt;
    if (exponent > kMaxExponent || exponent < -kMaxExponent) return std::nullopt;
  }
  out.point = exponent + static_cast<std::int64_t>(parts.whole.size());
  const std::size_t first = std::min(out.digits.find_first_not_of('0'), out.digits.size());
  out.digits.erase(0, first);
  out.point -= static_cast<std::int64_t>(first);
  while (out.digits.ends_with('0')) out.digits.pop_back();
  return out;
}

std::string text_of(const PlainDecimal& d) {
  constexpr std::int64_t kPlainFrom = -5;
  constexpr std::int64_t kPlainTo = 30;
  std::string out = d.negative ? "-" : "";
  const auto size = static_cast<std::int64_t>(d.digits.size());
  if (d.point < kPlainFrom || d.point > kPlainTo) {
    out += d.digits[0];
    if (size > 1) out += "." + d.digits.substr(1);
    return out + fmt::format("e{}", d.point - 1);
  }
  if (d.point <= 0) return out + "0." + std::string(static_cast<std::size_t>(-d.point), '0') + d.digits;
  if (d.point >= size) return out + d.digits + std::string(static_cast<std::size_t>(d.point - size), '0') + ".0";
  return out + d.digits.substr(0, static_cast<std::size_t>(d.point)) + "." +
         d.digits.substr(static_cast<std::size_t>(d.point));
}

// A double tells any two numbers of 15 digits apart, within the range of normal doubles.
bool is_exact(double value) { return value == 0 || (std::isfinite(value) && std::abs(value) >= DBL_MIN); }
constexpr std::size_t kExactDigits = 15;

}  // namespace

bool is_json_number(std::string_view text) { return parts_of(text).has_value(); }

std::optional<Number> number_of(std::string_view text) {
  const auto parts = parts_of(text);
  if (!parts) return std::nullopt;
  if (parts->fraction.empty() && !parts->has_exponent) {
    std::int64_t whole = 0;
    const bool fits = std::from_chars(text.data(), text.data() + text.size(), whole).ec == std::errc{};
    if (fits) return Number{.type = ValueType::kInteger, .integer = whole};
    return Number{.type = ValueType::kNumberText, .text = std::string(text)};
  }
  const auto decimal = decimal_of(*parts);
  if (!decimal) return Number{.type = ValueType::kNumberText, .text = std::string(text)};
  if (decimal->digits.empty()) return Number{.type = ValueType::kReal, .real = 0.0};
  double value = 0;
  const bool fits = std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{};
  if (fits && is_exact(value) && decimal->digits.size() <= kExactDigits) {
    return Number{.type = ValueType::kReal, .real = value};
  }
  return Number{.type = ValueType::kNumberText, .text = text_of(*decimal)};
}

std::string shortest(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace isolde
