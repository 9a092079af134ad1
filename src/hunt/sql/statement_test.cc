// What a statement reads and writes, and the read before it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/sql_trees.h"

namespace isolde::hunt::sql {
namespace statement_test {

using namespace trees;

// Parents and children: p <- c (cascade) <- g (cascade), g <- h (no action), p <- k (no action).
Schema family() {
  Schema schema;
  const auto add = [&](const char* name, const char* parent, bool cascades) {
    Table table;
    table.name = name;
    table.columns = {"pkey", "vkey", "up"};
    if (parent) table.foreign_keys = {{.column = "up", .parent = parent, .cascades = cascades}};
    schema.tables.push_back(table);
  };
  add("p", nullptr, false);
  add("c", "p", true);
  add("g", "c", true);
  add("h", "g", false);
  add("k", "p", false);
  schema.views = {{.name = "v", .columns = {"pkey"}, .reads = {"c", "k"}, .create = ""}};
  return schema;
}

std::string told(const NodePtr& tree) {
  const Statement statement = make_statement(tree, 9, family(), "postgres");
  EXPECT_EQ(statement.version, 9);
  EXPECT_EQ(statement.sql, print(*tree, "postgres"));
  EXPECT_EQ(statement.tree, tree);
  return fmt::format("{} reads {} writes {}", name(statement.kind), fmt::join(statement.reads, " "),
                     fmt::join(statement.writes, " "));
}

NodePtr all_of(std::string_view from) {
  return select({.items = {item(column("x.pkey"), "c0")}, .from = table(from, "x")});
}

TEST(SqlStatement, ASelectReadsTheTablesThatItNamesWhereverTheyStand) {
  EXPECT_EQ(told(all_of("p")), "select reads p writes ");
  const NodePtr nested = select({.items = {item(column("x.pkey"), "c0")},
                                 .from = join("cross join", table("p", "x"), derived("q", all_of("g"))),
                                 .where = make(Kind::kExists, Type::kBoolean, "", {all_of("h")})});
  EXPECT_EQ(told(nested), "select reads p g h writes ");
}

TEST(SqlStatement, ViewsStandForTheirTablesAndCommonTableExpressionsForNone) {
  EXPECT_EQ(told(all_of("v")), "select reads c k writes ");
  EXPECT_EQ(told(with("", all_of("w0"), {common("w0", all_of("v"))})), "select reads c k writes ");
}

TEST(SqlStatement, AChildThatIsWrittenReadsItsParents) {
  const NodePtr insert =
      make(Kind::kInsertRows, Type::kNone, "c", {columns({"pkey", "vkey"}), list({row({integer(1), integer(9)})})});
  EXPECT_EQ(told(insert), "insert reads p c writes c");
  EXPECT_EQ(told(update("c", "x", {assignment("vkey", integer(9))}, nullptr)), "update reads c writes c");
  EXPECT_EQ(told(update("c", "x", {assignment("vkey", integer(9)), assignment("up", integer(1))}, nullptr)),
            "update reads p c writes c");
}

TEST(SqlStatement, ADeleteReachesChildrenOfChildren) {
  EXPECT_EQ(told(delete_from("p", "x", nullptr)), "delete reads k h p c g writes p c g");
  EXPECT_EQ(told(delete_from("h", "x", nullptr)), "delete reads h writes h");
}

TEST(SqlStatement, TheReadBeforeHasTheSamePredicate) {
  const NodePtr where = binary(column("x.up"), ">", integer(3));
  const auto before = [&](const NodePtr& tree, std::string_view dialect) {
    return make_statement(tree, 9, family(), dialect).before;
  };
  EXPECT_EQ(before(update("p", "x", {assignment("vkey", integer(9))}, where), "postgres"),
            "select x.pkey from p as x where x.up > 3");
  EXPECT_EQ(before(delete_from("p", "x", where), "mariadb"), "select x.pkey from p as x where x.up > 3");
  EXPECT_EQ(before(delete_from("p", "x", nullptr), "sqlite"), "select x.pkey from p as x");
  EXPECT_EQ(before(all_of("p"), "postgres"), "");
}

}  // namespace statement_test
}  // namespace isolde::hunt::sql
