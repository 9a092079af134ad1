#include "tests/support/small_case.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde::hunt::testing {
namespace {

bool names(std::string_view sql, char table) {
  for (std::size_t at = sql.find(table); at != std::string_view::npos; at = sql.find(table, at + 1)) {
    const bool starts = at > 0 && sql[at - 1] == ' ';
    if (starts && (at + 1 == sql.size() || sql[at + 1] == ' ')) return true;
  }
  return false;
}

Statement statement_of(std::string_view sql, std::int64_t version) {
  Statement statement;
  statement.sql = std::string(sql);
  statement.version = version;
  for (const char table : {'a', 'b'}) {
    if (names(sql, table)) statement.reads.emplace_back(1, table);
  }
  const auto is = [&](std::string_view head) { return sql.starts_with(head); };
  statement.kind = is("update")   ? StatementKind::kUpdate
                   : is("delete") ? StatementKind::kDelete
                   : is("insert") ? StatementKind::kInsert
                                  : StatementKind::kSelect;
  if (statement.kind == StatementKind::kSelect) return statement;
  const bool of_a = is("update a") || is("delete from a") || is("insert into a");
  statement.writes = {of_a ? "a" : "b"};
  if (is("delete from a")) statement.writes.emplace_back("b");
  if (of_a || is("insert into b")) statement.reads = {"a", "b"};
  const std::size_t where = sql.find(" where ");
  if (statement.kind == StatementKind::kUpdate || statement.kind == StatementKind::kDelete)
    statement.before = fmt::format("select pkey from {}{}", statement.writes.front(),
                                   where == std::string_view::npos ? "" : sql.substr(where));
  return statement;
}

}  // namespace

Schema small_schema(std::string_view dialect) {
  const std::string_view text = dialect == "mariadb" ? "varchar(40)" : "text";
  const std::string_view options = dialect == "mariadb" ? " engine=InnoDB" : "";
  Schema schema;
  schema.tables.push_back(
      {.name = "a",
       .columns = {"pkey", "vkey", "x", "s"},
       .create = fmt::format("create table a (pkey int primary key, vkey int, x int, s {}){}", text, options),
       .rows = {{"1", "0", "10", "'one'"}, {"2", "0", "20", "null"}, {"3", "0", "30", "'NULL'"}},
       .inserted = {"pkey", "vkey", "x", "s"},
       .foreign_keys = {}});
  schema.tables.push_back({.name = "b",
                           .columns = {"pkey", "vkey", "x", "up", "twice"},
                           .create = fmt::format("create table b (pkey int primary key, vkey int, x int, up int, "
                                                 "twice int generated always as (x * 2) stored, "
                                                 "foreign key (up) references a (pkey) on delete cascade){}",
                                                 options),
                           .rows = {{"1", "0", "5", "1"}, {"2", "0", "null", "2"}},
                           .inserted = {"pkey", "vkey", "x", "up"},
                           .foreign_keys = {{.column = "up", .parent = "a", .cascades = true}}});
  schema.more = {"create index a_x on a (x)"};
  schema.views = {{.name = "v",
                   .columns = {"pkey", "x"},
                   .reads = {"a"},
                   .create = "create view v as select pkey, x from a where x > 10"}};
  schema.drops = {"drop view v", "drop table b", "drop table a"};
  return schema;
}

Case small_case(std::string_view dialect, const std::vector<Line>& lines) {
  Case test;
  test.schema = small_schema(dialect);
  std::int64_t version = 100;
  for (const auto& [who, what] : lines) {
    if (test.transactions.size() < who) test.transactions.resize(who);
    Transaction& transaction = test.transactions[who - 1];
    if (what == "rollback") transaction.commits = false;
    if (what != "commit" && what != "rollback") transaction.statements.push_back(statement_of(what, version++));
    test.order.push_back(who - 1);
  }
  return test;
}

}  // namespace isolde::hunt::testing
