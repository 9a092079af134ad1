#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <set>

#include "db/server.h"
#include "db/url.h"
#include "hunt/run/answers.h"
#include "hunt/run/arena.h"
#include "tests/support/small_case.h"

namespace isolde::hunt {
namespace {

using testing::Line;
using testing::small_case;
using testing::small_schema;

std::map<std::string, std::string> settings_of(const std::string& kind) {
  if (kind == "postgres") return {{"log_statement", "all"}, {"wal_level", "minimal"}, {"max_wal_senders", "0"}};
  return {{"general_log", "ON"}, {"general_log_file", "general.log"}, {"innodb_snapshot_isolation", "ON"}};
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

class LiveArena : public ::testing::TestWithParam<std::string> {
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
  constexpr int kTimes = 200;
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

}  // namespace
}  // namespace isolde::hunt
