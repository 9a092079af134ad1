#include "cli/letters.h"

#include <gtest/gtest.h>

namespace isolde::cli {
namespace {

TEST(Letters, AreAsciiWhereTheLocaleHasNoOthers) {
  EXPECT_EQ(in_ascii("✓ h.jsonl → ok…"), "+ h.jsonl -> ok...");
  EXPECT_EQ(in_ascii("│ ┌──▶ ✗ — ★"), "| +--> x - *");
  EXPECT_EQ(in_ascii("é 😀"), "\\u00e9 \\ud83d\\ude00") << "as JSON escapes them";
}

TEST(Letters, ColoursTakeNoColumnsAndWideLettersTwo) {
  EXPECT_EQ(columns_of("\033[1mbold\033[0m"), 4U);
  EXPECT_EQ(columns_of("日本"), 4U);
  EXPECT_EQ(columns_of("naïve…"), 6U);
}

TEST(Letters, ALineThatIsCutSaysSo) {
  EXPECT_EQ(cut_to_columns("short", 5), "short");
  EXPECT_EQ(cut_to_columns("longer", 5), "long…");
  EXPECT_EQ(cut_to_columns("日本東京", 5), "日本…");
}

TEST(Folded, GoesOnWhereTheTextOfTheLineBegan) {
  EXPECT_EQ(folded("  method    one two three four five six\nnext\n", 33),
            "  method    one two three four\n            five six\nnext\n");
  EXPECT_EQ(folded("     T1 before T2, because it is", 20), "     T1 before T2,\n    because it is")
      << "where there is no room for that, after four blanks";
}

TEST(Folded, AWordThatFitsNowhereStaysWhole) {
  EXPECT_EQ(folded("see https://example.org/a/very/long/address now", 20),
            "see\nhttps://example.org/a/very/long/address\nnow");
}

TEST(Folded, LeavesWhatFits) { EXPECT_EQ(folded("a  b\n\n  c", 20), "a  b\n\n  c"); }

}  // namespace
}  // namespace isolde::cli
