// tests/live/proxy_test.cc: PostgreSQL with and without a proxy before it: clients see the same, byte for byte.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "db/database.h"
#include "hunt/generate/generate.h"
#include "hunt/hunt.h"
#include "tests/cli/run_program.h"
#include "tests/live/proxy_twins.h"
#include "tests/live/shared_server.h"
#include "tests/support/comes_true.h"
#include "tests/support/effort.h"
#include "tests/support/running_proxy.h"
#include "tests/support/wire_client.h"

namespace isolde::test {
namespace proxy_test {

db::Server* server() { return shared_server({"postgres", "", {}}); }

class ProxyTwins : public ::testing::TestWithParam<Recording> {};
INSTANTIATE_TEST_SUITE_P(Both, ProxyTwins, ::testing::Values(Recording::kOff, Recording::kOn),
                         [](const auto& one) { return one.param == Recording::kOn ? "Recorded" : "PassedOn"; });

TEST_P(ProxyTwins, StatementsOfEveryKindAreAnsweredAlike) {
  Twins twins(GetParam());
  for (const char* const sql : {"create table t (id int primary key, v text, n numeric)",
                                "insert into t select i, 'v' || i, i / 3.0 from generate_series(1, 100) i",
                                "select * from t order by id",
                                "",
                                ";",
                                "select 1; select 2; select 3/0; select 4",
                                "select 'unclosed",
                                "begin",
                                "select * from nowhere",
                                "select 1",
                                "rollback",
                                "begin; insert into t values (1000, 'x', 1); commit",
                                "savepoint s",
                                "begin; savepoint s; insert into t values (1, 'x', 1)",
                                "rollback to s",
                                "select count(*) from t",
                                "commit",
                                "update t set v = 'y' where id < 10 returning *",
                                "delete from t where id = 3",
                                "do $$ begin raise notice 'a'; end $$",
                                "do $$ begin raise exception 'b'; end $$",
                                "declare c cursor with hold for select id from t order by id",
                                "fetch 5 from c",
                                "move 2 from c",
                                "fetch backward 3 from c",
                                "close c",
                                "prepare p(int) as select * from t where id = $1",
                                "execute p(7)",
                                "deallocate p",
                                "execute p(7)",
                                "show search_path",
                                "set search_path = pg_catalog",
                                "reset search_path",
                                "explain (costs off) select * from t where id = 1",
                                "copy t to stdout",
                                "copy (select id from t order by id limit 3) to stdout (format binary)",
                                "listen a",
                                "notify a, 'payload'",
                                "unlisten a",
                                "values (1, 'x'), (2, null)",
                                "with q as (select 1 as a) select a, a from q",
                                "create temp table tt (a int)",
                                "truncate t",
                                "drop table t",
                                "set client_encoding = 'latin1'",
                                "select 1",
                                "discard all",
                                "vacuum"})
    twins.query(sql);
  EXPECT_EQ(twins.stop().unreadable, decltype(proxy::Counts::unreadable){});
}

// What pipelines are made of: requests that work, that fail, and that come in odd orders.
std::string random_request(Rng& rng) {
  const std::string name(1, static_cast<char>('a' + rng.below(3)));
  switch (rng.below(12)) {
    case 0:
      return wire_parse(name, "select $1::int + 1");
    case 1:
      return wire_parse(name, rng.below(2) == 0 ? "insert into p values ($1::int) returning a" : "select syntax error");
    case 2:
      return wire_parse("", "select generate_series(1, 10)");
    case 3:
      return wire_bind(name, name, {std::to_string(rng.below(20))}, rng.below(2) == 0);
    case 4:
      return wire_bind("", "", {}, false) + wire_describe('P', "") +
             wire_execute("", static_cast<std::uint32_t>(rng.below(4)));
    case 5:
      return wire_execute(name);
    case 6:
      return wire_describe(rng.below(2) == 0 ? 'S' : 'P', name);
    case 7:
      return wire_close(rng.below(2) == 0 ? 'S' : 'P', name);
    case 8:
      return std::string(kWireFlush);
    case 9:
      return wire_parse("", rng.below(2) == 0 ? "begin" : "commit") + wire_bind("", "") + wire_execute("");
    case 10:
      return wire_parse("", "deallocate all") + wire_bind("", "") + wire_execute("");
    default:
      return wire_parse("", "") + wire_bind("", "") + wire_execute("");
  }
}

TEST_P(ProxyTwins, RandomPipelinesAreAnsweredAlike) {
  Twins twins(GetParam());
  twins.query("create table p (a int)");
  Rng rng(effort::seed(3));
  for (std::uint64_t i = 0; i < effort::tries(150); ++i) {
    std::string bytes;
    std::size_t times = 0;
    for (std::uint64_t part = 1 + rng.below(4); part > 0; --part) {
      for (std::uint64_t request = rng.below(8); request > 0; --request) bytes += random_request(rng);
      bytes += kWireSync;
      ++times;
      if (rng.below(4) == 0) {
        bytes += wire_query(rng.below(2) == 0 ? "select a from p order by a limit 3" : "select 1; select 1/0");
        ++times;
      }
    }
    ASSERT_NO_FATAL_FAILURE(twins.both(bytes, times, fmt::format("pipeline {}", i)));
  }
  EXPECT_EQ(twins.stop().unreadable, decltype(proxy::Counts::unreadable){});
}

TEST_P(ProxyTwins, CopiesInBothProtocolsAreAnsweredAlike) {
  Twins twins(GetParam());
  twins.query("create table c (a int, b text)");
  const std::string data = wire_message('d', "1\tone\n2\ttwo\n") + wire_message('d', "3\tthree\n");
  const std::string done = wire_message('c', "");
  const std::string start = wire_parse("", "copy c from stdin") + wire_bind("", "") + wire_execute("");
  twins.both(wire_query("copy c from stdin") + data + done);
  twins.both(start + std::string(kWireSync) + data + done + std::string(kWireSync));
  twins.both(start + data + wire_message('f', std::string("no more\0", 8)) + std::string(kWireSync));
  twins.both(start + wire_message('d', "not a number\n") + done + std::string(kWireSync));
  twins.both(wire_query("copy nowhere from stdin") + data + done);
  twins.query("select * from c order by a, b");
  EXPECT_EQ(twins.stop().unreadable, decltype(proxy::Counts::unreadable){});
}

TEST_P(ProxyTwins, StatementsThatTheHuntDrawsAreAnsweredAlike) {
  hunt::GenerateOptions options{.dialect = "postgres", .server_version = 150000};
  options.features = 30;
  const auto generator = hunt::make_generator(options);
  Twins twins(GetParam());
  std::size_t statements = 0;
  const std::uint64_t count = effort::tries(30), first = effort::seed(0);
  for (std::uint64_t i = 0; i < count && !::testing::Test::HasFatalFailure(); ++i) {
    if (i % 10 == 0) {
      twins.query("drop schema public cascade; create schema public");
      for (const std::string& sql : hunt::creation(generator->schema(first + i), "postgres")) twins.query(sql);
    }
    for (const hunt::Transaction& transaction : generator->test(first + 1'000'000 + i).transactions) {
      twins.query("begin");
      for (const hunt::Statement& statement : transaction.statements) {
        ++statements;
        if (statements % 3 == 0) {
          twins.query(statement.sql);
        } else {
          twins.query_extended(statement.sql, statements % 3 == 1);
        }
      }
      twins.query("end");
    }
  }
  EXPECT_TRUE(count < 10 || statements >= count * 5) << statements << " in " << count;
}

TEST(ProxyLive, ALongResultWaitsForItsReaderWithoutFillingMemory) {
  RunningProxy proxy(server()->url(), {});
  const auto url = *db::parse_url(server()->url());
  WireClient client(proxy.address());
  static_cast<void>(client.log_in(url.user, url.database));
  client.send(wire_query("select repeat('x', 10000) from generate_series(1, 3000)"));
  // Nothing is read for as long as the server finds room in the buffers on the way: then it waits.
  std::size_t rows = 0;
  for (const WireMessage& message : client.until_ready(1))
    rows += message.type == 'D' && message.body.size() > 10000 ? 1 : 0;
  EXPECT_EQ(rows, 3000U);
}

TEST(ProxyLive, ACancelRequestReachesTheServer) {
  RunningProxy proxy(server()->url(), {});
  const auto url = *db::parse_url(server()->url());
  const std::string target =
      fmt::format("host=127.0.0.1 port={} user={} dbname={}", proxy.port(), url.user, url.database);
  PGconn* const connection = PQconnectdb(target.c_str());
  ASSERT_EQ(PQstatus(connection), CONNECTION_OK) << PQerrorMessage(connection);
  ASSERT_EQ(PQsendQuery(connection, "select pg_sleep(1000)"), 1);
  PGcancel* const cancel = PQgetCancel(connection);
  char error[256] = "";
  // It may come before the statement has begun: then it does nothing.
  ASSERT_TRUE(comes_true([&] {
    EXPECT_EQ(PQcancel(cancel, error, sizeof error), 1) << error;
    return PQconsumeInput(connection) == 1 && PQisBusy(connection) == 0;
  }));
  PGresult* const result = PQgetResult(connection);
  EXPECT_STREQ(PQresultErrorField(result, PG_DIAG_SQLSTATE), "57014");
  PQclear(result);
  PQfreeCancel(cancel);
  PQfinish(connection);
  EXPECT_GE(proxy.stop().unreadable[static_cast<std::size_t>(proxy::Unreadable::kCancel)], 1U);
}

TEST(ProxyLive, MoreClientsThanAllowedAreToldSo) {
  RunningProxy proxy(server()->url(), {.connections = 2});
  const auto url = *db::parse_url(server()->url());
  WireClient one(proxy.address()), two(proxy.address());
  EXPECT_EQ(one.log_in(url.user, url.database).back().type, 'Z');
  EXPECT_EQ(two.log_in(url.user, url.database).back().type, 'Z');
  WireClient three(proxy.address());
  const auto told = three.log_in(url.user, url.database);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front().type, 'E');
  EXPECT_NE(told.front().body.find("53300"), std::string::npos);
  three.close();
  one.close();
  EXPECT_TRUE(comes_true([&] {
    WireClient four(proxy.address());
    return four.log_in(url.user, url.database).back().type == 'Z';
  }));
}

TEST(ProxyLive, AClientThatHasSaidItsLastWordStillGetsTheAnswer) {
  RunningProxy proxy(server()->url(), {});
  const auto url = *db::parse_url(server()->url());
  WireClient client(proxy.address());
  static_cast<void>(client.log_in(url.user, url.database));
  client.send(wire_query("select 42"));
  client.shut_write();
  EXPECT_EQ(client.until_ready(1).back().type, 'Z');
  EXPECT_EQ(client.next().type, 0);
}

TEST(ProxyLive, PgbenchRunsUnchangedInAllItsModes) {
  const auto url = *db::parse_url(server()->superuser_url());
  RunningProxy proxy(server()->superuser_url(), {.threads = 2});
  const std::vector<std::string> to = {"-h", "127.0.0.1", "-p", proxy.port(), "-U", url.user};
  const auto pgbench = [&](std::vector<std::string> args) {
    args.insert(args.begin(), "pgbench");
    args.insert(args.end(), to.begin(), to.end());
    args.push_back(url.database);
    return run_program(args);
  };
  const Answer made = pgbench({"-i", "-q"});
  ASSERT_EQ(made.status, 0) << made.err;
  for (const char* const mode : {"simple", "extended", "prepared"}) {
    const Answer ran = pgbench({"-n", "-c", "4", "-t", "25", "-M", mode});
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_NE(ran.out.find("number of transactions actually processed: 100/100"), std::string::npos) << ran.out;
  }
  const Answer dropped = pgbench({"-i", "-I", "d"});
  EXPECT_EQ(dropped.status, 0) << dropped.err;
  const proxy::Counts counts = proxy.stop();
  EXPECT_EQ(counts.unreadable, decltype(counts.unreadable){});
  EXPECT_GE(counts.transactions, 300U);
}

TEST(ProxyLive, TheCommandServesUntilItIsToldToStop) {
  const auto url = *db::parse_url(server()->url());
  const Scratch scratch;
  const std::string address = scratch.path(".s.PGSQL.7777");
  // The script waits for the socket, asks through it and ends the proxy.
  const Answer answer = run_program(
      {"sh", "-c",
       "\"$0\" proxy --listen \"unix:$1/.s.PGSQL.7777\" --to \"$2\" --json & pid=$!; "
       "while ! psql -X -A -t -h \"$1\" -p 7777 -U \"$3\" -c 'select 40 + 2' \"$4\" 2>/dev/null; do sleep 0.05; "
       "kill -0 $pid || exit 9; done; kill $pid; wait $pid",
       ISOLDE_BINARY_DIR "/isolde", scratch.path(), server()->url(), url.user, url.database});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_NE(answer.out.find("\n42\n"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find(R"("event": "summary", "connections": 1, )"), std::string::npos) << answer.out;
}

}  // namespace proxy_test
}  // namespace isolde::test
