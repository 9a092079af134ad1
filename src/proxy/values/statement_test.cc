#include "proxy/values/statement.h"

#include <gtest/gtest.h>

#include <string>

namespace isolde::proxy::values {
namespace value_statement_test {

std::string shown_term(const Term& term) {
  switch (term.kind) {
    case Term::Kind::kNumber:
      return term.text;
    case Term::Kind::kText:
      return "'" + term.text + "'";
    case Term::Kind::kNull:
      return "null";
    case Term::Kind::kParameter:
      return "?" + std::to_string(term.parameter);
    case Term::Kind::kUnknown:
      break;
  }
  return "…";
}

std::string shown_named(const std::vector<Named>& all) {
  std::string out;
  for (const Named& named : all)
    out += " " + named.column + (named.adds ? "+=" : named.subtracts ? "-=" : "=") + shown_term(named.value);
  return out;
}

std::string_view control_word(Doing doing) {
  switch (doing) {
    case Doing::kBegin:
      return "begin";
    case Doing::kCommit:
      return "commit";
    case Doing::kRollBack:
      return "roll back";
    case Doing::kSavepoint:
      return "savepoint";
    case Doing::kRelease:
      return "release";
    case Doing::kRollBackTo:
      return "roll back to";
    case Doing::kNames:
      return "names";
    case Doing::kLevel:
      return "level";
    case Doing::kLevelOnce:
      return "level once";
    default:
      return "nothing";
  }
}

std::string understood(std::string_view sql) {
  StatementReader reader;
  std::string out;
  for (const Statement& s : reader.read(sql)) {
    if (!out.empty()) out += "; ";
    switch (s.doing) {
      case Doing::kRead:
        out += std::string("read") + (s.plain ? " plain" : "") +
               (s.lock == Lock::kUpdate  ? " for update"
                : s.lock == Lock::kShare ? " for share"
                                         : "");
        if (s.by_where) out += " " + s.table + " where" + shown_named(s.where);
        if (s.by_where && s.more_conditions) out += " and more";
        break;
      case Doing::kUpdate:
        out += "update " + s.table + " set" + shown_named(s.sets) + " where" + shown_named(s.where);
        if (s.more_conditions) out += " and more";
        break;
      case Doing::kDelete:
        out += "delete " + s.table + " where" + shown_named(s.where);
        break;
      case Doing::kInsert:
      case Doing::kReplace:
        out += (s.doing == Doing::kInsert ? "insert " : "replace ") + s.table;
        for (const std::string& column : s.columns) out += " " + column;
        for (const auto& row : s.rows) {
          out += " (";
          for (const Term& term : row) out += shown_term(term) + ",";
          out += ")";
        }
        out += std::string(s.ignores ? " ignore" : "") + (s.upserts ? " upsert" : "");
        break;
      case Doing::kWritesOthers:
        out += "writes others";
        break;
      case Doing::kAnything:
        out += "anything";
        break;
      default:
        out += std::string(control_word(s.doing)) + (s.name.empty() ? "" : " " + s.name);
    }
  }
  return out;
}

TEST(ValueStatement, RowsThatAreNamedByColumnsAreRead) {
  EXPECT_EQ(understood("select c from t where id = 5"), "read plain t where id=5");
  EXPECT_EQ(understood("SELECT c FROM shop.t AS x WHERE x.id=? FOR UPDATE"), "read plain for update t where id=?0");
  EXPECT_EQ(understood("select ?, c from t where a = ? and (b = 'x') limit 1 lock in share mode"),
            "read plain for share t where a=?1 b='x'");
  EXPECT_EQ(understood("select c from t where id = 5 and c > 3"), "read plain t where id=5 and more");
  EXPECT_EQ(understood("select c from t where id = 5 or c > 3"), "read plain");
  EXPECT_EQ(understood("select c from t where id between 1 and 5"), "read plain");
  EXPECT_EQ(understood("select c from t where id = 5 limit 0"), "read plain");
  EXPECT_EQ(understood("select * from t join u on t.id = u.id where t.id = 5"), "read plain");
  for (const char* const sql :
       {"select distinct c from t where id = 5", "select max(c) from t group by c", "select 1 union select 2",
        "select (select max(id) from t) from t where id = 5", "with q as (select 1) select * from q",
        "select c, count(*) from t where id = 5", "select c into @c from t where id = 5",
        "select c from t for system_time all where id = 5"})
    EXPECT_EQ(understood(sql), "read") << sql;
}

TEST(ValueStatement, WritesOfRowsThatAreNamedAreUnderstood) {
  EXPECT_EQ(understood("update t set c = 'x', n = n + ?, m = -4, o = f(2) where id = ? and v = 3"),
            "update t set c='x' n+=?0 m=-4 o=… where id=?1 v=3");
  EXPECT_EQ(understood("update t set n = n - 1 where id = 5 and n >= 1"), "update t set n-=1 where id=5 and more");
  EXPECT_EQ(understood("update t set n = n * 2 where id = 5"), "update t set n=… where id=5");
  EXPECT_EQ(understood("update t set n = n + 1 + 1 where id = 5"), "update t set n=… where id=5");
  EXPECT_EQ(understood("delete from t where id=?"), "delete t where id=?0");
  EXPECT_EQ(understood("insert into t (id, c) values (1, null), (?, now())"), "insert t id c (1,null,) (?0,…,)");
  EXPECT_EQ(understood("insert ignore into t values (1)"), "insert t (1,) ignore");
  EXPECT_EQ(understood("insert into t values (1) on duplicate key update c = 2"), "insert t (1,) upsert");
  EXPECT_EQ(understood("replace into t values (1, 'a''b')"), "replace t (1,'a'b',)");
  for (const char* const sql :
       {"update t set c = 1", "update t, u set c = 1 where t.id = 5", "update t set c = 1 where id = 5 or id = 6",
        "update t set c = 1 where id = 5 limit 1", "delete from t", "delete t from t join u where id = 5",
        "insert into t select * from u", "insert into t set id = 5", "load data infile 'x' into table t"})
    EXPECT_EQ(understood(sql), "writes others") << sql;
}

TEST(ValueStatement, SeveralStatementsInOneTextCountTheirParametersTogether) {
  EXPECT_EQ(understood("begin; update t set c = ? where id = ?; select c from t where id = ?;;"),
            "begin; update t set c=?0 where id=?1; read plain t where id=?2");
}

TEST(ValueStatement, WhatBeginsAndEndsTransactions) {
  EXPECT_EQ(understood("start transaction read only"), "begin");
  EXPECT_EQ(understood("commit and chain"), "commit");
  EXPECT_EQ(understood("rollback work"), "roll back");
  EXPECT_EQ(understood("rollback work to savepoint S"), "roll back to s");
  EXPECT_EQ(understood("savepoint `A`"), "savepoint a");
  EXPECT_EQ(understood("set session transaction isolation level read committed"), "level read committed");
  EXPECT_EQ(understood("set transaction isolation level serializable"), "level once serializable");
  EXPECT_EQ(understood("set @@session.tx_isolation = 'repeatable-read'"), "level repeatable read");
  EXPECT_EQ(understood("set names utf8mb4 collate utf8mb4_bin"), "names utf8mb4");
  for (const char* const sql : {"begin not atomic select 1; end", "call p()", "execute s", "xa start 'a'", "do f()"})
    EXPECT_TRUE(understood(sql).starts_with("anything")) << sql;
}

}  // namespace value_statement_test
}  // namespace isolde::proxy::values
