// What a finished History answers, and what it costs.
#include "history/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "history/history_builder.h"

namespace isolde {
namespace history_test {

TEST(OpHead, PacksEveryKindWithEveryLockItCanHave) {
  std::vector<std::uint32_t> words;
  for (int k = 0; k <= static_cast<int>(OpKind::kUpdate); ++k) {
    const auto kind = static_cast<OpKind>(k);
    const bool may_lock = kind == OpKind::kRead || kind == OpKind::kScan || kind == OpKind::kAggregate;
    for (int l = 0; l <= (may_lock ? 2 : 0); ++l) {
      const auto lock = static_cast<Lock>(l);
      for (const std::uint32_t subject : {0U, 1U, 123456U, OpHead::kMaxSubjects - 1}) {
        const OpHead op(kind, lock, subject);
        EXPECT_EQ(op.kind(), kind);
        EXPECT_EQ(op.lock(), lock);
        EXPECT_EQ(raw(op.key()), subject);
        EXPECT_EQ(raw(op.predicate()), subject);
        EXPECT_EQ(op.is_read(), kind == OpKind::kRead);
        EXPECT_TRUE(op.valid());
        EXPECT_EQ(OpHead(op.word()).kind(), kind);
        words.push_back(op.word());
      }
    }
  }
  std::sort(words.begin(), words.end());
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end()) << "two operations with one word";
  for (std::uint32_t code = 13; code < 16; ++code) EXPECT_FALSE(OpHead(code).valid());
}

TEST(OpHead, KindsAreGrouped) {
  EXPECT_FALSE(is_item_write(OpKind::kRead));
  EXPECT_TRUE(is_item_write(OpKind::kWrite) && is_item_write(OpKind::kAppend) && is_item_write(OpKind::kIncrement));
  EXPECT_FALSE(is_item_write(OpKind::kUpdate));
  EXPECT_TRUE(is_predicate(OpKind::kScan) && is_predicate(OpKind::kAggregate) && is_predicate(OpKind::kUpdate));
  EXPECT_FALSE(is_predicate(OpKind::kIncrement));
}

// DESIGN rule 1: an operation costs at most 16 bytes, a transaction at most 64.
TEST(History, CostsWhatTheDesignPromises) {
  const OwnedColumns columns;
  const auto size_of = [](const auto& column) { return sizeof(*column.data()); };
  const std::size_t operation =
      size_of(columns.op) + size_of(columns.op_value) + size_of(columns.op_before) + size_of(columns.op_length);
  EXPECT_LE(operation, 16U);
  const std::size_t txn = size_of(columns.first_op) + size_of(columns.session) + size_of(columns.id) +
                          size_of(columns.status) + size_of(columns.begin) + size_of(columns.end) +
                          size_of(columns.start_ts) + size_of(columns.commit_ts) + size_of(columns.order);
  EXPECT_LE(txn, 64U);
}

TEST(History, ColumnsThatNothingHasAreEmpty) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session(1));
  builder.read(builder.key("x"), kNullValue);
  builder.end_txn();
  const auto h = builder.finish();
  ASSERT_TRUE(h);
  const HistoryColumns& c = h->columns();
  EXPECT_TRUE(c.begin.empty() && c.end.empty() && c.start_ts.empty() && c.commit_ts.empty() && c.order.empty() &&
              c.sno.empty());
  EXPECT_TRUE(c.op_before.empty() && c.op_length.empty() && c.wide_intervals.empty() && c.key_initial.empty());
  EXPECT_EQ(h->begin(TxnId{0}), kNoTime);
  EXPECT_EQ(h->commit_ts(TxnId{0}), kNoTime);
  EXPECT_EQ(h->at(TxnId{0}, OpId{0}).before, kNoTime);
  EXPECT_EQ(h->snapshot(TxnId{0}), nullptr);
  EXPECT_EQ(h->default_initial(), kNullValue);
}

TEST(History, AnEmptyOneIsWellFormed) {
  const auto h = HistoryBuilder().finish();
  ASSERT_TRUE(h);
  EXPECT_EQ(h->txn_count() + h->op_count() + h->key_count() + h->session_count(), 0U);
  EXPECT_EQ(defect_of(h->columns()), "");
  EXPECT_EQ(h->about(), "");
}

TEST(History, FindsTheTransactionOfAnOperationPastEmptyOnes) {
  HistoryBuilder builder;
  const KeyId x = builder.key("x");
  const int ops[] = {0, 2, 0, 0, 1, 3, 0};
  std::vector<std::uint32_t> owner;
  for (std::uint32_t t = 0; t < std::size(ops); ++t) {
    builder.begin_txn(builder.session(1));
    for (int i = 0; i < ops[t]; ++i) {
      builder.read(x, kNullValue);
      owner.push_back(t);
    }
    builder.end_txn();
  }
  const auto h = builder.finish();
  ASSERT_TRUE(h);
  for (std::uint32_t i = 0; i < owner.size(); ++i) EXPECT_EQ(raw(h->txn_of(OpId{i})), owner[i]) << i;
}

TEST(History, FindsTheSnapshotsOfSomeTransactions) {
  HistoryBuilder builder;
  const std::int64_t active[] = {100, 102};
  for (int t = 0; t < 5; ++t) {
    builder.begin_txn(builder.session(t));
    if (t % 2 == 1) builder.set_snapshot(t == 1 ? std::optional<std::int64_t>(105) : std::nullopt, 100, 104, active);
    builder.end_txn();
  }
  const auto h = builder.finish();
  ASSERT_TRUE(h);
  EXPECT_EQ(h->snapshot(TxnId{0}), nullptr);
  EXPECT_EQ(h->snapshot(TxnId{2}), nullptr);
  EXPECT_EQ(h->snapshot(TxnId{4}), nullptr);
  ASSERT_NE(h->snapshot(TxnId{1}), nullptr);
  EXPECT_EQ(h->snapshot(TxnId{1})->xid, 105);
  EXPECT_EQ(h->snapshot(TxnId{1})->has_xid, 1U);
  EXPECT_EQ(h->snapshot(TxnId{3})->has_xid, 0U);
  EXPECT_EQ(h->snapshot(TxnId{3})->active_count, 2U);
}

TEST(History, NamesAreShownPlainlyWhereThatIsClear) {
  HistoryBuilder builder;
  const auto key_text = [&](KeyId k) { return raw(k); };
  const std::uint32_t plain = key_text(builder.key("x:y/z.1"));
  const std::uint32_t number = key_text(builder.key(7));
  const std::uint32_t like_number = key_text(builder.key("7"));
  const std::uint32_t spaced = key_text(builder.key("a b"));
  const std::uint32_t empty = key_text(builder.key(""));
  builder.begin_txn(builder.session(3));
  builder.set_id(builder.values().string("T1"));
  builder.end_txn();
  const auto h = builder.finish();
  ASSERT_TRUE(h);
  EXPECT_EQ(h->key_text(KeyId{plain}), "x:y/z.1");
  EXPECT_EQ(h->key_text(KeyId{number}), "7");
  EXPECT_EQ(h->key_text(KeyId{like_number}), "\"7\"");
  EXPECT_EQ(h->key_text(KeyId{spaced}), "\"a b\"");
  EXPECT_EQ(h->key_text(KeyId{empty}), "\"\"");
  EXPECT_EQ(h->txn_text(TxnId{0}), "T1");
  EXPECT_EQ(h->session_text(SessionId{0}), "3");
}

}  // namespace history_test
}  // namespace isolde
