#include "hunt/finding/schema_text.h"

#include <gtest/gtest.h>

namespace isolde::hunt {
namespace schema_text_test {

TEST(SchemaText, ColumnsAndConstraintsAreTakenFromCreateTable) {
  Table table{.name = "t",
              .columns = {"pkey", "vkey", "c0", "c1"},
              .create =
                  "create table t (pkey int primary key, vkey int, c0 decimal(4, 2) default '1,)', c1 int not null "
                  "references p (pkey) on delete cascade, check (c0 > 0), foreign key (vkey) references p (pkey)) "
                  "engine=InnoDB",
              .rows = {{"1", "2", "3", "4"}},
              .inserted = {"pkey", "vkey", "c0", "c1"},
              .foreign_keys = {{"c1", "p", true}, {"vkey", "p", false}}};
  EXPECT_FALSE(remove_column(table, "c9"));
  EXPECT_TRUE(remove_reference(table, "c1"));
  EXPECT_FALSE(remove_reference(table, "c1"));
  EXPECT_EQ(table.foreign_keys.size(), 1U);
  EXPECT_TRUE(remove_constraint(table, "foreign key (vkey) references p (pkey)"));
  EXPECT_TRUE(table.foreign_keys.empty());
  EXPECT_FALSE(remove_not_null(table, "c0"));
  EXPECT_TRUE(remove_not_null(table, "c1"));
  EXPECT_TRUE(remove_column(table, "c0"));
  EXPECT_EQ(table.create, "create table t (pkey int primary key, vkey int, c1 int, check (c0 > 0)) engine=InnoDB");
  EXPECT_TRUE(remove_constraint(table, "check (c0 > 0)"));
  EXPECT_EQ(table.create, "create table t (pkey int primary key, vkey int, c1 int) engine=InnoDB");
  EXPECT_EQ(table.rows, (std::vector<std::vector<std::string>>{{"1", "2", "4"}}));
  EXPECT_EQ(table.inserted, (std::vector<std::string>{"pkey", "vkey", "c1"}));
  EXPECT_FALSE(parse_create_table("create table t"));
  EXPECT_FALSE(parse_create_table("create table t (a int"));
}

TEST(SchemaText, WordsAreFoundOutsideOfQuotes) {
  EXPECT_TRUE(has_word("select t0.c1 from \"t0\"", "c1"));
  EXPECT_TRUE(has_word("select 1 from \"t0\"", "t0"));
  EXPECT_FALSE(has_word("select 't0' from t01", "t0"));
  EXPECT_FALSE(has_word("select '", "t0"));
  EXPECT_FALSE(has_word("select \"", "t0"));
}

}  // namespace schema_text_test
}  // namespace isolde::hunt
