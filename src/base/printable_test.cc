#include "base/printable.h"

#include <gtest/gtest.h>

namespace isolde {
namespace printable_test {

TEST(Printable, LeavesTextInAnyScriptAsItIs) {
  for (const std::string_view text : {"", "plain\n\ttext", "Zürich, Ἀθῆναι, 東京, שלום, 👍", "✓ satisfies ┌─┐"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ControlsStandAsEscapes) {
  EXPECT_EQ(printable("a\033[2Jb"), "a\\u001b[2Jb");
  EXPECT_EQ(printable("a\rb\bc\x7f"), "a\\u000db\\u0008c\\u007f");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2Jb\xc2\x80\xc2\x9f"),
            "a\\u009b2Jb\\u0080\\u009f")
      << "C1: U+009B is ESC [";
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\u0000b");
}

TEST(Printable, MarksOfDirectionAndSeparatorsStandAsEscapes) {
  EXPECT_EQ(printable("\u202a\u202b\u202c\u202d\u202e"), "\\u202a\\u202b\\u202c\\u202d\\u202e");
  EXPECT_EQ(printable("\u2066\u2067\u2068\u2069"), "\\u2066\\u2067\\u2068\\u2069");
  EXPECT_EQ(printable("\u200e\u200f\u061c\u2028\u2029\ufeff\u200b"),
            "\\u200e\\u200f\\u061c\\u2028\\u2029\\ufeff\\u200b");
  EXPECT_EQ(printable("\U000e0041"), "\\udb40\\udc41");
}

TEST(Printable, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(printable("a\x9b"
                      "31mb"),
            "a\ufffd31mb")
      << "U+009B of terminals with 8 bits";
  EXPECT_EQ(printable("\xff\xc0\x9b\xe2\x80"), "\ufffd\ufffd\ufffd\ufffd\ufffd");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\ufffd\ufffd\ufffd") << "half of a surrogate pair";
}

TEST(Printable, OnlyTheColoursThatWeWriteAreKept) {
  EXPECT_EQ(printable("\033[1;31mred\033[0m", Colours::kKeep), "\033[1;31mred\033[0m");
  EXPECT_EQ(printable("\033[1;31mred\033[0m"), "\\u001b[1;31mred\\u001b[0m");
  EXPECT_EQ(printable("\033[8mhidden\033]0;title\a\033[", Colours::kKeep),
            "\\u001b[8mhidden\\u001b]0;title\\u0007\\u001b[");
}

TEST(Printable, ANameWithinALineHasNoLineEnds) {
  EXPECT_EQ(printable_line("a\n✓ b satisfies\tserializable"), "a\\u000a✓ b satisfies\\u0009serializable");
}

}  // namespace printable_test
}  // namespace isolde
