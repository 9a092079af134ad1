#include <gtest/gtest.h>

#include "record/recovery.h"
#include "tests/support/native_history.h"

namespace isolde::record {
namespace version_orders_test {

std::string lines(std::string_view jsonl, std::vector<RecoveredVersion> versions) {
  return version_order_lines(native(jsonl), versions);
}

constexpr std::string_view kTwoWriters =
    R"({"id":1,"session":1,"snapshot":{"xid":10,"xmin":9,"xmax":9},"ops":[["w",7,1]]}
{"id":2,"session":2,"snapshot":{"xid":11,"xmin":9,"xmax":9},"ops":[["w",7,2],["w","t/8",1]]}
)";

TEST(VersionOrderLines, VersionsFindTheirTransactionsByXid) {
  EXPECT_EQ(lines(kTwoWriters, {{"7", "2", 11}, {"\"t/8\"", "1", 11}, {"7", "1", 10}}),
            "{\"version_order_by_txn\":[[7,[2,1]]],\"complete\":true}\n"
            "{\"version_order_by_txn\":[[\"t/8\",[2]]],\"complete\":true}\n");
}

TEST(VersionOrderLines, AWriteThatTheLogDoesNotHaveLeavesTheOrderIncomplete) {
  EXPECT_EQ(lines(kTwoWriters, {{"7", "2", 11}, {"\"t/8\"", "1", 11}}),
            "{\"version_order_by_txn\":[[7,[2]]],\"complete\":false}\n"
            "{\"version_order_by_txn\":[[\"t/8\",[2]]],\"complete\":true}\n");
}

TEST(VersionOrderLines, AVersionOfAStrangerLeavesTheOrderIncomplete) {
  EXPECT_EQ(lines(kTwoWriters, {{"7", "2", 11}, {"7", "99", 50}, {"7", "1", 10}}),
            "{\"version_order_by_txn\":[[7,[2,1]]],\"complete\":false}\n");
}

TEST(VersionOrderLines, KeysThatTheHistoryDoesNotHaveAreLeftOut) {
  EXPECT_EQ(lines(kTwoWriters, {{"99", "2", 11}}), "");
}

TEST(VersionOrderLines, WithoutXidsTheStartTimestampNamesTheTransaction) {
  const std::string_view history =
      R"({"id":1,"session":1,"start_ts":10,"commit_ts":15,"ops":[["w",7,1]]}
{"id":2,"session":2,"start_ts":11,"commit_ts":14,"ops":[["w",7,1]]}
{"id":3,"session":2,"start_ts":11,"commit_ts":11,"ops":[["r",7,null]]}
)";
  EXPECT_EQ(lines(history, {{"7", "1", 11}, {"7", "1", 10}}),
            "{\"version_order_by_txn\":[[7,[2,1]]],\"complete\":true}\n");
}

// Transaction 2 was never answered, so nobody was told its xid.
constexpr std::string_view kUnknown =
    R"({"id":1,"session":1,"snapshot":{"xid":10,"xmin":9,"xmax":9},"ops":[["w",7,1]]}
{"id":2,"session":2,"status":"unknown","ops":[["w",7,2],["w",8,5]]}
{"id":3,"session":3,"snapshot":{"xmin":9,"xmax":9},"ops":[["r",7,1]]}
)";

TEST(VersionOrderLines, AnUnknownTransactionIsFoundByAValueThatIsItsAlone) {
  EXPECT_EQ(lines(kUnknown, {{"7", "1", 10}, {"7", "2", 12}, {"8", "5", 12}}),
            "{\"version_order_by_txn\":[[7,[1,2]]],\"complete\":true}\n"
            "{\"version_order_by_txn\":[[8,[2]]],\"complete\":true}\n");
}

TEST(VersionOrderLines, AnUnknownTransactionThatTheLogDoesNotHaveIsNotMissed) {
  EXPECT_EQ(lines(kUnknown, {{"7", "1", 10}}), "{\"version_order_by_txn\":[[7,[1]]],\"complete\":true}\n");
}

TEST(VersionOrderLines, UnlessSomebodySawIt) {
  const std::string seen = std::string(kUnknown) + R"({"id":4,"session":4,"ops":[["r",7,2]]})" + "\n";
  EXPECT_EQ(lines(seen, {{"7", "1", 10}}), "{\"version_order_by_txn\":[[7,[1]]],\"complete\":false}\n");
}

TEST(VersionOrderLines, AValueThatTwoWereGoingToWriteTellsNothing) {
  constexpr std::string_view kSame = R"({"id":1,"session":1,"status":"unknown","ops":[["w",7,2]]}
{"id":2,"session":2,"status":"unknown","ops":[["w",7,2]]}
{"id":3,"session":3,"snapshot":{"xid":13,"xmin":9,"xmax":9},"ops":[["w",7,3]]}
)";
  EXPECT_EQ(lines(kSame, {{"7", "2", 12}, {"7", "3", 13}}),
            "{\"version_order_by_txn\":[[7,[3]]],\"complete\":false}\n");
}

TEST(VersionOrderLines, OneValueOfATransactionTellsWhoseItsOtherVersionsAre) {
  constexpr std::string_view kHalf = R"({"id":1,"session":1,"ops":[["w",7,2],["w",8,1]]}
{"id":2,"session":2,"ops":[["w",7,2],["w",8,2]]}
)";
  EXPECT_EQ(lines(kHalf, {{"7", "2", 12}, {"8", "2", 12}, {"7", "2", 13}, {"8", "1", 13}}),
            "{\"version_order_by_txn\":[[7,[2,1]]],\"complete\":true}\n"
            "{\"version_order_by_txn\":[[8,[2,1]]],\"complete\":true}\n");
}

TEST(VersionOrderLines, TwoXidsThatClaimOneTransactionAreBothLeftOut) {
  constexpr std::string_view kOne = R"({"id":1,"session":1,"ops":[["w",7,2],["w",8,1]]}
)";
  EXPECT_EQ(lines(kOne, {{"7", "2", 12}, {"8", "1", 13}}), "");
}

TEST(VersionOrderLines, ATransactionWhoseXidIsKnownIsNotTakenForAnother) {
  EXPECT_EQ(lines(kTwoWriters, {{"7", "1", 77}, {"7", "1", 10}, {"7", "2", 11}}),
            "{\"version_order_by_txn\":[[7,[1,2]]],\"complete\":false}\n");
}

TEST(VersionOrderLines, TwoTransactionsWithOneXidAreNotTold) {
  constexpr std::string_view kTwice =
      R"({"id":1,"session":1,"snapshot":{"xid":10,"xmin":9,"xmax":9},"ops":[["w",7,1]]}
{"id":2,"session":2,"snapshot":{"xid":10,"xmin":9,"xmax":9},"ops":[["w",7,2]]}
)";
  EXPECT_EQ(lines(kTwice, {{"7", "1", 10}}), "");
}

TEST(VersionOrderLines, AListIsKnownByWhatWasAppendedLast) {
  constexpr std::string_view kLists = R"({"id":"a","session":1,"ops":[["append",7,1]]}
{"id":"b","session":2,"ops":[["append",7,2],["append",7,3]]}
{"id":"c","session":2,"status":"unknown","ops":[["append",7,4]]}
{"id":"d","session":3,"ops":[["r",7,[1,2,3]]]}
)";
  EXPECT_EQ(lines(kLists, {{"7", "[1]", 12}, {"7", "[1,2,3]", 13}}),
            "{\"version_order_by_txn\":[[7,[\"a\",\"b\"]]],\"complete\":true}\n");
  const std::string seen = std::string(kLists) + R"({"id":"e","session":5,"ops":[["r",7,[1,4,5]]]})" + "\n";
  EXPECT_EQ(lines(seen, {{"7", "[1]", 12}, {"7", "[1,2,3]", 13}}),
            "{\"version_order_by_txn\":[[7,[\"a\",\"b\"]]],\"complete\":false}\n");
}

TEST(VersionOrderLines, RowsAndPredicateUpdatesAreWrites) {
  constexpr std::string_view kRows =
      R"({"id":1,"session":1,"ops":[["w",7,{"a":1,"b":0.5}]]}
{"id":2,"session":2,"ops":[["update","a > 0",[[7,{"a":2,"b":"x"}]]]]}
)";
  EXPECT_EQ(lines(kRows, {{"7", R"({"b":0.50,"a":1})", 12}, {"7", R"({"a":2,"b":"x"})", 13}}),
            "{\"version_order_by_txn\":[[7,[1,2]]],\"complete\":true}\n");
}

TEST(VersionOrderLines, AnUpdateOfOtherColumnsIsNoVersion) {
  EXPECT_EQ(lines(kTwoWriters, {{"\"t/8\"", "1", 11}, {"\"t/8\"", "1", 10}}),
            "{\"version_order_by_txn\":[[\"t/8\",[2]]],\"complete\":true}\n");
  EXPECT_EQ(lines(kTwoWriters, {{"\"t/8\"", "1", 11}, {"\"t/8\"", "3", 10}}),
            "{\"version_order_by_txn\":[[\"t/8\",[2]]],\"complete\":false}\n");
}

TEST(VersionOrderLines, AnXidThatWasToldWithoutASnapshotCountsToo) {
  constexpr std::string_view kPlain = R"({"id":4,"session":1,"ops":[["w",7,null]]}
{"id":5,"session":2,"ops":[["w",7,null]]}
)";
  const RecoveredVersion versions[] = {{"7", "null", 11}, {"7", "null", 10}};
  const KnownXid xids[] = {{4, 10}, {5, 11}, {99, 12}};
  EXPECT_EQ(version_order_lines(native(kPlain), versions, xids),
            "{\"version_order_by_txn\":[[7,[5,4]]],\"complete\":true}\n");
}

TEST(VersionOrderLines, ADeletionIsFoundOnlyByXid) {
  constexpr std::string_view kDeletions =
      R"({"id":1,"session":1,"snapshot":{"xid":10,"xmin":9,"xmax":9},"ops":[["w",7,null]]}
{"id":2,"session":2,"status":"unknown","ops":[["w",7,null]]}
)";
  EXPECT_EQ(lines(kDeletions, {{"7", "null", 10}}), "{\"version_order_by_txn\":[[7,[1]]],\"complete\":true}\n");
  EXPECT_EQ(lines(kDeletions, {{"7", "null", 11}, {"7", "null", 10}}),
            "{\"version_order_by_txn\":[[7,[1]]],\"complete\":false}\n");
}

TEST(VersionOrderLines, WhatIsWrittenReadsAsEvidence) {
  const std::string text = std::string(kTwoWriters) + lines(kTwoWriters, {{"7", "2", 11}, {"7", "1", 10}});
  const History h = native(text);
  ASSERT_EQ(h.columns().version_orders.size(), 1U);
  EXPECT_EQ(h.columns().version_orders[0].complete, 1);
  EXPECT_EQ(h.columns().version_orders[0].count, 2U);
}

TEST(VersionOrderLines, AStringThatLooksLikeAnIntegerKeyIsNotMixedUpWithIt) {
  constexpr std::string_view kBoth =
      R"({"id":1,"session":1,"snapshot":{"xid":10,"xmin":9,"xmax":9},"ops":[["w",7,1],["w","7",2]]}
)";
  const std::string written = lines(kBoth, {{"7", "1", 10}, {"\"7\"", "2", 10}});
  EXPECT_EQ(written,
            "{\"version_order_by_txn\":[[7,[1]]],\"complete\":true}\n"
            "{\"version_order_by_txn\":[[\"7\",[1]]],\"complete\":true}\n");
  EXPECT_EQ(native(std::string(kBoth) + written).columns().version_orders.size(), 2U);
}

}  // namespace version_orders_test
}  // namespace isolde::record
