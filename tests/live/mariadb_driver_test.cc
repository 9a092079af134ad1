// tests/live/mariadb_driver_test.cc: the driver on a MariaDB server of its own: fates, types, evidence, lock waits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include "db/database.h"
#include "db/mariadb/mariadb_connection.h"
#include "db/mariadb/mariadb_errors.h"
#include "db/server.h"
#include "record/recovery.h"

namespace isolde::db {
namespace mariadb_driver_test {

using namespace std::chrono_literals;

Cell integer(std::int64_t value) { return value; }
Cell text(std::string value) { return value; }

// A request that must be answered, whatever the fate.
Reply answered(Result<Reply> reply) {
  EXPECT_TRUE(reply.has_value()) << reply.error().message();
  return reply ? *std::move(reply) : Reply{};
}

void done(Result<Reply> reply) {
  const Reply got = answered(std::move(reply));
  EXPECT_TRUE(got.done()) << got.failure.code << ": " << got.failure.text;
}

void fails_with(Result<Reply> reply, std::string_view code, Fate fate) {
  const Reply got = answered(std::move(reply));
  EXPECT_EQ(got.failure.code, code) << got.failure.text;
  EXPECT_EQ(static_cast<int>(got.fate), static_cast<int>(fate)) << code;
}

class MariadbDriver : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto server = start_server({"mariadb", "", {}});
    ASSERT_TRUE(server.has_value()) << server.error().message();
    server_ = *std::move(server);
  }
  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override {
    ASSERT_NE(server_, nullptr);
    database_ = opened("");
    auto admins = open_database(*parse_url(server_->superuser_url()));
    ASSERT_TRUE(admins) << admins.error().message();
    admins_ = *std::move(admins);
    admin_ = connected(*admins_, "repeatable read");
    done(admin_->run("drop table if exists kv"));
    done(admin_->run("create table kv (k bigint primary key, v bigint not null) engine=InnoDB"));
    done(admin_->run("insert into kv values (1, 10), (2, 20)"));
  }

  static std::unique_ptr<Database> opened(const std::string& options) {
    auto database = open_database(*parse_url(server_->url() + options));
    EXPECT_TRUE(database.has_value()) << database.error().message();
    return *std::move(database);
  }
  static std::unique_ptr<Connection> connected(Database& database, std::string_view level) {
    auto connection = database.connect(**level_named(database, level));
    EXPECT_TRUE(connection.has_value()) << connection.error().message();
    return *std::move(connection);
  }
  std::unique_ptr<Connection> connected(std::string_view level = "repeatable read") {
    return connected(*database_, level);
  }

  std::int64_t value(std::int64_t key) {
    const Reply reply = answered(admin_->execute("select v from kv where k = ?", {{integer(key)}}));
    return reply.rows() == 1 ? std::get<std::int64_t>(reply.at(0, 0)) : -1;
  }
  static Result<Reply> set(Connection& connection, std::int64_t key, std::int64_t value) {
    return connection.execute("update kv set v = ? where k = ?", {{integer(value), integer(key)}});
  }
  static Result<Reply> read(Connection& connection, std::int64_t key) {
    return connection.execute("select v from kv where k = ?", {{integer(key)}});
  }
  // Returns once the server says that exactly these sessions wait.
  void until_waiting(std::vector<std::int64_t> sessions) {
    std::sort(sessions.begin(), sessions.end());
    const auto limit = std::chrono::steady_clock::now() + 60s;
    for (;;) {
      auto waiting = database_->waiting(*admin_);
      ASSERT_TRUE(waiting.has_value()) << waiting.error().message();
      if (*waiting == sessions) return;
      ASSERT_LT(std::chrono::steady_clock::now(), limit)
          << "the server never said that they wait:\n"
          << std::get<std::string>(answered(admin_->run("show engine innodb status")).at(0, 2));
    }
  }

  static std::unique_ptr<Server> server_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Database> admins_;
  std::unique_ptr<Connection> admin_;  // the superuser's
};
std::unique_ptr<Server> MariadbDriver::server_;

TEST_F(MariadbDriver, CellsAreTheSameInBothProtocols) {
  done(admin_->run("drop table if exists types"));
  done(admin_->run(
      "create table types (id int primary key, a tinyint, b smallint unsigned, c bigint, d bigint unsigned, e double, "
      "f float, g decimal(30,0), h decimal(10,2), i varchar(40), j longtext, l datetime, m bit(10), n bool, o json, "
      "p year)"));
  const std::string long_text(100'000, 'x');
  done(admin_->execute(
      "insert into types values (?, -5, 65535, ?, 18446744073709551615, ?, 0.1, 12345678901234567890123, 3.50, ?, ?, "
      "'2024-02-03 04:05:06', b'1000000001', true, '[1, 2]', 2024), (2, null, null, null, null, null, null, 7, null, "
      "'', null, null, null, null, null, null)",
      {{integer(1), integer(std::numeric_limits<std::int64_t>::min()), Cell(0.25), text("a'?\"ü"), text(long_text)}}));
  const std::string select = "select * from types order by id";
  const Reply binary = answered(admin_->execute(select, {}));
  const Reply textual = answered(admin_->run(select));
  ASSERT_EQ(binary.rows(), 2U);
  EXPECT_EQ(binary.width, 16U);
  EXPECT_TRUE(binary.cells == textual.cells);
  EXPECT_EQ(textual.names.at(3), "c");
  const std::vector<Cell> first = {integer(1),
                                   integer(-5),
                                   integer(65535),
                                   integer(std::numeric_limits<std::int64_t>::min()),
                                   text("18446744073709551615"),
                                   Cell(0.25),
                                   Cell(0.1),
                                   text("12345678901234567890123"),
                                   text("3.50"),
                                   text("a'?\"ü"),
                                   text(long_text),
                                   text("2024-02-03 04:05:06"),
                                   integer(513),
                                   integer(1),
                                   text("[1, 2]"),
                                   integer(2024)};
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(binary.at(0, i) == first[i]) << i;
  EXPECT_TRUE(binary.at(1, 1) == Cell());
  EXPECT_TRUE(binary.at(1, 7) == integer(7));
  EXPECT_TRUE(binary.at(1, 9) == text(""));
  EXPECT_TRUE(answered(admin_->execute("select sum(k), count(*) from kv", {})).cells ==
              (std::vector<Cell>{integer(3), integer(2)}));
  EXPECT_TRUE(answered(admin_->execute("select ?, ?", {{Cell(), integer(4)}})).cells ==
              (std::vector<Cell>{Cell(), integer(4)}));
  EXPECT_FALSE(admin_->execute("select ?", {}).has_value());
}

TEST_F(MariadbDriver, AStatementFollowsItsTableAndCountsTheRowsItFound) {
  EXPECT_TRUE(answered(read(*admin_, 1)).at(0, 0) == integer(10));
  done(admin_->run("alter table kv modify v varchar(10)"));
  EXPECT_TRUE(answered(read(*admin_, 1)).at(0, 0) == text("10"));
  done(admin_->run("alter table kv modify v bigint"));
  EXPECT_EQ(answered(set(*admin_, 1, 10)).changed, 1U) << "matched, though nothing changed";
  EXPECT_EQ(answered(set(*admin_, 9, 10)).changed, 0U);
  EXPECT_EQ(answered(admin_->run("delete from kv where k > 0")).changed, 2U);
  const Dialect& dialect = database_->dialect();
  const std::string upsert = upsert_sql(dialect, "kv", "k", "v");
  done(admin_->execute(upsert, {{integer(5), integer(1)}}));
  done(admin_->execute(upsert, {{integer(5), integer(2)}}));
  EXPECT_EQ(value(5), 2);
  done(admin_->run(fmt::format("create or replace table lists (k bigint primary key, t {}, l {}){}", dialect.text_type,
                               dialect.list_type, dialect.table_options)));
  done(admin_->run("insert into lists values (1, '1', '[1]')"));
  const std::string append = fmt::format("update lists set t = {}, l = {} where k = 1", concatenated(dialect, "t", "?"),
                                         fmt::format(fmt::runtime(dialect.list_append), "l"));
  done(admin_->execute(append, {{text(",2"), integer(2)}}));
  EXPECT_TRUE(answered(admin_->run("select t, l from lists")).cells ==
              (std::vector<Cell>{text("1,2"), text("[1, 2]")}));
}

TEST_F(MariadbDriver, AFailedStatementLeavesItsTransactionOpen) {
  done(
      admin_->run("create or replace table child (k bigint primary key, p bigint references kv (k), "
                  "s varchar(3), c int check (c > 0), n tinyint) engine=InnoDB"));
  auto connection = connected();
  done(connection->begin());
  done(set(*connection, 1, 11));
  fails_with(connection->run("insert into kv values (1, 1)"), "1062", Fate::kStatementFailed);
  fails_with(connection->execute("insert into kv values (?, ?)", {{integer(1), integer(1)}}), "1062",
             Fate::kStatementFailed);
  fails_with(connection->run("insert into kv values (3, null)"), "1048", Fate::kStatementFailed);
  fails_with(connection->run("insert into kv (k) values (3)"), "1364", Fate::kStatementFailed);
  fails_with(connection->run("insert into child values (1, 77, '', 1, 1)"), "1452", Fate::kStatementFailed);
  fails_with(connection->run("insert into child values (1, 1, 'long', 1, 1)"), "1406", Fate::kStatementFailed);
  fails_with(connection->run("insert into child values (1, 1, '', -1, 1)"), "4025", Fate::kStatementFailed);
  fails_with(connection->run("insert into child values (1, 1, '', 1, 300)"), "1264", Fate::kStatementFailed);
  fails_with(connection->run("update kv set v = 9223372036854775807 + v"), "1690", Fate::kStatementFailed);
  fails_with(connection->run("set statement max_statement_time = 0.01 for select sleep(20) from kv"), "1969",
             Fate::kStatementFailed);
  done(connection->commit());
  EXPECT_EQ(value(1), 11) << "what came before the failures was committed";
  done(admin_->run("drop table child"));

  auto unlisted = connection->run("select * from no_such_table");
  ASSERT_FALSE(unlisted.has_value());
  EXPECT_NE(unlisted.error().text.find("1146"), std::string::npos) << unlisted.error().text;
  EXPECT_NE(unlisted.error().text.find("no_such_table"), std::string::npos);
}

TEST_F(MariadbDriver, RequestsThatAreSentTogetherAreAnsweredOneByOne) {
  const auto c = connected();
  const Request begin{RequestKind::kBegin, {}}, count{RequestKind::kPrepared, "select count(*) from kv"};
  const Request insert{RequestKind::kStatement, "insert into kv values (3, 30)"};
  for (int i = 0; i < 3; ++i) {
    const auto answers = c->run_all(std::vector{begin, count, insert, count}, OnFailure::kStop);
    ASSERT_EQ(answers.size(), 4u);
    EXPECT_EQ(answered(answers[1]).at(0, 0), integer(2));
    EXPECT_EQ(answered(answers[2]).changed, 1u);
    EXPECT_EQ(answered(answers[3]).at(0, 0), integer(3));
    done(c->roll_back());
  }
}

TEST_F(MariadbDriver, NothingIsSentAfterAFailureUnlessItIsAskedFor) {
  const auto c = connected();
  const Request begin{RequestKind::kBegin, {}}, refused{RequestKind::kStatement, "insert into kv values (1, 30)"};
  const Request unknown{RequestKind::kStatement, "select x from kv"},
      select{RequestKind::kPrepared, "select v from kv"};
  const Request insert{RequestKind::kStatement, "insert into kv values (4, 30)"};
  auto answers = c->run_all(std::vector{begin, refused, insert}, OnFailure::kStop);
  ASSERT_EQ(answers.size(), 2u);
  fails_with(answers[1], "1062", Fate::kStatementFailed);
  done(c->roll_back());
  answers = c->run_all(std::vector{begin, select, unknown, insert}, OnFailure::kStop);
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_FALSE(answers[2].has_value());
  done(c->roll_back());
  answers = c->run_all(std::vector{refused, select, unknown, insert, refused}, OnFailure::kGoOn);
  ASSERT_EQ(answers.size(), 5u);
  fails_with(answers[0], "1062", Fate::kStatementFailed);
  EXPECT_EQ(answered(answers[1]).rows(), 2u);
  EXPECT_FALSE(answers[2].has_value());
  EXPECT_EQ(answered(answers[3]).changed, 1u);
  fails_with(answers[4], "1062", Fate::kStatementFailed);
  EXPECT_EQ(value(4), 30);
}

// What a transaction that the server rolled back leaves must not reach into the next one.
TEST_F(MariadbDriver, ABeginWithOthersEndsWhatAnErrorEnded) {
  auto database = opened("?innodb_snapshot_isolation=on");
  const auto c = connected(*database, "repeatable read");
  const Request begin{RequestKind::kBegin, {}}, count{RequestKind::kStatement, "select v from kv where k = 1"};
  const Request update{RequestKind::kStatement, "update kv set v = v + 1 where k = 1"};
  auto answers = c->run_all(std::vector{begin, count}, OnFailure::kStop);
  ASSERT_EQ(answers.size(), 2u);
  done(admin_->run("update kv set v = 50 where k = 1"));
  answers = c->run_all(std::vector{update, count}, OnFailure::kStop);
  ASSERT_EQ(answers.size(), 1u);
  fails_with(answers[0], "1020", Fate::kRolledBack);
  for (int i = 0; i < 2; ++i) {
    answers = c->run_all(std::vector{begin, count, update, count}, OnFailure::kStop);
    ASSERT_EQ(answers.size(), 4u);
    EXPECT_EQ(answered(answers[1]).at(0, 0), integer(50));
    EXPECT_EQ(answered(answers[3]).at(0, 0), integer(51));
    done(c->roll_back());
  }
}

TEST_F(MariadbDriver, ALockWaitThatEndsIsTheStatementsFailure) {
  const auto impatient = opened("?innodb_lock_wait_timeout=0");
  auto holder = connected();
  auto other = connected(*impatient, "repeatable read");
  done(holder->begin());
  done(set(*holder, 1, 11));
  done(other->begin());
  done(set(*other, 2, 21));
  fails_with(set(*other, 1, 12), "1205", Fate::kStatementFailed);
  done(other->commit());
  done(holder->roll_back());
  EXPECT_EQ(value(1), 10);
  EXPECT_EQ(value(2), 21);
}

TEST_F(MariadbDriver, ADeadlockRollsTheTransactionBack) {
  auto a = connected();
  auto b = connected();
  done(a->begin());
  done(b->begin());
  done(set(*a, 1, 11));
  done(set(*b, 2, 22));
  auto waits = std::async(std::launch::async, [&] { return set(*a, 2, 12); });
  until_waiting({a->session()});
  const Reply second = answered(set(*b, 1, 21));
  const Reply first = answered(waits.get());
  EXPECT_NE(first.done(), second.done()) << "one of them is the victim";
  Connection& victim = first.done() ? *b : *a;
  const Reply& failed = first.done() ? second : first;
  EXPECT_EQ(failed.failure.code, "1213");
  EXPECT_EQ(failed.fate, Fate::kRolledBack);
  EXPECT_EQ(answered(admin_->run("select v from kv for update skip locked")).rows(), 0U);
  done((first.done() ? *a : *b).commit());
  // The victim's session is usable, and what it does next is one transaction again.
  done(victim.begin());
  done(set(victim, 1, 99));
  done(victim.roll_back());
  EXPECT_EQ(value(1), first.done() ? 11 : 21);
}

TEST_F(MariadbDriver, SnapshotIsolationEndsTheSecondWriter) {
  const auto off = opened("?innodb_snapshot_isolation=off");
  const auto on = opened("?innodb_snapshot_isolation=on");
  EXPECT_EQ((*level_named(*off, "repeatable read"))->claims, Level::kRepeatableRead);
  EXPECT_EQ((*level_named(*on, "repeatable read"))->claims, Level::kSnapshotIsolation);
  EXPECT_EQ((*level_named(*on, "si"))->name, "repeatable read");
  EXPECT_EQ((*level_named(*off, "si"))->name, "serializable");
  for (Database* const database : {off.get(), on.get()}) {
    done(set(*admin_, 1, 10));
    auto connection = connected(*database, "repeatable read");
    const std::string described = *database->describe(*connection);
    EXPECT_TRUE(described.starts_with("MariaDB 1")) << described;
    EXPECT_NE(described.find(database == on.get() ? "isolation=ON" : "isolation=OFF"), std::string::npos) << described;
    done(connection->begin());
    done(read(*connection, 1));
    done(set(*admin_, 1, 15));
    if (database == off.get()) {
      done(connection->execute("update kv set v = v + 1 where k = ?", {{integer(1)}}));
      done(connection->commit());
      EXPECT_EQ(value(1), 16);
      continue;
    }
    fails_with(connection->execute("update kv set v = v + 1 where k = ?", {{integer(1)}}), "1020", Fate::kRolledBack);
    done(connection->begin());
    done(set(*connection, 2, 77));
    done(connection->roll_back());
    EXPECT_EQ(value(1), 15);
    EXPECT_EQ(value(2), 20);
  }
}

TEST_F(MariadbDriver, EachLevelIsTheServersOwn) {
  auto writer = connected();
  done(writer->begin());
  done(set(*writer, 1, 11));
  const auto seen = [&](std::string_view level) {
    auto reader = connected(level);
    done(reader->begin());
    const Reply reply = answered(reader->run("select v, @@tx_isolation from kv where k = 1"));
    return fmt::format("{} {}", std::get<std::int64_t>(reply.at(0, 0)), std::get<std::string>(reply.at(0, 1)));
  };
  EXPECT_EQ(seen("read uncommitted"), "11 READ-UNCOMMITTED");
  EXPECT_EQ(seen("read committed"), "10 READ-COMMITTED");
  EXPECT_EQ(seen("repeatable read"), "10 REPEATABLE-READ");
  auto reader = connected("serializable");
  done(reader->begin());
  auto waits = std::async(std::launch::async, [&] { return read(*reader, 1); });
  until_waiting({reader->session()});
  done(writer->commit());
  EXPECT_TRUE(answered(waits.get()).at(0, 0) == integer(11));
}

TEST_F(MariadbDriver, WaitingNamesThoseWhoWaitAndNobodyElse) {
  until_waiting({});
  auto holder = connected();
  auto first = connected();
  auto second = connected();
  auto idle = connected();
  for (Connection* const c : {holder.get(), first.get(), second.get(), idle.get()}) done(c->begin());
  done(set(*idle, 2, 22));
  done(set(*holder, 1, 11));
  auto a = std::async(std::launch::async, [&] { return set(*first, 1, 12); });
  until_waiting({first->session()});
  auto b = std::async(std::launch::async, [&] { return set(*second, 1, 13); });
  until_waiting({first->session(), second->session()});
  done(holder->commit());
  done(a.get());
  until_waiting({second->session()});
  done(first->commit());
  done(b.get());
  until_waiting({});
  // A table's own lock.
  auto ddl = connected();
  auto c = std::async(std::launch::async, [&] { return ddl->run("alter table kv add column x int"); });
  until_waiting({ddl->session()});
  done(second->roll_back());
  done(idle->roll_back());
  done(c.get());
}

TEST_F(MariadbDriver, CancelEndsTheStatementAndNotItsTransaction) {
  auto holder = connected();
  auto other = connected();
  done(holder->begin());
  done(set(*holder, 1, 11));
  done(other->begin());
  done(set(*other, 2, 22));
  auto waits = std::async(std::launch::async, [&] { return set(*other, 1, 12); });
  until_waiting({other->session()});
  other->cancel();
  fails_with(waits.get(), "1317", Fate::kStatementFailed);
  done(other->commit());
  EXPECT_EQ(value(2), 22);
}

TEST_F(MariadbDriver, AConnectionThatIsGoneIsLostForEveryRequest) {
  auto other = connected();
  // Ended by an administrator, while it waits and while it does nothing.
  auto holder = connected();
  done(holder->begin());
  done(set(*holder, 1, 11));
  done(other->begin());
  done(set(*other, 2, 22));
  auto waits = std::async(std::launch::async, [&] { return set(*other, 1, 12); });
  until_waiting({other->session()});
  ASSERT_TRUE(database_->terminate(*admin_, other->session()).has_value());
  EXPECT_EQ(answered(waits.get()).fate, Fate::kLost);
  EXPECT_EQ(answered(other->commit()).fate, Fate::kLost);
  EXPECT_EQ(answered(other->roll_back()).fate, Fate::kLost);
  EXPECT_EQ(answered(other->begin()).fate, Fate::kLost);
  ASSERT_TRUE(database_->terminate(*admin_, holder->session()).has_value());
  EXPECT_EQ(answered(holder->commit()).fate, Fate::kLost);
  EXPECT_FALSE(database_->terminate(*admin_, 4'000'000'000).has_value()) << "there is no such session";
  // Cut at this end.
  auto cut = connected();
  done(cut->begin());
  done(set(*cut, 2, 23));
  cut->sever();
  EXPECT_EQ(answered(set(*cut, 2, 24)).fate, Fate::kLost);
  EXPECT_EQ(answered(cut->run("select 1")).fate, Fate::kLost);
  EXPECT_EQ(answered(cut->commit()).fate, Fate::kLost);
  cut.reset();
  done(admin_->run("select * from kv for update"));  // the server has rolled all of them back
  EXPECT_EQ(value(1), 10);
  EXPECT_EQ(value(2), 20);
}

TEST_F(MariadbDriver, WhatACommitSaysIsTrueWheneverItsConnectionIsKilled) {
  int lost = 0;
  for (std::int64_t i = 1; i <= 60; ++i) {
    auto connection = connected();
    done(connection->begin());
    done(set(*connection, 1, 1000 + i));
    std::thread killer([&, session = connection->session()] {
      std::this_thread::sleep_for(std::chrono::microseconds(13 * (i % 20)));
      (void)database_->terminate(*admin_, session);
    });
    TxnFacts facts;
    const Reply reply = answered(connection->commit(&facts));
    killer.join();
    const bool is_there = value(1) == 1000 + i;
    if (reply.fate == Fate::kDone) {
      EXPECT_TRUE(is_there);
      EXPECT_TRUE(facts.commit_place.has_value());
    } else {
      EXPECT_EQ(reply.fate, Fate::kLost);
      EXPECT_FALSE(facts.commit_place.has_value());
      ++lost;
    }
  }
  RecordProperty("lost", lost);
}

TEST_F(MariadbDriver, ACommitThatTheServerRefusesIsRolledBack) {
  done(admin_->run("create or replace user plain@localhost"));
  done(admin_->run("grant select, insert, update on isolde.* to plain@localhost"));
  Url url = *parse_url(server_->url());
  url.user = "plain";
  const auto database = *open_database(url);
  auto connection = connected(*database, "repeatable read");
  done(connection->begin());
  done(set(*connection, 1, 11));
  done(admin_->run("set global read_only = 1"));
  TxnFacts facts;
  fails_with(connection->commit(&facts), "1290", Fate::kRolledBack);
  EXPECT_FALSE(facts.commit_place.has_value());
  done(connection->begin());
  EXPECT_TRUE(answered(read(*connection, 1)).at(0, 0) == integer(10));
  fails_with(set(*connection, 1, 12), "1290", Fate::kStatementFailed);
  done(connection->commit());
  done(admin_->run("set global read_only = 0"));
  EXPECT_EQ(value(1), 10);
}

TEST_F(MariadbDriver, ACommitThatIsKilledWhileItWaitsIsUnknown) {
  auto connection = connected();
  done(connection->begin());
  done(set(*connection, 1, 11));
  done(admin_->run("flush tables with read lock"));
  auto waits = std::async(std::launch::async, [&] { return connection->commit(); });
  until_waiting({connection->session()});
  connection->cancel();
  const Reply reply = answered(waits.get());
  EXPECT_EQ(reply.failure.code, "1317");
  EXPECT_EQ(reply.fate, Fate::kLost);
  EXPECT_EQ(answered(connection->begin()).fate, Fate::kLost) << "what is left of it is not used";
  done(admin_->run("unlock tables"));

  auto patient = connected();
  done(patient->run("set session lock_wait_timeout = 1"));
  done(patient->begin());
  done(set(*patient, 1, 12));
  done(admin_->run("flush tables with read lock"));
  fails_with(patient->commit(), "1205", Fate::kRolledBack);
  done(admin_->run("unlock tables"));
  done(patient->begin());
  EXPECT_TRUE(answered(read(*patient, 1)).at(0, 0) == integer(10));
  done(patient->commit());
}

// What a flavour builds on: a second question in the commit's round trip.
class Asking : public MariadbConnection {
 public:
  using MariadbConnection::begin_and, MariadbConnection::commit_and, MariadbConnection::MariadbConnection;
};

TEST_F(MariadbDriver, AQuestionAfterTheCommitNeverChangesWhatBecameOfIt) {
  MariadbTarget target = mariadb_target(*parse_url(server_->url()), 3306);
  target.errors = mariadb_errors();
  target.commit_errors = mariadb_commit_errors();
  const auto opened = [&] { return std::make_unique<Asking>(*open_mariadb_session(target), target); };
  auto asking = opened();
  const Reply started = answered(asking->begin_and("select 41 + 1"));
  EXPECT_TRUE(started.cells == std::vector<Cell>{integer(42)});
  done(set(*asking, 1, 11));
  EXPECT_EQ(value(1), 10) << "it has begun";
  const Reply committed = answered(asking->commit_and("select v from kv where k = 1"));
  EXPECT_TRUE(committed.done());
  EXPECT_TRUE(committed.cells == std::vector<Cell>{integer(11)});
  done(asking->begin_and(""));
  done(set(*asking, 1, 12));
  const Reply unanswered = answered(asking->commit_and("select * from no_such_table"));
  EXPECT_TRUE(unanswered.done()) << "committed, whatever became of the question";
  EXPECT_TRUE(unanswered.cells.empty());
  EXPECT_EQ(value(1), 12);

  asking = opened();
  done(asking->begin_and(""));
  done(set(*asking, 1, 13));
  auto waits = std::async(std::launch::async, [&] { return asking->commit_and("select sleep(600)"); });
  while (value(1) != 13) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(database_->terminate(*admin_, asking->session()).has_value());
  EXPECT_TRUE(answered(waits.get()).done()) << "the commit was answered before the connection went";
  EXPECT_EQ(answered(asking->begin_and("")).fate, Fate::kLost);

  asking = opened();
  done(asking->begin_and(""));
  ASSERT_TRUE(database_->terminate(*admin_, asking->session()).has_value());
  EXPECT_EQ(answered(asking->commit_and("select 1")).fate, Fate::kLost);
}

TEST_F(MariadbDriver, CommitPlacesFollowTheOrderOfARowsVersions) {
  std::mutex lock;
  std::vector<std::pair<std::int64_t, std::int64_t>> placed;  // place, the value that it overwrote
  std::vector<std::thread> clients;
  for (int c = 0; c < 4; ++c) {
    clients.emplace_back([&] {
      auto connection = connected();
      for (int i = 0; i < 50; ++i) {
        done(connection->begin());
        const Reply before = answered(connection->execute("select v from kv where k = ? for update", {{integer(1)}}));
        const auto seen = std::get<std::int64_t>(before.at(0, 0));
        done(set(*connection, 1, seen + 1));
        TxnFacts facts;
        done(connection->commit(&facts));
        ASSERT_TRUE(facts.commit_place.has_value());
        const std::lock_guard guard(lock);
        placed.emplace_back(*facts.commit_place, seen);
      }
    });
  }
  for (std::thread& client : clients) client.join();
  std::sort(placed.begin(), placed.end());
  ASSERT_EQ(placed.size(), 200U);
  for (std::size_t i = 0; i < placed.size(); ++i) EXPECT_EQ(placed[i].second, 10 + static_cast<std::int64_t>(i));
}

TEST_F(MariadbDriver, ATransactionThatWroteNothingHasNoPlace) {
  auto connection = connected();
  const auto place = [&](std::string_view sql) {
    TxnFacts facts;
    done(connection->begin());
    if (!sql.empty()) done(connection->run(sql));
    done(connection->commit(&facts));
    return facts.commit_place;
  };
  const auto first = place("update kv set v = 1 where k = 1");
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(place("").has_value());
  EXPECT_FALSE(place("select * from kv").has_value());
  EXPECT_FALSE(place("select * from kv for update").has_value());
  EXPECT_FALSE(place("update kv set v = 1 where k = 1").has_value()) << "no version was made (binlog_format=ROW)";
  const auto second = place("insert into kv values (7, 7)");
  ASSERT_TRUE(second.has_value());
  EXPECT_GT(*second, *first);
  done(connection->begin());
  done(set(*connection, 1, 5));
  done(connection->roll_back());
  EXPECT_FALSE(place("select 1").has_value());
}

TEST_F(MariadbDriver, AServerThatCrashesAtCommitLeavesItUnknown) {
  auto connection = connected();
  done(connection->begin());
  done(set(*connection, 1, 11));
  ASSERT_TRUE(server_->stop(Stop::kCrash).has_value());
  EXPECT_EQ(answered(connection->commit()).fate, Fate::kLost);
  EXPECT_FALSE(database_->connect(database_->levels()[0]).has_value());
  ASSERT_TRUE(server_->start().has_value());
  admin_ = connected();
  EXPECT_EQ(value(1), 10);
}

TEST(MariadbDriverSettings, ATimeoutMayRollEverythingBackAndALogMayBeMissing) {
  auto server = start_server({"mariadb", "", {{"innodb_rollback_on_timeout", "ON"}, {"skip_log_bin", "ON"}}});
  ASSERT_TRUE(server.has_value()) << server.error().message();
  const auto database = *open_database(*parse_url((*server)->url() + "?innodb_lock_wait_timeout=0"));
  const auto holder = *database->connect(database->levels()[2]);
  const auto other = *database->connect(database->levels()[2]);
  done(holder->run("create table kv (k bigint primary key, v bigint) engine=InnoDB"));
  done(holder->run("insert into kv values (1, 10), (2, 20)"));
  done(holder->begin());
  done(holder->run("update kv set v = 11 where k = 1"));
  done(other->begin());
  done(other->run("update kv set v = 22 where k = 2"));
  fails_with(other->run("update kv set v = 12 where k = 1"), "1205", Fate::kMustRollBack);
  done(other->roll_back());
  TxnFacts facts;
  done(holder->commit(&facts));
  EXPECT_FALSE(facts.commit_place.has_value());
  std::string why_not;
  const Url url = *parse_url((*server)->url());
  EXPECT_TRUE(record::make_recovery({*database, url, {}, false}, why_not).has_value());
  EXPECT_NE(why_not.find("log_bin"), std::string::npos) << why_not;
  EXPECT_TRUE(answered(other->run("select v from kv order by k")).cells ==
              (std::vector<Cell>{integer(11), integer(20)}));
}

}  // namespace mariadb_driver_test
}  // namespace isolde::db
