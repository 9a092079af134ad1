// format/numbered_files.h: the files of a folder that are named by a letter and a number, such as T12.log.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "format/compressed.h"
#include "format/format.h"

namespace isolde {

struct NumberedFile {
  std::uint32_t number;
  const SourceFile* file;
};

// The number of `name`, a path that ends in <letter><digits>.log without leading zeros, or in that and .gz or .zst.
[[nodiscard]] inline std::optional<std::uint32_t> log_number(std::string_view name, char letter) {
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  name = without_compression_ending(name);
  if (!name.starts_with(letter) || !name.ends_with(".log")) return std::nullopt;
  name = name.substr(1, name.size() - 5);
  std::uint32_t number = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = failed == std::errc{} && end == name.data() + name.size();
  if (!whole || (name.size() > 1 && name[0] == '0') || number > 0x7fffffffU) return std::nullopt;
  return number;
}

// Those files, ordered by number. Of a file and the same compressed, which gzip -k leaves behind, the first is taken.
[[nodiscard]] inline std::vector<NumberedFile> numbered_logs(const Source& source, char letter) {
  std::vector<NumberedFile> logs;
  for (const SourceFile& file : source.files) {
    if (const auto number = log_number(file.name, letter)) logs.push_back({*number, &file});
  }
  std::stable_sort(logs.begin(), logs.end(), [](const auto& a, const auto& b) {
    if (a.number != b.number) return a.number < b.number;
    return a.file->name.size() < b.file->name.size();
  });
  const auto same_number = [](const auto& a, const auto& b) { return a.number == b.number; };
  logs.erase(std::unique(logs.begin(), logs.end(), same_number), logs.end());
  return logs;
}

}  // namespace isolde
