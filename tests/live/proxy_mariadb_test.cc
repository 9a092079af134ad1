// tests/live/proxy_mariadb_test.cc: MariaDB with and without a proxy before it: clients see the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "hunt/generate/generate.h"
#include "hunt/hunt.h"
#include "tests/live/proxy_mariadb_twins.h"
#include "tests/support/effort.h"

namespace isolde::test {
namespace proxy_mariadb_test {

using NoneUnreadable = decltype(proxy::Counts::unreadable);

TEST(ProxyMariadb, StatementsOfEveryKindAreAnsweredAlike) {
  MariadbTwins twins;
  for (const char* const sql :
       {"create table t (id int primary key auto_increment, v varchar(200), n decimal(10,3), d datetime, b blob)",
        "insert into t (v, n) values ('a', 1.5), ('b', null)",
        "insert into t (v) values ('c')",
        "insert into t values (1, 'x', 1, now(), '')",
        "select * from t order by id",
        "select id as x, t.v, 1 + 1, count(*) over () from t as z join t using (id) order by 1",
        "",
        ";",
        "select 1; select 2; insert into t (v) values ('d'); select v from t where id = 4; selec 5; select 6",
        "select * from nowhere",
        "select 'unclosed",
        "begin",
        "update t set v = 'y' where id < 3",
        "savepoint s",
        "delete from t",
        "rollback to s",
        "commit",
        "set autocommit = 0; select count(*) from t; update t set n = 2 where id = 1",
        "rollback",
        "set autocommit = 1",
        "start transaction with consistent snapshot",
        "select id from t where id = 1 for update",
        "create table u (a int)",
        "show tables",
        "show create table u",
        "show warnings",
        "explain select * from t where id = 1",
        "insert into t (id, v) values (1, 'q') on duplicate key update v = 'r'",
        "replace into t (id, v) values (2, 'z')",
        "insert ignore into t (id, v) values (2, 'z'), (30, 'w')",
        "insert into t (v) values ('ret') returning id, v",
        "delete from t where id = 30 returning v",
        "create procedure p() begin select 1; select 2, 3; update t set v = 'p' where id = 1; end",
        "call p()",
        "create function f() returns int return 7",
        "select f()",
        "prepare s from 'select ? + 1'",
        "set @a = 5",
        "execute s using @a",
        "deallocate prepare s",
        "set names latin1; select 'é'; set names utf8mb4",
        "set transaction isolation level serializable",
        "analyze table t",
        "lock tables t write; unlock tables",
        "select repeat('x', 70000), null, '' from t limit 3",
        "select sleep(0.01)",
        "kill query 999999999",
        "flush tables",
        "select * from t where v = 'ü'",
        "truncate t",
        "drop table t, u",
        "use mysql",
        "select database()"})
    twins.query(sql);
  EXPECT_EQ(twins.stop().unreadable, NoneUnreadable{});
}

TEST(ProxyMariadb, PreparedStatementsAreAnsweredAlike) {
  MariadbTwins twins;
  twins.query("create table t (id int primary key, v varchar(100), f double, d datetime(6), b bigint unsigned)");
  twins.execute("insert into t values (?, ?, 1.25, '2020-01-02 03:04:05.5', 18446744073709551615)", {"1"}, 2);
  twins.execute("insert into t (id, v) values (?, ?)", {"2", "two"});
  twins.execute("insert into t (id, v) select seq, seq from seq_10_to_200");
  twins.execute("select * from t where id = ?", {"1"}, 3);
  twins.execute("select * from t order by id", {}, 2, 7);
  twins.execute("select * from t where id > ? order by id", {"150"}, 2, 1000);
  twins.execute("update t set v = concat(v, ?) where id < ?", {"x", "20"});
  twins.execute("select * from nowhere");
  twins.execute("selec");
  twins.execute("set @x = ?", {"5"});
  twins.execute("delete from t");
  twins.execute("call nothing()");
  EXPECT_EQ(twins.stop().unreadable, NoneUnreadable{});
}

// Data in pieces, a reset, a change of user, pings, other databases.
TEST(ProxyMariadb, OtherCommandsAreAnsweredAlike) {
  MariadbTwins twins;
  const std::string user = db::parse_url(mariadb()->superuser_url())->user;
  twins.query("create table t (id int, v longtext)");
  for (MariadbClient* const client : {&twins.direct(), &twins.proxied()}) {
    MYSQL* const handle = client->handle();
    MYSQL_STMT* const statement = mysql_stmt_init(handle);
    const std::string sql = "insert into t values (1, ?)";
    ASSERT_EQ(mysql_stmt_prepare(statement, sql.data(), sql.size()), 0);
    MYSQL_BIND bind{};
    bind.buffer_type = MYSQL_TYPE_STRING;
    ASSERT_FALSE(mysql_stmt_bind_param(statement, &bind));
    const std::string piece(100'000, 'p');
    for (int i = 0; i < 3; ++i) ASSERT_FALSE(mysql_stmt_send_long_data(statement, 0, piece.data(), piece.size()));
    ASSERT_EQ(mysql_stmt_execute(statement), 0) << mysql_stmt_error(statement);
    ASSERT_FALSE(mysql_stmt_reset(statement));
    mysql_stmt_close(statement);
    EXPECT_EQ(mysql_ping(handle), 0);
    EXPECT_NE(mysql_stat(handle), nullptr);
    EXPECT_EQ(mysql_set_server_option(handle, MYSQL_OPTION_MULTI_STATEMENTS_OFF), 0);
    EXPECT_EQ(mysql_set_server_option(handle, MYSQL_OPTION_MULTI_STATEMENTS_ON), 0);
    EXPECT_EQ(mysql_reset_connection(handle), 0) << mysql_error(handle);
    EXPECT_EQ(mysql_select_db(handle, "mysql"), 0);
    MYSQL_RES* const processes = mysql_list_processes(handle);
    EXPECT_NE(processes, nullptr);
    mysql_free_result(processes);
    const char* const database = client == &twins.direct() ? "isolde_direct" : "isolde_proxied";
    EXPECT_FALSE(mysql_change_user(handle, user.c_str(), "", database)) << mysql_error(handle);
    MYSQL_RES* const fields = mysql_list_fields(handle, "t", nullptr);
    ASSERT_NE(fields, nullptr) << mysql_error(handle);
    EXPECT_EQ(mysql_num_fields(fields), 2U);
    mysql_free_result(fields);
  }
  twins.query("select id, length(v) from t");
  EXPECT_EQ(twins.stop().unreadable, NoneUnreadable{});
}

TEST(ProxyMariadb, FilesOfTheClientAreSentThrough) {
  MariadbTwins twins;
  const Scratch scratch;
  {
    std::ofstream file(scratch.path("rows"));
    for (int i = 0; i < 20'000; ++i) file << i << "\trow number " << i << "\n";
  }
  twins.query("create table t (id int primary key, v varchar(100))");
  twins.query(fmt::format("load data local infile '{}' into table t", scratch.path("rows")));
  twins.query(fmt::format("load data local infile '{}' into table t", scratch.path("missing")));
  twins.query("select count(*), sum(id), min(v) from t");
  EXPECT_EQ(twins.stop().unreadable, NoneUnreadable{});
}

TEST(ProxyMariadb, PacketsOfMoreThan16MegabytesAreOne) {
  MariadbClient admin(0, "");
  admin.query("set global max_allowed_packet = 1073741824");
  {
    MariadbTwins twins;
    twins.query("select length('" + std::string(17 << 20, 'a') + "')");
    twins.query("select repeat('b', 33554432), 1");
    twins.query("select repeat('c', 16777211)");  // the row is as long as a packet can be
    twins.query("select 2");
    EXPECT_EQ(twins.stop().unreadable, NoneUnreadable{});
  }
  admin.query("set global max_allowed_packet = 16777216");
}

TEST(ProxyMariadb, CompressionIsNotOfferedAndNobodyMissesIt) {
  MariadbTwins twins({}, CLIENT_COMPRESS);
  twins.query("select repeat('x', 100000)");
  EXPECT_EQ(twins.stop().unreadable, NoneUnreadable{});
}

TEST(ProxyMariadb, TheCommandLineClientRunsUnchanged) {
  RunningProxy proxy(mariadb()->superuser_url(), {});
  const std::string user = db::parse_url(mariadb()->superuser_url())->user;
  const auto ask = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"mariadb", "-h", "127.0.0.1", "-P", proxy.port(), "-u", user, "-t", "-v"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  };
  const Answer plain = ask({"-e", "select 6 * 7 as answer; show databases like 'mysql'"});
  EXPECT_EQ(plain.status, 0) << plain.err;
  EXPECT_NE(plain.out.find("42"), std::string::npos) << plain.out;
  EXPECT_EQ(ask({"--compress", "-e", "select 1"}).status, 0);
  const Answer insists = ask({"--ssl-verify-server-cert", "--ssl", "-e", "select 1"});
  EXPECT_NE(insists.status, 0) << insists.out;
  EXPECT_EQ(proxy.stop().unreadable, NoneUnreadable{});
}

TEST(ProxyMariadb, PasswordsPassThroughWhateverThePlugin) {
  MariadbClient admin(0, "");
  admin.query("install soname 'auth_ed25519'");
  RunningProxy proxy(mariadb()->superuser_url(), {});
  for (const char* const plugin : {"mysql_native_password", "ed25519"}) {
    admin.query("drop user if exists wire@localhost");
    const std::string made =
        admin.query(fmt::format("create user wire@localhost identified via {} using password('secret')", plugin));
    ASSERT_TRUE(made.starts_with("changed")) << made;
    for (const bool right : {true, false}) {
      MYSQL* const handle = mysql_init(nullptr);
      const bool in = mysql_real_connect(handle, "127.0.0.1", "wire", right ? "secret" : "wrong", nullptr,
                                         static_cast<unsigned>(std::stoul(proxy.port())), nullptr, 0) != nullptr;
      EXPECT_EQ(in, right) << plugin << ": " << mysql_error(handle);
      mysql_close(handle);
    }
  }
  admin.query("drop user wire@localhost");
  EXPECT_EQ(proxy.stop().unreadable, NoneUnreadable{});
}

TEST(ProxyMariadb, StatementsThatTheHuntDrawsAreAnsweredAlike) {
  hunt::GenerateOptions options{.dialect = "mariadb", .server_version = 101100};
  options.features = 30;
  const auto generator = hunt::make_generator(options);
  MariadbTwins twins;
  std::size_t statements = 0;
  const std::uint64_t count = effort::tries(100), first = effort::seed(0);
  for (std::uint64_t i = 0; i < count && !::testing::Test::HasFatalFailure(); ++i) {
    if (i % 10 == 0) {
      for (const char* const name : {"isolde_direct", "isolde_proxied"}) {
        MariadbClient& client = name[7] == 'd' ? twins.direct() : twins.proxied();
        client.query(fmt::format("create or replace database {0}; use {0}", name));
      }
      for (const std::string& sql : hunt::creation(generator->schema(first + i), "mariadb")) twins.query(sql);
    }
    for (const hunt::Transaction& transaction : generator->test(first + 1'000'000 + i).transactions) {
      twins.query("begin");
      for (const hunt::Statement& statement : transaction.statements) {
        if (++statements % 2 == 0) {
          twins.query(statement.sql);
        } else {
          twins.execute(statement.sql);
        }
      }
      twins.query("commit");
    }
  }
  EXPECT_TRUE(count < 10 || statements >= count * 5) << statements << " in " << count;
  EXPECT_EQ(twins.stop().unreadable, NoneUnreadable{});
}

}  // namespace proxy_mariadb_test
}  // namespace isolde::test
