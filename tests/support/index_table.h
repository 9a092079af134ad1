// tests/support/index_table.h: rows of the indexes of shared histories, and the headings of docs/differences.md.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace isolde {

inline const std::string kSharedHistories = ISOLDE_SOURCE_DIR "/../shared/histories";
inline constexpr const char* kNoShared = "the folder shared is not beside this checkout";
inline bool has_shared_histories() { return std::filesystem::exists(kSharedHistories); }

// The cells of each row but the first, which names the columns; missing ones at the end are empty.
inline std::vector<std::vector<std::string>> table_rows(const std::string& path, std::size_t columns) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(path);
  std::string line;
  for (std::getline(in, line); std::getline(in, line);) {
    std::vector<std::string> cells;
    std::stringstream cut(line);
    for (std::string cell; std::getline(cut, cell, '\t');) cells.push_back(cell);
    cells.resize(std::max(columns, cells.size()));
    rows.push_back(std::move(cells));
  }
  return rows;
}

// Whether docs/differences.md has an entry of this name: a list item that starts with it in bold.
inline bool is_documented(std::string_view entry) {
  std::ifstream in(ISOLDE_SOURCE_DIR "/docs/differences.md");
  const std::string start = "- **" + std::string(entry) + ".**";
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(start)) return true;
  }
  return false;
}

}  // namespace isolde
