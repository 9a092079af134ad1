#include "proxy/values/transaction.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace isolde::proxy::values {
namespace value_transaction_test {

const FollowedTable kTable{
    .name = "t", .key = {"id"}, .columns = {{"n", ColumnKind::kInteger}}, .all_columns = {"id", "n"}, .why_not = {}};

class Heard : public ValueSink {
 public:
  void ended(EndedByValue&& transaction) override {
    text += transaction.status == Status::kCommitted ? "committed"
            : transaction.status == Status::kAborted ? "aborted"
                                                     : "unknown";
    text += transaction.sure ? "" : "(unsure)";
    for (const ValueOp& op : transaction.ops) {
      text += std::string(" ") + "rlsw+"[static_cast<int>(op.act)] + op.key + "=";
      text += op.value.kind == Value::Kind::kInteger ? std::to_string(op.value.number) : "?";
    }
    text += transaction.level.empty() ? ";" : " at " + transaction.level + ";";
  }
  void left_out(std::string_view why) override { text += "[" + std::string(why) + "]"; }
  std::string text;
};

ValueOp op(Act act, std::int64_t number, const std::string& key = "1") {
  return {act, &kTable, key, kTable.columns.data(), integer_value(number)};
}

struct Client {
  Heard heard;
  ValueTransactions all{heard};
  std::int64_t now = 0;
  void done(std::vector<ValueOp> ops, bool open) {
    now += 10;
    all.done(std::move(ops), open, now - 5, now);
  }
};

TEST(ValueTransactions, AStatementByItselfIsATransaction) {
  Client c;
  c.done({op(Act::kRead, 1)}, false);
  c.done({op(Act::kWrite, 2)}, false);
  c.done({}, false);
  EXPECT_EQ(c.heard.text, "committed r1=1;committed w1=2;");
}

TEST(ValueTransactions, WhatTheServerSaysOfTheStateCounts) {
  Client c;
  // autocommit = 0: nobody said BEGIN.
  c.done({op(Act::kRead, 1)}, true);
  c.done({op(Act::kWrite, 2)}, true);
  c.all.commit(false, 30, 31);
  // DDL commits what was open before it.
  c.all.begin(40, 41);
  c.done({op(Act::kWrite, 3)}, true);
  c.done({}, false);
  // BEGIN does, too.
  c.all.begin(60, 61);
  c.done({op(Act::kWrite, 4)}, true);
  c.all.begin(70, 71);
  c.done({op(Act::kWrite, 5)}, true);
  c.all.roll_back(false, 80, 81);
  EXPECT_EQ(c.heard.text, "committed r1=1 w1=2;committed w1=3;committed w1=4;aborted w1=5;");
}

TEST(ValueTransactions, AnErrorMayHaveEndedTheTransaction) {
  Client c;
  c.all.begin(1, 2);
  c.done({op(Act::kWrite, 1)}, true);
  c.all.failed();
  c.done({op(Act::kRead, 2)}, true);
  c.all.commit(false, 30, 31);
  c.all.begin(1, 2);
  c.done({op(Act::kWrite, 1)}, true);
  c.all.failed();
  c.done({op(Act::kRead, 2)}, false);  // it is gone, and nobody said how
  EXPECT_EQ(c.heard.text,
            "committed w1=1 r1=2;[a transaction that ended in an error]committed(unsure) w1=1;committed r1=2;");
}

TEST(ValueTransactions, SavepointsTakeBack) {
  Client c;
  c.all.begin(1, 2);
  c.done({op(Act::kWrite, 1)}, true);
  c.all.savepoint("a");
  c.done({op(Act::kWrite, 2)}, true);
  c.all.savepoint("b");
  c.all.roll_back_to("a");
  c.done({op(Act::kWrite, 3)}, true);
  c.all.roll_back_to("a");
  c.done({op(Act::kWrite, 4)}, true);
  c.all.release("a");
  c.all.roll_back_to("a");
  c.all.commit(false, 30, 31);
  EXPECT_EQ(c.heard.text, "[a savepoint that was not seen]committed(unsure) w1=1 w1=4;");
}

TEST(ValueTransactions, AnAdditionGetsItsValueFromWhatTheTransactionReads) {
  const auto settled = [](std::vector<ValueOp> ops) {
    Client c;
    c.all.begin(1, 2);
    for (ValueOp& one : ops) c.done({one}, true);
    c.all.commit(false, 90, 91);
    return c.heard.text;
  };
  // Read afterwards, as TPC-B does.
  EXPECT_EQ(settled({op(Act::kAdd, 5), op(Act::kAdd, 2), op(Act::kRead, 17)}), "committed w1=15 w1=17 r1=17;");
  // Read before, under a lock; or its own write.
  EXPECT_EQ(settled({op(Act::kReadForUpdate, 10), op(Act::kAdd, -3), op(Act::kAdd, 1)}), "committed l1=10 w1=7 w1=8;");
  EXPECT_EQ(settled({op(Act::kWrite, 4), op(Act::kAdd, 1)}), "committed w1=4 w1=5;");
  // Read without a lock: somebody else may have written in between.
  EXPECT_EQ(settled({op(Act::kRead, 10), op(Act::kAdd, 1)}), "committed r1=10 w1=?;");
  // Another row says nothing; nor does a read behind another write.
  EXPECT_EQ(settled({op(Act::kAdd, 1), op(Act::kRead, 3, "2")}), "committed w1=? r2=3;");
  EXPECT_EQ(settled({op(Act::kAdd, 1), op(Act::kWrite, 3), op(Act::kRead, 3)}), "committed w1=? w1=3 r1=3;");
  // What is lost is lost.
  EXPECT_EQ(settled({op(Act::kWrite, INT64_MAX), op(Act::kAdd, 1)}), "committed w1=9223372036854775807 w1=?;");
}

TEST(ValueTransactions, ALostConnectionLeavesTheCommitUnknown) {
  Client c;
  c.all.begin(1, 2);
  c.done({op(Act::kWrite, 1)}, true);
  c.all.lost(true, {}, 20);
  c.all.begin(31, 32);
  c.done({op(Act::kWrite, 2)}, true);
  c.all.lost(false, {}, 40);
  EXPECT_EQ(c.heard.text, "unknown w1=1;aborted w1=2;");
}

TEST(ValueTransactions, LevelsAreOfTheSessionOrOfTheNextTransaction) {
  Client c;
  c.all.set_level("repeatable read");
  c.all.set_next_level("serializable");
  c.done({}, false);
  c.all.begin(1, 2);
  c.done({op(Act::kWrite, 1)}, true);
  c.all.commit(false, 20, 21);
  c.done({op(Act::kWrite, 2)}, false);
  EXPECT_EQ(c.heard.text, "committed w1=1 at serializable;committed w1=2 at repeatable read;");
}

}  // namespace value_transaction_test
}  // namespace isolde::proxy::values
