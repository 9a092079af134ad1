// proxy/postgres/numbers.h: the protocol's integers, in network order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace isolde::proxy::postgres {

// Requires: at + 4 (2) <= bytes.size().
[[nodiscard]] inline std::uint32_t u32_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}
[[nodiscard]] inline std::uint16_t u16_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[at]) << 8 |
                                    static_cast<unsigned char>(bytes[at + 1]));
}
inline void put_u32(std::string& to, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) to.push_back(static_cast<char>(value >> shift & 0xffU));
}
inline void put_u16(std::string& to, std::uint16_t value) {
  to.push_back(static_cast<char>(value >> 8));
  to.push_back(static_cast<char>(value & 0xffU));
}
// Type, length and body.
[[nodiscard]] inline std::string message(char type, std::string_view body) {
  std::string out(1, type);
  put_u32(out, static_cast<std::uint32_t>(body.size() + 4));
  out += body;
  return out;
}

}  // namespace isolde::proxy::postgres
