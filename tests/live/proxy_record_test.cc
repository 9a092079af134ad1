// tests/live/proxy_record_test.cc: statements that are rewritten for the record: their clients see no difference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/live/proxy_twins.h"

namespace isolde::test {
namespace proxy_record_test {

// Every row of the table of shapes: with and without what is added the answers are the same.
TEST(ProxyRecord, WhatIsAddedToAStatementIsNotSeenByItsClient) {
  Twins twins(Recording::kOn);
  for (const char* const sql :
       {"create table t (id int primary key, v int, w text)",
        "create table u (a int, b text, c int, primary key (a, b))", "create view tv as select * from t",
        "create table p (id int primary key) partition by hash (id)",
        "create table p0 partition of p for values with (modulus 1, remainder 0)",
        "insert into t select i, i % 3, 'w' || i from generate_series(1, 20) i",
        "insert into u values (1, 'x/y', 1), (1, 'x', 2), (2, 'é', 3)", "insert into p values (1), (2)"})
    twins.query(sql);
  const std::vector<std::string> statements = {
      "select * from t where id = 3",
      "select t from t where id = 3",
      "select t.*, t.id from t where id < 3 order by 1",
      "select -id as id from t order by id limit 3 offset 1",
      "select * from t as z where z.v = 1 order by z.w",
      "select * from t as z(p, q) where p = 1",
      "select distinct v from t order by v",
      "select distinct on (v) * from t order by v, id",
      "select count(*) from t",
      "select v, count(*) from t group by v order by v",
      "select id, v from t group by id order by id",
      "select max(id) from t having count(*) > 3",
      "select id, row_number() over (order by id) from t order by id limit 2",
      "select generate_series(1, 2), id from t where id < 3 order by 2, 1",
      "select id from t union select a from u order by 1",
      "select id from t where id < 3 union all select a from u order by 1",
      "select * from t where id in (select a from u) order by id for update",
      "select * from t join u on t.id = u.a order by 1, 5",
      "select * from t, u where id = a order by 1, 5",
      "select * from tv where id = 1",
      "select * from p where id = 1",
      "select * from only t where id = 1 for share",
      "select * from nowhere",
      "select nope from t",
      "select 'a' || nope from t where id = 1",
      "select id / 0 from t",
      "select 1 from t where id = 1 and nope",
      "select * from t where id = 'x'",
      "select * from u order by a, b",
      "select * from pg_class where relname = 't' and false",
      "table t order by 1 limit 1",
      "select (select max(id) from t), v is distinct from 1 from t where id = 1",
      "with q as (select * from t) select * from q where id = 1",
      "select * from (select * from t) s where id = 1",
      "select * from t tablesample bernoulli (100) where id = 1",
      "update t set v = v + 1 where id = 1",
      "update t set v = v + 1 where id = 1 returning *",
      "update t set v = 1 where id = 999",
      "update t as x set v = 7 where x.id = 2 returning x.v as y",
      "update t set id = 100 where id = 20",
      "update p set id = id where id = 1",
      "update t set v = u.c from u where u.a = t.id",
      "delete from t where id = 4",
      "delete from t where id = 5 returning w",
      "delete from t using u where u.a = t.id and false",
      "insert into t values (50, 1, 'x')",
      "insert into t values (50, 1, 'x')",
      "insert into t values (51, 1, 'x') returning id",
      "insert into t values (50, 9, 'z') on conflict (id) do update set v = 5",
      "insert into t values (50, 9, 'z') on conflict do nothing",
      "insert into p values (7)",
      "insert into u select id, 'n', 1 from t where id < 3",
      "insert into tv values (60, 1, 'v')",
      "update tv set v = 2 where id = 60",
      "update t set nope = 1",
      "insert into t values ('x')",
      "update t set v = 1 where id = 1; ",
      "update t set v = 1 where id = 1 -- comment",
      "delete from t where id = 50 /* c */ ;",
      "create table n as select * from t",
      "drop table n",
      "select * into n from t",
      "drop table n",
      "begin",
      "select * from t where id = 1",
      "savepoint s",
      "update t set v = 8 where id = 1",
      "select nope from t",
      "select 1",
      "rollback to s",
      "declare c cursor for select * from t order by id",
      "fetch 2 from c",
      "commit",
      "merge into t using u on t.id = u.a when matched then update set v = 1",
      "prepare q(int) as select * from t where id = $1",
      "execute q(1)",
      "deallocate q"};
  for (const std::string& sql : statements) {
    twins.query(sql);
    twins.query_extended(sql, false);
    twins.query_extended(sql, true);
  }
  twins.stop();
  const auto recorded = twins.recorded();
  EXPECT_GE(recorded.statements, 60U);
  EXPECT_TRUE(recorded.left_out.contains("DISTINCT"));
}

TEST(ProxyRecord, PreparedStatementsKeepTheirMeaning) {
  Twins twins(Recording::kOn);
  twins.query("create table t (id int primary key, v int)");
  twins.query("insert into t select i, i from generate_series(1, 10) i");
  const std::string sync(kWireSync);
  twins.both(wire_parse("a", "select v from t where id = $1::int") + sync);
  twins.both(wire_bind("", "a", {"3"}) + wire_execute("") + sync);
  twins.query("execute a(4)");
  twins.query("select 1; execute a(5); select 2");
  twins.both(wire_parse("", "execute a(6)") + wire_describe('S', "") + wire_bind("", "") + wire_execute("") + sync);
  // Parsed again without a close: an error, and the first one stays.
  twins.both(wire_parse("a", "select 2") + sync);
  twins.both(wire_bind("", "a", {"7"}) + wire_execute("") + sync);
  twins.both(wire_close('S', "a") + wire_parse("a", "select 2") + wire_bind("", "a") + wire_execute("") + sync);
  twins.query("deallocate all");
  twins.both(wire_bind("", "a") + sync);
  // A limit of rows: on what returns none it changes nothing.
  twins.both(wire_parse("", "update t set v = v + 1") + wire_bind("", "") + wire_execute("", 1) + sync);
  twins.both(wire_parse("", "select v from t order by id") + wire_bind("", "") + wire_execute("", 2) +
             wire_execute("", 3) + sync);
  twins.both(wire_parse("w", "insert into t values ($1::int, 1)") + wire_describe('S', "w") +
             wire_bind("x", "w", {"50"}) + wire_describe('P', "x") + wire_execute("x", 1) + sync);
  twins.query("deallocate w");
  twins.query("prepare w as select 5 as five");
  twins.query("execute w");
  twins.query("set standard_conforming_strings = off");
  twins.query("select 'a\\'b' from t where id = 1");
  twins.query("reset standard_conforming_strings");
  twins.query("create schema s; create table s.t (other int); set search_path = s, public");
  twins.query("select * from t");
  twins.query("select * from public.t where id = 1");
}

TEST(ProxyRecord, WhatTheUserMayNotSeeIsNotAskedFor) {
  Twins twins(Recording::kOn);
  twins.run("drop role if exists proxy_reader");
  twins.run("create role proxy_reader login");
  twins.query("create table t (id int primary key, v int)");
  twins.query("create table u (id int primary key, v int)");
  twins.query("insert into t values (1, 1)");
  twins.query("insert into u values (1, 1)");
  twins.query("grant select (v), update (v), insert on t to proxy_reader");
  twins.query("grant select, update on u to proxy_reader");
  twins.log_in("proxy_reader");
  for (const char* const sql : {"select v from t", "update t set v = 2", "insert into t values (2, 2)",
                                "select * from t", "select * from u where id = 1", "update u set v = 3 where id = 1"})
    twins.query(sql);
  twins.log_in();
  twins.query("drop owned by proxy_reader");
  twins.run("drop role proxy_reader");
  twins.stop();
  const auto recorded = twins.recorded();
  EXPECT_EQ(recorded.left_out.at("a privilege that is missing"), 3U);
  EXPECT_EQ(recorded.statements, 4U);
}

}  // namespace proxy_record_test
}  // namespace isolde::test
