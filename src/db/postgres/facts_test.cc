#include "db/postgres/facts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "db/postgres/cells.h"

namespace isolde::db {
namespace facts_test {

std::string shown(std::string_view text) {
  const auto seen = parse_snapshot(text);
  if (!seen) return "none";
  return fmt::format("{} {} [{}]", seen->xmin, seen->xmax, fmt::join(seen->active, " "));
}

TEST(PostgresFacts, ASnapshotIsReadAsPostgresWritesIt) {
  EXPECT_EQ(shown("10:20:10,14,15"), "10 20 [10 14 15]");
  EXPECT_EQ(shown("731:731:"), "731 731 []");
  EXPECT_EQ(shown("4294967302:4294967310:4294967305"), "4294967302 4294967310 [4294967305]");
}

TEST(PostgresFacts, WhatIsNoSnapshotIsNone) {
  for (const char* text :
       {"", "1", "1:2", "1:2:,", "1:2:3,", "1:2:3;4", "x:2:", "1:2:3,x", "-1:2:", "1:2:99999999999999999999"})
    EXPECT_EQ(shown(text), "none") << text;
}

TEST(PostgresFacts, ATransactionThatWroteNothingHasNoXid) {
  const FactsQuestion question = postgres_facts(true);
  TxnFacts facts;
  const Cell row[] = {{}, std::string("5:7:6")};
  ASSERT_TRUE(question.read(row, facts));
  EXPECT_FALSE(facts.xid.has_value());
  EXPECT_EQ(facts.snapshot->xmax, 7);
}

TEST(PostgresFacts, WhereEveryStatementHasASnapshotNoneIsTaken) {
  const FactsQuestion question = postgres_facts(false);
  TxnFacts facts;
  const Cell row[] = {std::string("12")};
  ASSERT_TRUE(question.read(row, facts));
  EXPECT_EQ(facts.xid, 12);
  EXPECT_FALSE(facts.snapshot.has_value());
}

TEST(PostgresFacts, AnAnswerOfAnotherFormIsAnError) {
  TxnFacts facts;
  const Cell no_snapshot[] = {std::string("12"), {}};
  EXPECT_FALSE(postgres_facts(true).read(no_snapshot, facts));
  const Cell no_xid[] = {std::string("twelve")};
  EXPECT_FALSE(postgres_facts(false).read(no_xid, facts));
}

TEST(PostgresCells, TypesAreKnownByTheirOid) {
  EXPECT_EQ(postgres_cell(20, "-9223372036854775808"), Cell(INT64_MIN));
  EXPECT_EQ(postgres_cell(21, "7"), Cell(std::int64_t{7}));
  EXPECT_EQ(postgres_cell(16, "t"), Cell(std::int64_t{1}));
  EXPECT_EQ(postgres_cell(16, "f"), Cell(std::int64_t{0}));
  EXPECT_EQ(postgres_cell(26, "4294967295"), Cell(std::int64_t{4294967295}));
  EXPECT_EQ(postgres_cell(701, "0.1"), Cell(0.1));
  EXPECT_EQ(postgres_cell(1700, "150"), Cell(std::int64_t{150}));
  EXPECT_EQ(postgres_cell(1700, "99999999999999999999"), Cell(std::string("99999999999999999999")));
  EXPECT_EQ(postgres_cell(1700, "NaN"), Cell(std::string("NaN")));
  EXPECT_EQ(postgres_cell(1700, "1.50"), Cell(std::string("1.50")));
  EXPECT_EQ(postgres_cell(25, "7"), Cell(std::string("7")));
  EXPECT_EQ(postgres_cell(1016, "{1,2}"), Cell(std::string("{1,2}")));
}

}  // namespace facts_test
}  // namespace isolde::db
