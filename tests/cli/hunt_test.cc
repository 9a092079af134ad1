// `isolde hunt` as its users meet it, on SQLite.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>

#include "tests/cli/run_program.h"

namespace isolde::test {
namespace hunt_test {

TEST(HuntVerb, WithoutAUrlAScratchSqliteIsHunted) {
  const Scratch scratch;
  const Answer a = isolde({"hunt", "--cases", "20"}, {}, scratch.path());
  EXPECT_EQ(a.status, 0) << a.err << a.out;
  EXPECT_TRUE(a.out.starts_with("SQLite 3.")) << a.out;
  EXPECT_NE(a.out.find("wal deferred, held to serializable, seed 1"), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("  20 cases ("), std::string::npos) << a.out;
  EXPECT_TRUE(a.out.ends_with("nothing found\n")) << a.out;
  EXPECT_FALSE(std::filesystem::exists(scratch.path("isolde-findings")));
}

TEST(HuntVerb, JsonHasTheSummary) {
  const Answer a = isolde({"hunt", "sqlite:", "--cases", "10", "--seed", "3", "--level", "wal immediate", "--json"});
  ASSERT_EQ(a.status, 0) << a.err << a.out;
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  ASSERT_EQ(parser.parse(a.out).get(root), simdjson::SUCCESS) << a.out;
  EXPECT_EQ(std::string_view(root["event"]), "summary");
  EXPECT_EQ(std::string_view(root["level"]), "wal immediate");
  EXPECT_EQ(std::string_view(root["ended"]), "all cases were tried");
  EXPECT_EQ(std::uint64_t(root["cases"]), 10U);
  EXPECT_EQ(std::uint64_t(root["seed"]), 3U);
  EXPECT_EQ(std::uint64_t(root["findings"]), 0U);
  EXPECT_GT(std::uint64_t(root["oracle_rounds"]), 0U);
}

TEST(HuntVerb, WhatCannotBeIsSaidInOneLine) {
  const struct {
    std::vector<std::string> args;
    const char* says;
  } cases[] = {
      {{"hunt", "--level", "shared-cache read_uncommitted deferred"}, "read_uncommitted"},
      {{"hunt", "--level", "perfect"}, "perfect"},
      {{"hunt", "--time", "soon"}, "--time takes seconds"},
      {{"hunt", "--cases", "0"}, "--cases"},
      {{"hunt", "--writes", "2"}, "--writes"},
      {{"hunt", "--spawn", "oracle"}, "no scratch server of kind"},
      {{"hunt", "--spawn", "postgres", "sqlite:"}, "cannot be used with a URL"},
      {{"hunt", "--replay", "nowhere.finding"}, "nowhere.finding"},
      {{"hunt", "nosuch://x"}, "nosuch"},
  };
  for (const auto& one : cases) {
    const Answer a = isolde(one.args);
    EXPECT_EQ(a.status, 2) << one.says << a.out;
    EXPECT_NE(a.err.find(one.says), std::string::npos) << a.err;
    EXPECT_EQ(std::count(a.err.begin(), a.err.end(), '\n'), 1) << a.err;
    EXPECT_EQ(a.out, "");
  }
}

TEST(HuntVerb, OnATerminalALineTellsHowFarItIs) {
  const Answer a = isolde_on_terminal({"hunt", "--time", "2"});
  EXPECT_EQ(a.status, 0) << a.out;
  EXPECT_NE(a.out.find(" oracle rounds, "), std::string::npos) << a.out;
  EXPECT_NE(a.out.find(" blocked, "), std::string::npos) << a.out;
  EXPECT_NE(a.out.find(" refused, 0 found"), std::string::npos) << a.out;
}

}  // namespace hunt_test
}  // namespace isolde::test
