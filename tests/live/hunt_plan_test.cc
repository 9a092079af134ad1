// tests/live/hunt_plan_test.cc: what is generated, and what reduction makes of it, depends on rows alone: the answer is
// the same when the rows lie in another order, without indexes, and with half of the planner's ways switched off.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/rng.h"
#include "base/scratch_folder.h"
#include "db/database.h"
#include "db/server.h"
#include "hunt/generate/generate.h"
#include "hunt/sql/sound.h"
#include "hunt/sql/tree.h"

namespace isolde::hunt {
namespace {

std::string text_of(const db::Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *number);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}r", *real);
  if (const auto* text = std::get_if<std::string>(&cell)) return "'" + *text + "'";
  return "null";
}

// Its rows as a multiset, or the server's words of refusal.
std::string answer(const Result<db::Reply>& reply) {
  if (!reply) return "error: " + reply.error().message();
  if (!reply->done()) return "refused: " + reply->failure.code;
  std::vector<std::string> rows;
  for (std::size_t r = 0; r < reply->rows(); ++r) {
    std::string row;
    for (std::size_t c = 0; c < reply->width; ++c) row += text_of(reply->at(r, c)) + " ";
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end());
  return fmt::format("{} changed\n{}", reply->width == 0 ? reply->changed : 0, fmt::join(rows, "\n"));
}

struct Server {
  std::string dialect;
  std::vector<std::string> other_plans;  // settings
  int version;
};

const Server kServers[] = {
    {"postgres",
     {"set enable_hashjoin = off", "set enable_mergejoin = off", "set enable_hashagg = off",
      "set enable_indexscan = off", "set enable_bitmapscan = off", "set enable_memoize = off",
      "set from_collapse_limit = 1", "set join_collapse_limit = 1"},
     150000},
    {"mariadb",
     {"set optimizer_switch = 'semijoin=off,materialization=off,derived_merge=off,subquery_cache=off,"
      "outer_join_with_cache=off,join_cache_hashed=off,exists_to_in=off,condition_pushdown_for_derived=off,"
      "split_materialized=off,rowid_filter=off,table_elimination=off,index_merge=off'"},
     101100},
    {"sqlite", {"pragma reverse_unordered_selects = on"}, 34000},
};

class Bench {
 public:
  Bench(const Server& server, const std::string& url) : server_(server) {
    database_ = *db::open_database(*db::parse_url(url));
    connection_ = *database_->connect(database_->levels()[0]);
    if (server.dialect == "mariadb") must("set names utf8mb4 collate utf8mb4_nopad_bin");
    if (server.dialect == "sqlite") must("pragma foreign_keys = on");
    if (server.dialect == "postgres") must("set jit = off");
  }

  void make(const Schema& schema, bool indexed) {
    for (const std::string& drop : drops_) (void)connection_->run(drop);
    drops_ = schema.drops;
    for (const Table& table : schema.tables) {
      must(table.create);
      std::vector<std::string> rows;
      for (const auto& row : table.rows) rows.push_back(fmt::format("({})", fmt::join(row, ", ")));
      if (!indexed) std::reverse(rows.begin(), rows.end());
      if (!rows.empty())
        must(fmt::format("insert into {} ({}) values {}", table.name, fmt::join(table.inserted, ", "),
                         fmt::join(rows, ", ")));
    }
    for (const std::string& more : schema.more)
      if (indexed || more.find(" unique ") != std::string::npos) must(more);
    for (const View& view : schema.views) must(view.create);
  }
  void other_plans() {
    for (const std::string& setting : server_.other_plans) must(setting);
  }

  // In a transaction that is rolled back.
  std::string try_out(const Statement& statement) {
    (void)connection_->begin();
    const auto reply = connection_->run(statement.sql);
    std::string text = answer(reply);
    if (reply && reply->done())
      for (const std::string& table : statement.writes)
        text += "\n" + answer(connection_->run("select * from " + table));
    (void)connection_->roll_back();
    return text;
  }
  void drop() {
    for (const std::string& drop : drops_) (void)connection_->run(drop);
  }

 private:
  void must(const std::string& sql) {
    const auto reply = connection_->run(sql);
    EXPECT_TRUE(reply && reply->done()) << sql << ": " << (reply ? reply->failure.text : reply.error().message());
  }

  const Server& server_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<db::Connection> connection_;
  std::vector<std::string> drops_;
};

class HuntPlan : public testing::TestWithParam<Server> {};

TEST_P(HuntPlan, AnswersAreAFunctionOfTheRows) {
  const Server& server = GetParam();
  std::string folder, url;
  std::unique_ptr<db::Server> process;
  if (server.dialect == "sqlite") {
    folder = make_scratch_folder("hunt-plan");
    url = "sqlite:" + folder + "/db";
  } else {
    auto started = db::start_server({server.dialect, "", {}});
    ASSERT_TRUE(started) << started.error().message();
    process = *std::move(started);
    url = process->url();
  }
  const char* many = std::getenv("ISOLDE_HUNT_SCHEMAS");
  const std::uint64_t schemas = many ? std::strtoull(many, nullptr, 10) : 6;
  std::size_t tried = 0, refused = 0, originals = 0, originals_refused = 0;
  {
    Bench bench(server, url), other(server, url);
    other.other_plans();
    Rng rng(11);
    for (std::uint64_t seed = 0; seed < schemas; ++seed) {
      GenerateOptions options;
      options.dialect = server.dialect;
      options.server_version = server.version;
      options.views = options.generated_columns = options.foreign_keys = seed % 2 == 1;
      const auto generator = make_generator(options);
      const Schema schema = generator->schema(seed);
      std::vector<Statement> statements;
      for (std::uint64_t i = 0; i < 8; ++i)
        for (const Transaction& transaction : generator->test(seed * 100 + i).transactions)
          for (const Statement& statement : transaction.statements) {
            statements.push_back(statement);
            EXPECT_TRUE(sql::sound(*statement.tree, sql::common_names(*statement.tree))) << statement.sql;
            sql::NodePtr at = statement.tree;
            for (int step = 0; step < 3; ++step) {
              const auto smaller = sql::smaller(at);
              if (smaller.empty()) break;
              at = smaller[smaller.size() - 1 - rng.below(std::min<std::size_t>(smaller.size(), 30))];
              Statement less = sql::make_statement(at, statement.version, schema, server.dialect);
              if (std::getenv("ISOLDE_HUNT_ALL") || step % 2 == 0) statements.push_back(std::move(less));
            }
          }
      std::vector<std::string> answers;
      bench.make(schema, true);
      for (const Statement& statement : statements) answers.push_back(bench.try_out(statement));
      bench.drop();
      other.make(schema, false);
      for (std::size_t i = 0; i < statements.size(); ++i) {
        EXPECT_EQ(answers[i], other.try_out(statements[i])) << statements[i].sql;
        ++tried;
        if (answers[i].starts_with("refused") && !answers[i].starts_with("refused: 23") &&
            !answers[i].starts_with("refused: SQLITE_CONSTRAINT")) {
          ++refused;
          if (many) fmt::print(stderr, "{}\n   {}\n", statements[i].sql, answers[i]);
        }
      }
      other.drop();
    }
  }
  RecordProperty("tried", static_cast<int>(tried));
  RecordProperty("refused", static_cast<int>(refused));
  fmt::print(stderr, "{} {} {}\n", server.dialect, tried, refused);
  (void)originals;
  (void)originals_refused;
  if (!folder.empty()) std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Servers, HuntPlan, testing::ValuesIn(kServers),
                         [](const auto& test) { return test.param.dialect; });

}  // namespace
}  // namespace isolde::hunt
