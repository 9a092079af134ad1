// tests/support/isl_bytes.h: `.isl` files changed byte by byte, their checksums made to fit again.
//
// Written from the layout in format/isl.h alone, so that it also pins that layout.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace isolde::isl {

inline constexpr std::size_t kHeaderSize = 64;
inline constexpr std::size_t kSectionSize = 32;
inline constexpr std::size_t kMaxSections = 1024;

template <typename T>
T get(std::string_view bytes, std::size_t at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}
template <typename T>
void put(std::string& bytes, std::size_t at, T value) {
  if (at + sizeof value <= bytes.size()) std::memcpy(bytes.data() + at, &value, sizeof value);
}

inline std::size_t section_count(std::string_view bytes) { return get<std::uint32_t>(bytes, 12); }

// Makes every checksum and the file size fit, as far as the table lies within the file.
inline void fix_checksums(std::string& bytes) {
  if (bytes.size() < kHeaderSize) return;
  put<std::uint64_t>(bytes, 16, bytes.size());
  const std::size_t count = section_count(bytes);
  if (count > kMaxSections || kHeaderSize + count * kSectionSize > bytes.size()) return;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = kHeaderSize + i * kSectionSize;
    const auto offset = get<std::uint64_t>(bytes, entry + 8);
    const auto size = get<std::uint64_t>(bytes, entry + 16);
    if (offset > bytes.size() || size > bytes.size() - offset) continue;
    put(bytes, entry + 24, hash_bytes(bytes.data() + offset, size));
  }
  put<std::uint64_t>(bytes, 24, 0);
  const std::uint64_t header = hash_bytes(bytes.data(), kHeaderSize);
  put(bytes, 24, hash_bytes(bytes.data() + kHeaderSize, count * kSectionSize, header));
}

// The same file with one more section at its end; the columns move behind the longer table.
inline std::string with_extra_section(std::string_view bytes, std::uint32_t column, std::string_view content) {
  constexpr std::size_t kMove = 64;
  const std::size_t count = section_count(bytes);
  const std::size_t table_end = kHeaderSize + count * kSectionSize;
  std::string out(bytes.substr(0, table_end));
  const auto aligned = [](std::size_t n) { return (n + 63) / 64 * 64; };
  const std::size_t columns = aligned(table_end);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = kHeaderSize + i * kSectionSize + 8;
    put(out, at, get<std::uint64_t>(bytes, at) + kMove);
  }
  out.resize(columns + kMove, '\0');
  out += bytes.substr(std::min(columns, bytes.size()));
  out.resize(aligned(out.size()), '\0');
  put(out, table_end, column);
  put<std::uint32_t>(out, table_end + 4, 1);
  put<std::uint64_t>(out, table_end + 8, out.size());
  put<std::uint64_t>(out, table_end + 16, content.size());
  put(out, 12, static_cast<std::uint32_t>(count + 1));
  out += content;
  fix_checksums(out);
  return out;
}

}  // namespace isolde::isl
