// The scripts of bug reports run with the database's own client alone, and show what the finding says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/scratch_folder.h"
#include "db/url.h"
#include "hunt/finding/finding_file.h"
#include "hunt/hunt.h"
#include "hunt/session_script.h"
#include "tests/live/shared_server.h"

namespace isolde::test {
namespace hunt_script_test {

bool is_installed(const std::string& program) {
  return std::system(fmt::format("command -v {} >/dev/null 2>&1", program).c_str()) ==
         0;  // NOLINT(concurrency-mt-unsafe)
}

// What it prints, its errors included.
std::string output_of(const std::string& script, const std::string& arguments) {
  const std::string folder = make_scratch_folder("hunt-script");
  const std::string file = folder + "/reproduce.sh";
  std::ofstream(file) << script;
  std::string text;
  FILE* const out = popen(fmt::format("bash {} {} 2>&1", file, arguments).c_str(), "r");
  if (out == nullptr) return "cannot be started";
  char buffer[4096];
  for (std::size_t got = 0; (got = fread(buffer, 1, sizeof buffer, out)) > 0;) text.append(buffer, got);
  pclose(out);
  std::filesystem::remove_all(folder);
  return text;
}

// Arguments of the client that lead to the shared server.
std::string arguments_for(const std::string& kind) {
  const db::Server* const server = shared_server({kind, "", hunt::fast_settings(kind)});
  if (server == nullptr) return {};
  const auto url = db::parse_url(server->url());
  if (kind == "postgres")
    return fmt::format("-h {} -p {} -U {} -d {}", url->host, url->port == 0 ? 5432 : url->port, url->user,
                       url->database);
  return fmt::format("-S {}/mariadb.sock -u {} {}", url->host, url->user, url->database);
}

hunt::Finding finding_named(const std::string& name) {
  auto finding = hunt::read_finding(std::string(ISOLDE_SOURCE_DIR "/tests/corpus/hunt/") + name + ".finding");
  EXPECT_TRUE(finding) << finding.error().message();
  return finding ? *std::move(finding) : hunt::Finding();
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(HuntScript, RunsWithPsqlAlone) {
  if (!is_installed("psql")) GTEST_SKIP() << "no psql";
  const hunt::Finding finding = finding_named("postgres_15_3_merge_lost_update");
  const std::string out = output_of(hunt::session_script(finding), arguments_for("postgres"));
  EXPECT_TRUE(has(out, "PostgreSQL 1")) << out;
  EXPECT_TRUE(has(out, "session 1") && has(out, "session 2") && has(out, "At the end:")) << out;
  // This server is sound: the second MERGE is refused.
  EXPECT_TRUE(has(out, "could not serialize access")) << out;
}

TEST(HuntScript, RunsWithMariadbAloneAndShowsTheBug) {
  if (!is_installed("mariadb")) GTEST_SKIP() << "no mariadb";
  const hunt::Finding finding = finding_named("mariadb_index_misses_conflict");
  const std::string out = output_of(hunt::session_script(finding), arguments_for("mariadb"));
  EXPECT_TRUE(has(out, "MariaDB")) << out;
  EXPECT_TRUE(has(out, "session 1") && has(out, "session 2") && has(out, "At the end:")) << out;
  EXPECT_FALSE(has(out, "ERROR 1064")) << out;
}

// Two more of MariaDB and PostgreSQL, which show what their findings say on the versions that have the bug.
TEST(HuntScript, ShowsWhatTheFindingSays) {
  struct Shown {
    const char *kind, *finding, *program, *version, *there;
  };
  for (const Shown& shown :
       {Shown{"mariadb", "mariadb_covering_index_too_new", "mariadb", "10.11.19", "At the end:\n16\t1004\t1\n"},
        Shown{"postgres", "postgres_merge_partitioned_subplan", "psql", "PostgreSQL 15.18",
              "SubPlan found with no parent plan"}}) {
    if (!is_installed(shown.program)) continue;
    const std::string out = output_of(hunt::session_script(finding_named(shown.finding)), arguments_for(shown.kind));
    EXPECT_TRUE(has(out, "session 1") && has(out, "At the end:")) << out;
    EXPECT_FALSE(has(out, "ERROR 1064") || has(out, "syntax error")) << out;
    if (!has(out, shown.version)) continue;
    EXPECT_TRUE(has(out, shown.there)) << out;
  }
}

TEST(HuntScript, SaysSoWhereTheServerCannotBeReached) {
  if (!is_installed("mariadb")) GTEST_SKIP() << "no mariadb";
  const std::string out =
      output_of(hunt::session_script(finding_named("mariadb_index_misses_conflict")), "-S /nowhere/socket");
  EXPECT_TRUE(has(out, "The server cannot be reached.")) << out;
  EXPECT_FALSE(has(out, "session 1")) << out;
}

TEST(HuntScript, RunsWithSqliteAlone) {
  if (!is_installed("sqlite3") || !is_installed("stdbuf")) GTEST_SKIP() << "no sqlite3";
  hunt::Finding finding;
  finding.dialect = "sqlite";
  finding.server = "SQLite 3.40.1";
  finding.level = "wal deferred";
  hunt::Table table;
  table.name = "hunt_t0";
  table.columns = table.inserted = {"pkey", "vkey", "c0"};
  table.columns.emplace_back("c1");
  table.create = "create table hunt_t0 (pkey integer primary key, vkey integer, c0 integer, c1 integer)";
  table.rows = {{"1", "1", "10"}};
  table.trigger = {"c1", "c0"};
  finding.test.schema.tables = {table};
  finding.test.schema.drops = {"drop table if exists hunt_t0"};
  hunt::Statement update;
  update.kind = hunt::StatementKind::kUpdate;
  update.sql = "update hunt_t0 set vkey = 1001, c0 = c0 + 1 where pkey = 1";
  update.undone = "delete from hunt_t0";
  update.sent = hunt::Sent::kSavepoint;
  update.reads = update.writes = {"hunt_t0"};
  update.version = 1001;
  finding.test.transactions.push_back({{update}, true});
  finding.test.order = {0, 0};
  const std::string out = output_of(hunt::session_script(finding), "");
  EXPECT_TRUE(has(out, "savepoint hunt_undone") && has(out, "rollback to savepoint hunt_undone")) << out;
  EXPECT_TRUE(has(out, "At the end:\npkey|vkey|c0|c1\n1|1001|11|12")) << out;
  EXPECT_FALSE(has(out, "rror")) << out;
}

}  // namespace hunt_script_test
}  // namespace isolde::test
