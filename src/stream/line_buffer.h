// stream/line_buffer.h: bytes as they come in -> whole lines at the front, an unfinished one behind.
//
// Always:  a line that is longer than the limit is known as soon as its bytes are there; lines before it are whole.
// Cost:    each byte is looked at once for newlines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace isolde::stream {

class LineBuffer {
 public:
  explicit LineBuffer(std::size_t max_line) : max_line_(max_line) {}

  // Where up to `count` more bytes may be put; filled() says how many were.
  [[nodiscard]] char* room(std::size_t count) {
    bytes_.resize(size_ + count);
    return bytes_.data() + size_;
  }
  void filled(std::size_t count) {
    const char* const from = bytes_.data() + size_;
    const char* const end = from + count;
    size_ += count;
    for (const char* at = from; !too_long_ && at < end;) {
      const auto* const newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      if (newline == nullptr) break;
      const auto line_end = static_cast<std::size_t>(newline - bytes_.data()) + 1;
      too_long_ = line_end - whole_ - 1 > max_line_;
      if (too_long_) break;
      whole_ = line_end;
      at = newline + 1;
      // What stands between two newlines of one filling is no longer than it: only the last newline matters.
      if (static_cast<std::size_t>(end - at) <= max_line_) {
        const auto* const last = static_cast<const char*>(::memrchr(at, '\n', static_cast<std::size_t>(end - at)));
        if (last != nullptr) whole_ = static_cast<std::size_t>(last - bytes_.data()) + 1;
        break;
      }
    }
    too_long_ = too_long_ || size_ - whole_ > max_line_;
  }
  void add(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(room(text.size()), text.data(), text.size());
    filled(text.size());
  }

  [[nodiscard]] std::string_view whole() const { return {bytes_.data(), whole_}; }
  // What follows the whole lines.
  [[nodiscard]] std::string_view rest() const { return {bytes_.data() + whole_, size_ - whole_}; }
  // Bytes of whole lines in all, also of those that were dropped.
  [[nodiscard]] std::uint64_t whole_ever() const { return dropped_ + whole_; }
  [[nodiscard]] bool too_long() const { return too_long_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  // Takes `count` bytes of whole lines away.
  void drop(std::size_t count) {
    dropped_ += count;
    bytes_.erase(0, count);
    size_ -= count;
    whole_ -= count;
    bytes_.resize(size_);
    constexpr std::size_t kKept = std::size_t{64} << 10;
    if (bytes_.capacity() > kKept && bytes_.capacity() > 4 * size_) bytes_.shrink_to_fit();
  }
  void clear() {
    std::string().swap(bytes_);
    size_ = whole_ = 0;
    too_long_ = false;
  }

 private:
  std::string bytes_;
  std::size_t size_ = 0;   // of what was filled
  std::size_t whole_ = 0;  // of whole lines
  std::uint64_t dropped_ = 0;
  std::size_t max_line_;
  bool too_long_ = false;
};

}  // namespace isolde::stream
