// batch/wire.h: numbers, texts and values as the bytes that ranks exchange.
//
// Always:  a value says all of itself, so that the receiver can intern it in a table of its own. What a reader meets
//          beyond the end, or does not understand, gives zeros, and `good()` is false.
// Cost:    a small number is one byte, a small integer value one or two.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "history/value.h"

namespace isolde::batch {

class WireWriter {
 public:
  explicit WireWriter(std::string& out) : out_(out) {}
  void put(std::uint64_t number) {
    while (number >= 0x80) {
      out_.push_back(static_cast<char>(number | 0x80));
      number >>= 7;
    }
    out_.push_back(static_cast<char>(number));
  }
  // Near zero is short.
  void put_signed(std::uint64_t number) { put((number << 1) ^ (0 - (number >> 63))); }
  void put_text(std::string_view text) {
    put(text.size());
    out_.append(text);
  }
  void put_value(const ValueTable& values, ValueId v) {
    if (is_inline_integer(v)) {
      put(std::uint64_t{raw(v)} << 1);
    } else {
      put_other(values, v);
    }
  }

 private:
  void put_other(const ValueTable& values, ValueId v);
  std::string& out_;
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t get() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ >= bytes_.size()) {
        good_ = false;
        return 0;
      }
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      number |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return number;
    }
    good_ = false;
    return 0;
  }
  [[nodiscard]] std::uint64_t get_signed() {
    const std::uint64_t number = get();
    return (number >> 1) ^ (0 - (number & 1));
  }
  [[nodiscard]] std::string_view get_text();
  [[nodiscard]] ValueId get_value(ValueInterner& values) {
    const std::uint64_t code = get();
    if ((code & 1) == 0) return ValueId{static_cast<std::uint32_t>(code >> 1)};
    return get_other(code, values, 0);
  }
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  [[nodiscard]] bool good() const { return good_; }

 private:
  [[nodiscard]] ValueId get_other(std::uint64_t code, ValueInterner& values, int depth);
  [[nodiscard]] ValueId get_nested(ValueInterner& values, int depth);
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace isolde::batch
