#include "hunt/run/refusals.h"

#include <gtest/gtest.h>

namespace isolde::hunt {
namespace refusals_test {

TEST(Refusals, ConcurrencyConstraintsAndLimitsExplainAnError) {
  for (const char* const code : {"40001", "40P01", "55P03", "1213", "1020", "SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT"})
    EXPECT_EQ(refusal_of(code), Refusal::kConcurrency) << code;
  for (const char* const code : {"23505", "23503", "1062", "1452", "SQLITE_CONSTRAINT_UNIQUE"})
    EXPECT_EQ(refusal_of(code), Refusal::kConstraint) << code;
  for (const char* const code : {"57014", "1205", "1969", "SQLITE_INTERRUPT"})
    EXPECT_EQ(refusal_of(code), Refusal::kLimit) << code;
  for (const char* const code : {"53200", "1206", "SQLITE_IOERR", "SQLITE_FULL"})
    EXPECT_EQ(refusal_of(code), Refusal::kResource) << code;
}

TEST(Refusals, AnInternalErrorIsTheServersOwnFault) {
  for (const char* const code : {"XX000", "XX001", "XX002", "1105", "1032", "SQLITE_CORRUPT", "SQLITE_INTERNAL"})
    EXPECT_EQ(refusal_of(code), Refusal::kInternal) << code;
}

TEST(Refusals, WhateverIsNotListedIsComparedWithTheStatementAlone) {
  for (const char* const code : {"22012", "22003", "21000", "42601", "23514", "23502", "1365", "1690", "1064", "45000",
                                 "SQLITE_ERROR", "SQLITE_CONSTRAINT_CHECK", "SQLITE_MISMATCH", ""})
    EXPECT_EQ(refusal_of(code), Refusal::kOwn) << code;
}

TEST(Refusals, EveryCodeOfATableHasTheFormOfItsDialect) {
  for (const char* const dialect : {"postgres", "mariadb", "sqlite"}) {
    ASSERT_FALSE(refusals_of(dialect).empty());
    for (const RefusalRow& row : refusals_of(dialect)) {
      if (row.code.ends_with('*')) continue;
      EXPECT_EQ(refusal_of(row.code), row.refusal) << row.code;
    }
  }
  EXPECT_TRUE(refusals_of("oracle").empty());
}

}  // namespace refusals_test
}  // namespace isolde::hunt
