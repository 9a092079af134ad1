#include "proxy/mysql/packets.h"

#include <algorithm>

namespace isolde::proxy::mysql {
namespace {

constexpr std::size_t kPacketHead = 4;  // three bytes of length, one of sequence

std::uint32_t length_in(const char* head) {
  return static_cast<std::uint32_t>(static_cast<unsigned char>(head[0])) |
         static_cast<std::uint32_t>(static_cast<unsigned char>(head[1])) << 8 |
         static_cast<std::uint32_t>(static_cast<unsigned char>(head[2])) << 16;
}

}  // namespace

bool PacketCutter::next(std::string_view& bytes, Packet& packet) {
  if (head_size_ == 0 && !continues_ && bytes.size() >= kPacketHead) {
    const std::uint32_t length = length_in(bytes.data());
    if (length < kLongest && bytes.size() - kPacketHead >= length) {
      const auto sequence = static_cast<std::uint8_t>(bytes[3]);
      packet = {sequence, sequence == 0, length, bytes.substr(kPacketHead, std::min<std::size_t>(length, keep_))};
      bytes.remove_prefix(kPacketHead + length);
      return true;
    }
  }
  while (true) {
    if (head_size_ < kPacketHead) {
      if (bytes.empty()) return false;
      head_[head_size_++] = bytes[0];
      bytes.remove_prefix(1);
      if (head_size_ < kPacketHead) continue;
      left_ = length_in(head_);
      if (!continues_) {
        kept_.clear();
        length_ = 0;
        first_of_command_ = head_[3] == 0;
      }
    }
    const std::size_t part = std::min<std::size_t>(left_, bytes.size());
    if (kept_.size() < keep_) kept_.append(bytes.substr(0, std::min(part, keep_ - kept_.size())));
    bytes.remove_prefix(part);
    left_ -= static_cast<std::uint32_t>(part);
    length_ += part;
    if (left_ > 0) return false;
    head_size_ = 0;
    continues_ = length_in(head_) == kLongest;
    if (continues_) continue;
    packet = {static_cast<std::uint8_t>(head_[3]), first_of_command_, length_, kept_};
    if (kept_.capacity() > 65536 && kept_.size() < 4096) kept_.shrink_to_fit();
    packet.body = kept_;
    return true;
  }
}

}  // namespace isolde::proxy::mysql
