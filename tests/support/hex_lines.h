// tests/support/hex_lines.h: captured bytes, kept as text: one message a line, hexadecimal; # begins a comment.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace isolde::test {

inline std::string unhexed(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  return out;
}

// `path` is relative to the project's root.
inline std::vector<std::string> hex_lines(const std::string& path) {
  std::ifstream file(std::string(ISOLDE_SOURCE_DIR "/") + path);
  EXPECT_TRUE(file.is_open()) << path;
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') out.push_back(unhexed(line));
  }
  return out;
}

}  // namespace isolde::test
