#include "hunt/finding/cause.h"

#include <gtest/gtest.h>

namespace isolde::hunt {
namespace cause_test {

Statement statement(StatementKind kind, std::string sql) {
  return {.kind = kind, .sql = std::move(sql), .reads = {}, .writes = {}, .version = 0, .before = {}, .tree = nullptr};
}
Finding finding(Wrong wrong, std::vector<std::vector<Statement>> transactions) {
  Finding made;
  made.wrong = wrong;
  for (std::vector<Statement>& statements : transactions)
    made.test.transactions.push_back({.statements = std::move(statements), .commits = true});
  return made;
}
const Statement kRead = statement(StatementKind::kSelect, "select 1");
const Statement kUpdate = statement(StatementKind::kUpdate, "update t set a = 1 where b between 1 and 2");
const Statement kMerge = statement(StatementKind::kMerge, "merge into t using s on t.a = s.a when matched then delete");

TEST(Cause, WhatAnyOtherStatementCouldDoAsWellIsNotNamed) {
  Finding a = finding(Wrong::kIsolation, {{kMerge}, {kRead, kMerge}});
  Finding b = finding(Wrong::kIsolation, {{kUpdate}, {kRead, kMerge}});
  Finding c = finding(Wrong::kIsolation, {{kUpdate}, {kRead, kUpdate}});
  for (Finding* f : {&a, &b, &c}) f->anomaly = "lost-update";
  EXPECT_EQ(cause_of(a), "isolation lost-update: merge");
  EXPECT_EQ(cause_of(b), "isolation lost-update: merge");
  EXPECT_EQ(cause_of(c), "isolation lost-update: update");
  c.anomaly = "G-single";
  EXPECT_EQ(cause_of(c), "isolation G-single: update");
}

TEST(Cause, AWrongResultIsAboutItsStatementAndTheClausesLeft) {
  Finding f = finding(Wrong::kResult, {{kUpdate},
                                       {statement(StatementKind::kSelect,
                                                  "SELECT sum(a) over () FROM t LEFT JOIN s ON 'union' = a "
                                                  "where a in (select 1)")}});
  f.where = {1, 0};
  EXPECT_EQ(cause_of(f), "result: select, in, left join, window");
  f.test.schema.more = {"create index i on t (a)"};
  EXPECT_EQ(cause_of(f), "result: select, in, index, left join, window");
  f.where = {7, 7};
  EXPECT_EQ(cause_of(f), "result: update, index");
}

TEST(Cause, RowsThatAreFoundInAnotherWayAreOneCauseWhateverIsDoneToThem) {
  Finding f =
      finding(Wrong::kPredicate, {{kUpdate}, {statement(StatementKind::kDelete, "delete from t where a is null")}});
  EXPECT_EQ(cause_of(f), "predicate");
  f.test.schema.more = {"create index i on t (a)"};
  EXPECT_EQ(cause_of(f), "predicate: index");
  f.where = {1, 0};
  EXPECT_EQ(cause_of(f), "predicate: index");
}

TEST(Cause, ACauseThatIsKnownIsKept) {
  Finding f = finding(Wrong::kContents, {{kUpdate}});
  EXPECT_EQ(cause_of(f), "contents: update");
  f.cause = "innodb-repeatable-read";
  EXPECT_EQ(cause_of(f), "innodb-repeatable-read");
  EXPECT_EQ(cause_of(finding(Wrong::kCrash, {})), "crash");
}

}  // namespace cause_test
}  // namespace isolde::hunt
