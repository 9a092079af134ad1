// tests/live/hunt_plan_test.cc: what is generated, and what reduction makes of it, depends on rows alone: the answer is
// the same when the rows lie in another order, without indexes, and with half of the planner's ways switched off.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/rng.h"
#include "hunt/generate/generate.h"
#include "hunt/sql/sound.h"
#include "hunt/sql/tree.h"
#include "tests/live/hunt_lab.h"
#include "tests/support/effort.h"

namespace isolde::hunt {
namespace hunt_plan_test {

std::string text_of(const db::Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *number);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}r", *real);
  if (const auto* text = std::get_if<std::string>(&cell)) return "'" + *text + "'";
  return "null";
}

// Its rows as a multiset, or the server's code of refusal.
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
  int version;
  std::vector<std::string> other_plans;  // settings
};

const Server kServers[] = {
    {"postgres",
     150000,
     {"set enable_hashjoin = off", "set enable_mergejoin = off", "set enable_hashagg = off",
      "set enable_indexscan = off", "set enable_bitmapscan = off", "set enable_memoize = off",
      "set from_collapse_limit = 1", "set join_collapse_limit = 1"}},
    {"mariadb",
     101100,
     {"set optimizer_switch = 'semijoin=off,materialization=off,derived_merge=off,subquery_cache=off,"
      "outer_join_with_cache=off,join_cache_hashed=off,exists_to_in=off,condition_pushdown_for_derived=off,"
      "split_materialized=off,rowid_filter=off,table_elimination=off,index_merge=off'"}},
    {"sqlite", 34000, {"pragma reverse_unordered_selects = on"}},
};

enum class Rows { kAsDrawn, kOtherwise };

class Session {
 public:
  explicit Session(std::unique_ptr<db::Connection> connection) : connection_(std::move(connection)) {}

  void run(const std::string& sql) { Lab::must(*connection_, sql); }
  void make(const Schema& schema, Rows how) {
    for (const Table& table : schema.tables) {
      run(table.create);
      std::vector<std::string> rows;
      for (const auto& row : table.rows) rows.push_back(fmt::format("({})", fmt::join(row, ", ")));
      if (how == Rows::kOtherwise) std::reverse(rows.begin(), rows.end());
      const std::string columns = fmt::format("{}", fmt::join(table.inserted, ", "));
      if (!rows.empty()) run(fmt::format("insert into {} ({}) values {}", table.name, columns, fmt::join(rows, ", ")));
    }
    for (const std::string& more : schema.more)
      if (how == Rows::kAsDrawn || more.find(" unique ") != std::string::npos) run(more);
    for (const View& view : schema.views) run(view.create);
  }
  void drop(const Schema& schema) {
    for (const std::string& drop : schema.drops) (void)connection_->run(drop);
  }
  // In a transaction that is rolled back: the answer, and the tables that it wrote.
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

 private:
  std::unique_ptr<db::Connection> connection_;
};

// Those of a few cases, and of each some that reduction would try.
std::vector<Statement> statements(Generator& generator, std::uint64_t seed, const Schema& schema,
                                  const std::string& dialect, Rng& rng) {
  std::vector<Statement> all;
  for (std::uint64_t i = 0; i < 8; ++i)
    for (const Transaction& transaction : generator.test(seed * 100 + i).transactions)
      for (const Statement& statement : transaction.statements) {
        all.push_back(statement);
        EXPECT_TRUE(sql::sound(*statement.tree, sql::common_names(*statement.tree))) << statement.sql;
        sql::NodePtr at = statement.tree;
        for (int step = 0; step < 3; ++step) {
          const auto smaller = sql::smaller(at);
          if (smaller.empty()) break;
          at = smaller[smaller.size() - 1 - rng.below(std::min<std::size_t>(smaller.size(), 40))];
          all.push_back(sql::make_statement(at, statement.version, schema, dialect));
        }
      }
  return all;
}

class HuntPlan : public ::testing::TestWithParam<Server> {};

TEST_P(HuntPlan, AnswersAreAFunctionOfTheRows) {
  const Server& server = GetParam();
  Session one(Lab::of(server.dialect).connect()), other(Lab::of(server.dialect).connect());
  for (const std::string& setting : server.other_plans) other.run(setting);
  Rng rng(effort::seed(11));
  std::uint64_t compared = 0, refused = 0;
  for (const std::uint64_t seed : effort::seeds(0, 4)) {
    GenerateOptions options;
    options.dialect = server.dialect;
    options.server_version = server.version;
    options.views = options.generated_columns = options.foreign_keys = seed % 2 == 1;
    const auto generator = make_generator(options);
    const Schema schema = generator->schema(seed);
    const std::vector<Statement> all = statements(*generator, seed, schema, server.dialect, rng);
    std::vector<std::string> answers;
    one.make(schema, Rows::kAsDrawn);
    for (const Statement& statement : all) answers.push_back(one.try_out(statement));
    one.drop(schema);
    other.make(schema, Rows::kOtherwise);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(answers[i], other.try_out(all[i])) << all[i].sql;
      ++compared;
      refused += answers[i].starts_with("refused") ? 1 : 0;
    }
    other.drop(schema);
  }
  EXPECT_TRUE(effort::reaches(0.9, compared - refused, compared)) << refused << " of " << compared;
  RecordProperty("compared", static_cast<int>(compared));
  RecordProperty("refused", static_cast<int>(refused));
}

INSTANTIATE_TEST_SUITE_P(Servers, HuntPlan, ::testing::ValuesIn(kServers),
                         [](const auto& test) { return test.param.dialect; });

}  // namespace hunt_plan_test
}  // namespace isolde::hunt
