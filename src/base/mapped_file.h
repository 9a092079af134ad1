// base/mapped_file.h: a file's bytes, mapped read-only, or read where mapping is not possible (pipes).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace isolde {

class MappedFile {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  // Bytes that are in memory already: `data` came from malloc and is freed here.
  [[nodiscard]] static std::shared_ptr<const MappedFile> holding(char* data, std::size_t size);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

  // Tells the system that the bytes before `offset` will not be read again, so that a long load does not keep the whole
  // file in memory beside what it builds.
  void forget_before(std::size_t offset) const;

 private:
  MappedFile() = default;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool mapped_ = false;
};

}  // namespace isolde
