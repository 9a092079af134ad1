// format/numbered_files.h: the files of a folder that are named by a letter and a number, such as T12.log.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "format/format.h"

namespace isolde {

struct NumberedFile {
  std::uint32_t number;
  const SourceFile* file;
};

// The number of `name`, a path that ends in <letter><digits>.log without leading zeros.
[[nodiscard]] inline std::optional<std::uint32_t> log_number(std::string_view name, char letter) {
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  if (!name.starts_with(letter) || !name.ends_with(".log")) return std::nullopt;
  name = name.substr(1, name.size() - 5);
  std::uint32_t number = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = failed == std::errc{} && end == name.data() + name.size();
  if (!whole || (name.size() > 1 && name[0] == '0') || number > 0x7fffffffU) return std::nullopt;
  return number;
}

// Those files, ordered by number.
[[nodiscard]] inline std::vector<NumberedFile> numbered_logs(const Source& source, char letter) {
  std::vector<NumberedFile> logs;
  for (const SourceFile& file : source.files) {
    if (const auto number = log_number(file.name, letter)) logs.push_back({*number, &file});
  }
  std::sort(logs.begin(), logs.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return logs;
}

}  // namespace isolde
