#include "base/text.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "base/files.h"
#include "base/json_text.h"

namespace isolde {
namespace text_test {

TEST(Text, IsTrimmedFoldedAndJoined) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("-x-", "-"), "x");
  EXPECT_EQ(folded("Read_Committed-2 x"), "readcommitted2x");
  EXPECT_TRUE(same_name("REPEATABLE READ", "repeatable-read"));
  EXPECT_FALSE(same_name("repeatable read", "repeatableread"));
  EXPECT_TRUE(is_all_digits("0123"));
  EXPECT_FALSE(is_all_digits(""));
  EXPECT_FALSE(is_all_digits("-1"));
  EXPECT_EQ(joined(std::vector{1, 2, 3}, [](int i) { return std::to_string(i); }), "1, 2, 3");
  EXPECT_EQ(joined(std::vector<int>{}, [](int i) { return std::to_string(i); }), "");
  EXPECT_EQ(joined(std::vector<std::string>{"", "a", ""}, [](const std::string& s) { return s; }, ";"), ";a;");
}

TEST(JsonText, PutsObjectsAndListsTogether) {
  EXPECT_EQ(JsonObject().done(), "{}");
  EXPECT_EQ(JsonObject()
                .text("a\"", "b\n\xff")
                .number("n", -7)
                .number("most", UINT64_MAX)
                .decimal("d", 1.25, 1)
                .truth("t", true)
                .text_or_null("none", "")
                .raw("list", json_list(std::vector<std::string>{"1", "null"}))
                .done(),
            "{\"a\\\"\": \"b\\u000a\xef\xbf\xbd\", \"n\": -7, \"most\": 18446744073709551615, \"d\": 1.2, \"t\": true, "
            "\"none\": null, \"list\": [1, null]}");
  EXPECT_EQ(JsonObject(JsonSpaces::kNone).number("a", 1).number("b", 2).done(), R"({"a":1,"b":2})");
  EXPECT_EQ(json_list(std::vector{1, 2}, [](int i) { return std::to_string(i); }, JsonSpaces::kNone), "[1,2]");
}

TEST(Files, AreWrittenAndReadWhole) {
  const std::string path = ::testing::TempDir() + "/isolde_files_test_" + std::to_string(::getpid());
  const std::string text(1 << 20, 'x');
  FILE* const file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  EXPECT_TRUE(write_all(::fileno(file), text));
  std::fclose(file);
  const auto read = read_whole_file(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, text);
  std::filesystem::remove(path);
  EXPECT_FALSE(read_whole_file(path));
  EXPECT_FALSE(write_all(-1, "x"));
}

}  // namespace text_test
}  // namespace isolde
