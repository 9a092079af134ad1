#include "history/history_builder.h"

#include <gtest/gtest.h>

namespace isolde {
namespace history_builder_test {

// One transaction of session 1 that reads absence of `key`.
void reader(HistoryBuilder& b, KeyId key) {
  b.begin_txn(b.session(1));
  b.read(key, kNullValue);
  b.end_txn();
}

History finished(HistoryBuilder& b) {
  auto h = b.finish();
  EXPECT_TRUE(h) << (h ? "" : h.error().message());
  EXPECT_EQ(defect_of(h->columns()), "");
  return *std::move(h);
}

std::string initial_of(const History& h, std::string_view key) {
  for (std::uint32_t k = 0; k < h.key_count(); ++k) {
    if (h.key_text(KeyId{k}) == key) return h.value_text(h.initial(KeyId{k}));
  }
  return "no such key";
}

TEST(HistoryBuilder, AnIdLeftOutIsThePlace) {
  HistoryBuilder b;
  b.begin_txn(b.session(1));
  b.end_txn();
  b.begin_txn(b.session(1));
  b.set_id(b.values().string("second"));
  b.end_txn();
  b.begin_txn(b.session(2));
  b.end_txn();
  const History h = finished(b);
  EXPECT_EQ(h.txn_text(TxnId{0}) + h.txn_text(TxnId{1}) + h.txn_text(TxnId{2}), "0second2");
  EXPECT_EQ(h.session_count(), 2U);
}

TEST(HistoryBuilder, AnIdThatStandsTwiceIsRefused) {
  const auto refused = [](auto&& id_of_third) {
    HistoryBuilder b;
    for (int t = 0; t < 3; ++t) {
      b.begin_txn(b.session(1));
      if (t == 0) b.set_id(b.values().string("a"));
      if (t == 2) b.set_id(id_of_third(b.values()));
      b.end_txn();
    }
    const auto h = b.finish();
    EXPECT_FALSE(h);
    EXPECT_EQ(b.faulty_txn(), TxnId{2});
    return h ? "" : h.error().text;
  };
  EXPECT_EQ(refused([](ValueInterner& v) { return v.string("a"); }), "transaction id \"a\" occurs twice");
  EXPECT_EQ(refused([](ValueInterner& v) { return v.integer(1); }), "transaction id 1 occurs twice");
}

TEST(HistoryBuilder, AbandoningLeavesNothing) {
  HistoryBuilder b;
  const KeyId x = b.key("x");
  const auto fill = [&](std::int64_t seed) {
    const Item row[] = {{x, b.values().integer(seed)}};
    const std::int64_t active[] = {seed, seed + 1};
    b.begin_txn(b.session(1));
    b.set_begin(seed);
    b.set_end(seed + 9);
    b.set_start_ts(seed);
    b.set_commit_ts(seed);
    b.set_order(seed);
    b.set_status(Status::kUnknown);
    b.set_snapshot(seed, seed, seed + 2, active);
    b.write(x, b.values().integer(seed));
    b.at(seed, seed + 1);
    b.read(x, kNullValue);
    b.at(0, INT64_MAX);
    b.scan("true", row);
    b.vset(row);
    b.name_vset_key(0, "x");
    b.aggregate("max(v)", "true", kNullValue);
    b.update("true", row);
  };
  HistoryBuilder fresh;
  fill(5);
  b.end_txn();
  fill(70);
  b.abandon_txn();
  b.abandon_txn();  // nothing is open: nothing happens
  fill(90);         // left open: finish() abandons it
  const History h = finished(b);
  ASSERT_EQ(h.txn_count(), 1U);
  EXPECT_EQ(h.op_count(), 5U);
  EXPECT_EQ(h.columns().predicates.size(), 3U);
  EXPECT_EQ(h.columns().items.size(), 3U);
  EXPECT_EQ(h.columns().wide_intervals.size(), 1U);
  EXPECT_EQ(h.columns().snapshots.size(), 1U);
  EXPECT_EQ(h.columns().active_xids.size(), 2U);
  EXPECT_EQ(h.begin(TxnId{0}), 5);
  EXPECT_EQ(h.order(TxnId{0}), 5);
}

TEST(HistoryBuilder, AfterAnAbandonedTransactionTheNextHasItsPlace) {
  HistoryBuilder b;
  b.begin_txn(b.session(9));
  b.write(b.key("gone"), b.values().integer(1));
  b.abandon_txn();
  const History h = [&] {
    reader(b, b.key("x"));
    return finished(b);
  }();
  EXPECT_EQ(h.txn_text(TxnId{0}), "0");
  EXPECT_EQ(h.session_text(h.session(TxnId{0})), "1");
}

TEST(HistoryBuilder, ASessionOfAnAbandonedTransactionAloneIsNoDefect) {
  HistoryBuilder b;
  b.begin_txn(b.session(9));
  b.abandon_txn();
  EXPECT_EQ(finished(b).txn_count(), 0U);
}

TEST(HistoryBuilder, IntervalsMayComeBeforeOrAfterTheBegin) {
  HistoryBuilder b;
  const KeyId x = b.key("x");
  const auto interval = [](const History& h, std::uint32_t t, std::uint32_t op) {
    const auto at = h.at(TxnId{t}, OpId{op});
    return std::pair(at.before, at.after);
  };
  reader(b, x);  // 0: none at all
  b.begin_txn(b.session(1));
  b.read(x, kNullValue);
  b.at(1010, 1020);
  b.set_begin(1000);
  b.read(x, kNullValue);
  b.at(1030, 1030);
  b.read(x, kNullValue);
  b.end_txn();
  b.begin_txn(b.session(1));  // no begin
  b.read(x, kNullValue);
  b.at(7, 8);
  b.end_txn();
  reader(b, x);
  const History h = finished(b);
  EXPECT_EQ(interval(h, 0, 0), std::pair(kNoTime, kNoTime));
  EXPECT_EQ(interval(h, 1, 1), (std::pair<std::int64_t, std::int64_t>(1010, 1020)));
  EXPECT_EQ(interval(h, 1, 2), (std::pair<std::int64_t, std::int64_t>(1030, 1030)));
  EXPECT_EQ(interval(h, 1, 3), std::pair(kNoTime, kNoTime));
  EXPECT_EQ(interval(h, 2, 4), (std::pair<std::int64_t, std::int64_t>(7, 8)));
  EXPECT_EQ(interval(h, 3, 5), std::pair(kNoTime, kNoTime));
  EXPECT_TRUE(h.columns().wide_intervals.empty());
}

TEST(HistoryBuilder, IntervalsOfAnyWidthAreKept) {
  const std::pair<std::int64_t, std::int64_t> all[] = {{-5, 5},
                                                       {100, 100 + (std::int64_t{1} << 32)},
                                                       {100 + (std::int64_t{1} << 32), INT64_MAX},
                                                       {INT64_MIN + 1, INT64_MAX},
                                                       {20, 10},
                                                       {INT64_MAX, INT64_MAX},
                                                       {100, 100 + 0xfffffffeLL},
                                                       {100, 100 + 0xffffffffLL},
                                                       {100 + 0xfffffffeLL, 100 + 0xfffffffeLL}};
  HistoryBuilder b;
  b.begin_txn(b.session(1));
  b.set_begin(100);
  for (const auto& [before, after] : all) {
    b.read(b.key("x"), kNullValue);
    b.at(1, 2);
    b.at(before, after);  // the later one holds
  }
  b.end_txn();
  const History h = finished(b);
  for (std::uint32_t i = 0; i < std::size(all); ++i) {
    EXPECT_EQ(h.at(TxnId{0}, OpId{i}).before, all[i].first) << i;
    EXPECT_EQ(h.at(TxnId{0}, OpId{i}).after, all[i].second) << i;
  }
}

TEST(HistoryBuilder, TheLastSnapshotOfATransactionHolds) {
  HistoryBuilder b;
  const std::int64_t active[] = {1};
  b.begin_txn(b.session(1));
  b.set_snapshot(1, 2, 3, active);
  b.set_snapshot(4, 5, 6, {});
  b.end_txn();
  const History h = finished(b);
  EXPECT_EQ(h.columns().snapshots.size(), 1U);
  EXPECT_EQ(h.snapshot(TxnId{0})->xmax, 6);
}

TEST(HistoryBuilder, AnEmptyListIsAbsenceOnKeysThatAreAppendedTo) {
  HistoryBuilder b;
  const ValueId empty = b.values().list({});
  const KeyId list = b.key("list");
  const KeyId other = b.key("other");
  const Item rows[] = {{list, empty}, {other, empty}};
  b.set_default_initial(empty);
  b.begin_txn(b.session(1));
  b.read(list, empty);
  b.read(other, empty);
  b.append(list, b.values().integer(1));
  b.scan("true", rows);
  b.end_txn();
  b.version_order(list, std::vector{empty}, true);
  b.version_order(other, std::vector{empty}, true);
  const History h = finished(b);
  EXPECT_EQ(h.op_value(0), kNullValue);
  EXPECT_EQ(h.value_text(h.op_value(1)), "[]");
  EXPECT_EQ(h.initial(list), kNullValue);
  EXPECT_EQ(h.value_text(h.initial(other)), "[]") << "a row that a scan found is there";
  EXPECT_EQ(h.columns().items[0].value, kNullValue);
  EXPECT_NE(h.columns().items[1].value, kNullValue);
  EXPECT_EQ(ValueId{h.columns().version_entries[0]}, kNullValue);
  EXPECT_NE(ValueId{h.columns().version_entries[1]}, kNullValue);
}

// What a read of `[]` becomes on a key that nobody appends to, with what else is known of the key.
template <typename Rest>
std::string empty_read_with(Rest&& rest) {
  HistoryBuilder b;
  b.begin_txn(b.session(1));
  b.read(b.key("x"), b.values().list({}));
  rest(b, b.key("x"));
  b.end_txn();
  const History h = finished(b);
  return h.value_text(h.op_value(0)) + " of " + h.value_text(h.initial(KeyId{0}));
}

TEST(HistoryBuilder, AnEmptyListIsAbsenceWhereNothingButListsIsSeen) {
  EXPECT_EQ(empty_read_with([](HistoryBuilder&, KeyId) {}), "null of null");
  EXPECT_EQ(empty_read_with([](HistoryBuilder& b, KeyId x) { b.read(x, kNullValue); }), "null of null");
  EXPECT_EQ(empty_read_with([](HistoryBuilder& b, KeyId x) { b.write(x, kNullValue); }), "null of null");
  EXPECT_EQ(empty_read_with([](HistoryBuilder& b, KeyId x) {
              const ValueId one[] = {b.values().integer(1)};
              b.write(x, b.values().list(one));
            }),
            "null of null");
  EXPECT_EQ(empty_read_with([](HistoryBuilder& b, KeyId) { b.set_default_initial(b.values().list({})); }),
            "null of null");
  EXPECT_EQ(empty_read_with([](HistoryBuilder& b, KeyId x) { b.set_initial(x, b.values().list({})); }), "null of null");
}

TEST(HistoryBuilder, AnEmptyListIsAValueWhereItIsWrittenOrOtherValuesAreSeen) {
  EXPECT_EQ(empty_read_with([](HistoryBuilder& b, KeyId x) { b.write(x, b.values().list({})); }), "[] of null");
  EXPECT_EQ(empty_read_with([](HistoryBuilder& b, KeyId x) { b.write(x, b.values().integer(5)); }), "[] of null");
  EXPECT_EQ(empty_read_with([](HistoryBuilder& b, KeyId x) { b.read(x, b.values().string("a")); }), "[] of null");
  EXPECT_EQ(empty_read_with([](HistoryBuilder& b, KeyId x) { b.increment(x, b.values().integer(1)); }), "[] of null");
  EXPECT_EQ(empty_read_with([](HistoryBuilder& b, KeyId) { b.set_default_initial(b.values().integer(0)); }), "[] of 0");
  EXPECT_EQ(empty_read_with([](HistoryBuilder& b, KeyId x) {
              const Item written[] = {{x, b.values().list({})}};
              b.update("true", written);
            }),
            "[] of null");
}

TEST(HistoryBuilder, InitialValuesHoldWhateverTheOrderOfCalls) {
  HistoryBuilder b;
  const KeyId unset = b.key("unset");
  b.set_initial(b.key("x"), b.values().integer(1));
  b.set_default_initial(b.values().integer(9));  // after the first set_initial
  b.set_initial_by_name("y", b.values().integer(2));
  b.set_initial_by_name("7", b.values().integer(3));
  reader(b, unset);
  reader(b, b.key(7));
  const History h = finished(b);
  EXPECT_EQ(initial_of(h, "unset"), "9");
  EXPECT_EQ(initial_of(h, "x"), "1");
  EXPECT_EQ(initial_of(h, "y"), "2");
  EXPECT_EQ(initial_of(h, "7"), "3");
  EXPECT_EQ(h.key_count(), 4U);
}

TEST(HistoryBuilder, ARowAsInitialValueOfEveryKeyIsEachKeysOwn) {
  HistoryBuilder b;
  const RowField field{b.values().string("v"), b.values().integer(1)};
  b.set_default_initial(b.values().row(std::span(&field, 1)));
  reader(b, b.key("x"));
  const History h = finished(b);
  EXPECT_EQ(initial_of(h, "x"), "{\"v\":1}");
  EXPECT_EQ(h.default_initial(), kNullValue);
}

TEST(HistoryBuilder, ANameAloneMeansTheStringKeyThenTheIntegerThenANewString) {
  HistoryBuilder b;
  const KeyId seven = b.key(7);
  EXPECT_EQ(b.key_by_name("7"), seven);
  const KeyId text = b.key("7");
  EXPECT_NE(text, seven);
  EXPECT_EQ(b.key_by_name("7"), text);
  const KeyId large = b.key(std::int64_t{1} << 40);
  EXPECT_EQ(b.key_by_name("1099511627776"), large);
  const KeyId huge = b.key(b.values().number_text("12345678901234567890"));
  EXPECT_EQ(b.key_by_name("12345678901234567890"), huge);
  const KeyId negative = b.key(-3);
  EXPECT_EQ(b.key_by_name("-3"), negative);
  EXPECT_NE(b.key_by_name("07"), seven);
  EXPECT_NE(b.key_by_name("+7"), seven);
  EXPECT_EQ(b.key_by_name("new"), b.key("new"));
}

TEST(HistoryBuilder, AVersionSetByNameFindsKeysThatComeLater) {
  HistoryBuilder b;
  const Item placeholder[] = {{KeyId{0}, kNullValue}, {KeyId{0}, b.values().integer(2)}};
  b.begin_txn(b.session(1));
  b.scan("true", {});
  b.vset(placeholder);
  b.name_vset_key(0, "7");
  b.name_vset_key(1, "x");
  b.end_txn();
  reader(b, b.key(7));
  const History h = finished(b);
  ASSERT_EQ(h.columns().items.size(), 2U);
  EXPECT_EQ(h.key_text(h.columns().items[0].key), "7");
  EXPECT_EQ(h.key_text(h.columns().items[1].key), "x");
}

TEST(HistoryBuilder, VersionOrdersAreByNameByKeyAndByTransaction) {
  HistoryBuilder b;
  const ValueId one = b.values().integer(1);
  const ValueId a = b.values().string("a");
  b.version_order_by_name("x", std::vector{one, b.values().integer(2)}, true, false);
  b.version_order(b.key(3), std::vector{one}, false);
  b.version_order_by_txn(b.key("x"), std::vector{a, one}, true);
  b.version_order_by_name("3", std::vector{one}, false, true);
  for (int t = 0; t < 2; ++t) {
    b.begin_txn(b.session(1));
    if (t == 0) b.set_id(a);
    b.write(b.key("x"), b.values().integer(t));
    b.end_txn();
  }
  EXPECT_EQ(b.version_order_count(), 4U);
  const History h = finished(b);
  const auto orders = h.columns().version_orders;
  ASSERT_EQ(orders.size(), 4U);
  EXPECT_EQ(
      h.key_text(orders[0].key) + h.key_text(orders[1].key) + h.key_text(orders[2].key) + h.key_text(orders[3].key),
      "x3x3");
  EXPECT_EQ(orders[0].by_txn + orders[1].by_txn, 0);
  EXPECT_EQ(orders[0].complete, 1);
  EXPECT_EQ(orders[1].complete, 0);
  const auto entries = h.columns().version_entries;
  EXPECT_EQ(entries[orders[2].first], 0U) << "transaction a";
  EXPECT_EQ(entries[orders[2].first + 1], 1U);
  EXPECT_EQ(entries[orders[3].first], 1U);
}

TEST(HistoryBuilder, AVersionOrderOfAnUnknownTransactionIsRefused) {
  HistoryBuilder b;
  reader(b, b.key("x"));
  b.version_order(b.key("x"), {}, true);
  b.version_order_by_txn(b.key("x"), std::vector{b.values().integer(0), b.values().integer(5)}, true);
  const auto h = b.finish();
  ASSERT_FALSE(h);
  EXPECT_EQ(h.error().text, "the version order of key \"x\" names transaction 5, which the history does not have");
  EXPECT_EQ(b.faulty_version_order(), 1U);
  EXPECT_FALSE(b.faulty_txn());
}

TEST(HistoryBuilder, OneNameIsOneKeyHoweverLarge) {
  HistoryBuilder b;
  for (std::int64_t n = 0; n < 3000; ++n) {
    const std::int64_t name = n * 1000;  // on both sides of the direct table
    ASSERT_EQ(b.key(name), b.key(name));
    ASSERT_EQ(raw(b.key(name)), n);
  }
  for (std::int64_t n = 0; n < 3000; ++n) ASSERT_EQ(raw(b.key(n * 1000)), n);
}

}  // namespace history_builder_test
}  // namespace isolde
