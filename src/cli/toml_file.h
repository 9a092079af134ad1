// cli/toml_file.h: a TOML file as a list of flat tables, each value with its place.
//
// In, out: the path of a file -> its tables in the order of the file, or one Error with its place.
// Always:  values are text, numbers, booleans or lists of text and numbers; anything deeper is an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace isolde::cli {

struct TomlPlace {
  std::uint64_t line = 0, column = 0;
};

struct TomlEntry {
  enum class Kind : std::uint8_t { kText, kNumber, kTruth, kList };
  std::string key;
  Kind kind = Kind::kText;
  std::string text;  // as a command line would have it; a list: joined by commas
  bool truth = false;
  TomlPlace place;
};

struct TomlTable {
  std::string name;   // empty: what stands before the first table
  bool many = false;  // [[name]], not [name]
  std::vector<TomlEntry> entries;
  TomlPlace place;
};

struct TomlFile {
  std::string path;
  std::vector<TomlTable> tables;

  [[nodiscard]] Error error_at(const TomlPlace& place, std::string text) const {
    return Error{std::move(text), path, place.line, place.column};
  }
};

[[nodiscard]] Result<TomlFile> read_toml_file(const std::string& path);
[[nodiscard]] Result<TomlFile> read_toml_text(std::string_view text, const std::string& path);

}  // namespace isolde::cli
