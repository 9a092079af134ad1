#include "history/predicate_scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace isolde {
namespace {

Order order_of(int sign) { return sign < 0 ? Order::kLess : sign > 0 ? Order::kGreater : Order::kEqual; }

template <typename T>
Order order_of(T a, T b) {
  return a < b ? Order::kLess : a > b ? Order::kGreater : Order::kEqual;
}

Order reversed(Order order) {
  return order == Order::kLess ? Order::kGreater : order == Order::kGreater ? Order::kLess : order;
}

// ---- numbers

// An integer and a real by their exact values: casting either to the other's type would lose digits.
Order compare_exactly(std::int64_t a, double b) {
  if (b >= 0x1p63) return Order::kLess;
  if (b < -0x1p63) return Order::kGreater;
  const double whole = std::trunc(b);
  const auto truncated = static_cast<std::int64_t>(whole);
  if (a != truncated) return order_of(a, truncated);
  return order_of(whole, b);
}

// A decimal number taken apart: 0.DIGITS * 10^point, no zeros at either end of the digits.
struct DecimalDigits {
  static constexpr std::size_t kShown = 1500;  // more than any double has
  bool negative = false;
  bool is_zero = true;
  std::int64_t point = 0;
  std::string_view before, after;  // digits before and after the decimal point, as written

  [[nodiscard]] std::size_t size() const { return before.size() + after.size(); }
  [[nodiscard]] char digit(std::size_t i) const {
    return i < before.size() ? before[i] : i < size() ? after[i - before.size()] : '0';
  }
};

DecimalDigits take_apart(std::string_view text) {
  DecimalDigits d;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    d.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  std::int64_t exponent = 0;
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    constexpr std::int64_t kHuge = std::int64_t{1} << 60;  // an exponent past 64 bits is as good as this one
    if (error == std::errc::result_out_of_range) exponent = digits[0] == '-' ? -kHuge : kHuge;
    exponent = std::clamp(exponent, -kHuge, kHuge);
    text = text.substr(0, e);
  }
  const std::size_t dot = text.find('.');
  d.before = text.substr(0, dot);
  d.after = dot == std::string_view::npos ? std::string_view{} : text.substr(dot + 1);
  while (!d.before.empty() && d.before[0] == '0') d.before.remove_prefix(1);
  d.point = static_cast<std::int64_t>(d.before.size()) + exponent;
  if (d.before.empty()) {
    while (!d.after.empty() && d.after[0] == '0') {
      d.after.remove_prefix(1);
      --d.point;
    }
  }
  for (std::size_t i = 0; i < d.size() && d.is_zero; ++i) d.is_zero = d.digit(i) == '0';
  if (d.is_zero) d.negative = false;
  return d;
}

Order compare_decimals(std::string_view a_text, std::string_view b_text) {
  const DecimalDigits a = take_apart(a_text);
  const DecimalDigits b = take_apart(b_text);
  if (a.negative != b.negative) return a.negative ? Order::kLess : Order::kGreater;
  Order order = Order::kEqual;
  if (a.is_zero || b.is_zero) {
    order = order_of(static_cast<int>(b.is_zero) - static_cast<int>(a.is_zero));
  } else if (a.point != b.point) {
    order = order_of(a.point, b.point);
  } else {
    const std::size_t size = std::max(a.size(), b.size());
    for (std::size_t i = 0; i < size && order == Order::kEqual; ++i) order = order_of(a.digit(i), b.digit(i));
  }
  return a.negative ? reversed(order) : order;
}

// The exact decimal digits of a number.
std::string_view digits_of(const Scalar& s, char (&buffer)[DecimalDigits::kShown]) {
  char* end = buffer;
  if (s.kind == ScalarKind::kDecimal) return s.string();
  if (s.kind == ScalarKind::kReal) {
    end = std::to_chars(buffer, buffer + sizeof buffer, s.real, std::chars_format::fixed, 1074).ptr;
  } else {
    end = std::to_chars(buffer, buffer + sizeof buffer, s.integer).ptr;
  }
  return {buffer, static_cast<std::size_t>(end - buffer)};
}

Order compare_numbers(const Scalar& a, const Scalar& b) {
  if (a.kind == ScalarKind::kDecimal || b.kind == ScalarKind::kDecimal) {
    char a_digits[DecimalDigits::kShown];
    char b_digits[DecimalDigits::kShown];
    return compare_decimals(digits_of(a, a_digits), digits_of(b, b_digits));
  }
  if (a.kind == ScalarKind::kReal) {
    return b.kind == ScalarKind::kReal ? order_of(a.real, b.real) : reversed(compare_exactly(b.integer, a.real));
  }
  return b.kind == ScalarKind::kReal ? compare_exactly(a.integer, b.real) : order_of(a.integer, b.integer);
}

// ---- text

char folded(char c, Fold fold) {
  if (fold == Fold::kLower && c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  if (fold == Fold::kUpper && c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 'A');
  return c;
}

Order compare_text(const Scalar& a, const Scalar& b) {
  if (a.fold == Fold::kNone && b.fold == Fold::kNone) return order_of(a.string().compare(b.string()));
  const std::size_t size = std::min(a.size, b.size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto x = static_cast<unsigned char>(folded(a.text[i], a.fold));
    const auto y = static_cast<unsigned char>(folded(b.text[i], b.fold));
    if (x != y) return order_of(x, y);
  }
  return order_of(a.size, b.size);
}

// A text that is what a double is written as (17 digits at most) is that double: databases compute with such columns as
// doubles. Any other keeps its digits.
Scalar scalar_of_decimal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(value)) {
    char buffer[64];
    const auto written = std::to_chars(buffer, buffer + sizeof buffer, value);
    const std::string_view shortest(buffer, static_cast<std::size_t>(written.ptr - buffer));
    if (compare_decimals(shortest, text) == Order::kEqual) return Scalar::of_real(value);
  }
  return Scalar::of_text(ScalarKind::kDecimal, text);
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Past the character at `i`.
std::size_t after_character(std::string_view text, std::size_t i) {
  ++i;
  while (i < text.size() && continues_character(text[i])) ++i;
  return i;
}

}  // namespace

double nearest_real(const Scalar& s) {
  if (s.kind == ScalarKind::kReal) return s.real;
  if (s.kind != ScalarKind::kDecimal) return static_cast<double>(s.integer);
  double value = 0;
  const auto [end, error] = std::from_chars(s.text, s.text + s.size, value);
  if (error == std::errc{}) return value;
  const DecimalDigits d = take_apart(s.string());  // beyond doubles at either end
  return d.point < 0 ? 0 : d.negative ? -HUGE_VAL : HUGE_VAL;
}

Scalar scalar_of(const ValueTable& values, ValueId v) {
  if (is_inline_integer(v)) return Scalar::of_integer(raw(v));
  switch (values.type(v)) {
    case ValueType::kNull:
      return {};
    case ValueType::kInteger:
      return Scalar::of_integer(values.integer(v));
    case ValueType::kString:
      return Scalar::of_text(ScalarKind::kString, values.string(v));
    case ValueType::kBoolean:
      return Scalar::of_boolean(values.boolean(v));
    case ValueType::kReal: {
      // A mapped file may hold any bits: what is no number compares with nothing.
      const double real = values.real(v);
      if (std::isfinite(real)) return Scalar::of_real(real);
      break;
    }
    case ValueType::kNumberText:
      return scalar_of_decimal(values.string(v));
    case ValueType::kList:
    case ValueType::kRow:
      break;
  }
  Scalar other;
  other.kind = ScalarKind::kOther;
  return other;
}

Scalar scalar_of_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative ? 1 : 0);
  while (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') digits.remove_prefix(1);
  std::int64_t whole = 0;
  const std::string plain = (negative ? "-" : "") + std::string(digits);
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), whole);
  if (error == std::errc{} && end == plain.data() + plain.size()) return Scalar::of_integer(whole);
  return scalar_of_decimal(text);
}

Order compare_slowly(const Scalar& a, const Scalar& b) {
  if (a.is_number() && b.is_number()) return compare_numbers(a, b);
  if (a.kind == ScalarKind::kString && b.kind == ScalarKind::kString) return compare_text(a, b);
  return Order::kNone;
}

bool index_less(const Scalar& a, const Scalar& b) {
  const int a_class = class_of(a);
  const int b_class = class_of(b);
  if (a_class != b_class) return a_class < b_class;
  return (a_class == 1 || a_class == 2) && compare(a, b) == Order::kLess;
}

Truth truth_of(const Scalar& value, std::uint8_t& faults) {
  switch (value.kind) {
    case ScalarKind::kNull:
      return Truth::kUnknown;
    case ScalarKind::kBoolean:
    case ScalarKind::kInteger:
      return value.integer != 0 ? Truth::kTrue : Truth::kFalse;
    case ScalarKind::kReal:
      return value.real != 0 ? Truth::kTrue : Truth::kFalse;
    case ScalarKind::kDecimal:
      return take_apart(value.string()).is_zero ? Truth::kFalse : Truth::kTrue;
    case ScalarKind::kString:
    case ScalarKind::kOther:
      break;
  }
  faults |= kKindsFault;
  return Truth::kUnknown;
}

// Greedy with one point of return: after a mismatch only the latest % need take one more character, so the cost is at
// most the product of the two lengths and nothing recurs.
Truth like(const Scalar& text, const Scalar& pattern, char escape, bool ignore_case, std::uint8_t& faults) {
  if (text.is_null() || pattern.is_null()) return Truth::kUnknown;
  if (text.kind != ScalarKind::kString || pattern.kind != ScalarKind::kString) {
    faults |= kKindsFault;
    return Truth::kUnknown;
  }
  const std::string_view t = text.string();
  const std::string_view p = pattern.string();
  const auto text_at = [&](std::size_t i) {
    return ignore_case ? folded(t[i], Fold::kLower) : folded(t[i], text.fold);
  };
  const auto pattern_at = [&](std::size_t i) {
    return ignore_case ? folded(p[i], Fold::kLower) : folded(p[i], pattern.fold);
  };
  std::size_t i = 0, j = 0;
  std::size_t retry_text = 0, retry_pattern = std::string_view::npos;
  while (true) {
    if (j < p.size() && p[j] == '%' && escape != '%') {
      retry_text = i;
      retry_pattern = ++j;
      continue;
    }
    if (i == t.size() && j == p.size()) return Truth::kTrue;
    bool matched = false;
    if (j < p.size()) {
      const bool escaped = escape != kNoEscape && p[j] == escape;
      if (escaped && j + 1 == p.size()) {
        faults |= kPatternFault;
        return Truth::kUnknown;
      }
      if (i < t.size()) {
        if (!escaped && p[j] == '_') {
          i = after_character(t, i);
          ++j;
          matched = true;
        } else if (text_at(i) == pattern_at(escaped ? j + 1 : j)) {
          ++i;
          j += escaped ? 2 : 1;
          matched = true;
        }
      }
    }
    if (matched) continue;
    if (retry_pattern == std::string_view::npos || retry_text >= t.size()) return Truth::kFalse;
    retry_text = after_character(t, retry_text);
    i = retry_text;
    j = retry_pattern;
  }
}

std::string json_of(const Scalar& s) {
  switch (s.kind) {
    case ScalarKind::kBoolean:
      return s.integer != 0 ? "true" : "false";
    case ScalarKind::kInteger:
      return fmt::format("{}", s.integer);
    case ScalarKind::kReal:
      return fmt::format("{}", s.real);
    case ScalarKind::kDecimal:
      return std::string(s.string());
    case ScalarKind::kString: {
      std::string text(s.string());
      for (char& c : text) c = folded(c, s.fold);
      std::string out;
      append_json_string(text, out);
      return out;
    }
    default:
      return "null";
  }
}

std::int64_t character_count(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); });
}

}  // namespace isolde
