#include "probe/probe.h"

#include <gtest/gtest.h>

#include "probe/render.h"
#include "tests/support/expected_table.h"

namespace isolde::probe {
namespace probe_test {

std::unique_ptr<db::Database> scratch(std::string_view url = "sqlite:") {
  auto database = db::open_database(*db::parse_url(url));
  return database ? *std::move(database) : nullptr;
}

std::string probe_error(std::string_view run, std::string_view table = "table t (id int)\n  1\n") {
  const std::string text = "scenario S\ntitle t\nbreaks ser\n" + std::string(table) + "run\n" + std::string(run) +
                           "\nhappened if T1 committed\n";
  auto scenario = parse_scenario(text, "s");
  if (!scenario) return scenario.error().message();
  const auto database = scratch();
  const auto findings = probe(*database, {&*scenario, 1}, {});
  return findings ? mark_of(findings->levels[0].findings[0]) : findings.error().message();
}

TEST(Probe, SqliteDoesWhatItIsKnownToDo) {
  const auto scenarios = built_in_scenarios();
  ASSERT_TRUE(scenarios) << scenarios.error().message();
  const auto database = scratch();
  ProbeOptions options;
  options.patience = std::chrono::seconds(30);  // the machine may be busy
  const auto findings = probe(*database, *scenarios, options);
  ASSERT_TRUE(findings) << findings.error().message();
  EXPECT_TRUE(findings->database.starts_with("SQLite 3.")) << findings->database;
  EXPECT_EQ(test::differences("sqlite.txt", *findings, *scenarios), "");
}

TEST(Probe, OnlyTheLevelsThatWereAskedFor) {
  auto scenarios = built_in_scenarios();
  ASSERT_TRUE(scenarios);
  const auto database = scratch();
  ProbeOptions options;
  options.levels = {*db::level_named(*database, "wal immediate"), *db::level_named(*database, "read-uncommitted")};
  const auto findings = probe(*database, {scenarios->data(), 2}, options);
  ASSERT_TRUE(findings) << findings.error().message();
  ASSERT_EQ(findings->levels.size(), 2U);
  EXPECT_EQ(findings->levels[0].level->name, "wal immediate");
  EXPECT_EQ(findings->levels[1].level->name, "shared-cache read_uncommitted deferred");
  EXPECT_EQ(findings->levels[0].findings.size(), 2U);
}

TEST(Probe, ItsTablesAreGoneAfterwards) {
  auto scenarios = built_in_scenarios();
  ASSERT_TRUE(scenarios);
  const auto database = scratch();
  ASSERT_TRUE(probe(*database, {scenarios->data(), 3}, {}));
  auto connection = database->connect(database->levels().front());
  ASSERT_TRUE(connection);
  const auto left = (*connection)->run("select name from sqlite_master");
  ASSERT_TRUE(left);
  EXPECT_EQ(left->rows(), 0U);
}

TEST(Probe, AFaultNamesTheScenarioItsLineAndTheDatabasesWords) {
  const std::string wrong_sql = probe_error("  T1: selec * from t");
  EXPECT_TRUE(wrong_sql.starts_with("s:7: S at delete deferred: ")) << wrong_sql;
  EXPECT_NE(wrong_sql.find("syntax error"), std::string::npos) << wrong_sql;
  const std::string wrong_table = probe_error("  T1: select * from t", "table t (id, id)\n");
  EXPECT_TRUE(wrong_table.starts_with("s: S at delete deferred: ")) << wrong_table;
  EXPECT_NE(wrong_table.find("duplicate column"), std::string::npos) << wrong_table;
  EXPECT_EQ(probe_error("  T1: select * from t\n  T1: commit"), "—");
}

TEST(Probe, AStepThatGivesNoAnswerLeavesTheCellUndecided) {
  auto scenarios = built_in_scenarios();
  ASSERT_TRUE(scenarios);
  const auto database = scratch("sqlite:?timeout=60000");
  ProbeOptions options;
  options.levels = {*db::level_named(*database, "wal immediate")};
  options.patience = std::chrono::milliseconds(1000);
  const auto findings = probe(*database, {scenarios->data(), 1}, options);
  ASSERT_TRUE(findings) << findings.error().message();
  EXPECT_EQ(mark_of(findings->levels[0].findings[0]), "?");
}

}  // namespace probe_test
}  // namespace isolde::probe
