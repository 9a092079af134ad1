#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "db/server.h"
#include "db/url.h"
#include "hunt/run/answers.h"
#include "hunt/run/arena.h"
#include "tests/support/comes_true.h"
#include "tests/support/small_case.h"

namespace isolde::hunt {
namespace hunt_arena_test {

using testing::Line;
using testing::small_case;
using testing::small_schema;

std::map<std::string, std::string> settings_of(const std::string& kind) {
  if (kind == "postgres") return {{"log_statement", "all"}, {"wal_level", "minimal"}, {"max_wal_senders", "0"}};
  return {{"general_log", "ON"}, {"log_output", "TABLE"}, {"innodb_snapshot_isolation", "ON"}};
}

// One server a kind for all tests of this program.
db::Server* server_of(const std::string& kind) {
  static std::map<std::string, std::unique_ptr<db::Server>> servers;
  auto& server = servers[kind];
  if (server == nullptr) {
    auto started = db::start_server({.kind = kind, .binaries = {}, .settings = settings_of(kind)});
    if (!started) {
      ADD_FAILURE() << started.error().text;
      return nullptr;
    }
    server = *std::move(started);
  }
  return server.get();
}

class LiveArenas : public ::testing::Test {
 protected:
  void open(const std::string& kind, std::string_view level) {
    server_ = server_of(kind);
    ASSERT_NE(server_, nullptr);
    auto url = db::parse_url(server_->url());
    ASSERT_TRUE(url);
    auto database = db::open_database(*url);
    ASSERT_TRUE(database);
    database_ = *std::move(database);
    const auto found = db::level_named(*database_, level);
    ASSERT_TRUE(found);
    auto arena = open_arena(*database_, **found, options_);
    ASSERT_TRUE(arena) << arena.error().text;
    arena_ = *std::move(arena);
    const auto prepared = arena_->prepare(small_schema(kind));
    ASSERT_TRUE(prepared) << prepared.error().text;
  }
  Execution run(const Case& test, bool instrumented = true) {
    const auto reset = arena_->reset();
    EXPECT_TRUE(reset) << reset.error().text;
    Execution execution = arena_->run(test, instrumented);
    if (execution.fault) ADD_FAILURE() << execution.fault->text;
    return execution;
  }
  Execution run(const std::vector<Line>& lines, bool instrumented = true) {
    return run(small_case(arena_->dialect().name, lines), instrumented);
  }

  ArenaOptions options_;
  db::Server* server_ = nullptr;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<Arena> arena_;
};

class LiveArena : public LiveArenas, public ::testing::WithParamInterface<std::string> {};

std::string name_of(const ::testing::TestParamInfo<std::string>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Servers, LiveArena, ::testing::Values("postgres", "mariadb"), name_of);

TEST_P(LiveArena, AStatementShowsWhatItSawAndWhatItLeft) {
  open(GetParam(), "read committed");
  const Execution e = run({{1, "update a set vkey = 100, x = x + 1 where x > 15"}, {1, "commit"}});
  const StatementRun& s = e.runs[0][0];
  EXPECT_EQ(s.ran, Ran::kDone);
  EXPECT_FALSE(s.apart);
  EXPECT_EQ(s.reply.changed, 2u);
  EXPECT_EQ(s.seen.at("a"),
            (Contents{{1, 0, "1, 0, '10', 'one'"}, {2, 0, "2, 0, '20', NULL"}, {3, 0, "3, 0, '30', 'NULL'"}}));
  EXPECT_EQ(s.left.at("a"),
            (Contents{{1, 0, "1, 0, '10', 'one'"}, {2, 100, "2, 100, '21', NULL"}, {3, 100, "3, 100, '31', 'NULL'"}}));
  EXPECT_EQ(s.about_to_change, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(e.ends, std::vector{Ended::kCommitted});
  EXPECT_EQ(e.final.at("a"), s.left.at("a"));
}

TEST_P(LiveArena, AStatementThatWaitsIsApartAndAnsweredWhenItIsLetGo) {
  open(GetParam(), "read committed");
  const std::vector<Line> lines = {{1, "update a set vkey = 100, x = x + 1 where pkey = 1"},
                                   {2, "update a set vkey = 101, x = x * 2 where pkey = 1"},
                                   {1, "select x from a"},
                                   {2, "commit"},  // its turn comes while it waits
                                   {1, "commit"}};
  for (const bool instrumented : {true, false}) {
    const Execution e = run(lines, instrumented);
    EXPECT_EQ(e.ends, (std::vector{Ended::kCommitted, Ended::kCommitted}));
    EXPECT_TRUE(e.runs[1][0].apart);
    EXPECT_FALSE(e.runs[0][0].apart);
    EXPECT_FALSE(e.runs[0][1].apart);
    EXPECT_EQ(e.runs[1][0].ran, Ran::kDone);
    EXPECT_EQ(e.answered, (std::vector<Place>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}}));
    EXPECT_EQ(e.final.at("a")[0].cells, "1, 101, '22', 'one'");
  }
}

TEST_P(LiveArena, DeadlocksEndTheSameEachTime) {
  open(GetParam(), "read committed");
  const Case test = small_case(GetParam(), {{1, "update a set vkey = 100 where pkey = 1"},
                                            {2, "update a set vkey = 101 where pkey = 2"},
                                            {1, "update a set vkey = 102 where pkey = 2"},
                                            {2, "update a set vkey = 103 where pkey = 1"},
                                            {1, "commit"},
                                            {2, "commit"}});
  const Execution first = run(test);
  EXPECT_EQ(first.ends, (std::vector{Ended::kCommitted, Ended::kAborted}));
  EXPECT_EQ(first.runs[1][1].ran, Ran::kFailed);
  EXPECT_EQ(first.runs[1][1].reply.failure.code, GetParam() == "postgres" ? "40P01" : "1213");
  EXPECT_TRUE(first.runs[0][1].apart);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(difference(first, run(test)), std::nullopt);
}

// Else both would be let go by one commit, and race.
TEST_P(LiveArena, TheSecondThatWouldHaveToWaitIsCancelled) {
  open(GetParam(), "read committed");
  const Case test = small_case(GetParam(), {{1, "update a set vkey = 100 where pkey = 1"},
                                            {2, "update a set vkey = 101 where pkey = 1"},
                                            {3, "update a set vkey = 102 where pkey = 1"},
                                            {1, "commit"},
                                            {2, "commit"},
                                            {3, "commit"}});
  const Execution first = run(test);
  EXPECT_EQ(first.ends, (std::vector{Ended::kCommitted, Ended::kCommitted, Ended::kAborted}));
  EXPECT_EQ(first.runs[2][0].ran, Ran::kTimedOut);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(difference(first, run(test)), std::nullopt);
}

TEST_P(LiveArena, AConflictAbortsTheTransactionAndTheRestIsNotSent) {
  open(GetParam(), "repeatable read");
  const Case test = small_case(GetParam(), {{1, "select x from a"},
                                            {2, "update a set vkey = 101, x = 7 where pkey = 1"},
                                            {2, "commit"},
                                            {1, "update a set vkey = 102, x = 8 where pkey = 1"},
                                            {1, "insert into a (pkey, vkey, x, s) values (9, 103, 0, null)"},
                                            {1, "commit"}});
  const Execution e = run(test);
  EXPECT_EQ(e.runs[0][1].ran, Ran::kFailed);
  EXPECT_EQ(e.runs[0][1].reply.failure.code, GetParam() == "postgres" ? "40001" : "1020");
  EXPECT_EQ(e.runs[0][1].seen.at("a")[0].cells, "1, 0, '10', 'one'");
  EXPECT_EQ(e.runs[0][2].ran, Ran::kNotSent);
  EXPECT_EQ(e.ends, (std::vector{Ended::kAborted, Ended::kCommitted}));
  EXPECT_EQ(e.final.at("a").size(), 3u);
  EXPECT_EQ(e.final.at("a")[0].cells, "1, 101, '7', 'one'");
  EXPECT_EQ(difference(e, run(test)), std::nullopt);
}

TEST_P(LiveArena, WriteSkewAtSerializableIsRefusedToOneOfTheTwo) {
  open(GetParam(), "serializable");
  const Case test = small_case(GetParam(), {{1, "update b set vkey = 100, x = (select sum(x) from a ) where pkey = 1"},
                                            {2, "update a set vkey = 101, x = (select sum(x) from b ) where pkey = 1"},
                                            {1, "commit"},
                                            {2, "commit"}});
  const Execution e = run(test);
  EXPECT_EQ(std::count(e.ends.begin(), e.ends.end(), Ended::kCommitted), 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(difference(e, run(test)), std::nullopt);
}

TEST_P(LiveArena, ARefusedStatementLeavesItsTransactionAsTheServerDoes) {
  open(GetParam(), "read committed");
  const Execution e = run({{1, "update a set vkey = 100, x = 7 where pkey = 2"},
                           {1, "insert into a (pkey, vkey, x, s) values (1, 101, 0, null)"},
                           {1, "update a set vkey = 102, x = 7 where pkey = 3"},
                           {1, "commit"}});
  EXPECT_EQ(e.runs[0][1].ran, Ran::kFailed);
  EXPECT_EQ(e.runs[0][1].seen.at("a").size(), 3u);
  const bool goes_on = GetParam() == "mariadb";
  EXPECT_EQ(e.runs[0][2].ran, goes_on ? Ran::kDone : Ran::kNotSent);
  EXPECT_EQ(e.ends, std::vector{goes_on ? Ended::kCommitted : Ended::kAborted});
  EXPECT_EQ(e.final.at("a")[1].vkey, goes_on ? 100 : 0);
}

TEST_P(LiveArena, ARollbackLeavesNoTrace) {
  open(GetParam(), "read committed");
  const Execution e =
      run({{1, "delete from a where pkey < 3"}, {2, "select x from b"}, {1, "rollback"}, {2, "commit"}});
  EXPECT_EQ(e.ends, (std::vector{Ended::kRolledBack, Ended::kCommitted}));
  EXPECT_EQ(e.runs[0][0].left.at("a").size(), 1u);
  EXPECT_EQ(e.runs[0][0].left.at("b").size(), 0u);
  EXPECT_EQ(e.final.at("a").size(), 3u);
  EXPECT_EQ(e.final.at("b").size(), 2u);
}

TEST_P(LiveArena, TheServerStopsAStatementThatTakesTooLong) {
  options_.statement_limit = std::chrono::milliseconds(100);
  open(GetParam(), "read committed");
  std::string slow = "select count(*) from a t0";
  for (int i = 1; i < 20; ++i) slow += " cross join a t" + std::to_string(i);
  const Case test = small_case(GetParam(), {{1, slow}, {2, "select x from a"}, {1, "commit"}, {2, "commit"}});
  const Execution e = run(test);
  EXPECT_EQ(e.runs[0][0].ran, Ran::kTimedOut);
  EXPECT_EQ(e.runs[0][0].reply.failure.code, GetParam() == "postgres" ? "57014" : "1969");
  EXPECT_EQ(e.runs[1][0].ran, Ran::kDone);
  EXPECT_EQ(e.ends, (std::vector{GetParam() == "postgres" ? Ended::kAborted : Ended::kCommitted, Ended::kCommitted}));
  ASSERT_TRUE(arena_->reset());
  const AloneRun alone = arena_->run_alone(test, std::vector<Place>{{0, 0}, {1, 0}});
  EXPECT_FALSE(alone.fault);
  EXPECT_EQ(alone.runs[0].ran, Ran::kTimedOut);
  EXPECT_EQ(alone.runs[1].ran, Ran::kDone);
}

TEST_P(LiveArena, AnErrorThatNobodyListedIsAnAnswerOfItsStatement) {
  open(GetParam(), "read committed");
  const Case test = small_case(GetParam(), {{1, "update a set vkey = 100 where pkey = 1"},
                                            {2, "select nothing_of_the_kind from a"},
                                            {1, "commit"},
                                            {2, "commit"}});
  const Execution e = arena_->run(test, true);
  const std::string code = GetParam() == "postgres" ? "42703" : "1054";
  EXPECT_FALSE(e.fault);
  EXPECT_FALSE(e.lost);
  EXPECT_EQ(e.runs[1][0].ran, Ran::kFailed);
  EXPECT_EQ(e.runs[1][0].reply.failure.code, code);
  EXPECT_EQ(e.ends[0], Ended::kCommitted);
  ASSERT_TRUE(arena_->reset());
  const AloneRun alone = arena_->run_alone(test, std::vector<Place>{{0, 0}, {1, 0}});
  EXPECT_FALSE(alone.fault);
  EXPECT_EQ(alone.runs[0].ran, Ran::kDone);
  EXPECT_EQ(alone.runs[1].ran, Ran::kFailed);
  EXPECT_EQ(alone.runs[1].reply.failure.code, code);
  const Execution again = run({{1, "select x from a where pkey = 1"}, {1, "commit"}});
  EXPECT_EQ(sorted_rows(again.runs[0][0].reply), std::vector<std::string>{"(10)"});
}

TEST_P(LiveArena, AloneEachStatementIsATransactionOfItsOwn) {
  open(GetParam(), "repeatable read");
  const Case test = small_case(GetParam(), {{1, "update a set vkey = 100, x = 7 where pkey = 2"},
                                            {1, "insert into a (pkey, vkey, x, s) values (1, 101, 0, null)"},
                                            {2, "select x from a where pkey = 2"},
                                            {1, "rollback"},
                                            {2, "commit"}});
  ASSERT_TRUE(arena_->reset());
  const AloneRun alone = arena_->run_alone(test, std::vector<Place>{{1, 0}, {0, 0}, {0, 1}, {1, 0}});
  EXPECT_FALSE(alone.fault);
  EXPECT_EQ(sorted_rows(alone.runs[0].reply), std::vector<std::string>{"(20)"});
  EXPECT_EQ(alone.runs[1].reply.changed, 1u);
  EXPECT_EQ(alone.runs[2].ran, Ran::kFailed);
  EXPECT_EQ(sorted_rows(alone.runs[3].reply), std::vector<std::string>{"(7)"});
  EXPECT_EQ(alone.final.at("a")[1].cells, "2, 100, '7', NULL");
}

// How often the server says that it was asked each of these.
std::map<std::string, int> executions(db::Server& server, db::Database& database, const std::set<std::string>& texts) {
  std::map<std::string, int> counts;
  if (database.dialect().name == "postgres") {
    std::ifstream log(server.log_file());
    for (std::string line; std::getline(log, line);) {
      if (line.find("statement: ") == std::string::npos && line.find("execute ") == std::string::npos) continue;
      for (const std::string& text : texts) counts[text] += line.ends_with(": " + text) ? 1 : 0;
    }
    return counts;
  }
  const auto admins = db::open_database(*db::parse_url(server.superuser_url()));
  EXPECT_TRUE(admins);
  auto connection = (*admins)->connect((*admins)->levels()[0]);
  EXPECT_TRUE(connection);
  for (const std::string& text : texts) {
    std::string quoted;
    for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
    const auto reply = (*connection)
                           ->run("select cast(coalesce(sum((length(argument) - length(replace(argument, '" + quoted +
                                 "', ''))) / " + std::to_string(text.size()) +
                                 "), 0) as integer) from mysql.general_log where command_type in ('Query', "
                                 "'Execute') and argument not like '%mysql.general_log%'");
    EXPECT_TRUE(reply && reply->done());
    if (const auto* count = std::get_if<std::int64_t>(&reply->at(0, 0))) counts[text] = static_cast<int>(*count);
  }
  return counts;
}

TEST_P(LiveArena, EveryStatementIsExecutedOnce) {
  open(GetParam(), "read committed");
  // Texts of this test alone; one waits, one is refused.
  const std::vector<Line> lines = {{1, "update a set vkey = 700, x = 1 + x where pkey = 1"},
                                   {2, "update a set vkey = 701, x = 2 + x where pkey = 1"},
                                   {3, "select x + 702 from a"},
                                   {1, "insert into b (pkey, vkey, x, up) values (70, 703, 1, 1)"},
                                   {1, "commit"},
                                   {2, "delete from b where x = 704"},
                                   {3, "insert into b (pkey, vkey, x, up) values (1, 705, 1, 1)"},
                                   {2, "rollback"},
                                   {3, "commit"}};
  const Case test = small_case(GetParam(), lines);
  std::set<std::string> texts;
  for (const Transaction& transaction : test.transactions) {
    for (const Statement& statement : transaction.statements) texts.insert(statement.sql);
  }
  ASSERT_EQ(texts.size(), 6u);
  const auto all = [&](int times) {
    std::map<std::string, int> counts;
    for (const std::string& text : texts) counts[text] = times;
    return counts;
  };
  static_cast<void>(run(test, true));
  EXPECT_EQ(executions(*server_, *database_, texts), all(1));
  static_cast<void>(run(test, false));
  EXPECT_EQ(executions(*server_, *database_, texts), all(2));
  ASSERT_TRUE(arena_->reset());
  // The one that is refused is the last: MariaDB's log has the text of what was sent with it, whether it came to it or
  // not.
  const std::vector<Place> order = {{1, 1}, {0, 1}, {2, 0}, {1, 0}, {0, 0}, {2, 1}};
  static_cast<void>(arena_->run_alone(test, order));
  EXPECT_EQ(executions(*server_, *database_, texts), all(3));
}

TEST_F(LiveArenas, MariadbCountsEachStatementOnceAlsoAfterOneThatIsRefused) {
  open("mariadb", "read committed");
  const Case test = small_case("mariadb", {{1, "update a set vkey = 800, x = 1 + x where pkey = 1"},
                                           {1, "insert into a (pkey, vkey, x, s) values (1, 801, 0, null)"},
                                           {1, "update a set vkey = 802, x = 1 + x where pkey = 1"},
                                           {1, "insert into a (pkey, vkey, x, s) values (8, 803, 0, null)"},
                                           {1, "delete from b where x = 804"},
                                           {1, "commit"}});
  ASSERT_TRUE(arena_->reset());
  const auto counts = [&] {
    auto connection = database_->connect(database_->levels()[0]);
    EXPECT_TRUE(connection);
    const auto reply =
        (*connection)->run("show global status where variable_name in ('Com_delete', 'Com_insert', 'Com_update')");
    EXPECT_TRUE(reply && reply->rows() == 3);
    std::vector<int> all;
    for (std::size_t i = 0; i < reply->rows(); ++i) all.push_back(std::stoi(std::get<std::string>(reply->at(i, 1))));
    return all;
  };
  const std::vector<int> before = counts();
  static_cast<void>(arena_->run(test, true));
  EXPECT_EQ(counts(), (std::vector{before[0] + 1, before[1] + 2, before[2] + 2}));
  static_cast<void>(arena_->run_alone(test, std::vector<Place>{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}}));
  EXPECT_EQ(counts(), (std::vector{before[0] + 2, before[1] + 4, before[2] + 4}));
}

// A figure for the report, not a limit.
TEST_P(LiveArena, ResetAndRunAreQuick) {
  open(GetParam(), "read committed");
  const Case test = small_case(GetParam(), {{1, "update a set vkey = 100, x = x + 1 where x > 15"},
                                            {2, "select * from a join b on a.pkey = b.up where b.x > 1"},
                                            {1, "delete from b where x > 1"},
                                            {2, "insert into b (pkey, vkey, x, up) values (7, 103, 5, 1)"},
                                            {1, "commit"},
                                            {2, "select count(*) from b"},
                                            {2, "commit"}});
  using Clock = std::chrono::steady_clock;
  constexpr int kTimes = 40;
  const auto time = [&](auto what) {
    const auto start = Clock::now();
    for (int i = 0; i < kTimes; ++i) what();
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count() / kTimes;
  };
  const double resets = time([&] { EXPECT_TRUE(arena_->reset()); });
  const double runs = time([&] {
    const Execution e = arena_->run(test, true);
    EXPECT_FALSE(e.fault) << e.fault->text;
    EXPECT_TRUE(arena_->reset());
  });
  const std::vector<Place> order = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, 2}};
  const double alone = time([&] {
    const AloneRun e = arena_->run_alone(test, order);
    EXPECT_FALSE(e.fault) << e.fault->text;
    EXPECT_TRUE(arena_->reset());
  });
  GTEST_LOG_(INFO) << GetParam() << ": reset " << resets << " ms, reset and run " << runs << " ms, reset and alone "
                   << alone << " ms";
}

// Last: the server is another one afterwards.
TEST_P(LiveArena, ACrashIsToldAndResetComesBack) {
  open(GetParam(), "read committed");
  const std::string sleep = GetParam() == "postgres" ? "pg_sleep(600)" : "sleep(600)";
  const Case test = small_case(GetParam(), {{1, "update a set vkey = 100, x = 7 where pkey = 1"},
                                            {2, "update a set vkey = 101, x = 8 where pkey = 2"},
                                            {1, "select " + sleep + " from b where pkey = 1"},
                                            {2, "commit"},
                                            {1, "commit"}});
  options_.statement_limit = std::chrono::minutes(10);
  open(GetParam(), "read committed");
  ASSERT_TRUE(arena_->reset());
  auto observer = database_->connect(database_->levels().front());
  ASSERT_TRUE(observer) << observer.error().text;
  const std::string_view sleepers =
      GetParam() == "postgres"
          ? "select 1 from pg_stat_activity where query like 'select pg_sleep(%' and state = 'active'"
          : "select 1 from information_schema.processlist where info like 'select sleep(%'";
  std::thread crash([&] {
    EXPECT_TRUE(test::comes_true([&] {
      const auto reply = (*observer)->run(sleepers);
      return reply && reply->rows() > 0;
    }));
    EXPECT_TRUE(server_->stop(db::Stop::kCrash));
  });
  const Execution e = arena_->run(test, true);
  crash.join();
  EXPECT_TRUE(e.lost);
  EXPECT_EQ(e.ends[0], Ended::kAborted);
  EXPECT_NE(e.ends[1], Ended::kCommitted);  // unknown if its commit was tried
  EXPECT_FALSE(arena_->reset());
  const Execution without = arena_->run(test, true);
  EXPECT_TRUE(without.lost || without.fault);
  const AloneRun alone = arena_->run_alone(test, std::vector<Place>{{0, 0}});
  EXPECT_TRUE(alone.lost || alone.fault);
  ASSERT_TRUE(server_->start());
  const auto reset = arena_->reset();
  ASSERT_TRUE(reset) << reset.error().text;
  const Execution after = run({{1, "select x from a"}, {1, "commit"}});
  EXPECT_EQ(sorted_rows(after.runs[0][0].reply), (std::vector<std::string>{"(10)", "(20)", "(30)"}));
}

}  // namespace hunt_arena_test
}  // namespace isolde::hunt
