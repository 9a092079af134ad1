// proxy/mysql/packets.h: a direction's bytes cut into packets, while they are passed on.
//
// In, out: bytes as they come -> each packet when its last byte is there: its number, its length, and its first bytes.
// Always:  a packet of 16 MiB - 1 and those that continue it are one. Lengths are believed, never allocated: no more is
//          kept than asked for.
// Cost:    no copy of a packet that comes in one piece; otherwise one of what is kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace isolde::proxy::mysql {

struct Packet {
  std::uint8_t sequence;  // of its last part
  bool first_of_command;  // the number of its first part was 0
  std::uint64_t length;   // of the body
  std::string_view body;  // as much of it as is kept

  [[nodiscard]] bool whole() const { return body.size() == length; }
  [[nodiscard]] unsigned char first() const { return body.empty() ? 0 : static_cast<unsigned char>(body[0]); }
};

class PacketCutter {
 public:
  static constexpr std::uint32_t kLongest = 0xffffff;

  // `keep`: bytes of a body. Requires: at least 64.
  explicit PacketCutter(std::size_t keep) : keep_(keep) {}

  // Takes bytes from the front of `bytes` up to the end of a packet. True: `packet` is there, valid until the next
  // call.
  bool next(std::string_view& bytes, Packet& packet);
  // In the middle of a packet.
  [[nodiscard]] bool inside() const { return head_size_ > 0; }

 private:
  std::size_t keep_;
  char head_[4] = {};
  std::size_t head_size_ = 0;
  std::uint32_t left_ = 0;    // of the part at hand
  std::uint64_t length_ = 0;  // of the parts that are over, and of this one as far as it has come
  bool continues_ = false;    // the part before was as long as can be
  bool first_of_command_ = false;
  std::string kept_;
};

}  // namespace isolde::proxy::mysql
