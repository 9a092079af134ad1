#include "record/workload/traced_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "format/native.h"
#include "tests/support/format_testing.h"

namespace isolde::record {
namespace traced_table_test {

using db::Cell;
using namespace std::string_literals;

TEST(TracedTable, CellsAreJson) {
  EXPECT_EQ(json_text(Cell{}), "null");
  EXPECT_EQ(json_text(std::int64_t{-7}), "-7");
  EXPECT_EQ(json_text(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(json_text(0.5), "0.5");
  EXPECT_EQ(json_text("a\"b\\c\n"s), R"("a\"b\\c\u000a")");
}

TEST(TracedTable, ARealIsNeverTakenForAnInteger) {
  EXPECT_EQ(json_text(5.0), "5.0");
  EXPECT_EQ(json_text(1e300), "1e+300");
  EXPECT_EQ(json_text(std::nan("")), "\"nan\"");
  EXPECT_EQ(json_text(-std::numeric_limits<double>::infinity()), "\"-inf\"");
}

TEST(TracedTable, BytesThatAreNoTextStayApart) {
  EXPECT_EQ(json_text("\xff"s), R"("\\xff")");
  EXPECT_EQ(json_text("a\xc3"s), R"("\\x61c3")");
  EXPECT_EQ(json_text("\xed\xa0\x80"s), R"("\\xeda080")");  // a surrogate
  EXPECT_EQ(json_text("\xc0\x80"s), R"("\\xc080")");        // an overlong zero
  EXPECT_EQ(json_text("\xf4\x90\x80\x80"s), R"("\\xf4908080")");
  EXPECT_EQ(json_text("\xf0\x9d\x84\x9e\xc3\xa9"s), "\"\xf0\x9d\x84\x9e\xc3\xa9\"");
}

TEST(TracedTable, AKeyIsTheColumnItselfOrATableAndItsColumns) {
  const TracedTable bare{.name = "t", .key_columns = {"k"}, .value_columns = {"v"}, .bare_key = true};
  EXPECT_EQ(key_text(bare, {7}), "7");
  EXPECT_EQ(key_text(bare, std::vector<Cell>{std::int64_t{7}}), "7");
  EXPECT_EQ(key_text(bare, std::vector<Cell>{"7"s}), "\"7\"");
  EXPECT_EQ(key_text(bare, std::vector<Cell>{0.5}), "\"0.5\"");
  const TracedTable district{.name = "district", .key_columns = {"w", "d"}, .value_columns = {"v"}};
  EXPECT_EQ(key_text(district, {1, 3}), "\"district/1/3\"");
  EXPECT_EQ(key_text(district, std::vector<Cell>{std::int64_t{1}, std::int64_t{3}}), "\"district/1/3\"");
}

TEST(TracedTable, TwoKeysNeverBecomeOne) {
  const TracedTable t{.name = "t", .key_columns = {"a", "b"}, .value_columns = {"v"}};
  EXPECT_NE(key_text(t, std::vector<Cell>{"a/b"s, "c"s}), key_text(t, std::vector<Cell>{"a"s, "b/c"s}));
  EXPECT_EQ(key_text(t, std::vector<Cell>{"a/b~"s, "c"s}), "\"t/a~1b~0/c\"");
}

TEST(TracedTable, ValuesFollowTheTablesStyle) {
  TracedTable t{.name = "t", .key_columns = {"k"}, .value_columns = {"v"}};
  EXPECT_EQ(value_text(t, std::vector<Cell>{std::int64_t{3}}), "3");
  EXPECT_EQ(value_text(t, std::vector<Cell>{}), "null");
  t.style = ValueStyle::kRow;
  t.value_columns = {"a", "b\""};
  EXPECT_EQ(value_text(t, std::vector<Cell>{std::int64_t{1}, Cell{}}), R"({"a":1,"b\"":null})");
  t.style = ValueStyle::kTextList;
  EXPECT_EQ(value_text(t, std::vector<Cell>{"1,-2,30"s}), "[1,-2,30]");
  EXPECT_EQ(value_text(t, std::vector<Cell>{""s}), "[]");
  EXPECT_EQ(value_text(t, std::vector<Cell>{Cell{}}), "null");
  EXPECT_EQ(value_text(t, std::vector<Cell>{std::int64_t{4}}), "[4]");
  t.style = ValueStyle::kArray;
  EXPECT_EQ(value_text(t, std::vector<Cell>{"{1,2}"s}), "[1,2]");
  EXPECT_EQ(value_text(t, std::vector<Cell>{"[1, 2]"s}), "[1,2]");
  EXPECT_EQ(value_text(t, std::vector<Cell>{"{}"s}), "[]");
  EXPECT_EQ(value_text(t, std::vector<Cell>{"[ ]"s}), "[]");
}

TEST(TracedTable, WhatIsNoListStaysTheTextThatItIs) {
  TracedTable t{.name = "t", .key_columns = {"k"}, .value_columns = {"v"}, .style = ValueStyle::kTextList};
  for (const std::string& text : {"1,,2"s, "1,2,"s, ","s, "01"s, "x"s, "1;2"s, "-"s, "1.5"s}) {
    EXPECT_EQ(value_text(t, std::vector<Cell>{text}), json_text(text));
  }
  t.style = ValueStyle::kArray;
  for (const std::string& text : {"{1,2"s, "{1,2]"s, "1,2"s, "{NULL}"s, "{"s, "[[1]]"s}) {
    EXPECT_EQ(value_text(t, std::vector<Cell>{text}), json_text(text));
  }
}

TEST(TracedTable, WhateverTheTextsHoldTheyAreNativeJson) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  for (const std::string& text : {all, all.substr(0, 128), "]],\"status\":\"aborted\""s, "\0"s}) {
    const TracedTable t{.name = text, .key_columns = {"k"}, .value_columns = {text}, .style = ValueStyle::kRow};
    const std::vector<Cell> cells{text};
    const std::string line =
        "{\"session\":1,\"ops\":[[\"w\"," + key_text(t, cells) + "," + value_text(t, cells) + "]]}\n";
    const auto result = kNativeFormat.read(isolde::testing::source_of(line), {});
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->history.op_count(), 1U);
  }
}

}  // namespace traced_table_test
}  // namespace isolde::record
