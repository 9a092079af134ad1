// tests/live/server_test.cc: scratch servers of both kinds: started, asked, stopped, crashed, and gone with us.
#include "db/server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "db/server_place.h"
#include "db/url.h"
#include "tests/cli/run_program.h"
#include "tests/live/postgres_15_3.h"
#include "tests/support/comes_true.h"

namespace isolde::db {
namespace server_test {

namespace fs = std::filesystem;

std::string socket_of(const Url& url) {
  return url.host + (url.scheme == "postgres" ? "/.s.PGSQL.5432" : "/mariadb.sock");
}

// The client program that comes with the server: nothing of ours is between us and it.
test::Answer ask(const std::string& url, const std::string& sql) {
  const Url at = *parse_url(url);
  if (at.scheme == "postgres") {
    return test::run_program({"psql", "-X", "-A", "-t", "-h", at.host, "-U", at.user, "-c", sql, at.database});
  }
  return test::run_program(
      {"mariadb", "--no-defaults", "-N", "-S", socket_of(at), "-u", at.user, "-e", sql, at.database});
}

std::string answer(const Server& server, const std::string& sql) {
  const test::Answer got = ask(server.url(), sql);
  EXPECT_EQ(got.status, 0) << sql << ": " << got.err << end_of_log(server.log_file());
  return got.out.substr(0, got.out.find_last_not_of('\n') + 1);
}

class ServerOfKind : public ::testing::TestWithParam<const char*> {
 protected:
  static std::unique_ptr<Server> started(std::map<std::string, std::string> settings = {}) {
    Result<std::unique_ptr<Server>> server = start_server({GetParam(), "", std::move(settings)});
    EXPECT_TRUE(server.has_value()) << server.error().message();
    return server ? std::move(*server) : nullptr;
  }
  // One for several tests, since starting one takes most of their time; by a thread that is over when it is used.
  static Server* shared() {
    static std::map<std::string, std::unique_ptr<Server>> servers;
    std::unique_ptr<Server>& server = servers[GetParam()];
    if (server == nullptr) {
      std::thread([&] {
        server = is_postgres() ? started({{"fsync", "on"}}) : started({{"innodb_snapshot_isolation", "ON"}});
      }).join();
    }
    return server.get();
  }
  static bool is_postgres() { return std::string(GetParam()) == "postgres"; }
};

TEST_P(ServerOfKind, WhatWasCommittedOutlivesACrashAndAnOrderlyStop) {
  Server* const server = shared();
  ASSERT_NE(server, nullptr);
  const std::string url = server->url();
  answer(*server, "create table t (id int primary key, v int)");
  answer(*server, "insert into t values (1, 10)");
  ASSERT_TRUE(server->stop(Stop::kCrash));
  EXPECT_NE(ask(url, "select 1").status, 0);
  const Result<void> again = server->start();
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(server->url(), url);
  EXPECT_EQ(answer(*server, "select v from t where id = 1"), "10");
  answer(*server, "insert into t values (2, 20)");
  ASSERT_TRUE(server->stop(Stop::kOrderly));
  EXPECT_FALSE(server->stop(Stop::kOrderly));
  ASSERT_TRUE(server->start());
  EXPECT_FALSE(server->start());
  EXPECT_EQ(answer(*server, "select sum(v) from t"), "30");
}

TEST_P(ServerOfKind, ACrashEndsSessionsThatAreBusy) {
  Server* const server = shared();
  ASSERT_NE(server, nullptr);
  const std::string url = server->url();
  test::Answer busy;
  std::thread client([&] { busy = ask(url, is_postgres() ? "select pg_sleep(600)" : "select sleep(600)"); });
  const std::string count = is_postgres() ? "select count(*) from pg_stat_activity where query like 'select pg_sl%'"
                                          : "select count(*) from information_schema.processlist where info like "
                                            "'select sl%'";
  EXPECT_TRUE(test::comes_true([&] { return answer(*server, count) == "1"; }));
  ASSERT_TRUE(server->stop(Stop::kCrash));
  client.join();
  EXPECT_NE(busy.status, 0);
  ASSERT_TRUE(server->start());
  EXPECT_EQ(answer(*server, "select 7"), "7");
}

TEST_P(ServerOfKind, SettingsAreTheGivenOnesAndTheLogIsKeptForRecovery) {
  Server* const server = shared();
  ASSERT_NE(server, nullptr);
  if (is_postgres()) {
    EXPECT_EQ(answer(*server, "show fsync"), "on");
    EXPECT_EQ(answer(*server, "show wal_level"), "logical");
    EXPECT_EQ(answer(*server, "show server_encoding"), "UTF8");
  } else {
    EXPECT_EQ(answer(*server, "select @@innodb_snapshot_isolation"), "1");
    EXPECT_EQ(answer(*server, "select @@log_bin, @@binlog_format"), "1\tROW");
  }
}

TEST_P(ServerOfKind, ItOutlivesTheThreadThatStartedIt) {
  Server* const server = shared();
  ASSERT_NE(server, nullptr);
  EXPECT_EQ(answer(*server, "select 7"), "7");
  Result<void> done;
  std::thread([&] {
    done = server->stop(Stop::kOrderly);
    if (done) done = server->start();
  }).join();
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(answer(*server, "select 7"), "7");
}

TEST_P(ServerOfKind, NothingIsLeftWhenTheObjectGoes) {
  std::unique_ptr<Server> server = started();
  ASSERT_NE(server, nullptr);
  const fs::path folder = fs::path(server->log_file()).parent_path();
  const std::string socket = socket_of(*parse_url(server->url()));
  EXPECT_TRUE(fs::exists(folder));
  server.reset();
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_FALSE(greeting(socket, Milliseconds(0)));
}

TEST_P(ServerOfKind, NothingIsLeftWhenThisProcessIsKilled) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Result<std::unique_ptr<Server>> server = start_server({GetParam(), "", {}});
    const std::string text = server ? (*server)->url() + "\n" + (*server)->log_file() + "\n" : "\n\n";
    (void)!write(ends[1], text.data(), text.size());
    while (true) pause();
  }
  close(ends[1]);
  FILE* const from = fdopen(ends[0], "r");
  char url[512] = {}, log[512] = {};
  ASSERT_NE(fgets(url, sizeof url, from), nullptr);
  ASSERT_NE(fgets(log, sizeof log, from), nullptr);
  fclose(from);
  const Result<Url> parsed = parse_url(std::string(url, strcspn(url, "\n")));
  ASSERT_TRUE(parsed);
  const fs::path folder = fs::path(log).parent_path();
  EXPECT_TRUE(fs::exists(folder));
  EXPECT_TRUE(greeting(socket_of(*parsed), Milliseconds(0)));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(test::comes_true([&] { return !greeting(socket_of(*parsed), Milliseconds(0)); }));
  EXPECT_TRUE(test::comes_true([&] { return !fs::exists(folder); }));
}

TEST_P(ServerOfKind, ASettingThatTheServerDoesNotKnowIsShownFromItsLog) {
  const Result<std::unique_ptr<Server>> server = start_server({GetParam(), "", {{"no_such_setting", "7"}}});
  ASSERT_FALSE(server);
  EXPECT_NE(server.error().text.find("no_such_setting"), std::string::npos) << server.error().text;
}

TEST_P(ServerOfKind, AFolderWithoutThePrograms) {
  const Result<std::unique_ptr<Server>> server = start_server({GetParam(), "/nowhere", {}});
  ASSERT_FALSE(server);
  EXPECT_NE(server.error().text.find("install the package"), std::string::npos) << server.error().text;
}

// The Internet sockets that processes of this machine listen on, by inode.
std::set<std::string> listening_inodes() {
  std::set<std::string> inodes;
  for (const char* const table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(table);
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      const std::vector<std::string> columns(std::istream_iterator<std::string>(words), {});
      if (columns.size() > 9 && columns[3] == "0A") inodes.insert("socket:[" + columns[9] + "]");
    }
  }
  return inodes;
}

TEST_P(ServerOfKind, NoPortIsOpenAndNobodyElseMayEnterTheFolder) {
  const std::unique_ptr<Server> server = is_postgres()
                                             ? started({{"listen_addresses", "*"}, {"unix_socket_permissions", "0777"}})
                                             : started({{"skip_networking", "OFF"}, {"bind_address", "0.0.0.0"}});
  ASSERT_NE(server, nullptr);
  const std::string folder = parse_url(server->url())->host;
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  const std::set<std::string> listening = listening_inodes();
  int sockets = 0;
  for (const auto& process : fs::directory_iterator("/proc")) {
    std::error_code error;
    if (fs::read_symlink(process.path() / "cwd", error).string().find(fs::path(folder).filename()) == std::string::npos)
      continue;
    for (const auto& open : fs::directory_iterator(process.path() / "fd", error)) {
      const std::string target = fs::read_symlink(open.path(), error).string();
      if (target.starts_with("socket:")) ++sockets;
      EXPECT_FALSE(listening.contains(target)) << GetParam() << " listens on a port";
    }
  }
  EXPECT_GT(sockets, 0) << "the server's processes were looked at";
}

TEST_P(ServerOfKind, AnotherUserOfTheMachineCannotConnect) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  Server* const server = shared();
  ASSERT_NE(server, nullptr);
  const std::string socket = socket_of(*parse_url(server->url()));
  ASSERT_TRUE(greeting(socket, Milliseconds(0)));
  const pid_t child = fork();
  if (child == 0) {
    const bool other = setgid(65534) == 0 && setuid(65534) == 0;
    _exit(!other ? 2 : greeting(socket, Milliseconds(0)) ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_P(ServerOfKind, TheUserOfAWorkloadRunsNoProgramsAndReachesNoFiles) {
  Server* const server = shared();
  ASSERT_NE(server, nullptr);
  const std::vector<std::string> refused =
      is_postgres() ? std::vector<std::string>{"copy (select 1) to program 'true'",
                                               "select pg_read_file('PG_VERSION')",
                                               "copy (select 1) to '/tmp/isolde-no'",
                                               "alter system set fsync = off",
                                               "create role other superuser",
                                               "set role isolde_superuser",
                                               "create temp table x (a text); copy x from program 'echo'"}
                    : std::vector<std::string>{"select 1 into outfile '/tmp/isolde-no'", "set global read_only = 1",
                                               "select 1 from mysql.user", "install soname 'server_audit'",
                                               "grant all on *.* to isolde@localhost"};
  for (const std::string& sql : refused) EXPECT_NE(ask(server->url(), sql).status, 0) << sql;
  EXPECT_EQ(ask(server->superuser_url(), is_postgres() ? "show hba_file" : "select 1 from mysql.user").status, 0);
  EXPECT_FALSE(fs::exists("/tmp/isolde-no"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ServerOfKind, ::testing::Values("postgres", "mariadb"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST(Server, TheOldPostgresFromNpmIsThereAndRuns) {
  const Result<std::unique_ptr<Server>> server = start_server({"postgres", test::kPostgres153, {}});
  ASSERT_TRUE(server) << server.error().message() << "\n`./dev test` installs it";
  EXPECT_EQ(answer(**server, "show server_version"), "15.3");
}

TEST(Server, AnUnknownKindIsNamed) {
  const Result<std::unique_ptr<Server>> server = start_server({"oracle", "", {}});
  ASSERT_FALSE(server);
  EXPECT_NE(server.error().text.find("oracle"), std::string::npos);
}

}  // namespace server_test
}  // namespace isolde::db
