#include "db/guard/file_sql.h"

#include <gtest/gtest.h>

#include <vector>

#include "db/product.h"

namespace isolde::db {
namespace file_sql_test {

constexpr const char* kAll[] = {"postgres", "mariadb", "sqlite"};

std::string refused(std::string_view sql, std::string_view dialect) {
  static const OwnTables own = {"test", "other", "third", "t", "u", "s", "v", "hunt_t0", "hunt_t1", "hunt_v0"};
  return why_refused(sql, dialect, own);
}

TEST(FileSql, WhatFindingsAndScenariosAreMadeOfIsRun) {
  for (const char* const dialect : kAll) {
    for (const char* const sql : {
             "select * from test",
             "select a.id, b.value from test a join test b on a.id = b.id where a.value % 3 = 0 order by 1 limit 2",
             "select count(*), coalesce(sum(value), 0) from test where id in (select id from other where exists "
             "(select 1 from third))",
             "with c(x) as (select id from test) select x from c, test as t where t.id = c.x",
             "insert into test (id, value) values (3, 30), (4, 'it''s; -- no comment')",
             "insert into test(id) select max(id) + 1 from test",
             "update test set value = value + 10 where upper(name) = 'A'",
             "delete from test where value = 20;",
             "begin",
             "commit",
             "rollback",
             "savepoint s1",
             "create table hunt_t0 (id int primary key, name varchar(10) not null, p int references hunt_t1 (id), "
             "check "
             "(id > 0))",
             "create table if not exists t (id int)",
             "create unique index hunt_i0 on hunt_t0 (id)",
             "create view hunt_v0 as select id, substr(name, 1, 2) as n from hunt_t0",
             "drop table if exists hunt_t0",
             "drop view if exists hunt_v0",
         })
      EXPECT_EQ(refused(sql, dialect), "") << dialect << ": " << sql;
  }
  for (const char* const sql :
       {"set transaction isolation level serializable", "set statement_timeout = 1000", "lock table test",
        "alter table test set (autovacuum_enabled = off)", "select id from test for update skip locked",
        "select r.id from test as r left join t on true for update of r",
        "merge into t using s on t.id = s.id when matched then update set v = s.v when not matched then insert (id, v) "
        "values (s.id, 1)",
        "insert into t values (1) on conflict (id) do update set v = excluded.v returning id",
        "select row_number() over (order by id) from t", "select pg_catalog.abs(1)", "truncate t"})
    EXPECT_EQ(refused(sql, "postgres"), "") << sql;
  for (const char* const sql :
       {"set session transaction isolation level repeatable read", "set session innodb_lock_wait_timeout = 10",
        "create table t (id int primary key, key k (id)) engine=InnoDB", "lock tables t write", "unlock tables",
        "insert into t values (1, 2) on duplicate key update v = values(v)", "replace into t values (1)",
        "select v from t where id = 1 lock in share mode", "update t a, u b set a.v = 1 where a.id = b.id",
        "insert into t (a) values (1) on duplicate key update vkey = 5, a = 2", "select id from t for update nowait",
        "create table t (id int primary key, p int, foreign key (p) references u (id) on update cascade, q int)",
        "create table t (a varchar(9) check (a like 'x%'))", "drop index i on t"})
    EXPECT_EQ(refused(sql, "mariadb"), "") << sql;
  EXPECT_EQ(refused("begin immediate", "sqlite"), "");
  EXPECT_EQ(refused("select id from t where a is not distinct from b and id in (1, 2.5e3, 0x1F, .5)", "sqlite"), "");
  EXPECT_EQ(refused("insert into t values (1) on conflict (id) do update set a = 1, b = 2", "sqlite"), "");
  EXPECT_EQ(refused("pragma foreign_keys = on", "sqlite"), "");
}

TEST(FileSql, WhatReachesFilesProgramsAndOthersTablesIsNot) {
  for (const char* const sql : {
           "copy t from program 'id'",
           "copy t to '/tmp/x'",
           "select pg_read_file('/etc/passwd')",
           "select * from pg_ls_dir('.')",
           "select lo_import('/etc/passwd')",
           "select query_to_xml('drop table t', true, true, '')",
           "select dblink_exec('x', 'y')",
           "select set_config('search_path', 'public', false)",
           "select pg_terminate_backend(1)",
           "select nextval('s')",
           "set search_path = public",
           "set role admin",
           "set session authorization admin",
           "reset all",
           "do $$ begin end $$",
           "create function f() returns int language sql as 'select 1'",
           "create extension plpgsql",
           "create role x superuser",
           "create trigger x after insert on t execute function f()",
           "create table t (id int) tablespace other",
           "create table t as select 1",
           "select 1 into t",
           "alter system set fsync = off",
           "alter table t owner to other",
           "alter table t rename to u",
           "drop schema public cascade",
           "drop table public.t",
           "drop index users_id",
           "select * from public.t",
           "insert into other.t values (1)",
           "with x as (delete from other.t returning 1) select 1",
           "vacuum",
           "listen x",
           "explain analyze select 1",
           "prepare transaction 'x'",
           "commit prepared 'x'",
           "select other.f(1)",
           "grant all on t to public",
           "begin; drop table t",
           "select",
           "",
       }) {
    if (std::string_view(sql) == "select") continue;  // PostgreSQL knows a SELECT of nothing
    EXPECT_NE(refused(sql, "postgres"), "") << sql;
  }
  for (const char* const sql : {
           "select 1 into outfile '/tmp/x'",
           "select 1 into dumpfile '/tmp/x'",
           "load data infile '/etc/passwd' into table t",
           "select load_file('/etc/passwd')",
           "select sleep(100)",
           "select sys_exec('id')",
           "select * from mysql.user",
           "select 1 as mysql from t, mysql.user",
           "select * from t join `mysql`.`user` on 1",
           "select * from (mysql.user)",
           "update mysql.user set a = 1",
           "update t, mysql.user set a = 1",
           "insert into mysql.user values (1)",
           "delete from t using t, mysql.user",
           "delete mysql.user from mysql.user",
           "create table t (id int) engine=CONNECT",
           "create table t (id int) engine=InnoDB data directory='/tmp'",
           "create table t (id int) engine=FEDERATED connection='mysql://x'",
           "create trigger x before insert on t for each row set @a = 1",
           "create or replace procedure p() select 1",
           "create database x",
           "drop database x",
           "set global read_only = 1",
           "set @a = 1",
           "set session sql_log_bin = 0",
           "set session autocommit = 1, global read_only = 1",
           "grant all on *.* to x",
           "flush privileges",
           "kill 1",
           "execute immediate 'drop table t'",
           "call p()",
           "use mysql",
           "select 1 /*! into outfile '/tmp/x' */",
           "select 1; drop table t",
           "select '\\'; drop table t; -- '",
           "alter table t rename mysql.x",
           "drop table mysql.user",
           "truncate mysql.user",
           "truncate table t, mysql.user",
           "insert mysql.user values (1)",
           "insert ignore mysql.user values (1)",
           "replace mysql.user values (1)",
           "select * from t straight_join mysql.user",
           "drop index i on mysql.t",
           "drop table t, mysql.t",
           "create view v as select * from mysql.user",
           "create table t like mysql.user",
           "create index i on mysql.t (a)",
           "create table t (id int references mysql.user (id))",
           "install soname 'x'",
           "alter table t add x int, rename mysql.x",
           "select next value for mysql.s",
           "select 1.from users",
           "select * from 1users",
           "update t join u on t.id = u.id, users set users.id = 8",
           "update t join u using (id), users set users.id = 8",
           "",
       })
    EXPECT_NE(refused(sql, "mariadb"), "") << sql;
  for (const char* const sql :
       {"attach 'x' as y", "attach database 'x' as y", "vacuum into 'x'", "select load_extension('x')",
        "select writefile('x', 'y')", "pragma journal_mode = off", "pragma writable_schema = on",
        "create virtual table t using fts5(x)", "create trigger x after insert on t begin select 1; end",
        "select * from main.t", "select 1; attach 'x' as y", "detach y", "delete from 'users'",
        "update 'users' set id = 8", "drop table 'users'", "insert into 'users' values (8)",
        "select 1 where 7 in users", "drop index users_id"})
    EXPECT_NE(refused(sql, "sqlite"), "") << sql;
  EXPECT_NE(refused("select 1", "oracle"), "");
}

TEST(FileSql, TablesAreTheFilesOwn) {
  for (const char* const dialect : kAll) {
    for (const char* const sql :
         {"select * from users", "delete from users", "update users set a = 1", "insert into users values (1)",
          "insert into users(id) values (1)", "drop table users", "drop table if exists t, users",
          "create table users (id int)", "create index i on users (id)", "create view users as select 1",
          "select * from t where id in (select id from users)", "select * from t, users",
          "select * from t join users on true",
          "with users as (select 1) delete from t where id in (select 1 from more)",
          "with users as (select 1) delete from users", "with users as (select 1) update users set id = 8",
          "with users as (select 1) insert into users values (8)", "create table t (id int references users (id))"})
      EXPECT_NE(refused(sql, dialect), "") << dialect << ": " << sql;
    EXPECT_EQ(refused("select T.id from T", dialect), "") << dialect;
    EXPECT_EQ(refused("select * from \"t\"", dialect), "") << dialect;
  }
}

TEST(FileSql, TextOfAnyDepthComesToAnEnd) {
  for (const char* const dialect : kAll) {
    for (const std::string_view piece : {"(", "not ", "select (", "case when ", "- ", "a.", "'", "[", "/*", "f("}) {
      std::string sql = "select ";
      for (int i = 0; i < 5'000; ++i) sql += piece;
      (void)refused(sql, dialect);
      (void)refused(sql + std::string(5'000, ')'), dialect);
    }
  }
}

}  // namespace file_sql_test
}  // namespace isolde::db
