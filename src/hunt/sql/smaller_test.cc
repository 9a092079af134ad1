// Steps of reduction: each is smaller and sound, keeps the keys, and every walk of them ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "hunt/sql/sound.h"
#include "tests/support/effort.h"
#include "tests/support/sql_trees.h"

namespace isolde::hunt::sql {
namespace smaller_test {

using namespace trees;

std::vector<std::string> steps(const NodePtr& tree) {
  std::vector<std::string> all;
  for (const NodePtr& step : smaller(tree)) all.push_back(print(*step, "sqlite"));
  return all;
}
bool has_step(const NodePtr& tree, const std::string& text) {
  const std::vector<std::string> all = steps(tree);
  return std::find(all.begin(), all.end(), text) != all.end();
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const NodePtr a = column("x.a"), b = column("x.b");
const NodePtr t = table("t", "x"), u = table("u", "y");

TEST(SqlSmaller, EveryWalkEndsAndEachStepIsSmallerSoundAndNew) {
  Rng rng(3);
  std::uint64_t i = 0;
  for (const std::string dialect : {"postgres", "mariadb", "sqlite"})
    for (const NodePtr& tree : statements(dialect)) {
      if (!effort::takes(i++)) continue;
      ASSERT_TRUE(sound(*tree, common_names(*tree))) << print(*tree, dialect);
      NodePtr at = tree;
      while (true) {
        const std::vector<NodePtr> next = smaller(at);
        std::vector<const Node*> as_large;  // no two are the same
        for (const NodePtr& step : next) {
          ASSERT_LT(size(*step), size(*at)) << print(*step, dialect);
          if (!as_large.empty() && size(*as_large.front()) != size(*step)) {
            ASSERT_GT(size(*step), size(*as_large.front())) << "not the largest steps first";
            as_large.clear();
          }
          for (const Node* other : as_large) ASSERT_FALSE(equal(*other, *step)) << print(*step, dialect);
          as_large.push_back(step.get());
          ASSERT_TRUE(step->kind == at->kind || (is_query(*step) && is_query(*at))) << print(*step, dialect);
        }
        if (next.empty()) break;
        at = next[rng.below(next.size())];
      }
    }
}

TEST(SqlSmaller, TheKeysOfAWriterStayAsTheyWere) {
  Rng rng(5);
  for (const NodePtr& tree : statements("postgres")) {
    if (tree->kind < Kind::kUpdate || tree->kind == Kind::kDelete) continue;
    NodePtr at = tree;
    while (true) {
      const std::vector<NodePtr> next = smaller(at);
      if (next.empty()) break;
      at = next[rng.below(next.size())];
      const std::string text = print(*at, "postgres");
      EXPECT_TRUE(contains(text, "vkey")) << text;
      EXPECT_TRUE(contains(text, "100")) << text;  // versions are 1001 and more
      EXPECT_TRUE(at->kind == Kind::kUpdate || at->kind == Kind::kMerge || contains(text, "(pkey, vkey")) << text;
    }
  }
}

TEST(SqlSmaller, ClausesAreLeftOut) {
  const NodePtr tree = select({.items = {item(a, "c0"), item(b, "c1")},
                               .from = t,
                               .where = binary(a, ">", integer(1)),
                               .orders = {order(column("c0"))},
                               .distinct = true});
  EXPECT_TRUE(has_step(tree, "select distinct x.a as c0, x.b as c1 from t as x order by c0"));
  EXPECT_TRUE(has_step(tree, "select distinct x.a as c0, x.b as c1 from t as x where x.a > 1"));
  EXPECT_TRUE(has_step(tree, "select x.a as c0, x.b as c1 from t as x where x.a > 1 order by c0"));
  EXPECT_TRUE(has_step(tree, "select distinct x.b as c1 from t as x where x.a > 1"));
}

TEST(SqlSmaller, AnExpressionBecomesOneOfItsParts) {
  const NodePtr tree = select({.items = {item(a, "c0")},
                               .from = t,
                               .where = binary(b, "or", binary(binary(a, "+", integer(1)), "=", integer(2)))});
  EXPECT_TRUE(has_step(tree, "select x.a as c0 from t as x where x.b"));
  EXPECT_TRUE(has_step(tree, "select x.a as c0 from t as x where (x.a + 1) = 2"));
  EXPECT_TRUE(has_step(tree, "select x.a as c0 from t as x where x.b or (x.a = 2)"));
  EXPECT_TRUE(has_step(tree, "select x.a as c0 from t as x where x.b or false"));
}

TEST(SqlSmaller, AJoinBecomesOneSideIfNothingNeedsTheOther) {
  const NodePtr joined = join("left join", t, u, binary(a, "=", column("y.n")));
  EXPECT_TRUE(has_step(select({.items = {item(a, "c0")}, .from = joined}), "select x.a as c0 from t as x"));
  const NodePtr both = select({.items = {item(a, "c0"), item(column("y.n"), "c1")}, .from = joined});
  for (const std::string& text : steps(both))
    EXPECT_TRUE(!contains(text, "y.n as") || contains(text, "u as y")) << text;
}

TEST(SqlSmaller, ALimitKeepsAnOrderThatTellsAllRowsApart) {
  const NodePtr by_items = select({.items = {item(a, "c0"), item(b, "c1")},
                                   .from = join("cross join", t, u),
                                   .orders = {order(column("c0")), order(column("c1"))},
                                   .limit = 2});
  EXPECT_TRUE(has_step(by_items, "select x.a as c0 from t as x cross join u as y order by c0 limit 2"));
  EXPECT_TRUE(has_step(by_items, "select x.a as c0, x.b as c1 from t as x order by c0, c1 limit 2"));
  EXPECT_FALSE(has_step(by_items, "select x.a as c0, x.b as c1 from t as x cross join u as y order by c0 limit 2"));
  // Unique only because of the join: all but the limit stays.
  const NodePtr by_one = select({.items = {item(a, "c0")},
                                 .from = join("join", t, u, binary(column("x.pkey"), "=", column("y.pkey"))),
                                 .orders = {order(column("x.pkey"))},
                                 .limit = 2});
  for (const std::string& text : steps(by_one))
    EXPECT_TRUE(!contains(text, "limit") || contains(text, "x.pkey = y.pkey")) << text;
}

TEST(SqlSmaller, AScalarSubqueryStaysOneRow) {
  const auto with_scalar = [&](trees::Select parts) {
    return select({.items = {item(make(Kind::kScalar, Type::kInteger, "", {select(std::move(parts))}), "c0")}});
  };
  const NodePtr sum =
      with_scalar({.items = {item(aggregate("sum", binary(a, "+", integer(1))), "c0")}, .from = t, .where = b});
  EXPECT_TRUE(has_step(sum, "select (select sum(x.a) as c0 from t as x where x.b) as c0"));
  EXPECT_TRUE(has_step(sum, "select (select sum(x.a + 1) as c0 from t as x) as c0"));
  for (const std::string& text : steps(sum)) EXPECT_TRUE(!contains(text, "from t") || contains(text, "sum")) << text;
  const NodePtr by_key =
      with_scalar({.items = {item(a, "c0")}, .from = t, .where = binary(column("x.pkey"), "=", integer(1))});
  EXPECT_EQ(steps(by_key), std::vector<std::string>{"select 1 as c0"});
}

TEST(SqlSmaller, AQueryInFromIsPutIntoTheQueryAroundIt) {
  const NodePtr inner = select({.items = {item(binary(a, "+", integer(1)), "c0")}, .from = t, .where = b});
  const NodePtr tree = select({.items = {item(column("q.c0"), "c1")},
                               .from = join("cross join", derived("q", inner), u),
                               .where = binary(column("q.c0"), "=", column("y.n"))});
  EXPECT_TRUE(has_step(tree, "select x.a + 1 as c1 from t as x cross join u as y where (x.a + 1) = y.n"));
  const NodePtr common_one =
      with("", select({.items = {item(column("q.c0"), "c1")}, .from = table("w0", "q")}), {common("w0", inner)});
  EXPECT_TRUE(has_step(common_one, "select q.c0 as c1 from (select x.a + 1 as c0 from t as x where x.b) as q"));
}

TEST(SqlSmaller, ARecursionKeepsItsBound) {
  for (const NodePtr& tree : statements("sqlite")) {
    if (tree->text != "recursive") continue;
    for (const std::string& text : steps(tree))
      EXPECT_TRUE(!contains(text, "union all") || contains(text, "q.n < 5")) << text;
  }
}

TEST(SqlSmaller, ColumnsOfAnInsertGoWithTheirValues) {
  const NodePtr tree =
      make(Kind::kInsertRows, Type::kNone, "t",
           {columns({"pkey", "vkey", "a"}),
            list({row({integer(1), integer(9), integer(2)}), row({integer(2), integer(9), integer(3)})})});
  EXPECT_EQ(steps(tree), (std::vector<std::string>{"insert into t (pkey, vkey, a) values (1, 9, 2)",
                                                   "insert into t (pkey, vkey, a) values (2, 9, 3)",
                                                   "insert into t (pkey, vkey) values (1, 9), (2, 9)",
                                                   "insert into t (pkey, vkey, a) values (1, 9, 1), (2, 9, 3)",
                                                   "insert into t (pkey, vkey, a) values (1, 9, 2), (2, 9, 1)"}));
}

TEST(SqlSound, AColumnThatIsNotGroupedIsRefused) {
  const auto grouped = [&](const NodePtr& shown) {
    const NodePtr tree = select({.items = {item(shown, "c0"), item(aggregate("count", nullptr), "c1")},
                                 .from = t,
                                 .groups = {binary(a, "%", integer(3))}});
    return sound(*tree, {});
  };
  EXPECT_FALSE(grouped(a));
  EXPECT_TRUE(grouped(binary(a, "%", integer(3))));
  EXPECT_TRUE(grouped(binary(binary(a, "%", integer(3)), "+", integer(1))));
  EXPECT_TRUE(grouped(aggregate("sum", a)));
  EXPECT_FALSE(grouped(binary(a, "+", aggregate("sum", a))));
}

TEST(SqlSound, AColumnOfNoRowSourceInScopeIsRefused) {
  const auto good = [](const NodePtr& tree) { return sound(*tree, common_names(*tree)); };
  EXPECT_FALSE(good(select({.items = {item(column("y.n"), "c0")}, .from = t})));
  EXPECT_FALSE(good(select(
      {.items = {item(column("q.c1"), "c0")}, .from = derived("q", select({.items = {item(a, "c0")}, .from = t}))})));
  EXPECT_TRUE(good(select(
      {.items = {item(column("q.c0"), "c0")}, .from = derived("q", select({.items = {item(a, "c0")}, .from = t}))})));
  const NodePtr seen_from_inside =
      select({.items = {item(column("y.n"), "c0")}, .from = u, .where = binary(a, "=", a)});
  EXPECT_TRUE(good(select(
      {.items = {item(a, "c0")}, .from = t, .where = make(Kind::kExists, Type::kBoolean, "", {seen_from_inside})})));
  // A derived table does not see its neighbours, unless it is lateral.
  for (const std::string how : {"join", "join lateral"})
    EXPECT_EQ(
        good(select({.items = {item(a, "c0")}, .from = join(how, t, derived("q", seen_from_inside), boolean(true))})),
        how == "join lateral");
  EXPECT_FALSE(sound(*select({.items = {item(integer(1), "c0")}, .from = table("w0", "w")}), {"w0"}));
}

}  // namespace smaller_test
}  // namespace isolde::hunt::sql
