// proxy/mysql/numbers.h: the protocol's integers and strings, read from the front of a packet's body.
//
// Always:  a reader never looks beyond its end: what is not there is zero or empty, and good() says no from then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace isolde::proxy::mysql {

class Reader {
 public:
  explicit Reader(std::string_view body) : rest_(body) {}

  // Little-endian, of 1 to 8 bytes.
  std::uint64_t integer(std::size_t bytes) {
    const std::string_view text = take(bytes);
    std::uint64_t value = 0;
    for (std::size_t i = text.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[i]);
    return value;
  }
  // Of the length that its first byte says. NULL (0xfb) and the marks of errors and ends are no integers.
  std::uint64_t length() {
    const std::uint64_t first = integer(1);
    if (first < 0xfb) return first;
    if (first == 0xfc) return integer(2);
    if (first == 0xfd) return integer(3);
    if (first == 0xfe) return integer(8);
    good_ = false;
    return 0;
  }
  std::string_view text() { return take(length()); }
  std::string_view until_zero() {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) {
      good_ = false;
      return {};
    }
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return found;
  }
  std::string_view take(std::uint64_t bytes) {
    if (!good_ || bytes > rest_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view found = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return found;
  }
  [[nodiscard]] bool next_is(unsigned char byte) const {
    return !rest_.empty() && static_cast<unsigned char>(rest_[0]) == byte;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool good() const { return good_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

inline void put_integer(std::string& to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to.push_back(static_cast<char>(value >> (8 * i) & 0xffU));
}

}  // namespace isolde::proxy::mysql
