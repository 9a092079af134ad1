// Files that came from somebody, run by the command on real servers: hostile ones are refused at their line and do
// nothing, and a finding is replayed at its level and with the settings that it states.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "db/database.h"
#include "hunt/hunt.h"
#include "tests/cli/run_program.h"
#include "tests/live/shared_server.h"

namespace isolde::test {
namespace hunt_files_test {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string corpus(const std::string& name) { return ISOLDE_SOURCE_DIR "/tests/corpus/hunt/" + name + ".finding"; }

// The corpus file with one text replaced.
std::string changed(const std::string& name, const std::string& from, const std::string& to) {
  std::string text = content_of(corpus(name));
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

// A database with a table of somebody's, users, in it.
class FilesOn : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string kind = GetParam();
    url_ = "sqlite:" + scratch_.path("users.db");
    if (kind != "sqlite") {
      const db::Server* const server = shared_server({kind, "", hunt::fast_settings(kind)});
      ASSERT_NE(server, nullptr);
      url_ = server->url();
    }
    database_ = *db::open_database(*db::parse_url(url_));
    for (const char* const sql :
         {"drop table if exists users", "create table users (id bigint)", "insert into users values (7)"}) {
      const auto reply = asked(sql);
      ASSERT_TRUE(reply && reply->done()) << sql;
    }
  }
  void TearDown() override {
    if (database_) (void)asked("drop table users");
  }

  // On a connection of its own: one that stays would keep an SQLite file's journal mode from being changed.
  [[nodiscard]] Result<db::Reply> asked(const std::string& sql) {
    const auto level = db::level_named(*database_, "serializable");
    if (!level) return level.error();
    auto connection = database_->connect(**level);
    if (!connection) return std::move(connection).error();
    return (*connection)->run(sql);
  }

  // What a program or a server would write, if it came to that; anybody may.
  [[nodiscard]] std::string written() const { return "/tmp/isolde-hostile-" + std::to_string(getpid()); }
  [[nodiscard]] std::vector<std::string> hostile() const {
    const std::string kind = GetParam();
    std::vector<std::string> all = {"drop table users", "delete from users", "update users set id = 8",
                                    "insert into users values (8)"};
    if (kind == "postgres") {
      all.push_back("copy hunt_t0 from program 'touch " + written() + "'");
      all.push_back("copy (select 1) to '" + written() + "'");
      all.emplace_back("select set_config('search_path', 'public', false)");
      all.emplace_back("drop table public.users");
    } else if (kind == "mariadb") {
      all.push_back("select 1 into outfile '" + written() + "'");
      all.emplace_back("drop table isolde.users");
      all.emplace_back("use isolde");
    } else {
      all.push_back("attach '" + written() + "' as other");
      all.push_back("vacuum into '" + written() + "'");
    }
    return all;
  }
  void nothing_was_done(const std::string& sql) {
    EXPECT_FALSE(fs::exists(written())) << sql;
    const auto reply = asked("select id from users");
    ASSERT_TRUE(reply && reply->rows() == 1) << sql;
    EXPECT_EQ(reply->at(0, 0), db::Cell(std::int64_t{7})) << sql;
  }

  const Scratch scratch_;
  std::string url_;
  std::unique_ptr<db::Database> database_;
};

INSTANTIATE_TEST_SUITE_P(Databases, FilesOn, ::testing::Values("postgres", "mariadb", "sqlite"),
                         [](const auto& kind) { return std::string(kind.param); });

// The statement stands in line 9.
std::string finding_with(const std::string& dialect, const std::string& sql) {
  return "finding result\nserver somebody's\ndialect " + dialect + "\nlevel " +
         (dialect == "sqlite" ? "wal deferred" : "read committed") +
         "\ntable hunt_t0 (pkey, vkey)\n  sql: create table hunt_t0 (pkey bigint primary key, vkey bigint)\nrun\n"
         "  T1: select pkey from hunt_t0\n  T1: " +
         sql +
         "\n  T1: commit\nexpected\n  | 1\nactual\n  | 2\nstatements\n  T1.1 select, reads hunt_t0\n"
         "  T1.2 select, reads hunt_t0\n";
}

TEST_P(FilesOn, AHostileFindingIsRefusedAtItsLineAndDoesNothing) {
  for (const std::string& sql : hostile()) {
    const std::string file = scratch_.file("hostile.finding", finding_with(GetParam(), sql));
    const Answer a = isolde({"hunt", url_, "--replay", file});
    EXPECT_EQ(a.status, 2) << sql << a.out;
    EXPECT_TRUE(has(a.err, file + ":9: is not run: " + sql)) << a.err;
    EXPECT_TRUE(has(a.err, "--trust-file")) << a.err;
    nothing_was_done(sql);
  }
}

TEST_P(FilesOn, AHostileScenarioIsRefusedAtItsLineAndDoesNothing) {
  for (const std::string& sql : hostile()) {
    const std::string file = scratch_.file(
        "hostile.scenario",
        "scenario hostile\ntitle t\nbreaks serializable\n\ntable test (id int primary key, value int)\n  1, 10\nrun\n"
        "  T1: " +
            sql + "\n  T1: commit\n\nhappened if T1 committed\n");
    const Answer a = isolde({"probe", url_, "--scenario", file});
    EXPECT_EQ(a.status, 2) << sql << a.out;
    EXPECT_TRUE(has(a.err, file + ":8: is not run: " + sql)) << a.err;
    EXPECT_TRUE(has(a.err, "--trust-file")) << a.err;
    nothing_was_done(sql);
  }
}

// What the role may not do, or the authorizer denies, is not done either if the user trusts the file.
TEST_P(FilesOn, ATrustedFindingReachesNoFilesOrPrograms) {
  for (const std::string& sql : hostile()) {
    if (!has(sql, written())) continue;
    const std::string file = scratch_.file("trusted.finding", finding_with(GetParam(), sql));
    const Answer a = isolde({"hunt", url_, "--replay", file, "--trust-file"});
    EXPECT_EQ(a.status, 3) << sql << a.out << a.err;
    nothing_was_done(sql);
  }
}

TEST_P(FilesOn, AFindingWhoseTablesAreSomebodysTouchesThemNowhere) {
  std::string text = finding_with(GetParam(), "delete from users");
  for (std::size_t at = text.find("hunt_t0"); at != std::string::npos; at = text.find("hunt_t0"))
    text.replace(at, 7, "users");
  text += "drops\n  sql: drop table if exists users\n";
  const Answer a = isolde({"hunt", url_, "--replay", scratch_.file("users.finding", text)});
  const bool in_its_own_schema = std::string_view(GetParam()) != "sqlite";
  EXPECT_EQ(a.status, in_its_own_schema ? 0 : 3) << a.out << a.err;
  EXPECT_EQ(has(a.out, "a file of its own"), !in_its_own_schema) << a.out;
  nothing_was_done("delete from users");
}

class ReplaySettings : public ::testing::Test {
 protected:
  static std::string url(const std::string& kind, const char* snapshot_isolation = "OFF") {
    auto settings = hunt::fast_settings(kind);
    if (kind == "mariadb") settings["innodb_snapshot_isolation"] = snapshot_isolation;
    const db::Server* const server = shared_server({kind, "", settings});
    return server == nullptr ? "" : server->url();
  }
  const Scratch scratch_;
};

TEST_F(ReplaySettings, AScratchServerIsStartedWithThoseOfTheFinding) {
  for (const bool on : {true, false}) {
    const Answer a = isolde(
        {"hunt", "--replay", corpus(on ? "mariadb_index_misses_conflict" : "mariadb_repeatable_read_lost_update")});
    EXPECT_TRUE(a.status == 1 || (on && a.status == 0)) << a.out << a.err;
    EXPECT_TRUE(has(a.out, on ? "innodb_snapshot_isolation=ON at repeatable read"
                              : "innodb_snapshot_isolation=OFF at repeatable read: seen again"))
        << a.out;
  }
}

TEST_F(ReplaySettings, SessionsAtAUrlGetThoseOfTheFinding) {
  const Answer on = isolde({"hunt", url("mariadb"), "--replay", corpus("mariadb_index_misses_conflict")});
  EXPECT_TRUE(on.status == 0 || on.status == 1) << on.out << on.err;
  EXPECT_TRUE(has(on.out, "innodb_snapshot_isolation=ON at repeatable read")) << on.out;
  const Answer off = isolde({"hunt", url("mariadb", "ON"), "--replay", corpus("mariadb_repeatable_read_lost_update")});
  EXPECT_EQ(off.status, 1) << off.out << off.err;
  EXPECT_TRUE(has(off.out, "innodb_snapshot_isolation=OFF at repeatable read: seen again")) << off.out;
}

TEST_F(ReplaySettings, WhereTheUserAsksForOthersItIsNotRun) {
  const std::string file = corpus("mariadb_index_misses_conflict");
  for (const std::vector<std::string>& where :
       {std::vector<std::string>{url("mariadb") + "?innodb_snapshot_isolation=off"},
        std::vector<std::string>{"--spawn", "mariadb", "--server-settings", "innodb_snapshot_isolation=OFF"}}) {
    std::vector<std::string> args = {"hunt", "--replay", file};
    args.insert(args.end(), where.begin(), where.end());
    const Answer a = isolde(args);
    EXPECT_EQ(a.status, 3) << a.out << a.err;
    EXPECT_TRUE(has(a.out, "it was found with innodb_snapshot_isolation=ON, and here it is OFF")) << a.out;
    args.emplace_back("--markdown");
    EXPECT_FALSE(has(isolde(args).out, "Found by isolde hunt")) << "no bug report is drafted";
  }
}

TEST_F(ReplaySettings, AFindingOfAnotherDatabaseIsNotRun) {
  const std::string file = corpus("mariadb_repeatable_read_lost_update");
  for (const std::vector<std::string>& where :
       {std::vector<std::string>{url("postgres")}, std::vector<std::string>{"--spawn", "postgres"},
        std::vector<std::string>{"sqlite:"}}) {
    std::vector<std::string> args = {"hunt", "--replay", file};
    args.insert(args.end(), where.begin(), where.end());
    const Answer a = isolde(args);
    EXPECT_EQ(a.status, 3) << a.out << a.err;
    EXPECT_TRUE(has(a.out, "it is written for mariadb")) << a.out;
  }
}

TEST_F(ReplaySettings, AnotherMajorVersionOrLevelIsNoted) {
  const std::string file = scratch_.file(
      "old.finding", changed("postgres_15_3_merge_lost_update", "server PostgreSQL 15.3", "server PostgreSQL 9.6"));
  const Answer a = isolde({"hunt", url("postgres"), "--replay", file});
  EXPECT_EQ(a.status, 0) << a.out << a.err;
  EXPECT_TRUE(has(a.out, "note: it was found on PostgreSQL 9, and this is PostgreSQL ")) << a.out;
  const std::string merge = corpus("postgres_15_3_merge_lost_update");
  const Answer other = isolde({"hunt", url("postgres"), "--replay", merge, "--level", "serializable"});
  EXPECT_EQ(other.status, 0) << other.out << other.err;
  EXPECT_TRUE(has(other.out, "note: it was found at repeatable read, and this ran at serializable")) << other.out;
  const Answer same = isolde({"hunt", url("postgres"), "--replay", merge, "--json"});
  EXPECT_TRUE(has(same.out, R"("level": "repeatable read")")) << same.out;
  EXPECT_TRUE(has(same.out, R"("notes": [])")) << same.out;
}

TEST_F(ReplaySettings, ALevelThatTheServerDoesNotHaveCannotBeRun) {
  const std::string file = scratch_.file(
      "level.finding", changed("postgres_15_3_merge_lost_update", "level repeatable read", "level wal deferred"));
  const Answer a = isolde({"hunt", url("postgres"), "--replay", file});
  EXPECT_EQ(a.status, 3) << a.out << a.err;
  EXPECT_TRUE(has(a.out, "\"wal deferred\" is not a level of this database")) << a.out;
  const Answer asked = isolde({"hunt", url("postgres"), "--replay", file, "--level", "perfect"});
  EXPECT_EQ(asked.status, 2) << asked.out << asked.err;
}

}  // namespace hunt_files_test
}  // namespace isolde::test
