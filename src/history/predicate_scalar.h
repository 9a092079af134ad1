// history/predicate_scalar.h: one SQL value while a predicate is evaluated: its order, its truth, LIKE.
//
// Always: 16 bytes, owns nothing: text stays where it is (in the ValueTable or the compiled predicate).
//         Numbers (booleans count as 0 and 1) compare by exact value, whatever their kinds; text compares by bytes; a
//         number and text, or anything and a list or row, do not compare.
//         A real is never NaN or infinite.
// Cost:   two integers compare in about a nanosecond; a number kept as text (ValueType::kNumberText) in hundreds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "history/value.h"

namespace isolde {

// SQL's three truth values.
enum class Truth : std::uint8_t { kFalse, kTrue, kUnknown };

// Where a database may have raised an error or returned something other than NULL.
enum PredicateFault : std::uint8_t {
  kNoFault = 0,
  kOverflowFault = 1,        // beyond 64-bit integers or finite reals
  kDivisionByZeroFault = 2,  // of / or %
  kKindsFault = 4,           // text with number, arithmetic on text, text as a condition, a list or row
  kPatternFault = 8,         // a LIKE pattern that ends in its escape character
  kInexactFault = 16,        // not NULL: computed in doubles from a number with more digits
};

enum class ScalarKind : std::uint8_t {
  kNull,
  kBoolean,
  kInteger,
  kReal,
  kDecimal,  // a number that fits neither of the above, as text
  kString,
  kOther,  // a list or a row: not NULL, and equal to nothing
};

// lower() and upper() of a text are views too: letters A to Z are folded when they are read.
enum class Fold : std::uint8_t { kNone, kLower, kUpper };

struct Scalar {
  ScalarKind kind = ScalarKind::kNull;
  Fold fold = Fold::kNone;
  std::uint32_t size = 0;  // of text
  union {
    std::int64_t integer = 0;  // also a boolean, 0 or 1
    double real;
    const char* text;
  };

  static Scalar null() { return {}; }
  static Scalar of_boolean(bool value);
  static Scalar of_truth(Truth truth);
  static Scalar of_integer(std::int64_t value);
  static Scalar of_real(double value);
  static Scalar of_text(ScalarKind kind, std::string_view text);  // kString or kDecimal

  [[nodiscard]] bool is_null() const { return kind == ScalarKind::kNull; }
  [[nodiscard]] bool is_number() const { return kind >= ScalarKind::kBoolean && kind <= ScalarKind::kDecimal; }
  [[nodiscard]] std::string_view string() const { return {text, size}; }
};
static_assert(sizeof(Scalar) == 16);

// A value of the table; views its text.
[[nodiscard]] Scalar scalar_of(const ValueTable& values, ValueId v);

// The value of a number in SQL: an integer, a real, or the digits of `text` if neither fits.
[[nodiscard]] Scalar scalar_of_number(std::string_view text);

// The nearest double; infinite beyond the range. Requires: is_number().
[[nodiscard]] double nearest_real(const Scalar& s);

enum class Order : std::uint8_t { kLess, kEqual, kGreater, kNone };  // kNone: these do not compare

// Requires: neither is NULL.
[[nodiscard]] Order compare_slowly(const Scalar& a, const Scalar& b);
[[nodiscard]] inline Order compare(const Scalar& a, const Scalar& b) {
  if (a.kind == ScalarKind::kInteger && b.kind == ScalarKind::kInteger) {
    return a.integer < b.integer ? Order::kLess : a.integer > b.integer ? Order::kGreater : Order::kEqual;
  }
  return compare_slowly(a, b);
}

// The class of values that compare with each other: 0 NULL, 1 numbers, 2 text, 3 others.
[[nodiscard]] inline int class_of(const Scalar& s) {
  if (s.is_number()) return 1;
  return s.is_null() ? 0 : s.kind == ScalarKind::kString ? 2 : 3;
}

// A strict weak order over all scalars, for indexes: NULL, numbers, text, others. It agrees with compare().
[[nodiscard]] bool index_less(const Scalar& a, const Scalar& b);

// As a condition: a number is true if it is not zero. Text and others are unknown and a fault.
[[nodiscard]] Truth truth_of(const Scalar& value, std::uint8_t& faults);

inline constexpr char kNoEscape = '\0';

// SQL's LIKE on UTF-8: % any text, _ one character. `ignore_case` for A to Z (ILIKE).
[[nodiscard]] Truth like(const Scalar& text, const Scalar& pattern, char escape, bool ignore_case,
                         std::uint8_t& faults);

// As JSON text; "null" if there is none.
[[nodiscard]] std::string json_of(const Scalar& s);

// The number of characters of a UTF-8 text.
[[nodiscard]] std::int64_t character_count(std::string_view text);

inline Scalar Scalar::of_boolean(bool value) {
  Scalar s;
  s.kind = ScalarKind::kBoolean;
  s.integer = value ? 1 : 0;
  return s;
}
inline Scalar Scalar::of_truth(Truth truth) {
  return truth == Truth::kUnknown ? Scalar{} : of_boolean(truth == Truth::kTrue);
}
inline Scalar Scalar::of_integer(std::int64_t value) {
  Scalar s;
  s.kind = ScalarKind::kInteger;
  s.integer = value;
  return s;
}
inline Scalar Scalar::of_real(double value) {
  Scalar s;
  s.kind = ScalarKind::kReal;
  s.real = value;
  return s;
}
inline Scalar Scalar::of_text(ScalarKind kind, std::string_view text) {
  Scalar s;
  s.kind = kind;
  s.size = static_cast<std::uint32_t>(text.size());
  s.text = text.data();
  return s;
}

}  // namespace isolde
