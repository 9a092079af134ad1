// tests/live/hunt_sql_test.cc: every kind of node, as it is written for each dialect, on the servers themselves; and
// what reduction makes of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "tests/live/hunt_lab.h"
#include "tests/support/sql_trees.h"

namespace isolde::hunt::sql {
namespace hunt_sql_test {

class HuntSql : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    client_ = Lab::of(GetParam()).connect();
    ASSERT_TRUE(client_);
    schema_ = trees::schema(GetParam());
    for (const Table& table : schema_.tables) {
      Lab::must(*client_, table.create);
      for (const auto& row : table.rows)
        Lab::must(*client_, fmt::format("insert into {} values ({})", table.name, fmt::join(row, ", ")));
    }
    for (const View& view : schema_.views) Lab::must(*client_, view.create);
  }
  void TearDown() override {
    if (!client_) return;
    for (const std::string& drop : schema_.drops) Lab::must(*client_, drop);
  }

  // In a transaction that is rolled back. Empty: it was carried out, else the server's words.
  std::string why_not(const std::string& sql) {
    EXPECT_TRUE(client_->begin()->done());
    const auto reply = client_->run(sql);
    const std::string words = !reply ? reply.error().message() : reply->done() ? "" : reply->failure.text;
    EXPECT_TRUE(client_->roll_back()) << sql;
    return words;
  }

  std::unique_ptr<db::Connection> client_;
  Schema schema_;
};

TEST_P(HuntSql, EveryKindOfNodeIsAccepted) {
  for (const NodePtr& tree : trees::statements(GetParam())) {
    const Statement statement = make_statement(tree, 1, schema_, GetParam());
    EXPECT_EQ(why_not(statement.sql), "") << statement.sql;
    if (statement.before.empty()) continue;
    EXPECT_EQ(why_not(statement.before), "") << statement.before;
  }
}

TEST_P(HuntSql, MostOfWhatReductionTriesIsAccepted) {
  Rng rng(7);
  std::size_t tried = 0, refused = 0;
  std::string examples;
  for (const NodePtr& tree : trees::statements(GetParam())) {
    NodePtr at = tree;
    for (int step = 0; step < 12; ++step) {
      const std::vector<NodePtr> steps = smaller(at);
      if (steps.empty()) break;
      // From the end: there the steps are small, and the walk long.
      at = steps[steps.size() - 1 - rng.below(std::min<std::size_t>(steps.size(), 12))];
      const std::string sql = print(*at, GetParam());
      ++tried;
      if (const std::string words = why_not(sql); !words.empty()) {
        ++refused;
        if (refused < 20) examples += fmt::format("{}\n  {}\n", sql, words);
      }
    }
  }
  EXPECT_LT(refused * 20, tried) << refused << " of " << tried << " refused, such as\n" << examples;
}

INSTANTIATE_TEST_SUITE_P(Servers, HuntSql, ::testing::Values("postgres", "mariadb", "sqlite"),
                         [](const auto& test) { return test.param; });

}  // namespace hunt_sql_test
}  // namespace isolde::hunt::sql
