// format/plain_json.h: a cursor over JSON as programs write it: plain strings, integers of up to 18 digits, few blanks.
//
// In, out: text -> its tokens, one after the other. Each function returns false where the text is not plain, and the
//          caller then reads it the general way (json_document.h), which also knows how to say what is wrong.
// Always:  nothing behind `last` is read. Requires: the text's last character, at `last`, is one that no number, no
// word
//          and no blank goes on with: a newline or a bracket.
// Cost:    one look at each byte. No index of the text is made first and no copy, unlike simdjson, which pays where a
//          text is read once from front to back.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/ascii.h"
#include "history/value.h"

namespace isolde {

// The bytes of a short name as a number, so that comparing two is one step; longer than eight: of its end.
constexpr std::uint64_t packed_name(std::string_view name) {
  std::uint64_t packed = 0;
  for (const char c : name) packed = packed << 8 | static_cast<unsigned char>(c);
  return packed;
}

// Whether a newline is a blank between tokens, or ends what is read.
enum class Newlines : std::uint8_t { kAreBlanks, kEnd };

template <Newlines kNewlines>
class PlainJson {
 public:
  PlainJson(const char* from, const char* last) : p_(from), last_(last) {}

  [[nodiscard]] const char* at() const { return p_; }
  [[nodiscard, gnu::always_inline]] char peek() {
    skip_space();
    return *p_;
  }

  [[gnu::always_inline]] bool take(char c) {
    if (*p_ != c) {
      skip_space();
      if (*p_ != c) return false;
    }
    ++p_;
    return true;
  }

  [[gnu::always_inline]] void skip_space() {
    while (*p_ == ' ' || *p_ == '\t' || *p_ == '\r' || (kNewlines == Newlines::kAreBlanks && *p_ == '\n')) ++p_;
  }

  bool null() {
    // Byte by byte: the text may end before four bytes are there.
    if (p_[0] != 'n' || p_[1] != 'u' || p_[2] != 'l' || p_[3] != 'l') return false;
    p_ += 4;
    return true;
  }

  bool spaced_integer(std::int64_t& value) {
    skip_space();
    return integer(value);
  }

  // Up to 18 digits, so that it cannot overflow.
  bool integer(std::int64_t& value) {
    const bool negative = *p_ == '-';
    const char* const digits = p_ + (negative ? 1 : 0);
    const char* q = digits;
    std::uint64_t number = 0;
    if (last_ - q >= 8) number = up_to_eight_digits(q);
    if (q - digits == 8 || q == digits) {
      while (static_cast<unsigned char>(*q - '0') < 10) number = number * 10 + static_cast<unsigned char>(*q++ - '0');
    }
    const auto length = q - digits;
    if (length == 0 || length > 18 || (length > 1 && *digits == '0')) return false;
    if (*q == '.' || *q == 'e' || *q == 'E') return false;
    value = negative ? -static_cast<std::int64_t>(number) : static_cast<std::int64_t>(number);
    p_ = q;
    return true;
  }

  // ASCII without escapes.
  bool plain_string(std::string_view& text) {
    skip_space();
    if (*p_ != '"') return false;
    const char* q = ++p_;
    while (*q != '"') {
      const auto c = static_cast<unsigned char>(*q);
      if (c < 0x20 || c >= 0x80 || c == '\\' || q >= last_) return false;
      ++q;
    }
    text = {p_, static_cast<std::size_t>(q - p_)};
    p_ = q + 1;
    return true;
  }

  // [a, b, …]: `each` reads one element.
  template <typename Each>
  [[gnu::always_inline]] bool array(Each&& each) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      if (!each()) return false;
    } while (take(','));
    return take(']');
  }

  // A string of one letter, as names of operations are.
  [[gnu::always_inline]] bool letter(char& c) {
    skip_space();
    if (p_[0] != '"' || lower(p_[1]) < 'a' || lower(p_[1]) > 'z' || p_[2] != '"') return false;
    c = p_[1];
    p_ += 3;
    return true;
  }

  bool integer_or_string(ValueInterner& values, ValueId& value) {
    skip_space();
    if (*p_ == '"') {
      std::string_view text;
      if (!plain_string(text)) return false;
      value = values.string(text);
      return true;
    }
    std::int64_t number = 0;
    if (!integer(number)) return false;
    value = values.integer(number);
    return true;
  }

 private:
  // The number that the digits from `q` on spell, at most eight of them; `q` goes behind them. All eight bytes are
  // looked at together: a loop would guess the number of digits wrong each time it changes. Requires: eight bytes may
  // be read.
  static std::uint64_t up_to_eight_digits(const char*& q) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, q, sizeof bytes);
    bytes ^= 0x3030303030303030;  // a digit becomes its value, and anything else more than 9
    const std::uint64_t others = ((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080;
    const int count = std::countr_zero(others) / 8;  // 8 if all are digits
    if (count == 0) return 0;
    q += count;
    bytes <<= 64 - 8 * count;           // zeros in front
    bytes = bytes * 10 + (bytes >> 8);  // pairs of digits, in every other byte
    constexpr std::uint64_t kPairs = 0x000000FF000000FF;
    return ((bytes & kPairs) * 0x000F424000000064 + ((bytes >> 16) & kPairs) * 0x0000271000000001) >> 32;
  }

  const char* p_;
  const char* last_;
};

}  // namespace isolde
