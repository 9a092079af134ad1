#include "format/edn.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace isolde {
namespace edn_test {

// Every form of the text, written back; or, after the forms before it, the fault as line:column: text.
std::vector<std::string> forms(std::string_view text) {
  EdnReader reader(text);
  EdnTree tree;
  std::vector<std::string> out;
  for (;;) {
    switch (reader.next(tree)) {
      case EdnReader::Got::kEnd:
        return out;
      case EdnReader::Got::kFault: {
        const TextPlace place = place_of(text, reader.fault().offset);
        out.push_back(std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + reader.fault().text +
                      (reader.fault().truncated ? " (cut)" : ""));
        return out;
      }
      case EdnReader::Got::kForm:
        out.emplace_back();
        append_edn(tree.root(), out.back());
        break;
    }
  }
}

std::string only(std::string_view text) {
  const auto all = forms(text);
  return all.size() == 1 ? all[0] : std::to_string(all.size()) + " forms";
}

EdnKind kind_of(std::string_view text) {
  EdnReader reader(text);
  EdnTree tree;
  EXPECT_EQ(reader.next(tree), EdnReader::Got::kForm);
  return tree.root().kind();
}

TEST(EdnReader, ScalarsAreReadByTheirKind) {
  EXPECT_EQ(kind_of("nil"), EdnKind::kNil);
  EXPECT_EQ(kind_of("true"), EdnKind::kBoolean);
  EXPECT_EQ(kind_of("-12"), EdnKind::kInteger);
  EXPECT_EQ(kind_of("1.5e3"), EdnKind::kNumber);
  EXPECT_EQ(kind_of("\\a"), EdnKind::kCharacter);
  EXPECT_EQ(kind_of("\"a\""), EdnKind::kString);
  EXPECT_EQ(kind_of(":a/b"), EdnKind::kKeyword);
  EXPECT_EQ(kind_of("a.b/c?"), EdnKind::kSymbol);
  EXPECT_EQ(kind_of("-"), EdnKind::kSymbol);
  EXPECT_EQ(kind_of("nilly"), EdnKind::kSymbol);
}

TEST(EdnReader, IntegersMayHaveASignASuffixAndAnySize) {
  EXPECT_EQ(only("+5"), "5");
  EXPECT_EQ(only("5N"), "5");
  EXPECT_EQ(only("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(kind_of("9223372036854775807"), EdnKind::kInteger);
  EXPECT_EQ(kind_of("9223372036854775808"), EdnKind::kNumber);
  EXPECT_EQ(only("123456789012345678901234567890N"), "123456789012345678901234567890");
  EXPECT_EQ(only("0x1f"), "31");
}

TEST(EdnReader, RealsMayBeExact) {
  EXPECT_EQ(only("1.50M"), "1.50");
  EXPECT_EQ(only("-0.5"), "-0.5");
  EXPECT_EQ(only("1e+9"), "1e+9");
  EXPECT_EQ(only("1/3"), "1/3");
  EXPECT_EQ(only("##Inf"), "##Inf");
  EXPECT_EQ(only("1.2.3"), "1:1: expected a number, found `1.2.3`");
  EXPECT_EQ(only("12x"), "1:1: expected a number, found `12x`");
  EXPECT_EQ(only("1.5N"), "1:1: expected a number, found `1.5N`");
}

TEST(EdnReader, EscapesInStringsAreResolved) {
  EdnReader reader(R"("a\n\"\\\u00e9\uD83D\uDE00\101")");
  EdnTree tree;
  ASSERT_EQ(reader.next(tree), EdnReader::Got::kForm);
  EXPECT_EQ(tree.root().text(),
            "a\n\"\\\xc3\xa9\xf0\x9f\x98\x80"
            "A");
}

TEST(EdnReader, CharactersHaveNamesAndCodes) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{{"\\newline", "\n"},
                                                                                       {"\\space", " "},
                                                                                       {"\\u0041", "A"},
                                                                                       {"\\(", "("},
                                                                                       {"\\\xc3\xa9", "\xc3\xa9"},
                                                                                       {"\\u", "u"}}) {
    EdnReader reader(text);
    EdnTree tree;
    ASSERT_EQ(reader.next(tree), EdnReader::Got::kForm) << text;
    EXPECT_EQ(tree.root().text(), expected) << text;
  }
  EXPECT_EQ(only("\\foo"), "1:1: expected a character, found `\\foo`");
}

TEST(EdnReader, CommasAndCommentsAreSpace) {
  EXPECT_EQ(only("{:a 1,,:b ; the rest\n 2}"), "{:a 1 :b 2}");
  EXPECT_TRUE(forms(" ; nothing but a comment").empty());
}

TEST(EdnReader, DiscardedFormsLeaveNoTrace) {
  EXPECT_EQ(only("{:a #_ [1 {2 3}] 4 #_#_ :x :y}"), "{:a 4}");
  EXPECT_EQ(only("#_ {:type :ok} {:b 1}"), "{:b 1}");
  EXPECT_EQ(only("{:a #_}"), "1:7: expected a form, found `}`");
}

TEST(EdnReader, TagsAreIgnored) {
  EXPECT_EQ(only("#jepsen.history.Op{:a #inst \"2024-01-01\"}"), "{:a \"2024-01-01\"}");
  EXPECT_EQ(only("{:e #object[Foo 0x7f3a \"x\"]}"), "{:e [Foo 32570 \"x\"]}");
  EXPECT_EQ(only("{:e #tag}"), "1:9: expected a form, found `}`");
}

TEST(EdnReader, SetsAreCollectionsOfTheirOwn) { EXPECT_EQ(only("{:a #{1 2 3}}"), "{:a #{1 2 3}}"); }

TEST(EdnReader, FormsStandOneAfterAnotherOrInOneVectorOrList) {
  const std::vector<std::string> expected = {"{:a 1}", "{:b 2}"};
  EXPECT_EQ(forms("{:a 1}\n{:b 2}\n"), expected);
  EXPECT_EQ(forms("[{:a 1}, {:b 2}]"), expected);
  EXPECT_EQ(forms("({:a 1}\n {:b 2})"), expected);
  EXPECT_EQ(forms("#jepsen.history.DenseHistory [{:a 1} {:b 2}] ; end"), expected);
  EXPECT_TRUE(forms("[]").empty());
}

TEST(EdnReader, WhatIsNotClosedIsAFaultAtTheEnd) {
  EXPECT_EQ(forms("{:a 1}\n{:b [2"),
            (std::vector<std::string>{"{:a 1}", "2:7: expected `]` for the `[` at 2:5, but the file ends (cut)"}));
  EXPECT_EQ(forms("[{:a 1}"),
            (std::vector<std::string>{"{:a 1}", "1:8: expected `]` for the `[` at 1:1, but the file ends (cut)"}));
  EXPECT_EQ(only("{:a \"b"), "1:7: expected `\"` for the string at 1:5, but the file ends (cut)");
  EXPECT_EQ(only("{:a \"b\\"), "1:8: expected `\"` for the string at 1:5, but the file ends (cut)");
  EXPECT_EQ(only("{:a #"), "1:6: expected a tag, a set or `_` after `#`, but the file ends (cut)");
}

TEST(EdnReader, WhatClosesSomethingElseIsAFaultAtItsPlace) {
  EXPECT_EQ(only("{:a\n [1 2}"), "2:6: expected `]` for the `[` at 2:2, found `}`");
  EXPECT_EQ(forms("{:a 1} }").back(), "1:8: `}` closes nothing");
  EXPECT_EQ(forms("[{:a 1}] {:b 2}").back(), "1:10: expected the end of the file after the history's last bracket");
  EXPECT_EQ(only("{:a 1 :b}"), "1:9: expected a value for the last key of the map, found `}`");
}

TEST(EdnReader, NestingIsLimited) {
  const std::string deep = "{:a " + std::string(63, '(') + std::string(63, ')') + "}";
  EXPECT_EQ(only(deep), deep);
  const std::string deeper = "{:a " + std::string(100000, '[');
  EXPECT_EQ(only(deeper), "1:68: expected at most 64 levels of nesting");
}

TEST(EdnTree, TextStaysWhereItIsWhenTheTreeIsMoved) {
  EdnReader reader("{:a \"x\\ny\"} {:a 2}");
  EdnTree tree;
  ASSERT_EQ(reader.next(tree), EdnReader::Got::kForm);
  const EdnRef value = tree.root().find("a");
  EdnTree other;
  std::swap(tree, other);
  ASSERT_EQ(reader.next(tree), EdnReader::Got::kForm);
  EXPECT_EQ(value.text(), "x\ny");
  EXPECT_EQ(tree.root().find("a").integer(), 2);
  EXPECT_FALSE(tree.root().find("b"));
}

TEST(EdnTree, LongTextIsKeptWhole) {
  const std::string body(20000, 'x');
  const std::string text =
      "{:a \"\\n" + body + "\" :b \"\\t" + body.substr(0, 4000) + "\" :c \"\\t" + body.substr(0, 4000) + "\"}";
  EdnReader reader(text);
  EdnTree tree;
  ASSERT_EQ(reader.next(tree), EdnReader::Got::kForm);
  EXPECT_EQ(tree.root().find("a").text(), "\n" + body);
  EXPECT_EQ(tree.root().find("b").text(), "\t" + body.substr(0, 4000));
  EXPECT_EQ(tree.root().find("c").text(), "\t" + body.substr(0, 4000));
}

TEST(EdnText, AStringIsReadBackAsItWas) {
  const std::string text = "a\"b\\c\n\t\r\x01\xff end";
  std::string edn;
  append_edn_string(text, edn);
  EdnReader reader(edn);
  EdnTree tree;
  ASSERT_EQ(reader.next(tree), EdnReader::Got::kForm);
  EXPECT_EQ(tree.root().text(), text);
}

TEST(EdnText, OnlyWhatIsReadBackAsANameIsASimpleName) {
  EXPECT_TRUE(is_simple_name("x"));
  EXPECT_TRUE(is_simple_name("a-1?"));
  for (const char* text : {"", "nil", "true", "1a", "a b", "a:b", "a/b", ":x", "-1", "\xc3\xa9"}) {
    EXPECT_FALSE(is_simple_name(text)) << text;
  }
}

}  // namespace edn_test
}  // namespace isolde
