// base/files.h: whole files and whole writes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace isolde {

// Writes all of it, however often that is interrupted. False: errno says why.
[[nodiscard]] bool write_all(int file, const void* data, std::size_t size);
[[nodiscard]] inline bool write_all(int file, std::string_view text) {
  return write_all(file, text.data(), text.size());
}

// A small file that the user named, as text.
[[nodiscard]] Result<std::string> read_whole_file(const std::string& path);

}  // namespace isolde
