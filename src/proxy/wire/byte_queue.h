// proxy/wire/byte_queue.h: bytes that wait: appended at the end, taken from the front.
//
// Always:  an empty queue holds little memory, so that ten thousand idle connections cost nothing.
// Cost:    each byte is copied once, and once more when it moves to the front of a queue that grows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace isolde::proxy {

class ByteQueue {
 public:
  [[nodiscard]] bool empty() const { return at_ == bytes_.size(); }
  [[nodiscard]] std::size_t size() const { return bytes_.size() - at_; }
  // Valid until the next change.
  [[nodiscard]] std::string_view view() const { return std::string_view(bytes_).substr(at_); }

  void append(std::string_view bytes) {
    if (at_ > kMove && at_ > size()) {
      bytes_.erase(0, at_);
      at_ = 0;
    }
    bytes_.append(bytes);
  }
  // Requires: count <= size().
  void consume(std::size_t count) {
    at_ += count;
    if (at_ < bytes_.size()) return;
    at_ = 0;
    if (bytes_.capacity() > kKept) {
      std::string().swap(bytes_);
    } else {
      bytes_.clear();
    }
  }

 private:
  static constexpr std::size_t kMove = 4096;
  static constexpr std::size_t kKept = 16384;
  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace isolde::proxy
