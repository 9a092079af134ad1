#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hunt/finding/finding_file.h"
#include "hunt/reduce/reduce.h"
#include "hunt/sql/tree.h"
#include "tests/support/effort.h"
#include "tests/support/sql_trees.h"

namespace isolde::hunt {
namespace trees_test {

// One transaction with one statement.
Finding finding_of(const sql::NodePtr& tree, std::string_view dialect) {
  Finding finding;
  finding.wrong = Wrong::kResult;
  finding.dialect = dialect;
  finding.test.schema = sql::trees::schema(dialect);
  finding.test.transactions.push_back(
      {.statements = {sql::make_statement(tree, 1001, finding.test.schema, dialect)}, .commits = true});
  finding.test.order = {0, 0};
  return finding;
}

TEST(ReduceTrees, StatementsLoseTheClausesThatTheFailureDoesNotNeed) {
  using namespace sql::trees;
  const auto tree =
      update("t", "r", {assignment("vkey", integer(1001)), assignment("a", binary(column("r.a"), "+", integer(77)))},
             binary(binary(column("r.s"), "=", text("xyz")), "or",
                    binary(binary(column("r.a"), "*", integer(3)), ">", binary(column("r.pkey"), "+", integer(42)))));
  const TryAgain again = [&](const Finding& f) -> Result<std::optional<Finding>> {
    const std::string& sql = f.test.transactions[0].statements[0].sql;
    EXPECT_NE(sql.find("vkey = 1001"), std::string::npos) << sql;
    if (sql.find('>') == std::string::npos) return std::optional<Finding>();
    return std::optional<Finding>(f);
  };
  const auto small = reduce(finding_of(tree, "postgres"), again, {});
  ASSERT_TRUE(small);
  EXPECT_EQ(small->test.transactions[0].statements[0].sql, "update t as r set vkey = 1001 where 1 > 1");
  EXPECT_EQ(small->cause, "result: update");
}

TEST(ReduceTrees, EveryKindOfStatementEndsAsASmallOneOfItsKind) {
  std::uint64_t i = 0;
  for (const std::string_view dialect : {"postgres", "mariadb", "sqlite"}) {
    for (const sql::NodePtr& tree : sql::trees::statements(dialect)) {
      if (!effort::takes(i++)) continue;
      const Finding finding = finding_of(tree, dialect);
      const StatementKind kind = finding.test.transactions[0].statements[0].kind;
      const TryAgain again = [&](const Finding& f) -> Result<std::optional<Finding>> {
        const Statement& statement = f.test.transactions[0].statements[0];
        EXPECT_EQ(statement.writes.empty(), kind == StatementKind::kSelect || kind == StatementKind::kSelectForUpdate);
        if (statement.kind != kind) return std::optional<Finding>();
        return std::optional<Finding>(f);
      };
      const auto small = reduce(finding, again, {});
      ASSERT_TRUE(small);
      EXPECT_LE(small->test.transactions[0].statements[0].sql.size(), 120U)
          << small->test.transactions[0].statements[0].sql;
    }
  }
}

TEST(ReduceTrees, TwoTablesBecomeOneAndTwoRowsToo) {
  using namespace sql::trees;
  Finding finding;
  finding.wrong = Wrong::kContents;
  finding.dialect = "postgres";
  for (const std::string name : {"x", "y"}) {
    finding.test.schema.tables.push_back(
        {.name = name,
         .columns = {"pkey", "vkey"},
         .create = fmt::format("create table {} (pkey int primary key, vkey int)", name),
         .rows = {{"1", "1"}, {"2", "2"}},
         .inserted = {"pkey", "vkey"},
         .foreign_keys = {}});
  }
  const auto change = [&](std::string_view name, int version) {
    auto tree = update(name, "r", {assignment("vkey", integer(version))}, binary(column("r.pkey"), "=", integer(2)));
    return sql::make_statement(tree, version, finding.test.schema, "postgres");
  };
  finding.test.transactions = {{.statements = {change("x", 1001)}, .commits = true},
                               {.statements = {change("y", 1002)}, .commits = true}};
  finding.test.order = {0, 0, 1, 1};
  // It needs two updates, and with a condition also the row that it does not choose.
  const TryAgain again = [&](const Finding& f) -> Result<std::optional<Finding>> {
    if (statements_of(f.test) < 2) return std::optional<Finding>();
    for (const Transaction& transaction : f.test.transactions) {
      const Statement& statement = transaction.statements[0];
      const bool chooses = statement.sql.find("where") != std::string::npos;
      for (const Table& table : f.test.schema.tables)
        if (statement.writes[0] == table.name && table.rows.size() != (chooses ? 2U : 1U))
          return std::optional<Finding>();
    }
    return std::optional<Finding>(f);
  };
  const auto small = reduce(finding, again, {});
  ASSERT_TRUE(small);
  ASSERT_EQ(small->test.schema.tables.size(), 1U) << finding_text(*small);
  EXPECT_EQ(small->test.schema.tables[0].rows.size(), 1U) << finding_text(*small);
}

}  // namespace trees_test
}  // namespace isolde::hunt
