#include "db/errors.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "db/mariadb/mariadb_errors.h"
#include "db/mariadb/tidb.h"

namespace isolde::db {
namespace errors_test {

constexpr ErrorRow kTable[] = {
    {"40001", Fate::kRolledBack, "serialization failure"},
    {"08*", Fate::kLost, "connection"},
    {"23*", Fate::kStatementFailed, "constraint"},
};

TEST(Errors, ARowIsAWholeCodeOrAClass) {
  EXPECT_EQ(find_error(kTable, "40001"), &kTable[0]);
  EXPECT_EQ(find_error(kTable, "4000"), nullptr);
  EXPECT_EQ(find_error(kTable, "400010"), nullptr);
  EXPECT_EQ(find_error(kTable, "08006"), &kTable[1]);
  EXPECT_EQ(find_error(kTable, "80800"), nullptr);
  EXPECT_EQ(find_error(kTable, ""), nullptr);
}

TEST(Errors, AListedFailureIsAReplyWithItsFate) {
  const auto reply = reply_to_failure(kTable, {"23505", "duplicate"}, "insert");
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->fate, Fate::kStatementFailed);
  EXPECT_EQ(reply->failure.code, "23505");
  EXPECT_EQ(reply->failure.text, "duplicate");
}

TEST(Errors, AnUnlistedFailureIsAnErrorThatNamesCodeTextAndStatement) {
  const auto reply = reply_to_failure(kTable, {"57P03", "starting up"}, "select 1");
  ASSERT_FALSE(reply.has_value());
  for (const std::string_view part : {"57P03", "starting up", "select 1"})
    EXPECT_NE(reply.error().text.find(part), std::string::npos) << part;
}

TEST(Errors, EveryTableHasEachCodeOnceAndSaysWhatItIs) {
  for (const auto table : {mariadb_errors(), mariadb_commit_errors(), tidb_errors(), tidb_commit_errors()}) {
    std::set<std::string_view> codes;
    for (const ErrorRow& row : table) {
      EXPECT_TRUE(codes.insert(row.code).second) << row.code;
      EXPECT_FALSE(row.about.empty()) << row.code;
      EXPECT_EQ(find_error(table, row.code), &row) << row.code;
    }
  }
}

TEST(Errors, EveryCodeIsInTheDocumentation) {
  std::ifstream file(ISOLDE_SOURCE_DIR "/docs/databases.md");
  std::ostringstream text;
  text << file.rdbuf();
  for (const auto table : {mariadb_errors(), mariadb_commit_errors(), tidb_errors(), tidb_commit_errors()}) {
    for (const ErrorRow& row : table) EXPECT_NE(text.str().find(row.code), std::string::npos) << row.code;
  }
}

TEST(Errors, ACommitThatFailedIsRolledBackOrUnknown) {
  for (const auto table : {mariadb_commit_errors(), tidb_commit_errors()}) {
    for (const ErrorRow& row : table) {
      EXPECT_TRUE(row.means == Fate::kRolledBack || row.means == Fate::kLost) << row.code;
    }
  }
}

TEST(Errors, WhatLosesTheConnectionDoesSoAtCommitToo) {
  for (const ErrorRow& row : mariadb_errors()) {
    if (row.means != Fate::kLost) continue;
    const ErrorRow* const at_commit = find_error(mariadb_commit_errors(), row.code);
    ASSERT_NE(at_commit, nullptr) << row.code;
    EXPECT_EQ(at_commit->means, Fate::kLost) << row.code;
  }
}

}  // namespace errors_test
}  // namespace isolde::db
