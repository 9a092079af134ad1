// tests/live/postgres_driver_test.cc: the driver against a real PostgreSQL: every fate, facts, waits, cancels and cuts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <thread>

#include "db/database.h"
#include "db/server.h"
#include "tests/live/postgres_15_3.h"

namespace isolde::db {
namespace postgres_driver_test {

// One server for all tests of this program, one fresh table a test.
class PostgresDriver : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto started = start_server({.kind = "postgres", .binaries = {}, .settings = {{"deadlock_timeout", "50ms"}}});
    ASSERT_TRUE(started) << started.error().message();
    server_ = *std::move(started);
    database_ = *open_database(*parse_url(server_->url()));
  }
  static void TearDownTestSuite() {
    database_.reset();
    server_.reset();
  }
  void SetUp() override {
    if (database_ == nullptr) GTEST_SKIP() << "no server";
    observer_ = connect("read committed");
    must(
        observer_->run("drop table if exists t; create table t (k bigint primary key, v bigint not null); "
                       "insert into t values (1, 10), (2, 20)"));
  }

  static std::unique_ptr<Connection> connect(std::string_view level) {
    auto connection = database_->connect(**level_named(*database_, level));
    EXPECT_TRUE(connection) << connection.error().message();
    return connection ? *std::move(connection) : nullptr;
  }
  static Reply must(Result<Reply> reply) {
    EXPECT_TRUE(reply) << reply.error().message();
    if (!reply) return Reply{};
    EXPECT_TRUE(reply->done()) << reply->failure.code << ' ' << reply->failure.text;
    return *std::move(reply);
  }
  // "fate code", e.g. "must roll back 40001".
  static std::string fate(const Result<Reply>& reply) {
    if (!reply) return "error: " + reply.error().message();
    constexpr const char* kNames[] = {"done", "statement failed", "must roll back", "rolled back", "lost"};
    const std::string name = kNames[static_cast<int>(reply->fate)];
    return reply->done() ? name : name + ' ' + reply->failure.code;
  }
  static Result<Reply> execute(Connection& c, std::string_view sql, std::initializer_list<Cell> parameters = {}) {
    return c.execute(sql, std::span(parameters.begin(), parameters.size()));
  }
  static void wait_until_waiting(Connection& observer, std::int64_t session) {
    while (true) {
      auto waiting = database_->waiting(observer);
      ASSERT_TRUE(waiting) << waiting.error().message();
      if (std::find(waiting->begin(), waiting->end(), session) != waiting->end()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  std::int64_t value(std::int64_t k) {
    return std::get<std::int64_t>(must(execute(*observer_, "select v from t where k = ?", {k})).at(0, 0));
  }

  static std::unique_ptr<Server> server_;
  static std::unique_ptr<Database> database_;
  std::unique_ptr<Connection> observer_;
};
std::unique_ptr<Server> PostgresDriver::server_;
std::unique_ptr<Database> PostgresDriver::database_;

TEST_F(PostgresDriver, ParametersAndColumnsKeepTheirTypes) {
  auto c = connect("read committed");
  must(c->run("create temp table x (i bigint, r double precision, s text, n text, b boolean, a bigint[])"));
  must(execute(*c, "insert into x values (?, ?, ?, ?, ?, '{}')",
               {INT64_MIN, 0.1, std::string("it's \"?\" \xc3\xa9"), {}, std::int64_t{1}}));
  must(execute(*c, "update x set a = array_append(a, ?)", {std::int64_t{3}}));
  must(execute(*c, "update x set s = s || ?", {std::string("!")}));
  const Reply row = must(execute(*c, "select i, r, s, n, b, a from x"));
  ASSERT_EQ(row.rows(), 1U);
  EXPECT_EQ(row.at(0, 0), Cell(INT64_MIN));
  EXPECT_EQ(row.at(0, 1), Cell(0.1));
  EXPECT_EQ(row.at(0, 2), Cell(std::string("it's \"?\" \xc3\xa9!")));
  EXPECT_EQ(row.at(0, 3), Cell());
  EXPECT_EQ(row.at(0, 4), Cell(std::int64_t{1}));
  EXPECT_EQ(row.at(0, 5), Cell(std::string("{3}")));
  EXPECT_EQ(fate(execute(*c, "select ?")), "error: 0 parameters were given, 1 are expected: select ?");
}

TEST_F(PostgresDriver, RowsChangedAreCounted) {
  EXPECT_EQ(must(observer_->run("update t set v = v + 1")).changed, 2U);
  EXPECT_EQ(must(execute(*observer_, "delete from t where k = ?", {std::int64_t{9}})).changed, 0U);
  EXPECT_EQ(must(execute(*observer_, "insert into t values (?, 1) returning k", {std::int64_t{9}})).changed, 1U);
  const Reply rows = must(observer_->run("select k as key, v from t"));
  EXPECT_EQ(rows.changed, 0U);
  EXPECT_EQ(rows.names, (std::vector<std::string>{"key", "v"}));
}

TEST_F(PostgresDriver, AStatementIsCarriedOutOnce) {
  auto c = connect("read committed");
  for (int i = 0; i < 3; ++i)
    must(execute(*c, "update t set v = v + ? where k = ?", {std::int64_t{1}, std::int64_t{1}}));
  EXPECT_EQ(value(1), 13);
}

TEST_F(PostgresDriver, RequestsThatAreSentTogetherAreAnsweredOneByOne) {
  const auto c = connect("repeatable read");
  const Request begin{RequestKind::kBegin, {}}, count{RequestKind::kPrepared, "select count(*) from t"};
  const Request insert{RequestKind::kStatement, "insert into t values (3, 30)"};
  for (int i = 0; i < 3; ++i) {  // prepared the first time only
    const auto answers = c->run_all(std::vector{begin, count, insert, count}, OnFailure::kStop);
    ASSERT_EQ(answers.size(), 4u);
    EXPECT_EQ(must(answers[1]).at(0, 0), Cell(2));
    EXPECT_EQ(must(answers[2]).changed, 1u);
    EXPECT_EQ(must(answers[3]).at(0, 0), Cell(3));
    must(c->roll_back());
  }
}

TEST_F(PostgresDriver, NothingIsSentAfterAFailureUnlessItIsAskedFor) {
  const auto c = connect("read committed");
  const Request begin{RequestKind::kBegin, {}}, refused{RequestKind::kStatement, "insert into t values (1, 30)"};
  const Request unknown{RequestKind::kStatement, "select x from t"},
      fresh{RequestKind::kPrepared, "select v + 1 from t"};
  const Request insert{RequestKind::kStatement, "insert into t values (4, 30)"};
  auto answers = c->run_all(std::vector{begin, refused, fresh, insert}, OnFailure::kStop);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(fate(answers[1]), "must roll back 23505");
  must(c->roll_back());
  answers = c->run_all(std::vector{begin, unknown, insert}, OnFailure::kStop);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_FALSE(answers[1]);
  must(c->roll_back());
  // Each in a transaction of its own.
  answers = c->run_all(std::vector{refused, fresh, unknown, insert, refused}, OnFailure::kGoOn);
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(fate(answers[0]), "rolled back 23505");
  EXPECT_EQ(must(answers[1]).rows(), 2u);
  EXPECT_FALSE(answers[2]);
  EXPECT_EQ(must(answers[3]).changed, 1u);
  EXPECT_EQ(fate(answers[4]), "rolled back 23505");
  EXPECT_EQ(must(c->run("select * from t")).rows(), 3u);
}

TEST_F(PostgresDriver, ASessionThatEndsAmongRequestsIsLost) {
  for (const OnFailure on_failure : {OnFailure::kStop, OnFailure::kGoOn}) {
    const auto c = connect("read committed");
    const Request select{RequestKind::kStatement, "select v from t"};
    const Request die{RequestKind::kStatement, "select pg_terminate_backend(pg_backend_pid())"};
    const auto answers = c->run_all(std::vector{select, die, select, select}, on_failure);
    ASSERT_FALSE(answers.empty());
    ASSERT_LE(answers.size(), 2u);
    EXPECT_TRUE(fate(answers.back()).starts_with("lost")) << fate(answers.back());
    EXPECT_TRUE(fate(c->run("select 1")).starts_with("lost"));
    EXPECT_EQ(c->run_all(std::vector{select, select}, on_failure).size(), 1u);
  }
}

TEST_F(PostgresDriver, TransactionsRunAtTheLevelOfTheirConnection) {
  for (const ServerLevel& level : database_->levels()) {
    auto c = connect(level.name);
    must(c->begin());
    EXPECT_EQ(must(c->run("show transaction_isolation")).at(0, 0), Cell(std::string(level.name)));
    must(c->roll_back());
  }
}

TEST_F(PostgresDriver, AnyErrorInATransactionLeavesItToBeRolledBack) {
  auto c = connect("read committed");
  must(c->begin());
  EXPECT_EQ(fate(execute(*c, "insert into t values (?, ?)", {std::int64_t{1}, std::int64_t{1}})),
            "must roll back 23505");
  EXPECT_EQ(fate(execute(*c, "select v from t")), "must roll back 25P02");
  EXPECT_EQ(fate(c->run("select 1 / 0")), "must roll back 25P02");
  must(c->roll_back());
  must(c->roll_back());
  EXPECT_EQ(fate(c->run("select 1 / 0")), "rolled back 22012");
}

TEST_F(PostgresDriver, TheCommitOfAFailedTransactionIsARollback) {
  auto c = connect("serializable");
  for (const bool with_facts : {false, true}) {
    must(c->begin());
    must(c->run("update t set v = 99 where k = 1"));
    EXPECT_EQ(fate(c->run("select 1 / 0")), "must roll back 22012");
    TxnFacts facts;
    EXPECT_EQ(fate(c->commit(with_facts ? &facts : nullptr)), "rolled back 25P02");
    EXPECT_FALSE(facts.xid.has_value());
    EXPECT_EQ(value(1), 10);
  }
}

TEST_F(PostgresDriver, AnUnlistedErrorNamesItselfAndTheStatement) {
  const std::string text = fate(observer_->run("select * from nowhere"));
  EXPECT_TRUE(text.starts_with("error: ")) << text;
  EXPECT_NE(text.find("42P01"), std::string::npos) << text;
  EXPECT_NE(text.find("nowhere"), std::string::npos) << text;
}

TEST_F(PostgresDriver, CopyIsRefusedAndTheConnectionGoesOn) {
  EXPECT_TRUE(fate(observer_->run("copy t to stdout")).starts_with("error: "));
  EXPECT_TRUE(fate(observer_->run("copy t from stdin")).starts_with("error: "));
  EXPECT_EQ(value(1), 10);
}

TEST_F(PostgresDriver, BeginAndCommitOutOfPlaceAreOurFaultNotASuccess) {
  auto c = connect("read committed");
  EXPECT_TRUE(fate(c->commit()).starts_with("error: "));
  must(c->begin());
  EXPECT_TRUE(fate(c->begin()).starts_with("error: "));
  must(c->roll_back());
}

TEST_F(PostgresDriver, AnUpdateOfWhatChangedSinceTheSnapshotFails) {
  auto a = connect("repeatable read");
  must(a->begin());
  must(a->run("select v from t"));
  must(observer_->run("update t set v = 11 where k = 1"));
  EXPECT_EQ(fate(a->run("update t set v = 12 where k = 1")), "must roll back 40001");
  must(a->roll_back());
}

TEST_F(PostgresDriver, ASerializationFailureAtCommitIsARollback) {
  auto a = connect("serializable");
  auto b = connect("serializable");
  for (const bool with_facts : {false, true}) {
    for (Connection* c : {a.get(), b.get()}) {
      must(c->begin());
      must(c->run("select sum(v) from t"));
    }
    must(a->run("update t set v = v + 1 where k = 1"));
    must(b->run("update t set v = v + 1 where k = 2"));
    TxnFacts facts;
    EXPECT_EQ(fate(a->commit(with_facts ? &facts : nullptr)), "done");
    EXPECT_EQ(fate(b->commit(with_facts ? &facts : nullptr)), "rolled back 40001");
    must(b->begin());
    must(b->roll_back());
  }
}

TEST_F(PostgresDriver, ADeferredConstraintAtCommitIsARollback) {
  must(observer_->run("alter table t add constraint one unique (v) deferrable initially deferred"));
  auto c = connect("read committed");
  must(c->begin());
  must(c->run("update t set v = 20 where k = 1"));
  TxnFacts facts;
  EXPECT_EQ(fate(c->commit(&facts)), "rolled back 23505");
  EXPECT_EQ(value(1), 10);
}

TEST_F(PostgresDriver, ADeadlockEndsOneOfTheTwo) {
  auto a = connect("read committed");
  auto b = connect("read committed");
  must(a->begin());
  must(b->begin());
  must(a->run("update t set v = 1 where k = 1"));
  must(b->run("update t set v = 2 where k = 2"));
  auto blocked = std::async(std::launch::async, [&] { return fate(a->run("update t set v = 1 where k = 2")); });
  wait_until_waiting(*observer_, a->session());
  const std::string second = fate(b->run("update t set v = 2 where k = 1"));
  if (second != "done") must(b->roll_back());
  const std::string first = blocked.get();
  EXPECT_TRUE((first == "done" && second == "must roll back 40P01") ||
              (first == "must roll back 40P01" && second == "done"))
      << first << ", " << second;
}

TEST_F(PostgresDriver, AWaitIsSeenAndCanBeCancelled) {
  auto a = connect("read committed");
  auto b = connect("read committed");
  must(a->begin());
  must(a->run("update t set v = 1 where k = 1"));
  must(b->begin());
  auto blocked = std::async(std::launch::async, [&] { return fate(b->run("update t set v = 2 where k = 1")); });
  wait_until_waiting(*observer_, b->session());
  b->cancel();
  EXPECT_EQ(blocked.get(), "must roll back 57014");
  EXPECT_TRUE(database_->waiting(*observer_)->empty());
}

TEST_F(PostgresDriver, ALockThatIsNotToBeHadFails) {
  auto a = connect("read committed");
  auto b = connect("read committed");
  must(a->begin());
  must(a->run("select v from t where k = 1 for update"));
  must(b->begin());
  EXPECT_EQ(fate(b->run("select v from t where k = 1 for update nowait")), "must roll back 55P03");
}

TEST_F(PostgresDriver, FactsAreTheXidAndTheSnapshotOfTheTransaction) {
  auto old = connect("read committed");  // a transaction that is open all the time
  must(old->begin());
  must(old->run("update t set v = 21 where k = 2"));
  const Reply of_old = must(old->run("select pg_current_xact_id()::text::bigint"));
  for (const std::string_view level : {"repeatable read", "serializable"}) {
    auto c = connect(level);
    must(c->begin());
    must(c->run("select v from t"));
    must(observer_->run("update t set v = v + 1 where k = 1"));  // later than the snapshot
    must(c->run("insert into t values (3, 3)"));
    TxnFacts facts;
    must(c->commit(&facts));
    ASSERT_TRUE(facts.xid && facts.snapshot);
    const Reply xmin = must(observer_->run("select xmin::text::bigint from t where k in (1, 3) order by k"));
    EXPECT_EQ(xmin.at(1, 0), Cell(*facts.xid));
    EXPECT_GE(std::get<std::int64_t>(xmin.at(0, 0)), facts.snapshot->xmax);
    const auto old_xid = std::get<std::int64_t>(of_old.at(0, 0));
    EXPECT_EQ(facts.snapshot->xmin, old_xid);
    const auto& active = facts.snapshot->active;
    EXPECT_TRUE(old_xid >= facts.snapshot->xmax || std::find(active.begin(), active.end(), old_xid) != active.end());
    must(observer_->run("delete from t where k = 3"));
  }
}

TEST_F(PostgresDriver, AskingForFactsAssignsNoXid) {
  auto c = connect("serializable");
  const auto next = [&] {
    return must(observer_->run("select pg_snapshot_xmax(pg_current_snapshot())::text")).at(0, 0);
  };
  const Cell before = next();
  for (int i = 0; i < 3; ++i) {
    must(c->begin());
    must(c->run("select v from t"));
    TxnFacts facts;
    must(c->commit(&facts));
    EXPECT_FALSE(facts.xid.has_value());
    EXPECT_TRUE(facts.snapshot.has_value());
  }
  EXPECT_EQ(next(), before);
}

TEST_F(PostgresDriver, AtReadCommittedThereIsNoOneSnapshot) {
  auto c = connect("read committed");
  must(c->begin());
  must(c->run("update t set v = 7 where k = 1"));
  TxnFacts facts;
  must(c->commit(&facts));
  EXPECT_TRUE(facts.xid.has_value());
  EXPECT_FALSE(facts.snapshot.has_value());
}

TEST_F(PostgresDriver, ATerminatedSessionIsLostAndItsTransactionUndone) {
  auto c = connect("read committed");
  must(c->begin());
  must(c->run("update t set v = 66 where k = 1"));
  ASSERT_TRUE(database_->terminate(*observer_, c->session()));
  EXPECT_EQ(fate(c->run("select 1")), "lost 57P01");
  EXPECT_TRUE(fate(c->begin()).starts_with("lost "));
  EXPECT_TRUE(fate(c->roll_back()).starts_with("lost "));
  EXPECT_EQ(value(1), 10);
  // One that is gone already is no error.
  EXPECT_TRUE(database_->terminate(*observer_, c->session()));
}

// The end of the session may come before, between and after the answers to a commit.
TEST_F(PostgresDriver, ACommitThatMeetsATerminationIsDoneOrLost) {
  std::int64_t done = 0, lost = 0;
  for (int i = 0; i < 150; ++i) {
    auto c = connect("serializable");
    TxnFacts facts;
    must(c->begin());
    must(c->commit(&facts));  // from now on the question is prepared
    must(c->begin());
    must(execute(*c, "update t set v = v + 1 where k = ?", {1}));
    auto commit = std::async(std::launch::async, [&] { return fate(c->commit(&facts)); });
    if (i % 3 != 0) std::this_thread::sleep_for(std::chrono::microseconds(i * 4));
    ASSERT_TRUE(database_->terminate(*observer_, c->session()));
    const std::string became = commit.get();
    EXPECT_TRUE(became == "done" || became.starts_with("lost ")) << became;
    ++(became == "done" ? done : lost);
  }
  EXPECT_GE(value(1), 10 + done);
  EXPECT_LE(value(1), 10 + done + lost);
}

// A deferred trigger waits for a lock while COMMIT runs; then the session is ended.
TEST_F(PostgresDriver, ATerminationDuringCommitIsLost) {
  must(
      observer_->run("create or replace function wait_for_two() returns trigger language plpgsql as $$ begin "
                     "perform pg_advisory_xact_lock(42); return null; end $$; "
                     "create constraint trigger waits after update on t deferrable initially deferred "
                     "for each row execute function wait_for_two()"));
  for (const bool with_facts : {false, true}) {
    auto holder = connect("read committed");
    must(holder->begin());
    must(holder->run("select pg_advisory_xact_lock(42)"));
    auto c = connect("read committed");
    must(c->begin());
    must(c->run("update t set v = 77 where k = 1"));
    TxnFacts facts;
    auto commit = std::async(std::launch::async, [&] { return fate(c->commit(with_facts ? &facts : nullptr)); });
    wait_until_waiting(*observer_, c->session());
    ASSERT_TRUE(database_->terminate(*observer_, c->session()));
    EXPECT_EQ(commit.get(), "lost 57P01");
    EXPECT_EQ(value(1), 10);
  }
}

TEST_F(PostgresDriver, AConnectionSeveredDuringCommitIsLost) {
  must(
      observer_->run("create or replace function wait_for_two() returns trigger language plpgsql as $$ begin "
                     "perform pg_advisory_xact_lock(42); return null; end $$; "
                     "create constraint trigger waits after update on t deferrable initially deferred "
                     "for each row execute function wait_for_two()"));
  auto holder = connect("read committed");
  must(holder->begin());
  must(holder->run("select pg_advisory_xact_lock(42)"));
  auto c = connect("read committed");
  must(c->begin());
  must(c->run("update t set v = 77 where k = 1"));
  auto commit = std::async(std::launch::async, [&] { return fate(c->commit()); });
  wait_until_waiting(*observer_, c->session());
  c->sever();
  EXPECT_TRUE(commit.get().starts_with("lost "));
  must(holder->commit());
  // The server goes on without its client: the transaction, whose outcome was unknown, is committed.
  while (value(1) != 77) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

TEST_F(PostgresDriver, ASeveredConnectionIsLostAndItsTransactionUndone) {
  auto c = connect("read committed");
  must(c->begin());
  must(c->run("update t set v = 66 where k = 1"));
  c->sever();
  EXPECT_EQ(fate(c->run("select 1")), "lost connection");
  EXPECT_EQ(fate(c->commit()), "lost connection");
  // Its row lock goes when the server has noticed.
  must(observer_->run("update t set v = v + 1 where k = 1"));
  EXPECT_EQ(value(1), 11);
}

TEST_F(PostgresDriver, ItSaysWhatItIs) { EXPECT_TRUE(database_->describe(*observer_)->starts_with("PostgreSQL ")); }

// Its own server, last: the shared one stays as it is.
TEST(PostgresRestart, AServerThatStopsAndCrashesIsALostConnection) {
  auto server = start_server({.kind = "postgres", .binaries = {}, .settings = {}});
  ASSERT_TRUE(server) << server.error().message();
  auto database = open_database(*parse_url((*server)->url()));
  const ServerLevel& level = **level_named(**database, "serializable");
  for (const Stop how : {Stop::kOrderly, Stop::kCrash}) {
    auto connection = (*database)->connect(level);
    ASSERT_TRUE(connection) << connection.error().message();
    ASSERT_TRUE((*connection)->begin()->done());
    ASSERT_TRUE((*server)->stop(how));
    TxnFacts facts;
    const auto reply = (*connection)->commit(&facts);
    ASSERT_TRUE(reply) << reply.error().message();
    EXPECT_EQ(reply->fate, Fate::kLost);
    EXPECT_FALSE((*database)->connect(level));
    ASSERT_TRUE((*server)->start());
    EXPECT_TRUE((*database)->connect(level));
  }
}

TEST(PostgresOld, Version153IsSpokenTo) {
  if (!std::filesystem::exists(test::kPostgres153)) GTEST_SKIP() << "no PostgreSQL 15.3 at " << test::kPostgres153;
  auto server = start_server({.kind = "postgres", .binaries = test::kPostgres153, .settings = {}});
  ASSERT_TRUE(server) << server.error().message();
  auto database = open_database(*parse_url((*server)->url()));
  auto c = (*database)->connect(**level_named(**database, "serializable"));
  ASSERT_TRUE(c) << c.error().message();
  EXPECT_TRUE((*database)->describe(**c)->starts_with("PostgreSQL 15.3"));
  ASSERT_TRUE((*c)->begin()->done());
  ASSERT_TRUE((*c)->run("create table t (k int primary key)")->done());
  TxnFacts facts;
  ASSERT_TRUE((*c)->commit(&facts)->done());
  EXPECT_TRUE(facts.xid.has_value());
}

}  // namespace postgres_driver_test
}  // namespace isolde::db
