// tests/live/proxy_application_test.cc: applications that know nothing of `isolde proxy`, recorded, and what `isolde
// check` says of them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "format/format.h"
#include "tests/cli/run_program.h"
#include "tests/live/proxy_twins.h"

namespace isolde::test {
namespace proxy_application_test {

class Application {
 public:
  explicit Application(const std::string& port, const std::string& user)
      : connection_(PQconnectdb(fmt::format("host=127.0.0.1 port={} user={} dbname=proxy_app", port, user).c_str())) {
    EXPECT_EQ(PQstatus(connection_), CONNECTION_OK) << PQerrorMessage(connection_);
  }
  ~Application() { PQfinish(connection_); }
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;
  std::string ask(const std::string& sql) {
    PGresult* const result = PQexec(connection_, sql.c_str());
    std::string out;
    if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) > 0) out = PQgetvalue(result, 0, 0);
    if (PQresultStatus(result) == PGRES_FATAL_ERROR) out = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    PQclear(result);
    return out;
  }

 private:
  PGconn* connection_;
};

// A database of its own, and a proxy that records what passes.
class Shop {
 public:
  Shop() : url_(shared_server({"postgres", "", {}})->superuser_url()), user_(db::parse_url(url_)->user) {
    psql("postgres", "drop database if exists proxy_app with (force)");
    psql("postgres", "create database proxy_app");
    psql("proxy_app", "create table stock (item text primary key, n int); insert into stock values ('pen', 10)");
    record();
  }
  ~Shop() {
    proxy_.reset();
    recorder_.reset();
    psql("postgres", "drop database proxy_app with (force)");
  }
  Shop(const Shop&) = delete;
  Shop& operator=(const Shop&) = delete;

  // What was recorded before is finished.
  void record() {
    ++runs_;
    const auto url = *db::parse_url(url_of_database(url_, "proxy_app"));
    recorder_ = *proxy::capture::Recorder::begin(url, {.path = path(), .loops = 2, .sql_log = sql_log()});
    proxy_ = std::make_unique<RunningProxy>(url_, proxy::ProxyOptions{.threads = 2}, recorder_->conversations());
  }
  void psql(const std::string& database, const std::string& sql) const {
    const Answer answer =
        run_program({"psql", "-X", "-q", "-h", db::parse_url(url_)->host, "-U", user_, "-c", sql, database});
    EXPECT_EQ(answer.status, 0) << answer.err;
  }
  [[nodiscard]] Application client() const { return Application(proxy_->port(), user_); }
  [[nodiscard]] std::string port() const { return proxy_->port(); }
  [[nodiscard]] const std::string& user() const { return user_; }
  proxy::capture::Recorded finish() {
    proxy_->stop();
    auto recorded = recorder_->finish();
    EXPECT_TRUE(recorded) << recorded.error().message();
    return recorded ? *std::move(recorded) : proxy::capture::Recorded{};
  }
  [[nodiscard]] Answer check(const std::string& level) const {
    return isolde({"check", path(), "--level", level, "--prove"});
  }
  [[nodiscard]] std::string path() const { return scratch_.path(fmt::format("run-{}.jsonl", runs_)); }
  [[nodiscard]] std::string sql_log() const { return scratch_.path(fmt::format("run-{}.log", runs_)); }
  [[nodiscard]] std::string history() const { return content_of(path()); }

 private:
  std::string url_, user_;
  Scratch scratch_;
  int runs_ = 0;
  std::unique_ptr<proxy::capture::Recorder> recorder_;
  std::unique_ptr<RunningProxy> proxy_;
};

TEST(ProxyRecord, ALostUpdateOfAnApplicationIsFound) {
  Shop shop;
  {
    Application ann = shop.client(), bob = shop.client();
    for (Application* const one : {&ann, &bob}) one->ask("begin");
    EXPECT_EQ(ann.ask("select n from stock where item = 'pen'"), "10");
    EXPECT_EQ(bob.ask("select n from stock where item = 'pen'"), "10");
    ann.ask("update stock set n = 9 where item = 'pen'");
    ann.ask("commit");
    bob.ask("update stock set n = 9 where item = 'pen'");
    bob.ask("commit");
  }
  const auto recorded = shop.finish();
  EXPECT_EQ(recorded.transactions, 2U);
  EXPECT_TRUE(recorded.notes.empty()) << fmt::format("{}", recorded.notes.front());
  EXPECT_EQ(shop.check("read-committed").status, 0);
  const Answer si = shop.check("snapshot-isolation");
  EXPECT_EQ(si.status, 1) << si.out << shop.history();
  EXPECT_NE(si.out.find("lost-update"), std::string::npos) << si.out;
  // The statements show the same risk.
  const Answer audit = isolde({"audit", shop.sql_log(), "--level", "read-committed"});
  EXPECT_EQ(audit.status, 1) << audit.out << audit.err << content_of(shop.sql_log());
  EXPECT_NE(audit.out.find("lost update"), std::string::npos) << audit.out;
}

TEST(ProxyRecord, TablesThatATransactionMakesAreKnownWhenItIsOver) {
  Shop shop;
  {
    Application ann = shop.client();
    // Test suites and migrations do this.
    for (const char* const sql :
         {"begin", "drop table stock", "create table stock (item text primary key, n int)",
          "insert into stock values ('pen', 1)", "commit", "insert into stock values ('ink', 2)",
          "select * from stock where item = 'ink'", "update stock set n = 3 where item = 'ink'"})
      ann.ask(sql);
  }
  const auto recorded = shop.finish();
  EXPECT_EQ(recorded.transactions, 3U);
  EXPECT_EQ(shop.check("serializable").status, 0);
}

TEST(ProxyRecord, StatementsAreLoggedAsTheyWereSent) {
  Shop shop;
  {
    WireClient client("127.0.0.1:" + shop.port());
    static_cast<void>(client.log_in(shop.user(), "proxy_app"));
    client.send(wire_parse("", "select n\nfrom stock where item = $1") + wire_bind("", "", {"o'pen"}) +
                wire_execute("") + std::string(kWireSync) + wire_query("select 1/0") +
                wire_query("alter role current_user password 'secret'"));
    static_cast<void>(client.until_ready(3));
  }
  shop.finish();
  const std::string log = content_of(shop.sql_log());
  EXPECT_NE(log.find("LOG:  execute <unnamed>: select n\n\tfrom stock where item = $1\n"), std::string::npos) << log;
  EXPECT_NE(log.find("DETAIL:  parameters: $1 = 'o''pen'\n"), std::string::npos) << log;
  EXPECT_NE(log.find("LOG:  statement: select 1/0\n"), std::string::npos) << log;
  EXPECT_NE(log.find("ERROR:  division by zero\n"), std::string::npos) << log;
  EXPECT_EQ(log.find("secret"), std::string::npos) << log;
}

TEST(ProxyRecord, OnlyTablesThatExistCanBeChosen) {
  const std::string url = shared_server({"postgres", "", {}})->superuser_url();
  const Scratch scratch;
  const auto refused =
      proxy::capture::Recorder::begin(*db::parse_url(url), {.path = scratch.path("a.jsonl"), .tables = {"nope"}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("there is no table nope"), std::string::npos) << refused.error().text;
  const auto unknown = proxy::capture::Recorder::begin(*db::parse_url(url), {.path = scratch.path("a.csv")});
  ASSERT_FALSE(unknown);
}

TEST(ProxyRecord, WhatSerializableRefusesIsNoViolation) {
  Shop shop;
  shop.psql("proxy_app", "insert into stock values ('ink', 10)");
  {
    Application ann = shop.client(), bob = shop.client();
    for (int i = 0; i < 5; ++i) {
      for (Application* const one : {&ann, &bob}) one->ask("begin isolation level serializable");
      ann.ask("select n from stock where item = 'pen'");
      bob.ask("select n from stock where item = 'ink'");
      ann.ask("update stock set n = n + 1 where item = 'ink'");
      bob.ask("update stock set n = n + 1 where item = 'pen'");
      ann.ask("commit");
      bob.ask("commit");
    }
  }
  EXPECT_GE(shop.finish().transactions, 5U);
  EXPECT_EQ(shop.check("serializable").status, 0) << shop.history();
}

TEST(ProxyRecord, WritesOfOthersAndRolledBackSavepointsAreNotJudged) {
  Shop shop;
  {
    Application ann = shop.client();
    ann.ask("begin");
    ann.ask("savepoint s");
    ann.ask("update stock set n = 1 where item = 'pen'");
    ann.ask("rollback to s");
    ann.ask("commit");
    shop.psql("proxy_app", "update stock set n = 2");  // not through the proxy
    EXPECT_EQ(ann.ask("select n from stock where item = 'pen'"), "2");
  }
  const auto recorded = shop.finish();
  ASSERT_EQ(recorded.notes.size(), 1U);
  EXPECT_EQ(recorded.notes[0], "1 reads left out: they saw versions that no recorded statement wrote");
  EXPECT_EQ(shop.check("serializable").status, 0);
}

// The values that the writers of a key gave it, in the order that the history gives.
std::vector<std::string> orders_of(const History& h, KeyId key) {
  const HistoryColumns& c = h.columns();
  std::vector<std::string> out;
  for (const VersionOrder& order : c.version_orders) {
    if (order.key != key) continue;
    for (std::uint32_t i = 0; i < order.count; ++i) {
      const std::uint32_t txn = c.version_entries[order.first + i];
      for (std::uint32_t op = c.first_op[txn]; op < c.first_op[txn + 1]; ++op) {
        if (c.op[op].kind() == OpKind::kWrite && c.op[op].key() == key) out.push_back(h.value_text(c.op_value[op]));
      }
    }
  }
  return out;
}

// Every row keeps its own history: who wrote it, one after the other. Blocks and statements by themselves race.
TEST(ProxyRecord, TheOrderOfVersionsIsThatOfTheRows) {
  Shop shop;
  shop.psql("proxy_app",
            "create table hot (id int primary key, writers int8[] default '{}'); insert into hot values (1), (2)");
  const Scratch scratch;
  const std::string update =
      "update hot set writers = writers || pg_current_xact_id()::text::int8 where id = :k returning id;\n";
  const std::string alone = scratch.file("alone.sql", "\\set k random(1, 2)\n" + update);
  const std::string block =
      scratch.file("block.sql", "\\set k random(1, 2)\nbegin;\nselect id from hot where id = :k for update;\n" +
                                    update + "commit;\n");
  const Answer ran = run_program({"pgbench", "-h", "127.0.0.1", "-p", shop.port(), "-U", shop.user(), "-n", "-c", "6",
                                  "-t", "60", "-f", alone, "-f", block, "proxy_app"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  std::map<std::string, std::vector<std::string>> truth;
  {
    Application reader = shop.client();
    for (const char* const id : {"1", "2"}) {
      std::stringstream all(reader.ask(fmt::format("select array_to_string(writers, ' ') from hot where id = {}", id)));
      for (std::string writer; all >> writer;) truth[fmt::format("hot/{}", id)].push_back(writer);
    }
  }
  EXPECT_EQ(shop.finish().left_out.count("a join"), 0U);
  std::size_t ordered = 0;
  const auto loaded = load(shop.path(), nullptr, {});
  ASSERT_TRUE(loaded) << loaded.error().message();
  const History& h = loaded->history;
  for (std::uint32_t k = 0; k < h.key_count(); ++k) {
    const auto& writers = truth[h.key_text(KeyId{k})];
    auto at = writers.begin();
    for (const std::string& version : orders_of(h, KeyId{k})) {
      at = std::find(at, writers.end(), version);
      ASSERT_NE(at, writers.end()) << version << " is not where the row says";
      ++at;
      ++ordered;
    }
  }
  EXPECT_GE(ordered, 180U) << "blocks at least are ordered";
}

TEST(ProxyRecord, PgbenchIsJudgedAsItsServerPromises) {
  Shop shop;
  const auto pgbench = [&](const std::vector<std::string>& args, const std::string& level) {
    std::vector<std::string> words = {"pgbench", "-h", "127.0.0.1", "-p", shop.port(), "-U", shop.user()};
    words.insert(words.end(), args.begin(), args.end());
    words.emplace_back("proxy_app");
    return run_program(words, {fmt::format("PGOPTIONS=-c default_transaction_isolation={}", level)});
  };
  const Answer made = pgbench({"-i", "-q"}, "serializable");
  ASSERT_EQ(made.status, 0) << made.err;
  bool first = true;
  for (const auto& [mode, level, holds] : {std::tuple{"simple", "read\\ committed", "read-committed"},
                                           std::tuple{"extended", "repeatable\\ read", "snapshot-isolation"},
                                           std::tuple{"prepared", "serializable", "serializable"}}) {
    if (!first) shop.record();
    first = false;
    const Answer ran = pgbench({"-n", "-c", "8", "-j", "1", "-t", "40", "--max-tries", "10", "-M", mode}, level);
    EXPECT_EQ(ran.status, 0) << mode << ran.out << ran.err;
    EXPECT_GE(shop.finish().transactions, 300U) << mode;
    const Answer judged = shop.check(holds);
    EXPECT_EQ(judged.status, 0) << mode << judged.out << judged.err;
  }
}

TEST(ProxyRecord, WhatAKilledProxyLeavesIsAHistory) {
  const auto url = *db::parse_url(shared_server({"postgres", "", {}})->superuser_url());
  const Scratch scratch;
  const std::string table =
      scratch.file("table.sql",
                   "drop table if exists killed; create table killed (id int primary key, n int); insert into killed "
                   "select i, 0 from generate_series(1, 5) i;");
  const std::string script =
      scratch.file("script.sql",
                   "\\set k random(1, 5)\nbegin isolation level repeatable read;\nselect n from killed where id = :k;\n"
                   "update killed set n = n + 1 where id = :k;\ncommit;\n");
  const Answer answer = run_program(
      {"sh", "-c",
       "psql -X -q -h \"$3\" -U \"$4\" -f \"$1/table.sql\" \"$5\"; "
       "\"$0\" proxy --listen \"unix:$1/.s.PGSQL.7777\" --to \"$2\" --out \"$1/run.jsonl\" --quiet & pid=$!; "
       "while ! test -S \"$1/.s.PGSQL.7777\"; do sleep 0.02; kill -0 $pid || exit 9; done; "
       "pgbench -h \"$1\" -p 7777 -U \"$4\" -n -c 4 -t 100000 --max-tries 100 -f \"$1/script.sql\" \"$5\" >/dev/null "
       "2>&1 & "
       "while ! test \"$(wc -c <\"$1/run.jsonl.wire\")\" -gt 50000; do sleep 0.02; done; kill -9 $pid; wait; "
       "psql -X -q -h \"$3\" -U \"$4\" -c 'drop table killed' \"$5\"; \"$0\" check \"$1/run.jsonl.wire\" --level "
       "snapshot-isolation",
       ISOLDE_BINARY_DIR "/isolde", scratch.path(), shared_server({"postgres", "", {}})->superuser_url(), url.host,
       url.user, url.database});
  EXPECT_EQ(answer.status, 0) << answer.out << answer.err;
  EXPECT_NE(answer.out.find("satisfies snapshot-isolation"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("the recording was not ended in order"), std::string::npos) << answer.out;
}

}  // namespace proxy_application_test
}  // namespace isolde::test
