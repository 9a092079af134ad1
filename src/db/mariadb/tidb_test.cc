#include "db/mariadb/tidb.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace isolde::db {
namespace tidb_test {

std::string fixture(const std::string& name) {
  std::ifstream file(std::string(ISOLDE_SOURCE_DIR "/tests/fixtures/tidb/") + name);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr std::int64_t kStart = 445644390547554306, kCommit = 445644390547554308;

TEST(Tidb, ReadsTheTimestampsOfTheLastTransaction) {
  const auto info = parse_tidb_txn_info(fixture("last_txn_info.json"));
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->start_ts, kStart);
  EXPECT_EQ(info->commit_ts, kCommit);
  EXPECT_TRUE(parse_tidb_txn_info(fixture("last_txn_info_async.json")).has_value());
  for (const std::string_view other : {"", "{}", "null", "[1]", R"({"start_ts":1})",
                                       R"({"start_ts":"1","commit_ts":2})", R"({"start_ts":1,"commit_ts":2)"})
    EXPECT_FALSE(parse_tidb_txn_info(other).has_value()) << other;
}

TEST(Tidb, AWriterHasBothTimestamps) {
  const TxnFacts facts = tidb_facts(kStart, "", fixture("last_txn_info.json"), "", true);
  EXPECT_EQ(facts.start_ts, kStart);
  EXPECT_EQ(facts.commit_ts, kCommit);
  EXPECT_EQ(facts.xid, kStart);
  EXPECT_FALSE(facts.commit_place.has_value()) << "others may have the same";
}

TEST(Tidb, OneThatWroteNothingLeavesTheVariableAlone) {
  const std::string info = fixture("last_txn_info.json");
  const TxnFacts facts = tidb_facts(kStart + 100, info, info, "", true);
  EXPECT_EQ(facts.start_ts, kStart + 100);
  EXPECT_EQ(facts.commit_ts, kStart + 100);
  EXPECT_FALSE(facts.xid.has_value());
}

TEST(Tidb, AtReadCommittedAWriterIsNamedAndHasNoTimestamps) {
  const TxnFacts facts = tidb_facts(kStart, "", fixture("last_txn_info.json"), "", false);
  EXPECT_FALSE(facts.start_ts.has_value());
  EXPECT_FALSE(facts.commit_ts.has_value());
  EXPECT_EQ(facts.xid, kStart);
}

TEST(Tidb, OneThatWasRunASecondTimeHasNoFacts) {
  for (const TxnFacts& facts :
       {tidb_facts(kStart - 50, fixture("last_txn_info_async.json"), fixture("last_txn_info.json"), "", true),
        tidb_facts(0, "", fixture("last_txn_info.json"), "", true)}) {
    EXPECT_FALSE(facts.start_ts.has_value());
    EXPECT_FALSE(facts.commit_ts.has_value());
  }
}

TEST(Tidb, ALockingReadIsAtForUpdateTs) {
  const auto info = parse_tidb_query_info(fixture("last_query_info.json"));
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->start_ts, kStart);
  EXPECT_EQ(info->for_update_ts, kStart + 1);
  EXPECT_EQ(tidb_facts(kStart, "", fixture("last_txn_info.json"), fixture("last_query_info.json"), true).for_update_ts,
            kStart + 1);
  // In optimistic mode, and where nothing locked, it is start_ts; of another transaction it says nothing.
  for (const std::string_view other :
       {"", "{}", R"({"txn_scope":"global","start_ts":445644390547554306,"for_update_ts":445644390547554306})",
        R"({"txn_scope":"global","start_ts":5,"for_update_ts":7})"})
    EXPECT_FALSE(tidb_facts(kStart, "", fixture("last_txn_info.json"), other, true).for_update_ts) << other;
  EXPECT_FALSE(
      tidb_facts(kStart, "", fixture("last_txn_info.json"), fixture("last_query_info.json"), false).for_update_ts);
}

TEST(Tidb, LevelsDependOnTheMode) {
  const auto names = [](std::string_view url) {
    std::string all;
    const auto database = *open_database(*parse_url(url));
    for (const ServerLevel& level : database->levels()) all += std::string(level.name) + ";";
    return all;
  };
  EXPECT_EQ(names("tidb://h?mode=pessimistic"), "read committed;repeatable read;");
  EXPECT_EQ(names("tidb://h?mode=optimistic&status_port=10081"), "repeatable read;");
}

TEST(Tidb, ItsOwnCodesComeBeforeMysqls) {
  EXPECT_EQ(find_error(tidb_errors(), "9007")->means, Fate::kMustRollBack);
  EXPECT_EQ(find_error(tidb_errors(), "1213")->means, Fate::kMustRollBack);
  EXPECT_EQ(find_error(tidb_errors(), "1062")->means, Fate::kStatementFailed);
  EXPECT_EQ(find_error(tidb_errors(), "2013")->means, Fate::kLost);
  EXPECT_EQ(find_error(tidb_commit_errors(), "9007")->means, Fate::kRolledBack);
  EXPECT_EQ(find_error(tidb_commit_errors(), "9005")->means, Fate::kLost);
  EXPECT_EQ(find_error(tidb_errors(), "8141"), nullptr) << "data and index differ: that stops the run";
}

TEST(Tidb, IsNamedByItsOwnVersion) {
  EXPECT_EQ(tidb_version("8.0.11-TiDB-v7.5.0"), "TiDB v7.5.0");
  EXPECT_EQ(tidb_version("something"), "TiDB something");
}

}  // namespace tidb_test
}  // namespace isolde::db
