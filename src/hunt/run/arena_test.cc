#include "hunt/run/arena.h"

#include <gtest/gtest.h>

#include "db/url.h"
#include "hunt/run/answers.h"
#include "tests/support/small_case.h"

namespace isolde::hunt {
namespace {

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

TEST_F(SqliteArena, ResetPutsBackWhatCascadesTook) {
  const Case test = small_case("sqlite", {{1, "delete from a where pkey = 1"}, {1, "commit"}});
  const Execution first = run(test);
  EXPECT_EQ(first.final.at("b").size(), 1u);
  EXPECT_EQ(first.runs[0][0].left.at("b").size(), 1u);
  const Execution second = run(test);
  EXPECT_EQ(difference(first, second), std::nullopt);
}

}  // namespace
}  // namespace isolde::hunt
