#include "hunt/run/arena.h"

#include <gtest/gtest.h>

#include "db/url.h"
#include "hunt/run/answers.h"
#include "tests/support/small_case.h"

namespace isolde::hunt {
namespace arena_test {

using testing::Line;
using testing::small_case;
using testing::small_schema;

class SqliteArena : public ::testing::Test {
 protected:
  void SetUp() override {
    auto url = db::parse_url("sqlite:");
    ASSERT_TRUE(url);
    auto database = db::open_database(*url);
    ASSERT_TRUE(database);
    database_ = *std::move(database);
    open("wal deferred");
  }
  void open(std::string_view level) {
    const auto found = db::level_named(*database_, level);
    ASSERT_TRUE(found);
    auto arena = open_arena(*database_, **found, options_);
    ASSERT_TRUE(arena) << arena.error().text;
    arena_ = *std::move(arena);
    const auto prepared = arena_->prepare(small_schema("sqlite"));
    ASSERT_TRUE(prepared) << prepared.error().text;
  }
  Execution run(const Case& test, bool instrumented = true) {
    const auto reset = arena_->reset();
    EXPECT_TRUE(reset) << reset.error().text;
    Execution execution = arena_->run(test, instrumented);
    EXPECT_FALSE(execution.fault) << execution.fault->text;
    return execution;
  }

  ArenaOptions options_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<Arena> arena_;
};

TEST_F(SqliteArena, AStatementShowsWhatItSawAndWhatItLeft) {
  const Case test = small_case("sqlite", {{1, "update a set vkey = 100, x = x + 1 where x > 15"}, {1, "commit"}});
  const Execution e = run(test);
  const StatementRun& s = e.runs[0][0];
  EXPECT_EQ(s.ran, Ran::kDone);
  EXPECT_FALSE(s.apart);
  EXPECT_EQ(s.reply.changed, 2u);
  EXPECT_EQ(s.seen.at("a"),
            (Contents{{1, 0, "1, 0, 10, 'one'"}, {2, 0, "2, 0, 20, NULL"}, {3, 0, "3, 0, 30, 'NULL'"}}));
  EXPECT_EQ(s.left.at("a"),
            (Contents{{1, 0, "1, 0, 10, 'one'"}, {2, 100, "2, 100, 21, NULL"}, {3, 100, "3, 100, 31, 'NULL'"}}));
  EXPECT_EQ(s.about_to_change, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(e.ends, std::vector{Ended::kCommitted});
  EXPECT_EQ(e.answered, (std::vector<Place>{{0, 0}, {0, 1}}));
  EXPECT_EQ(e.final.at("a"), s.left.at("a"));
  EXPECT_EQ(e.final.at("b").size(), 2u);
}

// Only the tables that were written are filled anew, and those that refer to them.
TEST_F(SqliteArena, WhateverWasWrittenIsPutBack) {
  const Contents a = {{1, 0, "1, 0, 10, 'one'"}, {2, 0, "2, 0, 20, NULL"}, {3, 0, "3, 0, 30, 'NULL'"}};
  const std::vector<std::vector<Line>> writes = {
      {{1, "update b set vkey = 100, x = 6 where pkey = 1"}, {1, "commit"}},
      {{1, "update a set vkey = 100, x = 11 where pkey = 1"}, {1, "commit"}},
      {{1, "delete from a where pkey = 1"}, {1, "commit"}},  // and its child
      {{1, "delete from a where pkey = 1"}, {1, "rollback"}},
      {{1, "insert into a (pkey, vkey, x, s) values (9, 100, 0, null)"}, {1, "commit"}},
      {{1, "select x from a"}, {1, "commit"}},
  };
  Contents b;
  for (const std::vector<Line>& lines : writes) {
    run(small_case("sqlite", lines));
    const Execution e = run(small_case("sqlite", {{1, "select x from a"}, {1, "select x from b"}, {1, "commit"}}));
    if (b.empty()) b = e.final.at("b");
    EXPECT_EQ(e.final.at("a"), a) << lines.front().what;
    EXPECT_EQ(e.final.at("b"), b) << lines.front().what;
    EXPECT_EQ(b.size(), 2U);
  }
  // The rows of a run of a statement alone on others are not left either.
  const Case alone = small_case("sqlite", {{1, "select x from a"}, {1, "commit"}});
  ASSERT_TRUE(arena_->reset());
  ContentsByTable rows;
  rows["a"] = {{5, 0, "5, 0, 50, NULL"}};
  EXPECT_FALSE(arena_->run_on(alone, {0, 0}, rows).fault);
  EXPECT_EQ(run(alone).final.at("a"), a);
}

TEST_F(SqliteArena, AWriterThatMeetsALockIsRefusedAndAborted) {
  const Case test = small_case("sqlite", {{1, "update a set vkey = 100, x = 7 where pkey = 1"},
                                          {2, "select x from a"},
                                          {2, "update a set vkey = 102, x = 8 where pkey = 2"},
                                          {2, "select x from b"},
                                          {1, "commit"},
                                          {2, "commit"}});
  const Execution e = run(test);
  EXPECT_EQ(e.runs[1][0].ran, Ran::kDone);
  EXPECT_EQ(e.runs[1][1].ran, Ran::kFailed);
  EXPECT_EQ(e.runs[1][1].reply.failure.code, "SQLITE_BUSY");
  EXPECT_EQ(e.runs[1][1].seen.at("a")[0].cells, "1, 0, 10, 'one'");
  EXPECT_EQ(e.runs[1][2].ran, Ran::kNotSent);
  EXPECT_EQ(e.ends, (std::vector{Ended::kCommitted, Ended::kAborted}));
  EXPECT_EQ(e.answered, (std::vector<Place>{{0, 0}, {1, 0}, {1, 1}, {0, 1}}));
  EXPECT_EQ(difference(e, run(test)), std::nullopt);
}

TEST_F(SqliteArena, AStaleSnapshotCannotWrite) {
  const Execution e = run(small_case("sqlite", {{1, "select x from a"},
                                                {2, "update a set vkey = 101, x = 7 where pkey = 1"},
                                                {2, "commit"},
                                                {1, "update a set vkey = 102, x = 8 where pkey = 2"},
                                                {1, "commit"}}));
  EXPECT_EQ(e.runs[0][1].reply.failure.code, "SQLITE_BUSY_SNAPSHOT");
  EXPECT_EQ(e.ends, (std::vector{Ended::kAborted, Ended::kCommitted}));
}

TEST_F(SqliteArena, ABeginThatIsRefusedAbortsItsTransaction) {
  open("wal immediate");
  const Execution e =
      run(small_case("sqlite", {{1, "select x from a"}, {2, "select x from a"}, {1, "commit"}, {2, "commit"}}));
  EXPECT_EQ(e.runs[1][0].ran, Ran::kFailed);
  EXPECT_EQ(e.ends, (std::vector{Ended::kCommitted, Ended::kAborted}));
}

TEST_F(SqliteArena, AForeignKeyIsKeptAndAFailedStatementLeavesItsTransaction) {
  const Execution e = run(small_case("sqlite", {{1, "insert into b (pkey, vkey, x, up) values (7, 100, 1, 99)"},
                                                {1, "insert into b (pkey, vkey, x, up) values (8, 101, 1, 3)"},
                                                {1, "commit"}}));
  EXPECT_EQ(e.runs[0][0].ran, Ran::kFailed);
  EXPECT_EQ(e.runs[0][0].reply.failure.code, "SQLITE_CONSTRAINT_FOREIGNKEY");
  EXPECT_EQ(e.runs[0][1].ran, Ran::kDone);
  EXPECT_EQ(e.ends, std::vector{Ended::kCommitted});
  EXPECT_EQ(e.final.at("b").back().cells, "8, 101, 1, 3, 2");
}

TEST_F(SqliteArena, AStatementThatTakesTooLongIsStopped) {
  options_.statement_limit = std::chrono::milliseconds(100);
  open("wal deferred");
  const Case test = small_case(
      "sqlite",
      {{1, "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n join a on true"},
       {2, "select x from a"},
       {1, "commit"},
       {2, "commit"}});
  const Execution e = run(test);
  EXPECT_EQ(e.runs[0][0].ran, Ran::kTimedOut);
  EXPECT_EQ(e.runs[1][0].ran, Ran::kDone);
  EXPECT_EQ(e.ends, (std::vector{Ended::kAborted, Ended::kCommitted}));
  ASSERT_TRUE(arena_->reset());
  const AloneRun alone = arena_->run_alone(test, std::vector<Place>{{0, 0}, {1, 0}});
  EXPECT_FALSE(alone.fault);
  EXPECT_EQ(alone.runs[0].ran, Ran::kTimedOut);
  EXPECT_EQ(alone.runs[1].ran, Ran::kDone);
}

TEST_F(SqliteArena, ARollbackLeavesNoTraceAndAloneEverythingStays) {
  const Case test = small_case("sqlite", {{1, "update a set vkey = 100, x = 7 where pkey = 1"}, {1, "rollback"}});
  const Execution e = run(test);
  EXPECT_EQ(e.ends, std::vector{Ended::kRolledBack});
  EXPECT_EQ(e.final.at("a")[0].vkey, 0);
  const AloneRun alone = arena_->run_alone(test, std::vector<Place>{{0, 0}, {0, 0}});
  EXPECT_EQ(alone.runs[1].reply.changed, 1u);
  EXPECT_EQ(alone.final.at("a")[0].vkey, 100);
}

TEST_F(SqliteArena, WhatCannotBeRunIsAFault) {
  Case test = small_case("sqlite", {{1, "select x from a"}, {1, "commit"}});
  test.order.push_back(0);
  EXPECT_TRUE(arena_->run(test, true).fault);
  test.order = {0};
  EXPECT_TRUE(arena_->run(test, true).fault);
  test.order = {7};
  EXPECT_TRUE(arena_->run(test, true).fault);
  test = small_case("sqlite", {{9, "select x from a"}, {9, "commit"}});
  EXPECT_TRUE(arena_->run(test, true).fault);
  test = small_case("sqlite", {{1, "select x from a"}, {1, "commit"}});
  test.transactions[0].statements[0].reads = {"nothing_of_the_kind"};
  EXPECT_TRUE(arena_->run(test, true).fault);
  EXPECT_FALSE(arena_->run(test, false).fault);
  test.transactions[0].statements[0].sql = "select y from a";
  // What the server itself answers is no fault of the run: whether it is an excuse is judged later.
  const Execution e = arena_->run(test, false);
  EXPECT_FALSE(e.fault);
  EXPECT_EQ(at(e, {0, 0}).ran, Ran::kFailed);
}

TEST_F(SqliteArena, AnotherSchemaTakesThePlaceOfTheOneBefore) {
  Schema other;
  other.tables.push_back({.name = "c",
                          .columns = {"pkey", "vkey"},
                          .create = "create table c (pkey integer primary key, vkey integer)",
                          .rows = {{"1", "0"}},
                          .inserted = {"pkey", "vkey"},
                          .foreign_keys = {}});
  other.drops = {"drop table c"};
  ASSERT_TRUE(arena_->prepare(other));
  Case test{.seed = 1, .schema = other, .transactions = {}, .order = {0, 0}};
  test.transactions.resize(1);
  test.transactions[0].statements.emplace_back();
  test.transactions[0].statements[0].sql = "select * from a";
  EXPECT_EQ(at(arena_->run(test, true), {0, 0}).ran, Ran::kFailed);
  ASSERT_TRUE(arena_->prepare(Schema{}));
  ASSERT_TRUE(arena_->reset());
  test.transactions[0].statements[0].sql = "select * from c";
  EXPECT_EQ(at(arena_->run(test, false), {0, 0}).ran, Ran::kFailed);
}

TEST(SqliteArenaLevels, TheSharedCacheAndTheJournalAreRunToo) {
  auto database = db::open_database(*db::parse_url("sqlite:"));
  ASSERT_TRUE(database);
  for (const db::ServerLevel& level : (*database)->levels()) {
    auto arena = open_arena(**database, level, {});
    ASSERT_TRUE(arena) << arena.error().text;
    ASSERT_TRUE((*arena)->prepare(small_schema("sqlite")));
    const Case test = small_case(
        "sqlite",
        {{1, "update a set vkey = 100, x = 7 where pkey = 1"}, {2, "select x from a"}, {1, "commit"}, {2, "commit"}});
    const Execution first = (*arena)->run(test, true);
    EXPECT_FALSE(first.fault) << first.fault->text;
    ASSERT_TRUE((*arena)->reset());
    EXPECT_EQ(difference(first, (*arena)->run(test, true)), std::nullopt) << level.name;
    EXPECT_EQ(first.ends[0] == Ended::kCommitted, first.final.at("a")[0].vkey == 100) << level.name;
  }
}

TEST_F(SqliteArena, ResetPutsBackWhatCascadesTook) {
  const Case test = small_case("sqlite", {{1, "delete from a where pkey = 1"}, {1, "commit"}});
  const Execution first = run(test);
  EXPECT_EQ(first.final.at("b").size(), 1u);
  EXPECT_EQ(first.runs[0][0].left.at("b").size(), 1u);
  const Execution second = run(test);
  EXPECT_EQ(difference(first, second), std::nullopt);
}

}  // namespace arena_test
}  // namespace isolde::hunt
