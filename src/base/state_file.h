// base/state_file.h: writes plain data to a file and reads it back: the basis of checkpoints.
//
// In, out: values and vectors of trivially copyable types, in the same order both times.
// Always:  a file exists whole or not at all (it is written under another name, synced and renamed). A reader that
//          meets a wrong size or a damaged file reports it: every later get() gives zeros, and `good()` is false.
//          Sizes are checked against the rest of the file before anything is allocated.
// Cost:    one copy; the whole state is in memory while it is written or read.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"

namespace isolde {

class StateWriter {
 public:
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    raw(&value, sizeof value);
  }
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  void put_all(const std::vector<T>& values) {
    put(std::uint64_t{values.size()});
    raw(values.data(), values.size() * sizeof(T));
  }
  void put_text(std::string_view text) {
    put(std::uint64_t{text.size()});
    raw(text.data(), text.size());
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  // Replaces the file at `path`.
  [[nodiscard]] Result<void> write_to(const std::string& path) const;

 private:
  void raw(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  std::string bytes_;
};

class StateReader {
 public:
  explicit StateReader(std::string bytes) : bytes_(std::move(bytes)) {}
  // Verifies the checksum of the file.
  [[nodiscard]] static Result<StateReader> read(const std::string& path);

  template <typename T>
    requires std::is_trivially_copyable_v<T>
  [[nodiscard]] T get() {
    T value{};
    take(&value, sizeof value);
    return value;
  }
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  [[nodiscard]] std::vector<T> get_all() {
    const auto count = get<std::uint64_t>();
    if (!good_ || count > (bytes_.size() - at_) / sizeof(T)) {
      good_ = false;
      return {};
    }
    std::vector<T> values(count);
    take(values.data(), count * sizeof(T));
    return values;
  }
  [[nodiscard]] std::string get_text() {
    const std::vector<char> text = get_all<char>();
    return {text.begin(), text.end()};
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }

 private:
  void take(void* out, std::size_t size) {
    if (!good_ || size > bytes_.size() - at_) {
      good_ = false;
      return;
    }
    if (size != 0) std::memcpy(out, bytes_.data() + at_, size);
    at_ += size;
  }
  std::string bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace isolde
