// tests/live/hunt_sql_test.cc: every kind of node, as it is written for each dialect, on the servers themselves; and
// what reduction makes of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/rng.h"
#include "base/scratch_folder.h"
#include "db/database.h"
#include "db/server.h"
#include "tests/support/sql_trees.h"

namespace isolde::hunt::sql {
namespace {

class Lab {
 public:
  explicit Lab(const std::string& dialect) : dialect_(dialect) {
    std::string url;
    if (dialect == "sqlite") {
      folder_ = make_scratch_folder("hunt-sql");
      url = "sqlite:" + folder_ + "/db";
    } else {
      auto started = db::start_server({dialect, "", {}});
      EXPECT_TRUE(started) << started.error().message();
      server_ = *std::move(started);
      url = server_->url();
    }
    database_ = *db::open_database(*db::parse_url(url));
    client_ = *database_->connect(*database_->levels().begin());
    if (dialect == "mariadb") must("set names utf8mb4 collate utf8mb4_nopad_bin");
    if (dialect == "sqlite") must("pragma foreign_keys = on");
    schema_ = trees::schema(dialect);
    for (const Table& table : schema_.tables) {
      must(table.create);
      for (const auto& row : table.rows)
        must(fmt::format("insert into {} values ({})", table.name, fmt::join(row, ", ")));
    }
    for (const View& view : schema_.views) must(view.create);
  }

  ~Lab() {
    client_.reset();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  // In a transaction that is rolled back. Empty: it was carried out, else the server's words.
  std::string why_not(const std::string& sql) {
    EXPECT_TRUE(client_->begin()->done());
    const auto reply = client_->run(sql);
    const std::string words = !reply ? reply.error().message() : reply->done() ? "" : reply->failure.text;
    EXPECT_TRUE(client_->roll_back()) << sql;
    return words;
  }
  const Schema& schema() const { return schema_; }

 private:
  void must(const std::string& sql) {
    const auto reply = client_->run(sql);
    EXPECT_TRUE(reply && reply->done()) << sql << ": " << (reply ? reply->failure.text : reply.error().message());
  }

  std::string dialect_;
  std::string folder_;
  std::unique_ptr<db::Server> server_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<db::Connection> client_;
  Schema schema_;
};

class HuntSql : public testing::TestWithParam<std::string> {};

TEST_P(HuntSql, EveryKindOfNodeIsAccepted) {
  Lab lab(GetParam());
  for (const NodePtr& tree : trees::statements(GetParam())) {
    const Statement statement = make_statement(tree, 1, lab.schema(), GetParam());
    EXPECT_EQ(lab.why_not(statement.sql), "") << statement.sql;
    if (statement.before.empty()) continue;
    EXPECT_EQ(lab.why_not(statement.before), "") << statement.before;
  }
}

TEST_P(HuntSql, MostOfWhatReductionTriesIsAccepted) {
  Lab lab(GetParam());
  Rng rng(7);
  std::size_t tried = 0, refused = 0;
  std::string examples;
  for (const NodePtr& tree : trees::statements(GetParam())) {
    NodePtr at = tree;
    while (true) {
      const std::vector<NodePtr> steps = smaller(at);
      if (steps.empty()) break;
      for (int i = 0; i < 4; ++i) {
        const std::string sql = print(*steps[rng.below(steps.size())], GetParam());
        ++tried;
        if (const std::string words = lab.why_not(sql); !words.empty()) {
          ++refused;
          if (refused % 10 == 1) examples += fmt::format("{}\n  {}\n", sql, words);
        }
      }
      // From the end: there the steps are small, and the walk long.
      at = steps[steps.size() - 1 - rng.below(std::min<std::size_t>(steps.size(), 4))];
    }
  }
  RecordProperty("tried", static_cast<int>(tried));
  RecordProperty("refused", static_cast<int>(refused));
  EXPECT_LT(refused * 20, tried) << refused << " of " << tried << " refused, such as\n" << examples;
}

INSTANTIATE_TEST_SUITE_P(Servers, HuntSql, testing::Values("postgres", "mariadb", "sqlite"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace isolde::hunt::sql
