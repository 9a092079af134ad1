// defect_of: each column damaged in turn.
#include <gtest/gtest.h>

#include <functional>

#include "history/history.h"
#include "history/history_builder.h"

namespace isolde {
namespace validate_test {

// A copy of a history's columns that may be damaged.
class Columns {
 public:
  explicit Columns(const History& h) {
    HistoryColumns from = h.columns();
    for_each_column([](int, const char*, auto& view, auto& own) { own.append(view.data(), view.size()); }, from, owned);
  }
  [[nodiscard]] std::string defect() {
    HistoryColumns view;
    for_each_column([](int, const char*, auto& to, auto& own) { to = own.view(); }, view, owned);
    return defect_of(view);
  }
  OwnedColumns owned;
};

History sample() {
  HistoryBuilder b;
  const KeyId x = b.key("x");
  const KeyId y = b.key(7);
  const Item rows[] = {{x, b.values().integer(1)}, {y, b.values().list({})}};
  const std::int64_t active[] = {3, 4};
  b.set_initial(x, b.values().string("first"));
  for (int t = 0; t < 3; ++t) {
    b.begin_txn(b.session(t));
    b.set_begin(100 * t);
    b.set_end(t == 1 ? 150 : INT64_MAX);
    b.set_start_ts(t);
    b.set_commit_ts(t + 1);
    b.set_order(t);
    b.set_sno(t);
    b.set_commit(t == 1 ? 120 : INT64_MAX, t == 1 ? 150 : INT64_MAX);
    b.set_snapshot(t, t, t + 1, active);
    b.write(x, b.values().integer(-t));
    b.at(100 * t, 100 * t + 1);
    b.increment(y, b.values().integer(-1));
    b.at(0, t == 1 ? 101 : INT64_MAX);
    b.scan("true", rows);
    b.vset(rows);
    b.aggregate("max(v)", "true", kNullValue);
    b.end_txn();
  }
  b.version_order(x, std::vector{b.values().integer(0)}, true);
  b.version_order_by_txn(y, std::vector{b.values().integer(1)}, true);
  b.set_about("text");
  b.fault(5, 6, b.values().string("restart"), kNullValue);
  auto h = b.finish();
  EXPECT_TRUE(h);
  return *std::move(h);
}

TEST(Validate, AColumnCutShortIsADefectOrAnOptionalColumn) {
  const History h = sample();
  int columns = 0;
  OwnedColumns numbering;
  for_each_column([&](int, const char*, auto&) { ++columns; }, numbering);
  for (int n = 1; n <= columns; ++n) {
    Columns copy(h);
    ASSERT_EQ(copy.defect(), "");
    std::string which;
    for_each_column(
        [&](int number, const char* name, auto& column) {
          if (number != n) return;
          which = name;
          ASSERT_FALSE(column.empty()) << name << ": the sample lacks it";
          column.truncate(column.size() - 1);
        },
        copy.owned);
    const bool may_be_shorter = which == "about" || which == "wide_intervals" || which == "wide_commits" ||
                                which == "snapshots" || which == "version_orders" || which == "faults";
    EXPECT_EQ(copy.defect().empty(), may_be_shorter) << which << ": " << copy.defect();
  }
}

TEST(Validate, WhatNamesSomethingThatIsNotThereIsADefect) {
  const ValueId none{kNone32 - 1};
  const std::pair<const char*, std::function<void(OwnedColumns&)>> damages[] = {
      {"column first_op is not ascending", [](auto& c) { c.first_op[1] = 9; }},
      {"column first_op is not ascending", [](auto& c) { c.first_op[0] = 1; }},
      {"a name refers to something that does not exist", [](auto& c) { c.session[1] = SessionId{3}; }},
      {"a name refers to something that does not exist", [&](auto& c) { c.id[1] = none; }},
      {"a name refers to something that does not exist", [&](auto& c) { c.key_name[1] = none; }},
      {"a name refers to something that does not exist", [&](auto& c) { c.key_initial[1] = none; }},
      {"a name refers to something that does not exist", [&](auto& c) { c.session_name[1] = none; }},
      {"a name refers to something that does not exist", [&](auto& c) { c.defaults[0] = none; }},
      {"a transaction id occurs twice", [](auto& c) { c.id[1] = c.id[0]; }},
      {"a key name occurs twice", [](auto& c) { c.key_name[1] = c.key_name[0]; }},
      {"a session name occurs twice", [](auto& c) { c.session_name[1] = c.session_name[0]; }},
      {"a transaction has an unknown status", [](auto& c) { c.status[2] = static_cast<Status>(3); }},
      {"an operation names a key or predicate that does not exist",
       [](auto& c) { c.op[0] = OpHead(OpKind::kRead, Lock::kNone, 2); }},
      {"an operation names a key or predicate that does not exist",
       [](auto& c) { c.op[0] = OpHead(OpKind::kScan, Lock::kNone, 6); }},
      {"an operation names a key or predicate that does not exist", [](auto& c) { c.op[0] = OpHead(13); }},
      {"an operation names a value that does not exist", [&](auto& c) { c.op_value[0] = none; }},
      {"an increment by something that is not an integer", [](auto& c) { c.op_value[1] = kNullValue; }},
      {"an increment by something that is not an integer", [](auto& c) { c.op_value[1] = c.key_initial[0]; }},
      {"a scan or update with a value", [](auto& c) { c.op_value[2] = ValueId{1}; }},
      {"an aggregate with no expression or more than one", [](auto& c) { c.predicates[1].aggregate = kNullValue; }},
      {"an aggregate with no expression or more than one",
       [](auto& c) { c.predicates[0].aggregate = c.predicates[0].where; }},
      {"wide intervals out of order", [](auto& c) { c.wide_intervals[1].op = c.wide_intervals[0].op; }},
      {"a wide interval of no operation", [](auto& c) { c.wide_intervals[2].op = OpId{99}; }},
      {"a wide interval of no operation", [](auto& c) { c.wide_intervals[2].before = kNoTime; }},
      {"an interval past the end of time", [](auto& c) { c.begin[0] = INT64_MAX; }},
      {"wide commits out of order", [](auto& c) { c.wide_commits[1].txn = c.wide_commits[0].txn; }},
      {"a wide commit of no transaction", [](auto& c) { c.wide_commits[1].txn = TxnId{3}; }},
      {"a wide commit of no transaction", [](auto& c) { c.wide_commits[1].before = kNoTime; }},
      {"a commit past the end of time", [](auto& c) { c.begin[1] = INT64_MAX - 10; }},
      {"transaction 1: its commit was answered at 150, after the transaction ended at 140",
       [](auto& c) { c.end[1] = 140; }},
      {"a predicate names something that does not exist", [](auto& c) { c.predicates[0].where = ValueId{1}; }},
      {"a predicate names something that does not exist", [](auto& c) { c.predicates[1].aggregate = ValueId{1}; }},
      {"a predicate names something that does not exist", [](auto& c) { c.predicates[0].items = kNone32; }},
      {"a predicate names something that does not exist", [](auto& c) { c.predicates[0].vset_count = 99; }},
      {"a predicate names something that does not exist", [](auto& c) { c.predicates[0].has_vset = 2; }},
      {"an item names something that does not exist", [](auto& c) { c.items[0].key = KeyId{2}; }},
      {"an item names something that does not exist", [&](auto& c) { c.items[0].value = none; }},
      {"a snapshot names something that does not exist", [](auto& c) { c.snapshots[2].txn = TxnId{3}; }},
      {"a snapshot names something that does not exist", [](auto& c) { c.snapshots[1].txn = TxnId{0}; }},
      {"a snapshot names something that does not exist", [](auto& c) { c.snapshots[0].active_count = 99; }},
      {"a version order names something that does not exist", [](auto& c) { c.version_orders[0].key = KeyId{2}; }},
      {"a version order names something that does not exist", [](auto& c) { c.version_orders[0].count = kNone32; }},
      {"a version order names something that does not exist", [](auto& c) { c.version_entries[1] = 3; }},
      {"the offsets of the value table do not match its bytes", [](auto& c) { c.value_begin[0] = 4; }},
      {"value 0: offset out of order", [](auto& c) { c.value_begin[1] = 1 << 20; }},
      {"value 0: padding too large", [](auto& c) { c.value_type[0] = 0x42; }},
      {"value 0: unknown type", [](auto& c) { c.value_type[0] = 8; }},
  };
  const History h = sample();
  for (const auto& [says, damage] : damages) {
    Columns copy(h);
    damage(copy.owned);
    EXPECT_EQ(copy.defect(), says);
  }
}

TEST(Validate, TheInitialValueOfEveryKeyIsNoRow) {
  HistoryBuilder b;
  const ValueId row = b.values().row({});
  b.set_default_initial(row);
  const auto h = b.finish();
  ASSERT_TRUE(h);
  Columns copy(*h);
  EXPECT_EQ(copy.defect(), "");
  copy.owned.defaults[0] = row;
  EXPECT_EQ(copy.defect(), "the initial value of every key is a row");
}

TEST(Defects, OfFaults) {
  HistoryBuilder b;
  b.fault(5, 6, b.values().string("restart"), b.values().string("why"));
  const History h = *b.finish();
  EXPECT_EQ(Columns(h).defect(), "");
  const auto defect = [&](const std::function<void(FaultMark&)>& damage) {
    Columns c(h);
    damage(c.owned.faults[0]);
    return c.defect();
  };
  EXPECT_NE(defect([](FaultMark& f) { f.name = kNullValue; }), "");
  EXPECT_NE(defect([](FaultMark& f) { f.name = ValueId{kFirstTableValue + 9}; }), "");
  EXPECT_NE(defect([](FaultMark& f) { f.detail = ValueId{3}; }), "");
  EXPECT_NE(defect([](FaultMark& f) { f.end = 4; }), "");
  EXPECT_NE(defect([](FaultMark& f) { f.begin = kNoTime; }), "");
  EXPECT_EQ(defect([](FaultMark& f) { f.end = kNoTime; }), "");
}

}  // namespace validate_test
}  // namespace isolde
