// base/mapped_file.h: a file's bytes, read into memory or mapped.
//
// Always:  bytes that were read never change. The bytes of a mapping belong to the file: if it is truncated, they
//          become zeros (base/bus_guard.h). So the code that maps a file calls still_whole() after reading it, and
//          uses nothing of it after an error.
// Limits:  input without a size of its own (a pipe, a device) is read until it ends, up to InputLimits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace isolde {

namespace bus_guard {
struct Slot;
}

// The limit for a pipe or a device: 16 GiB, or three quarters of the machine's memory if that is less.
[[nodiscard]] std::uint64_t most_from_a_pipe();

struct InputLimits {
  std::uint64_t most = most_from_a_pipe();
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  [[nodiscard]] bool has_deadline() const { return deadline != std::chrono::steady_clock::time_point::max(); }
  [[nodiscard]] bool out_of_time() const { return has_deadline() && std::chrono::steady_clock::now() >= deadline; }
};

// The error for a caller that waits for `file` when the deadline has passed.
[[nodiscard]] Error out_of_time_reading(const std::string& file);

class MappedFile {
 public:
  // Reads it into memory.
  [[nodiscard]] static Result<std::shared_ptr<const MappedFile>> open(const std::string& path,
                                                                      const InputLimits& limits = {});
  // Maps a large file and reads any other. The caller must call still_whole() at the end.
  [[nodiscard]] static Result<std::shared_ptr<const MappedFile>> map(const std::string& path,
                                                                     const InputLimits& limits = {});
  // Bytes that are already in memory: `data` came from malloc and is freed here.
  [[nodiscard]] static std::shared_ptr<const MappedFile> holding(char* data, std::size_t size);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

  // An error if the file was truncated or rewritten since it was mapped: the bytes read may be zeros.
  [[nodiscard]] Result<void> still_whole() const;
  // Copies all bytes to `to`; a mapping is copied by reading the file. The error is that of still_whole().
  [[nodiscard]] Result<void> copy_to(char* to) const;

  // Tells the system that the bytes before `offset` will not be read again, so that a long load does not keep the whole
  // file in memory beside what it builds.
  void forget_before(std::size_t offset) const;

  // Smaller files are read: that costs no more.
  static constexpr std::size_t kLeastMapped = std::size_t{1} << 20;

 private:
  MappedFile() = default;
  [[nodiscard]] bool map_file(int fd, std::size_t size);
  [[nodiscard]] Result<void> read_file(int fd, std::optional<std::size_t> expected, const InputLimits& limits);

  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  // Of a mapping:
  bus_guard::Slot* slot_ = nullptr;
  int fd_ = -1;
  std::int64_t written_ = 0;  // its modification time when it was opened
  std::string head_;          // its first bytes at that time
};

}  // namespace isolde
