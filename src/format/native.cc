#include "format/native.h"

#include <algorithm>

#include "format/native_read.h"
#include "format/native_write.h"

namespace isolde {
namespace {

// The first line that says something: not blank, no comment.
std::string_view first_line(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start != std::string_view::npos && line[start] != '#') return line.substr(start);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

bool recognise_native(const Source& source) {
  const std::string_view line = first_line(source.files[0].bytes.substr(0, 1 << 16));
  if (!line.starts_with('{')) return false;
  const auto has = [&](std::string_view name) { return line.find(name) != std::string_view::npos; };
  return has("\"isolde\"") || has("\"version_order") || (has("\"session\"") && has("\"ops\""));
}

}  // namespace

bool resembles_native(std::string_view text) {
  const std::string_view line = first_line(text.substr(0, 1 << 16));
  if (!line.starts_with('{')) return false;
  for (const std::string_view name : {"\"session\"", "\"ops\"", "\"id\"", "\"status\"", "\"start_ts\"", "\"commit_ts\"",
                                      "\"begin\"", "\"initial\"", "\"heartbeat\""}) {
    if (line.find(name) != std::string_view::npos) return true;
  }
  return false;
}

constinit const FormatInfo kNativeFormat{.name = "native",
                                         .summary = "Isolde's JSON Lines, one transaction per line (.jsonl)",
                                         .extension = ".jsonl",
                                         .is_folder = false,
                                         .recognise = recognise_native,
                                         .read = read_native,
                                         .write = write_native,
                                         .writer = Writer::kNative};

}  // namespace isolde
