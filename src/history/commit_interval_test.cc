#include "history/commit_interval.h"

#include <gtest/gtest.h>

#include "history/history_builder.h"

namespace isolde {
namespace commit_interval_test {

constexpr std::int64_t kLeast = kNoTime + 1, kMost = INT64_MAX;

// One transaction with `begin`, `end` and one write at 20 to 30; `commit` is set first, as a file may have it.
Result<History> with(std::int64_t before, std::int64_t after, std::int64_t begin = kNoTime,
                     std::int64_t end = kNoTime) {
  HistoryBuilder b;
  b.begin_txn(b.session(1));
  b.set_commit(before, after);
  if (begin != kNoTime) b.set_begin(begin);
  if (end != kNoTime) b.set_end(end);
  b.write(b.key("x"), b.values().integer(1));
  b.at(20, 30);
  b.end_txn();
  return b.finish();
}
std::string refusal(const Result<History>& h) { return h ? "accepted" : h.error().text; }

TEST(CommitInterval, IsGivenBackWhateverItsSize) {
  for (const auto& [before, after] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{40, 50},
                                                          {40, kNoTime},
                                                          {30, 30},
                                                          {20, 30},
                                                          {40, kMost},
                                                          {kMost, kMost},
                                                          {kMost, kNoTime},
                                                          {40 + (std::int64_t{1} << 32), kNoTime},
                                                          {40, 40 + (std::int64_t{1} << 32) - 2},
                                                          {40, 40 + (std::int64_t{1} << 32) - 3},
                                                          {std::int64_t{kNone32} + 10, std::int64_t{kNone32} + 11}}) {
    for (const std::int64_t begin : {kNoTime, kLeast, std::int64_t{-5}, std::int64_t{0}, std::int64_t{10}}) {
      const auto h = with(before, after, begin);
      ASSERT_TRUE(h) << refusal(h);
      EXPECT_EQ(defect_of(h->columns()), "");
      EXPECT_EQ(h->commit_interval(TxnId{0}).before, before) << begin;
      EXPECT_EQ(h->commit_interval(TxnId{0}).after, after) << begin;
    }
  }
}

TEST(CommitInterval, FitsTheOtherReadings) {
  EXPECT_EQ(refusal(with(40, 50, 10, 50)), "accepted");
  EXPECT_EQ(refusal(with(40, 39)), "transaction 0: its commit was answered at 39, before it was sent at 40");
  EXPECT_EQ(refusal(with(40, 50, 41)), "transaction 0: its commit was sent at 40, before the transaction began at 41");
  EXPECT_EQ(refusal(with(40, 50, kNoTime, 49)),
            "transaction 0: its commit was answered at 50, after the transaction ended at 49");
  EXPECT_EQ(refusal(with(40, kNoTime, kNoTime, 39)),
            "transaction 0: its commit was sent at 40, after the transaction ended at 39");
  EXPECT_EQ(refusal(with(19, 50)),
            "transaction 0: its commit was sent at 19, before its last operation was sent at 20");
  EXPECT_EQ(refusal(with(25, 29)),
            "transaction 0: its commit was answered at 29, before its last operation was answered at 30");
  EXPECT_EQ(refusal(with(25, 30)), "accepted") << "sent while the last operation was under way";
}

TEST(CommitInterval, TheFirstTransactionThatDoesNotFitIsNamed) {
  HistoryBuilder b;
  for (int t = 0; t < 4; ++t) {
    b.begin_txn(b.session(1));
    b.set_commit(5, t >= 2 ? 4 : 6);
    if (t == 0) {
      b.abandon_txn();  // nothing of it is left
    } else {
      b.end_txn();
    }
  }
  EXPECT_EQ(refusal(b.finish()), "transaction 1: its commit was answered at 4, before it was sent at 5");
  EXPECT_EQ(b.faulty_txn(), TxnId{1});
}

TEST(CommitInterval, OnlySomeHaveOneAndOthersPayNothing) {
  HistoryBuilder b;
  for (int t = 0; t < 4; ++t) {
    b.begin_txn(b.session(1));
    if (t == 1) b.set_commit(5, 6);
    b.end_txn();
  }
  const auto h = b.finish();
  ASSERT_TRUE(h);
  for (std::uint32_t t = 0; t < 4; ++t) EXPECT_EQ(h->commit_interval(TxnId{t}).before, t == 1 ? 5 : kNoTime);
  EXPECT_EQ(h->columns().commit_before.size_bytes() + h->columns().commit_length.size_bytes(), 4 * 8U);
  HistoryBuilder none;
  none.begin_txn(none.session(1));
  none.end_txn();
  EXPECT_TRUE(none.finish()->columns().commit_before.empty());
}

TEST(CommitInterval, WhereItIsNotKnownTheLastAnswerAndTheEndStandIn) {
  const auto h = with(40, 50, 10, 60);
  EXPECT_EQ(commit_sent(*h, TxnId{0}), 40);
  EXPECT_EQ(commit_answered(*h, TxnId{0}), 50);
  HistoryBuilder b;
  b.begin_txn(b.session(1));
  b.set_begin(10);
  b.set_end(60);
  b.write(b.key("x"), kNullValue);
  b.at(20, 30);
  b.write(b.key("x"), kNullValue);
  b.end_txn();
  b.begin_txn(b.session(1));
  b.end_txn();
  const auto without = b.finish();
  EXPECT_EQ(commit_sent(*without, TxnId{0}), 30);
  EXPECT_EQ(commit_answered(*without, TxnId{0}), 60);
  EXPECT_EQ(commit_sent(*without, TxnId{1}), kNoTime);
  EXPECT_EQ(commit_answered(*without, TxnId{1}), kNoTime);
}

}  // namespace commit_interval_test
}  // namespace isolde
