#include "proxy/capture/plan.h"

#include <gtest/gtest.h>

namespace isolde::proxy::capture {
namespace plan_test {

std::shared_ptr<const Tables> tables() {
  auto out = std::make_shared<Tables>();
  for (const auto& [schema, name, key, why_not] :
       {std::tuple{"public", "t", std::vector<std::string>{"id"}, ""},
        std::tuple{"public", "pair", std::vector<std::string>{"a", "B"}, ""},
        std::tuple{"other", "t", std::vector<std::string>{"k"}, ""},
        std::tuple{"public", "parts", std::vector<std::string>{"id"}, "a partitioned table"}})
    out->by_name.emplace(
        std::pair<std::string, std::string>(schema, name),
        Table{.shown = name, .schema = schema, .name = name, .oid = 1, .file = 1, .key = key, .why_not = why_not});
  out->schemas = {"public", "other", "bob"};
  return out;
}

// What is sent instead; "" if the text is left alone.
std::string rewritten(std::string_view sql, std::string_view user = "ann") {
  static const auto known = tables();
  Planner planner;
  const auto plan = planner.plan(sql, known, user);
  return plan->rewritten ? planner.rewrite(sql, *plan).sql : std::string();
}

std::string version(const std::string& alias, const std::string& keys) {
  return "\"" + alias + "\".tableoid AS _isolde_0, \"" + alias + "\".ctid AS _isolde_1, \"" + alias +
         "\".xmin AS _isolde_2, " + keys;
}
const std::string kOfT = version("t", "\"t\".\"id\"::text AS _isolde_3");

TEST(Plan, AddsTheVersionBehindTheLastColumnOfAPlainSelect) {
  EXPECT_EQ(rewritten("select * from t where id = 5"), "select * , " + kOfT + " from t where id = 5");
  EXPECT_EQ(
      rewritten("select v is distinct from 3, extract(year from d) from only t order by 1 limit 3 for update"),
      "select v is distinct from 3, extract(year from d) , " + kOfT + " from only t order by 1 limit 3 for update");
  EXPECT_EQ(rewritten("select 1 -- from\n from public.t as \"x\"\"y\" -- end"),
            "select 1 -- from\n , " + version("x\"\"y", "\"x\"\"y\".\"id\"::text AS _isolde_3") +
                " from public.t as \"x\"\"y\" -- end");
  EXPECT_EQ(rewritten("select (select max(id) from t), count(*) over () from pair where exists (select from t)"),
            "select (select max(id) from t), count(*) over () , " +
                version("pair", "\"pair\".\"a\"::text AS _isolde_3, \"pair\".\"B\"::text AS _isolde_4") +
                " from pair where exists (select from t)");
}

TEST(Plan, NamesTheRowsOfEveryTableOfAJoin) {
  const std::string both = version("t", "\"t\".\"id\"::text AS _isolde_3") +
                           ", \"p\".tableoid AS _isolde_4, \"p\".ctid AS _isolde_5, \"p\".xmin AS _isolde_6, "
                           "\"p\".\"a\"::text AS _isolde_7, \"p\".\"B\"::text AS _isolde_8";
  EXPECT_EQ(rewritten("select * from t, pair p where id = a"), "select * , " + both + " from t, pair p where id = a");
  EXPECT_EQ(rewritten("select 1 from (t left join pair p on id = a) natural join view"),
            "select 1 , " + both + " from (t left join pair p on id = a) natural join view");
  EXPECT_EQ(rewritten("select * from t, (select * from pair) q"),
            "select * , " + kOfT + " from t, (select * from pair) q");
  EXPECT_EQ(rewritten("select * from (t join pair on true) as j"), "");
  EXPECT_EQ(rewritten("select * from (select * from pair) q, t"), "");
}

TEST(Plan, LetsWritesReturnTheVersion) {
  EXPECT_EQ(rewritten("update t set v = 1 where id = 2"), "update t set v = 1 where id = 2\nRETURNING " + kOfT);
  EXPECT_EQ(rewritten("delete from t where id = 2; -- gone"),
            "delete from t where id = 2\nRETURNING " + kOfT + "; -- gone");
  EXPECT_EQ(rewritten("insert into t values (1, 2) on conflict (id) do update set v = 3 returning v"),
            "insert into t values (1, 2) on conflict (id) do update set v = 3 returning v\n, " + kOfT);
  EXPECT_EQ(rewritten("update t x set v = $1 returning *"),
            "update t x set v = $1 returning *\n, " + version("x", "\"x\".\"id\"::text AS _isolde_3"));
  EXPECT_EQ(rewritten("insert into other.t select * from t"),
            "insert into other.t select * from t\nRETURNING " + version("t", "\"t\".\"k\"::text AS _isolde_3"));
}

TEST(Plan, LeavesAloneWhatFurtherColumnsWouldChange) {
  for (const char* const sql : {"select distinct v from t",
                                "select v from t group by v",
                                "select v from t union select 1",
                                "select 1",

                                "select * into n from t",
                                "select from t",
                                "with q as (select 1) select * from t",
                                "select * from (select * from t) q",
                                "select * from generate_series(1, 2)",
                                "select * from view",
                                "select * from parts",
                                "select * from t as x(a, b)",
                                "create table n as select * from t",
                                "create view w as select * from t",
                                "copy t to stdout",
                                "explain select * from t",
                                "declare c cursor for select * from t",
                                "update t set id = 3",
                                "update t set v = 1 from pair",
                                "delete from t using pair",
                                "merge into t using pair on true when matched then delete",
                                "insert into t values (1) on conflict (id) do update set id = 3",
                                "select 1; select * from t",
                                "select * from t; select 1",
                                "select * from pg_class",
                                "prepare p as select * from t",
                                "not sql at all",
                                ""})
    EXPECT_EQ(rewritten(sql), "") << sql;
  EXPECT_EQ(rewritten("select * from t", "bob"), "") << "bob's own schema comes first";
  EXPECT_NE(rewritten("select * from public.t", "bob"), "");
}

TEST(Plan, OneShapeIsPlannedOnceAndRewrittenAtItsOwnPlace) {
  Planner planner;
  const auto known = tables();
  const auto a = planner.plan("select v from t where id = 1", known, "ann");
  const auto b = planner.plan("select  v /* longer */ from t where id = 123456", known, "ann");
  EXPECT_EQ(a, b);
  EXPECT_EQ(planner.rewrite("select  v /* longer */ from t where id = 123456", *b).sql,
            "select  v /* longer */ , " + kOfT + " from t where id = 123456");
  planner.give_up("select v from t where id = 7", "ann", "a reason");
  EXPECT_FALSE(planner.plan("select v from t where id = 8", known, "ann")->rewritten);
  EXPECT_EQ(planner.plan("select v from t where id = 8", known, "ann")->steps[0].why_not, "a reason");
}

TEST(Plan, CountsPlacesInCharacters) {
  Planner planner;
  const auto known = tables();
  const std::string sql = "select 'äöü' from t where nowhere";
  const Rewriting rewriting = planner.rewrite(sql, *planner.plan(sql, known, "ann"));
  EXPECT_EQ(rewriting.from, 13U);
  EXPECT_EQ(rewriting.length, kOfT.size() + 3);
}

TEST(Plan, KnowsWhatBeginsDividesAndEndsTransactions) {
  Planner planner;
  const auto kinds = [&](std::string_view sql) {
    std::vector<Kind> out;
    for (const Step& step : planner.plan(sql, nullptr, "ann")->steps) out.push_back(step.kind);
    return out;
  };
  using K = Kind;
  EXPECT_EQ(kinds("begin; savepoint a; rollback to a; release a; commit; start transaction; abort"),
            (std::vector{K::kBegin, K::kSavepoint, K::kRollBackTo, K::kRelease, K::kCommit, K::kBegin, K::kRollBack}));
  EXPECT_EQ(kinds("prepare transaction 'x'"), std::vector{K::kPrepare});
  EXPECT_EQ(kinds("call f(); do $$ begin end $$; vacuum"), (std::vector{K::kUnclear, K::kUnclear, K::kUnclear}));
  EXPECT_EQ(kinds("commit prepared 'x'"), std::vector{K::kHarmless});
  EXPECT_TRUE(planner.plan("commit and chain", nullptr, "ann")->steps[0].chains);
  EXPECT_TRUE(planner.plan("create temp table t (a int)", nullptr, "ann")->steps[0].changes_path);
  EXPECT_FALSE(planner.plan("create table t (a int)", nullptr, "ann")->steps[0].changes_path);
}

}  // namespace plan_test
}  // namespace isolde::proxy::capture
