// tests/live/hunt_generate_test.cc: generated statements on real servers: they run, and they are functions of the rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/scratch_folder.h"
#include "db/database.h"
#include "hunt/generate/generate.h"
#include "hunt/hunt.h"
#include "hunt/run/setup_sql.h"
#include "tests/live/shared_server.h"
#include "tests/support/effort.h"

namespace isolde::hunt {
namespace hunt_generate_test {

using Rows = std::vector<std::vector<db::Cell>>;

Rows sorted_rows(const db::Reply& reply) {
  Rows rows;
  for (std::size_t r = 0; r < reply.rows(); ++r) {
    rows.emplace_back();
    for (std::size_t c = 0; c < reply.width; ++c) rows.back().push_back(reply.at(r, c));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// What may go wrong with a statement that is as it should be.
const std::set<std::string, std::less<>> kConstraints = {"23502",
                                                         "23503",
                                                         "23505",  // PostgreSQL
                                                         "1048",
                                                         "1062",
                                                         "1451",
                                                         "1452",  // MariaDB
                                                         "SQLITE_CONSTRAINT_PRIMARYKEY",
                                                         "SQLITE_CONSTRAINT_ROWID",
                                                         "SQLITE_CONSTRAINT_UNIQUE",  // SQLite
                                                         "SQLITE_CONSTRAINT_NOTNULL",
                                                         "SQLITE_CONSTRAINT_FOREIGNKEY"};

// Runs everything that a generator draws, one statement after the other.
class Bench {
 public:
  Bench(const std::string& url, GenerateOptions options) : options_(options) {
    auto database = db::open_database(*db::parse_url(url));
    EXPECT_TRUE(database.has_value()) << database.error().message();
    database_ = *std::move(database);
    auto connection = database_->connect(database_->levels()[0]);
    EXPECT_TRUE(connection.has_value()) << connection.error().message();
    connection_ = *std::move(connection);
    if (options.dialect == "mariadb") must("set names utf8mb4 collate utf8mb4_nopad_bin");
    if (options.dialect == "sqlite") must("pragma foreign_keys = on");
    if (options.dialect == "postgres") must("set jit = off");  // as a hunt's sessions do
  }

  void cases(std::uint64_t usual) {
    const auto generator = make_generator(options_);
    constexpr std::uint64_t kCasesOfSchema = 15;
    const std::uint64_t count = effort::tries(usual), first = effort::seed(0);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i % kCasesOfSchema == 0) make(generator->schema(first + i));
      put_rows_back();
      const Case test = generator->test(first + 1'000'000 + i);
      for (const Transaction& transaction : test.transactions)
        for (const Statement& statement : transaction.statements) run(statement);
    }
    for (const std::string& drop : schema_.drops) must(drop);
  }

  [[nodiscard]] double succeeded() const { return static_cast<double>(done_) / static_cast<double>(statements_); }
  [[nodiscard]] std::uint64_t statements() const { return statements_; }
  // Those that failed, the most frequent first.
  [[nodiscard]] std::string failures() const {
    std::vector<std::pair<std::uint64_t, std::string>> all;
    for (const auto& [what, times] : failed_) all.emplace_back(times, what);
    std::sort(all.rbegin(), all.rend());
    std::string text = fmt::format("{} of {} statements failed\n", statements_ - done_, statements_);
    for (const auto& [times, what] : all) text += fmt::format("{:6} {}\n", times, what);
    return text;
  }

 private:
  db::Reply must(const std::string& sql) {
    auto reply = connection_->run(sql);
    EXPECT_TRUE(reply.has_value()) << reply.error().message() << "\n" << sql;
    if (!reply) return {};
    EXPECT_TRUE(reply->done()) << reply->failure.code << ": " << reply->failure.text << "\n" << sql;
    return *std::move(reply);
  }

  void make(Schema schema) {
    for (const std::string& drop : schema_.drops) must(drop);
    schema_ = std::move(schema);
    for (const std::string& sql : creation(schema_, options_.dialect)) must(sql);
  }

  void put_rows_back() {
    for (auto table = schema_.tables.rbegin(); table != schema_.tables.rend(); ++table)
      must("delete from " + table->name);
    for (const Table& table : schema_.tables) {
      std::vector<std::string> rows;
      for (const auto& row : table.rows) rows.push_back(fmt::format("({})", fmt::join(row, ", ")));
      must(fmt::format("insert into {} ({}) values {}", table.name, fmt::join(table.inserted, ", "),
                       fmt::join(rows, ", ")));
    }
  }

  void run(const Statement& statement) {
    if (!statement.undone.empty()) run_undone(statement.undone);
    ++statements_;
    std::optional<Rows> about_to_change, before;
    if (!statement.before.empty()) about_to_change = sorted_rows(must(statement.before));
    const bool deletes = statement.kind == StatementKind::kDelete;
    if (deletes) before = sorted_rows(must("select pkey from " + statement.writes[0]));
    auto reply = connection_->run(statement.sql);
    if (!reply) {
      ADD_FAILURE() << reply.error().message() << "\n" << statement.sql;
      return;
    }
    if (!reply->done()) {
      EXPECT_TRUE(kConstraints.contains(reply->failure.code))
          << reply->failure.code << ": " << reply->failure.text << "\n"
          << statement.sql;
      ++failed_[fmt::format("{} {}: {}", name(statement.kind), reply->failure.code, what_failed(reply->failure.text))];
      return;
    }
    ++done_;
    if (statement.writes.empty()) {
      EXPECT_EQ(sorted_rows(*reply), sorted_rows(must(statement.sql))) << statement.sql;
    } else if (deletes) {
      const Rows after = sorted_rows(must("select pkey from " + statement.writes[0]));
      Rows gone;
      std::set_difference(before->begin(), before->end(), after.begin(), after.end(), std::back_inserter(gone));
      EXPECT_EQ(gone, *about_to_change) << statement.sql;
    } else {
      const Rows written =
          sorted_rows(must(fmt::format("select pkey from {} where vkey = {}", statement.writes[0], statement.version)));
      EXPECT_EQ(written, about_to_change.value_or(written)) << statement.sql;
    }
  }

  // The words of an error without names and values.
  static std::string what_failed(std::string text) {
    for (char& c : text)
      if (c >= '0' && c <= '9') c = '#';
    return text.substr(0, 70);
  }

  // What a transaction carries out and undoes again.
  void run_undone(const std::string& sql) {
    ++statements_;
    must("begin");
    const auto reply = connection_->run(sql);
    ASSERT_TRUE(reply) << reply.error().message() << "\n" << sql;
    if (reply->done()) ++done_;
    EXPECT_TRUE(reply->done() || kConstraints.contains(reply->failure.code)) << reply->failure.text << "\n" << sql;
    must("rollback");
  }

  GenerateOptions options_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<db::Connection> connection_;
  Schema schema_;
  std::uint64_t statements_ = 0, done_ = 0;
  std::map<std::string, std::uint64_t> failed_;  // by kind, code and text
};

void expect_that_most_run(const std::string& url, GenerateOptions options) {
  for (const bool everything : {false, true}) {
    options.foreign_keys = options.generated_columns = options.views = options.triggers = options.partitions =
        everything;
    options.features = everything ? 0 : 20;
    Bench bench(url, options);
    bench.cases(45);
    if (bench.statements() >= 100) {
      EXPECT_GE(bench.succeeded(), 0.95) << bench.failures();
    }
    if (std::getenv("ISOLDE_HUNT_FAILURES") != nullptr) fmt::print("{}: {}\n", options.dialect, bench.failures());
  }
}

TEST(HuntGenerateLive, StatementsRunOnPostgresAndGiveTheSameTwice) {
  const db::Server* const server = test::shared_server({"postgres", "", fast_settings("postgres")});
  ASSERT_TRUE(server);
  expect_that_most_run(server->url(), {.dialect = "postgres", .server_version = 150000});
}

TEST(HuntGenerateLive, StatementsRunOnMariadbAndGiveTheSameTwice) {
  const db::Server* const server = test::shared_server({"mariadb", "", fast_settings("mariadb")});
  ASSERT_TRUE(server);
  expect_that_most_run(server->url(), {.dialect = "mariadb", .server_version = 101100});
}

TEST(HuntGenerateLive, StatementsRunOnSqliteAndGiveTheSameTwice) {
  const std::string folder = make_scratch_folder("hunt-generate");
  ASSERT_FALSE(folder.empty());
  expect_that_most_run("sqlite:" + folder + "/db", {.dialect = "sqlite", .server_version = 34000});
  std::filesystem::remove_all(folder);
}

}  // namespace hunt_generate_test
}  // namespace isolde::hunt
