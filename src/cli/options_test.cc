#include "cli/options.h"

#include <gtest/gtest.h>

#include "base/nearest.h"

namespace isolde::cli {
namespace options_test {

Arguments parsed(std::vector<std::string> args) {
  auto result = parse(*verb_named("check"), std::move(args));
  EXPECT_TRUE(result) << (result ? "" : result.error().text);
  return result ? *result : Arguments{};
}

TEST(Options, ValuesMayFollowAnEqualsSignOrASpace) {
  EXPECT_EQ(parsed({"f", "--level=si"}).text("level"), "si");
  EXPECT_EQ(parsed({"f", "--level", "si"}).text("level"), "si");
  EXPECT_EQ(parsed({"--level", "si", "f", "g"}).positional, (std::vector<std::string>{"f", "g"}));
}

TEST(Options, WhatFollowsTwoDashesIsNoOption) {
  EXPECT_EQ(parsed({"--json", "--", "--level"}).positional, (std::vector<std::string>{"--level"}));
}

TEST(Options, TheLastOfTwoWins) { EXPECT_EQ(parsed({"f", "--level", "a", "--level", "b"}).text("level"), "b"); }

TEST(Options, CountsUnderstandThousandsAndMillions) {
  Arguments a;
  a.set("n", "200k");
  EXPECT_EQ(*a.count("n", 0), 200000U);
  a.set("n", "1M");
  EXPECT_EQ(*a.count("n", 0), 1000000U);
  a.set("n", "1_000,5");
  EXPECT_EQ(*a.count("n", 0), 10005U);
  for (const char* bad : {"", "k", "1.5", "-1", "1 ", "18446744073709551616", "18446744073709551615k"}) {
    a.set("n", bad);
    EXPECT_FALSE(a.count("n", 0)) << bad;
  }
  EXPECT_EQ(*a.count("missing", 7), 7U);
}

TEST(Options, TimesHaveUnits) {
  Arguments a;
  a.set("t", "2.5");
  EXPECT_EQ(**a.seconds("t"), 2.5);
  a.set("t", "5m");
  EXPECT_EQ(**a.seconds("t"), 300);
  for (const char* bad : {"", "s", "-1", "nan", "inf", "1e300", "1d"}) {
    a.set("t", bad);
    EXPECT_FALSE(a.seconds("t")) << bad;
  }
  EXPECT_FALSE(a.seconds("missing")->has_value());
}

TEST(Options, AMissingValueOrArgumentIsAnError) {
  EXPECT_FALSE(parse(*verb_named("check"), {"f", "--level"}));
  EXPECT_FALSE(parse(*verb_named("check"), {}));
  EXPECT_FALSE(parse(*verb_named("convert"), {"a"}));
  EXPECT_FALSE(parse(*verb_named("convert"), {"a", "b", "c"}));
  EXPECT_FALSE(parse(*verb_named("demo"), {"a"}));
}

TEST(Nearest, FindsTheNameThatWasMeant) {
  const std::string_view names[] = {"serializable", "strict-serializable", "snapshot-isolation", "si"};
  EXPECT_EQ(nearest("serialisable", names).front(), "serializable");
  EXPECT_EQ(nearest("SNAPSHOT", names).front(), "snapshot-isolation");
  EXPECT_TRUE(nearest("banana", names).empty());
  EXPECT_TRUE(nearest("", names).empty());
}

}  // namespace options_test
}  // namespace isolde::cli
