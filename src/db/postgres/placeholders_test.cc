#include "db/postgres/placeholders.h"

#include <gtest/gtest.h>

namespace isolde::db {
namespace placeholders_test {

std::string numbered(std::string_view sql) {
  const NumberedSql out = number_placeholders(sql);
  return out.sql + " / " + std::to_string(out.parameters);
}

TEST(Placeholders, QuestionMarksAreNumberedInOrder) {
  EXPECT_EQ(numbered("update t set v = ? where k = ?"), "update t set v = $1 where k = $2 / 2");
  EXPECT_EQ(numbered("select 1"), "select 1 / 0");
  EXPECT_EQ(numbered(""), " / 0");
}

TEST(Placeholders, QuotedOnesStay) {
  EXPECT_EQ(numbered("select '?', ?"), "select '?', $1 / 1");
  EXPECT_EQ(numbered("select 'it''s ?', ?"), "select 'it''s ?', $1 / 1");
  EXPECT_EQ(numbered(R"(select "a?""?" from t where x = ?)"), R"(select "a?""?" from t where x = $1 / 1)");
  EXPECT_EQ(numbered(R"(select '\', ?)"), R"(select '\', $1 / 1)");
  EXPECT_EQ(numbered(R"(select E'\'?', ?)"), R"(select E'\'?', $1 / 1)");
  EXPECT_EQ(numbered(R"(select e'a''\'?', ?)"), R"(select e'a''\'?', $1 / 1)");
  // The e belongs to a name here.
  EXPECT_EQ(numbered(R"(select date'\', ?)"), R"(select date'\', $1 / 1)");
}

TEST(Placeholders, DollarQuotesStay) {
  EXPECT_EQ(numbered("select $$?$$, ?"), "select $$?$$, $1 / 1");
  EXPECT_EQ(numbered("select $a$ $$?$$ $b$ ? $a$, ?"), "select $a$ $$?$$ $b$ ? $a$, $1 / 1");
  // Neither a parameter nor a name opens a quote.
  EXPECT_EQ(numbered("select $1, a$b$, ?"), "select $1, a$b$, $1 / 1");
}

TEST(Placeholders, CommentsStay) {
  EXPECT_EQ(numbered("select ? -- why?\n, ?"), "select $1 -- why?\n, $2 / 2");
  EXPECT_EQ(numbered("select /* ? /* ? */ ? */ ?"), "select /* ? /* ? */ ? */ $1 / 1");
  EXPECT_EQ(numbered("select 1 - ? / ?"), "select 1 - $1 / $2 / 2");
}

TEST(Placeholders, WhatIsNotClosedGoesOnToTheEnd) {
  EXPECT_EQ(numbered("select '?"), "select '? / 0");
  EXPECT_EQ(numbered("select $x$ ?"), "select $x$ ? / 0");
  EXPECT_EQ(numbered("select /* ?"), "select /* ? / 0");
  EXPECT_EQ(numbered("select -- ?"), "select -- ? / 0");
  EXPECT_EQ(numbered("select $"), "select $ / 0");
  EXPECT_EQ(numbered("E'\\"), "E'\\ / 0");
}

}  // namespace placeholders_test
}  // namespace isolde::db
