// `isolde probe` as its users meet it, on SQLite.
#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/cli/run_program.h"

namespace isolde::test {
namespace probe_test {

constexpr const char* kScenario = R"(scenario mine
title a scenario of my own
breaks serializable
table test (id int primary key, value int)
  1, 10
run
  T1: select value from test
  T1: commit
happened if T1.1 is (10)
)";

TEST(ProbeVerb, WithoutAUrlAScratchSqliteIsProbed) {
  const Answer a = isolde({"probe", "--only", "G0,X3"});
  EXPECT_EQ(a.status, 0) << a.err;
  EXPECT_TRUE(a.out.starts_with("SQLite 3.")) << a.out;
  EXPECT_NE(a.out.find("G0    ✓ BUSY"), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("★ the default level"), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("wal deferred claims serializable: nothing seen against it"), std::string::npos) << a.out;
}

TEST(ProbeVerb, JsonHasEveryCellWithItsTranscript) {
  const Answer a = isolde({"probe", "--only", "X3", "--level", "wal deferred", "--json"});
  ASSERT_EQ(a.status, 0) << a.err;
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  ASSERT_EQ(parser.parse(a.out).get(root), simdjson::SUCCESS) << a.out;
  EXPECT_EQ(std::string_view(root["url"]), "sqlite:");
  EXPECT_EQ(std::string_view(root["levels"].at(0)["claims"]), "serializable");
  const simdjson::dom::element cell = root["cases"].at(0)["cells"].at(0);
  EXPECT_EQ(std::string_view(cell["outcome"]), "prevented");
  EXPECT_EQ(std::string_view(cell["by"]), "BUSY_SNAPSHOT");
  EXPECT_EQ(std::string_view(cell["ends"].at(0)), "aborted");
  const simdjson::dom::element update = cell["transcript"].at(4);
  EXPECT_EQ(std::string_view(update["sql"]), "update test set value = 15 where id = 1");
  EXPECT_EQ(std::uint64_t(update["changed"]), 1U);
}

TEST(ProbeVerb, AScenarioOfOnesOwnRunsAndDecidesTheExitStatus) {
  const Scratch scratch;
  const std::string mine = scratch.file("mine.scenario", kScenario);
  const Answer a = isolde({"probe", "--scenario", mine, "--level", "wal deferred", "--transcript"});
  EXPECT_EQ(a.status, 1) << a.err;
  EXPECT_NE(a.out.find("mine at wal deferred: —  (a scenario of my own)\n  T1  select value from test"),
            std::string::npos)
      << a.out;
  EXPECT_NE(a.out.find("NOT KEPT"), std::string::npos) << a.out;
  // Twice, and with commas: the same.
  const Answer both =
      isolde({"probe", "--scenario", mine, "--scenario", mine + "," + mine, "--level", "ru", "--quiet"});
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_EQ(both.out.find("case"), std::string::npos) << both.out;
}

TEST(ProbeVerb, ABadScenarioFileIsToldByItsPlace) {
  const Scratch scratch;
  const std::string bad = scratch.file("bad.scenario", "scenario a\ntitel b\n");
  const Answer a = isolde({"probe", "--scenario", bad});
  EXPECT_EQ(a.status, 2);
  EXPECT_TRUE(a.err.starts_with(bad + ":2:1: expected \"scenario\", \"title\"")) << a.err;
}

TEST(ProbeVerb, WhatDoesNotExistIsToldWithWhatDoes) {
  const Answer name = isolde({"probe", "--only", "G2item"});
  EXPECT_EQ(name.status, 2);
  EXPECT_NE(name.err.find("G2-item"), std::string::npos) << name.err;
  const Answer level = isolde({"probe", "--level", "wal"});
  EXPECT_EQ(level.status, 2);
  EXPECT_NE(level.err.find("\"wal deferred\""), std::string::npos) << level.err;
  const Answer url = isolde({"probe", "nosuch:x"});
  EXPECT_EQ(url.status, 2);
  EXPECT_EQ(isolde({"probe", "sqlite:/no/such/folder/file.db"}).status, 2);
}

TEST(ProbeVerb, TheScenariosCanBeListed) {
  const Answer a = isolde({"probe", "--list"});
  EXPECT_EQ(a.status, 0);
  EXPECT_NE(a.out.find("G2-fekete: read-only transaction anomaly"), std::string::npos) << a.out;
  EXPECT_EQ(isolde({"probe", "--list", "--json"}).status, 0);
}

}  // namespace probe_test
}  // namespace isolde::test
