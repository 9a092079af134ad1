// Every damaged file in tests/broken is refused with the message that stands beside it.
//
// For each NAME.expected, load(NAME) fails, and its message without the path equals that text. A first line
// `format: F` forces the format.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "format/format.h"
#include "tests/cli/run_program.h"

namespace isolde::test {
namespace broken_test {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".expected";

std::vector<std::string> cases() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(ISOLDE_SOURCE_DIR "/tests/broken", error)) {
    const std::string path = entry.path().string();
    if (path.ends_with(kEnding)) names.push_back(path.substr(0, path.size() - kEnding.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The message as it stands in .expected: `line:column: text`; in a folder format with the name of the file in front.
std::string without_path(std::string message, const std::string& path) {
  for (const std::string& prefix : {path + ": ", path + ":", path + "/"}) {
    if (message.starts_with(prefix)) return message.substr(prefix.size());
  }
  return message;
}

TEST(Broken, EveryFileIsRefusedWithItsMessage) {
  std::size_t count = 0;
  for (const std::string& path : cases()) {
    std::string expected = content_of(path + std::string(kEnding));
    const FormatInfo* format = nullptr;
    constexpr std::string_view kForced = "format: ";
    if (expected.starts_with(kForced)) {
      const std::size_t end = expected.find('\n');
      format = format_named(expected.substr(kForced.size(), end - kForced.size()));
      ASSERT_NE(format, nullptr) << path << ": no such format";
      expected.erase(0, end + 1);
    }
    while (expected.ends_with('\n')) expected.pop_back();
    const auto loaded = load(path, format, {});
    ++count;
    if (loaded) {
      ADD_FAILURE() << path << " was accepted; expected: " << expected;
      continue;
    }
    EXPECT_EQ(without_path(loaded.error().message(), path), expected) << path;
  }
  EXPECT_GE(count, 30U) << "tests/broken has lost its files";
}

TEST(Broken, EveryFileStatesItsMessage) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(ISOLDE_SOURCE_DIR "/tests/broken", error)) {
    const std::string path = entry.path().string();
    if (path.ends_with(kEnding) || path.ends_with(".md")) continue;
    EXPECT_TRUE(fs::exists(path + std::string(kEnding))) << path << " has no .expected beside it";
  }
}

}  // namespace broken_test
}  // namespace isolde::test
