#include "history/join.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "history/cut.h"
#include "history/history_builder.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace join_test {

TEST(CutAndJoin, PartsPutTogetherAreTheHistory) {
  for (const std::uint64_t seed : effort::seeds(26'000, 400)) {
    Rng rng(seed);
    RandomOptions options;
    options.max_txns = 8;
    options.rows_only = rng.below(3) == 0;
    const History h = random_history(rng, options);
    HistoryCutter cutter(h);
    HistoryJoiner joiner;
    const std::uint32_t parts = 1 + static_cast<std::uint32_t>(rng.below(4));
    for (std::uint32_t i = 0; i < parts; ++i) {
      const History part = cutter.cut(h.txn_count() * i / parts, h.txn_count() * (i + 1) / parts);
      ASSERT_EQ(defect_of(part.columns()), "") << seed;
      ASSERT_TRUE(joiner.add(part));
    }
    if (cutter.has_rest()) {
      ASSERT_TRUE(joiner.add(cutter.rest()));
    }
    const auto whole = joiner.finish();
    ASSERT_TRUE(whole) << seed << ": " << whole.error().text;
    EXPECT_EQ(difference(h, *whole), "") << seed << "\n" << native_text(h);
  }
}

TEST(CutAndJoin, AChoiceOfTransactionsKeepsTheirOperations) {
  const History h = hist("T1 1..2: w x1 w y1 | T2 3..4: r x1 | T3 5..6: r y1");
  const TxnId some[] = {TxnId{0}, TxnId{2}};
  const History part = HistoryCutter(h).cut(some);
  EXPECT_EQ(part.txn_count(), 2U);
  EXPECT_EQ(part.txn_text(TxnId{1}), "T3");
  EXPECT_EQ(part.key_text(part.op(2).key()), "y");
}

TEST(CutAndJoin, FaultsComeWithTheRestOnce) {
  HistoryBuilder b;
  for (int t = 0; t < 4; ++t) {
    b.begin_txn(b.session(t));
    b.set_begin(10 * t);
    b.write(b.key("x"), b.values().integer(t));
    b.end_txn();
  }
  b.fault(5, 25, b.values().string("restart"), b.values().string("x"));
  b.fault(7, kNoTime, b.values().string("kill"), kNullValue);
  const History h = *b.finish();
  HistoryCutter cutter(h);
  HistoryJoiner joiner;
  ASSERT_TRUE(joiner.add(cutter.cut(0, 2)));
  ASSERT_TRUE(joiner.add(cutter.cut(2, 4)));
  ASSERT_TRUE(cutter.has_rest());
  ASSERT_TRUE(joiner.add(cutter.rest()));
  const auto whole = joiner.finish();
  ASSERT_TRUE(whole) << whole.error().text;
  EXPECT_EQ(difference(h, *whole), "");
}

}  // namespace join_test
}  // namespace isolde
