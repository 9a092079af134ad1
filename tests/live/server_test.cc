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
#include <map>
#include <thread>

#include "db/server_place.h"
#include "db/url.h"
#include "tests/cli/run_program.h"
#include "tests/live/postgres_15_3.h"
#include "tests/support/comes_true.h"

namespace isolde::db {
namespace server_test {

namespace fs = std::filesystem;

// The client program that comes with the server: nothing of ours is between us and it.
test::Answer ask(const std::string& url, const std::string& sql) {
  const Url parsed = *parse_url(url);
  const std::string port = std::to_string(parsed.port);
  if (parsed.scheme == "postgres") {
    return test::run_program(
        {"psql", "-X", "-A", "-t", "-h", "127.0.0.1", "-p", port, "-U", "isolde", "-c", sql, "isolde"});
  }
  return test::run_program({"mariadb", "--no-defaults", "--protocol=tcp", "-N", "-h", "127.0.0.1", "-P", port, "-u",
                            "isolde", "-e", sql, "isolde"});
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
    EXPECT_EQ(answer(*server, "show listen_addresses"), "127.0.0.1");
  } else {
    EXPECT_EQ(answer(*server, "select @@innodb_snapshot_isolation"), "1");
    EXPECT_EQ(answer(*server, "select @@log_bin, @@binlog_format, @@bind_address"), "1\tROW\t127.0.0.1");
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
  const std::uint16_t port = parse_url(server->url())->port;
  EXPECT_TRUE(fs::exists(folder));
  server.reset();
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_FALSE(greeting(port, Milliseconds(0)));
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
  EXPECT_TRUE(greeting(parsed->port, Milliseconds(0)));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(test::comes_true([&] { return !greeting(parsed->port, Milliseconds(0)); }));
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
