// Small applications from the trace to the run: stories whose rows used to be wrong, and runs that prove nothing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "audit/audit.h"
#include "db/server.h"
#include "db/url.h"
#include "tests/live/shared_server.h"

namespace isolde::audit {
namespace audit_confirm_stories_test {

db::Database* postgres() {
  static std::unique_ptr<db::Database> database;
  if (database != nullptr) return database.get();
  db::Server* const server = test::shared_server({.kind = "postgres", .binaries = {}, .settings = {}});
  if (server == nullptr) return nullptr;
  auto opened = db::open_database(*db::parse_url(server->url()));
  EXPECT_TRUE(opened);
  if (opened) database = *std::move(opened);
  return database.get();
}

std::unique_ptr<Audit> audit_of(std::string_view ddl, std::string_view sql, const AuditOptions& options) {
  const std::string path = ::testing::TempDir() + "isolde_confirm_" + std::to_string(::getpid()) + ".sql";
  std::ofstream(path) << sql;
  auto schema = read_schema_text(ddl, "schema.sql");
  EXPECT_TRUE(schema);
  auto audit = audit_trace(path, *std::move(schema), {}, options);
  std::filesystem::remove(path);
  EXPECT_TRUE(audit);
  return *std::move(audit);
}

// Of the first anomaly.
Confirmation confirmation(const Audit& audit) {
  EXPECT_FALSE(audit.anomalies.empty());
  db::Database* const database = postgres();
  if (audit.anomalies.empty() || database == nullptr) return {};
  auto result =
      confirm(audit.anomalies[0], audit.classes, audit.log, *database, {.level = audit.options.level, .rows = 3});
  EXPECT_TRUE(result) << result.error().text;
  return result ? *std::move(result) : Confirmation{};
}

std::string told(const Run& run) {
  std::string text = run.level + ": " + run.why + "\n";
  for (const ConfirmedStep& step : run.steps)
    text += "  T" + std::to_string(step.member + 1) + ": " + step.sql + "  -- " + step.answer + "\n";
  return text;
}

constexpr std::string_view kRows = "CREATE TABLE a (id int PRIMARY KEY, v int, version int);";

TEST(AuditStories, TwoThatReadBothRowsAndWriteOneEachGoWrongUnderSnapshots) {
  AuditOptions options;
  options.level = WeakLevel::kSnapshotIsolation;
  const auto audit =
      audit_of(kRows,
               "-- session 1\nBEGIN; SELECT v FROM a WHERE id = 1; SELECT v FROM a WHERE id = 2; UPDATE a "
               "SET v = 0 WHERE id = 1; COMMIT;\n"
               "-- session 2\nBEGIN; SELECT v FROM a WHERE id = 1; SELECT v FROM a WHERE id = 2; UPDATE a "
               "SET v = 0 WHERE id = 2; COMMIT;\n",
               options);
  const Confirmation found = confirmation(*audit);
  EXPECT_TRUE(found.confirmed()) << told(found.at_level) << told(found.at_serializable);
}

TEST(AuditStories, ARunInWhichAnUpdateFindsNoRowConfirmsNothing) {
  AuditOptions options;
  options.graph.rechecks = false;  // told all the same, to see that the run says no
  const auto audit =
      audit_of(kRows,
               "-- session 1\nBEGIN; SELECT v FROM a WHERE id = 2; UPDATE a SET v = 35 WHERE id = 2 AND v = "
               "20; COMMIT;\n"
               "-- session 2\nBEGIN; SELECT v FROM a WHERE id = 3; UPDATE a SET v = 45 WHERE id = 3 AND v = "
               "30; COMMIT;\n",
               options);
  const Confirmation found = confirmation(*audit);
  EXPECT_FALSE(found.confirmed()) << told(found.at_level) << told(found.at_serializable);
  EXPECT_NE(found.at_level.happened, Happened::kYes) << told(found.at_level);
}

TEST(AuditStories, ATransactionThatSaysItsLevelRunsAtIt) {
  const auto audit =
      audit_of(kRows,
               "-- session 1\nBEGIN ISOLATION LEVEL SERIALIZABLE; SELECT v FROM a WHERE id = 1; UPDATE a SET "
               "v = 5 WHERE id = 1; COMMIT;\n"
               "-- session 2\nBEGIN; SELECT v FROM a WHERE id = 1; UPDATE a SET v = 6 WHERE id = 1; COMMIT;\n",
               {});
  const Confirmation found = confirmation(*audit);
  EXPECT_TRUE(found.confirmed()) << told(found.at_level) << told(found.at_serializable);
}

}  // namespace audit_confirm_stories_test
}  // namespace isolde::audit
