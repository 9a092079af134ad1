// Printing: what each dialect writes, and that nothing in it can fail on some values only.
#include "hunt/sql/tree.h"

#include <gtest/gtest.h>

#include "tests/support/sql_trees.h"

namespace isolde::hunt::sql {
namespace tree_test {

using namespace trees;

std::string in(const NodePtr& tree, std::string_view dialect) { return print(*tree, dialect); }
// PostgreSQL | MariaDB | SQLite
std::string in_all(const NodePtr& tree) {
  return in(tree, "postgres") + " | " + in(tree, "mariadb") + " | " + in(tree, "sqlite");
}
std::string everywhere(std::string_view text) {
  return std::string(text) + " | " + std::string(text) + " | " + std::string(text);
}

const NodePtr a = column("x.a"), d = column("x.d"), s = column("x.s"), b = column("x.b"), e = column("x.e");

TEST(SqlPrint, LiteralsAreWrittenAsTheDialectHasTheirType) {
  EXPECT_EQ(in_all(integer(12)), everywhere("12"));
  EXPECT_EQ(in_all(decimal("1.25")), "1.25 | 1.25 | 125");
  EXPECT_EQ(in_all(decimal("-0.05")), "-0.05 | -0.05 | -5");
  EXPECT_EQ(in(decimal("0.00"), "sqlite"), "0");
  EXPECT_EQ(in(decimal("3"), "sqlite"), "300");
  EXPECT_EQ(in_all(text("abc")), everywhere("'abc'"));
  EXPECT_EQ(in_all(boolean(true)), everywhere("true"));
  EXPECT_EQ(in_all(date("2024-02-29")), "date '2024-02-29' | date '2024-02-29' | '2024-02-29'");
  EXPECT_EQ(in_all(null_of(Type::kInteger)), "cast(null as bigint) | null | null");
}

TEST(SqlPrint, OperandsAreInBracketsWhereTheyNeedThem) {
  EXPECT_EQ(in(binary(binary(a, "+", integer(1)), "*", integer(2)), "postgres"), "(x.a + 1) * 2");
  EXPECT_EQ(in(make(Kind::kUnary, Type::kInteger, "-", {integer(-5)}), "postgres"), "-(-5)");
  EXPECT_EQ(in(binary(a, "-", integer(-5)), "postgres"), "x.a - (-5)");
  const NodePtr p = binary(a, "=", integer(1)), q = binary(a, "=", integer(2));
  EXPECT_EQ(in(binary(binary(p, "and", q), "and", b), "postgres"), "(x.a = 1) and (x.a = 2) and x.b");
  EXPECT_EQ(in(binary(binary(p, "or", q), "and", b), "postgres"), "((x.a = 1) or (x.a = 2)) and x.b");
}

TEST(SqlPrint, ADivisorOfZeroGivesNull) {
  EXPECT_EQ(in_all(binary(a, "/", column("x.pkey"))),
            "x.a / nullif(x.pkey, 0) | x.a div nullif(x.pkey, 0) | x.a / nullif(x.pkey, 0)");
  EXPECT_EQ(in_all(binary(a, "%", integer(0))), everywhere("x.a % nullif(0, 0)"));
  EXPECT_EQ(in_all(binary(a, "%", integer(7))), everywhere("x.a % 7"));
  EXPECT_EQ(in_all(binary(d, "/", d)),
            "round(x.d / nullif(x.d, 0), 2) | round(x.d / nullif(x.d, 0), 2) | (x.d * 100 / nullif(x.d, 0))");
}

TEST(SqlPrint, AProductThatCouldOverflowIsTakenModulo) {
  EXPECT_EQ(in(binary(a, "*", a), "postgres"), "x.a * x.a");
  EXPECT_EQ(in(binary(binary(a, "*", a), "*", a), "postgres"), "((x.a * x.a) % 1000000) * (x.a % 1000000)");
  EXPECT_EQ(in(binary(binary(d, "*", d), "*", d), "sqlite"), "((x.d * x.d / 100) % 1000000) * (x.d % 1000000) / 100");
  // Literals of PostgreSQL have four bytes.
  EXPECT_EQ(in(binary(integer(90000), "*", integer(90000)), "postgres"), "cast(90000 as bigint) * 90000");
  EXPECT_EQ(in(binary(integer(90000), "*", integer(90000)), "mariadb"), "90000 * 90000");
}

TEST(SqlPrint, WhatIsStoredFitsItsColumn) {
  const auto stored = [&](const NodePtr& x) { return in(assignment("c", x), "postgres"); };
  EXPECT_EQ(stored(binary(a, "+", integer(1))), "c = x.a + 1");
  EXPECT_EQ(stored(binary(a, "+", a)), "c = (x.a + x.a) % 1000000");
  EXPECT_EQ(stored(binary(d, "*", d)), "c = round((x.d * x.d) % 10000.00, 2)");
  EXPECT_EQ(stored(binary(s, "||", text("z"))), "c = substr(x.s || 'z', 1, 60)");
  EXPECT_EQ(stored(binary(column("x.pkey"), "+", integer(512000))), "c = x.pkey + 512000");
}

TEST(SqlPrint, ColumnsOfRowSourcesHaveOneTypeAndOneNumberOfDecimals) {
  const auto source = [&](const NodePtr& x, std::string_view dialect) {
    return in(derived("q", select({.items = {item(x, "c")}, .from = table("t", "x")})), dialect);
  };
  EXPECT_EQ(source(integer(5), "postgres"), "(select cast(5 as bigint) as c from t as x) as q");
  EXPECT_EQ(source(integer(5), "mariadb"), "(select 5 as c from t as x) as q");
  EXPECT_EQ(source(binary(d, "*", decimal("1.50")), "postgres"),
            "(select round((x.d * 1.50) % 10000.00, 2) as c from t as x) as q");
  EXPECT_EQ(in(make(Kind::kCase, Type::kDecimal, "", {b, binary(d, "*", d), integer(3)}), "postgres"),
            "case when x.b then round(x.d * x.d, 2) else cast(3 as numeric(20, 2)) end");
}

TEST(SqlPrint, OperatorsAndFunctionsHaveTheirNamesInEachDialect) {
  EXPECT_EQ(in_all(binary(s, "||", text("z"))), "x.s || 'z' | concat(x.s, 'z') | x.s || 'z'");
  EXPECT_EQ(in_all(binary(a, "is distinct from", integer(1))),
            "x.a is distinct from 1 | not (x.a <=> 1) | x.a is not 1");
  EXPECT_EQ(in_all(binary(a, "is not distinct from", integer(1))), "x.a is not distinct from 1 | x.a <=> 1 | x.a is 1");
  EXPECT_EQ(in_all(call(Type::kInteger, "length", {s})), "length(x.s) | char_length(x.s) | length(x.s)");
  EXPECT_EQ(in_all(call(Type::kInteger, "greatest", {a, integer(3)})),
            "greatest(x.a, 3) | greatest(x.a, 3) | max(x.a, 3)");
  EXPECT_EQ(in_all(call(Type::kDate, "add_days", {e, integer(3)})),
            "x.e + 3 | x.e + interval 3 day | date(x.e, 3 || ' days')");
  EXPECT_EQ(in_all(make(Kind::kCast, Type::kText, "", {a})),
            "cast(x.a as text) | cast(x.a as char) | cast(x.a as text)");
  EXPECT_EQ(in_all(aggregate("max", b)), "bool_or(x.b) | max(x.b) | max(x.b)");
  EXPECT_EQ(in_all(aggregate("sum", a)), "cast(sum(x.a) as bigint) | cast(sum(x.a) as signed) | sum(x.a)");
  EXPECT_EQ(in_all(aggregate("avg", d)), "round(avg(x.d), 2) | round(avg(x.d), 2) | (sum(x.d) / count(x.d))");
}

TEST(SqlPrint, PlacesAndLengthsInTextsAreSmallNumbers) {
  EXPECT_EQ(in(call(Type::kText, "substr", {s, integer(2), integer(3)}), "postgres"), "substr(x.s, 2, 3)");
  EXPECT_EQ(in(call(Type::kText, "substr", {s, a, a}), "postgres"),
            "substr(x.s, cast(x.a % 100 as integer), cast(abs(x.a) % 100 as integer))");
  EXPECT_EQ(in(call(Type::kText, "substr", {s, a, a}), "sqlite"), "substr(x.s, x.a % 100, abs(x.a) % 100)");
}

TEST(SqlPrint, RowsAreComparedWithRows) {
  const NodePtr rows = make(Kind::kIn, Type::kBoolean, "", {row({a, s}), row({integer(1), text("z")})});
  EXPECT_EQ(in_all(rows), "(x.a, x.s) in ((1, 'z')) | (x.a, x.s) in ((1, 'z')) | (x.a, x.s) in (values (1, 'z'))");
}

TEST(SqlPrint, NullComesFirstInEveryDialect) {
  EXPECT_EQ(in_all(order(a)), "x.a nulls first | x.a | x.a");
  EXPECT_EQ(in_all(order(a, "desc")), "x.a desc nulls last | x.a desc | x.a desc");
}

TEST(SqlPrint, ASelectHasItsClausesInOrder) {
  EXPECT_EQ(in(select({.items = {item(column("x.a"), "a"), item(aggregate("count", nullptr), "n")},
                       .from = join("left join", table("t", "x"), table("u", "y"), binary(a, "=", column("y.n"))),
                       .where = binary(a, ">", integer(0)),
                       .groups = {a},
                       .having = binary(aggregate("count", nullptr), ">", integer(1)),
                       .orders = {order(a)},
                       .limit = 3,
                       .distinct = true}),
               "sqlite"),
            "select distinct x.a, count(*) as n from t as x left join u as y on x.a = y.n where x.a > 0 group by x.a "
            "having count(*) > 1 order by x.a limit 3");
}

TEST(SqlPrint, BranchesThatNeedBracketsBecomeRowSources) {
  const NodePtr one = select({.items = {item(a, "c")}, .from = table("t", "x")});
  EXPECT_EQ(in(set_of("union", set_of("union", one, one), one), "sqlite"),
            "select x.a as c from t as x union select x.a as c from t as x union select x.a as c from t as x");
  EXPECT_EQ(
      in(set_of("union", one, set_of("except", one, one)), "sqlite"),
      "select x.a as c from t as x union select * from (select x.a as c from t as x except select x.a as c from t "
      "as x) as wrapped1");
}

TEST(SqlPrint, AWindowHasItsPartitionOrderAndFrame) {
  EXPECT_EQ(in(window(Type::kInteger, "sum", {a}, {b}, {order(column("x.pkey"))}, "rows 2 preceding"), "sqlite"),
            "sum(x.a) over (partition by x.b order by x.pkey rows 2 preceding)");
  EXPECT_EQ(in(window(Type::kInteger, "count", {}, {}, {}), "postgres"), "count(*) over ()");
}

TEST(SqlPrint, ForUpdateLocksWhatAnOuterJoinHas) {
  const NodePtr joined =
      select({.items = {item(a, "c")}, .from = join("left join", table("t", "x"), table("u", "y"), boolean(true))});
  const NodePtr locking = make(Kind::kForUpdate, Type::kNone, "", {joined});
  const std::string text = "select x.a as c from t as x left join u as y on true";
  EXPECT_EQ(in_all(locking), text + " for update of x | " + text + " for update | " + text);
}

TEST(SqlPrint, LocksMayBeShared) {
  const NodePtr plain = select({.items = {item(a, "c")}, .from = table("t", "x")});
  const std::string text = "select x.a as c from t as x";
  EXPECT_EQ(in_all(make(Kind::kForUpdate, Type::kNone, "share", {plain})),
            text + " for share | " + text + " lock in share mode | " + text);
  EXPECT_EQ(in(make(Kind::kForUpdate, Type::kNone, "no key update", {plain}), "postgres"), text + " for no key update");
}

TEST(SqlPrint, AStatementMayHaveASecondTable) {
  const NodePtr on = binary(column("u.pkey"), "=", a);
  const NodePtr where = binary(a, ">", integer(1));
  const NodePtr set =
      make(Kind::kList, Type::kNone, "", {make(Kind::kAssignment, Type::kInteger, "vkey", {integer(7)})});
  EXPECT_EQ(in_all(make(Kind::kUpdate, Type::kNone, "t", {set, where, table("v", "u"), on}, "x")),
            "update t as x set vkey = 7 from v as u where (u.pkey = x.a) and (x.a > 1) | "
            "update t as x join v as u on u.pkey = x.a set x.vkey = 7 where x.a > 1 | "
            "update t as x set vkey = 7 from v as u where (u.pkey = x.a) and (x.a > 1)");
  EXPECT_EQ(in(make(Kind::kDelete, Type::kNone, "t", {where, table("v", "u"), on}, "x"), "postgres"),
            "delete from t as x using v as u where (u.pkey = x.a) and (x.a > 1)");
  EXPECT_EQ(in(make(Kind::kDelete, Type::kNone, "t", {nullptr, table("v", "u"), on}, "x"), "mariadb"),
            "delete x from t as x join v as u on u.pkey = x.a");
}

TEST(SqlPrint, ADeleteOfMariadbHasNoAlias) {
  const NodePtr tree = delete_from("t", "x", binary(a, ">", integer(1)));
  EXPECT_EQ(in_all(tree),
            "delete from t as x where x.a > 1 | delete from t where t.a > 1 | delete from t as x where x.a > 1");
}

TEST(SqlPrint, AnUpsertNamesTheOldRowAndTheNew) {
  const NodePtr tree = make(
      Kind::kUpsert, Type::kNone, "t",
      {columns({"pkey", "vkey", "a"}), row({integer(1), integer(7), integer(5)}),
       list({assignment("vkey", integer(7)), assignment("a", binary(column("t.a"), "-", column("excluded.pkey")))})});
  EXPECT_EQ(in(tree, "postgres"),
            "insert into t (pkey, vkey, a) values (1, 7, 5) on conflict (pkey) do update set vkey = 7, a = (t.a - "
            "excluded.pkey) % 1000000");
  EXPECT_EQ(in(tree, "mariadb"),
            "insert into t (pkey, vkey, a) values (1, 7, 5) on duplicate key update vkey = 7, a = (t.a - "
            "values(pkey)) % 1000000");
}

TEST(SqlPrint, AMergeHasBothItsBranches) {
  const NodePtr tree =
      make(Kind::kMerge, Type::kNone, "t",
           {table("u", "y"), binary(column("x.pkey"), "=", column("y.pkey")), list({assignment("vkey", integer(7))}),
            row({column("y.pkey"), integer(7)}), columns({"pkey", "vkey"})},
           "x");
  EXPECT_EQ(in(tree, "postgres"),
            "merge into t as x using u as y on x.pkey = y.pkey when matched then update set vkey = 7 when not matched "
            "then insert (pkey, vkey) values (y.pkey, 7)");
}

TEST(SqlTree, SizeCountsNodesWordsThatDoMoreAndWhatIsNotTheSimplest) {
  EXPECT_EQ(size(*integer(1)), 2U);
  EXPECT_EQ(size(*integer(7)), 3U);
  EXPECT_EQ(size(*binary(a, "+", integer(1))), 7U);
  EXPECT_EQ(size(*make(Kind::kIsNull, Type::kBoolean, "", {a})), 5U);
  EXPECT_EQ(size(*make(Kind::kIsNull, Type::kBoolean, "not", {a})), 6U);
}

}  // namespace tree_test
}  // namespace isolde::hunt::sql
