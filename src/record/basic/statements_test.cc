// What the statements of the basic workloads record, one by one, on SQLite.
#include <gtest/gtest.h>

#include "record/basic/item_table.h"
#include "record/basic/range_statements.h"
#include "record/workload/workload.h"
#include "tests/support/native_client.h"
#include "tests/support/native_history.h"

namespace isolde::record {
namespace statements_test {

// One connection with a table items (k, a, b, w) and its rows 0 … 4: a = 10 k, b = k, w = 0.
class Statements : public ::testing::Test {
 protected:
  Statements() {
    auto connection = database_->connect(*level_);
    EXPECT_TRUE(connection);
    EXPECT_TRUE((*connection)->run(table_.schema()));
    EXPECT_TRUE(table_.load(**connection, 5, first_row));
    client_ = std::make_unique<NativeClient>(*std::move(connection), database_->dialect(), 0, 1);
    EXPECT_TRUE(client_->begin());
  }
  ~Statements() override { EXPECT_EQ(client_->fault(), ""); }

  static ItemColumns first_row(std::uint32_t key) { return {10 * static_cast<std::int64_t>(key), key, 0}; }
  [[nodiscard]] db::Dialect without_returning() const {
    db::Dialect dialect = database_->dialect();
    dialect.has_update_returning = false;
    return dialect;
  }
  std::string everything() {
    EXPECT_TRUE(client_->run("select k, a, b, w from items order by k", {}));
    std::string text;
    for (std::size_t i = 0; i < client_->reply().cells.size(); ++i)
      text += json_text(client_->reply().cells[i]) + (i % 4 == 3 ? ";" : " ");
    return text;
  }

  std::unique_ptr<db::Database> database_ = *db::open_database(*db::parse_url("sqlite:"));
  const db::ServerLevel* level_ = *db::level_named(*database_, "wal deferred");
  ItemTable table_{database_->dialect(), "items", {"a", "b", "w"}};
  std::unique_ptr<NativeClient> client_;
};

using ItemTableTest = Statements;
using RangeStatementsTest = Statements;

TEST_F(ItemTableTest, WhatIsLoadedIsWhatTheHeaderSays) {
  EXPECT_EQ(table_.initial(2, first_row), R"(null,"initial_of":[[0,{"a":0,"b":0,"w":0}],[1,{"a":10,"b":1,"w":0}]])");
  EXPECT_TRUE(table_.read(*client_, 1));
  EXPECT_EQ(client_->ops(), R"(["r",1,{"a":10,"b":1,"w":0}])");
}

TEST_F(ItemTableTest, AnAbsentKeyIsReadAsNull) {
  ItemRow row;
  EXPECT_TRUE(table_.read(*client_, 9, Lock::kNone, row));
  EXPECT_FALSE(row.present);
  EXPECT_EQ(client_->ops(), R"(["r",9,null])");
}

TEST_F(ItemTableTest, AnAbsentKeyMayBeRecordedAsAScan) {
  const ItemTable table(database_->dialect(), "items", {"a", "b", "w"}, Absent::kScan);
  EXPECT_TRUE(table.read(*client_, 9));
  EXPECT_TRUE(table.read(*client_, 0));
  EXPECT_EQ(client_->ops(), R"(["scan","key = 9",[]],["r",0,{"a":0,"b":0,"w":0}])");
}

TEST_F(ItemTableTest, ADeleteOfAnAbsentKeyWritesNothing) {
  EXPECT_TRUE(table_.remove(*client_, 9));
  EXPECT_EQ(client_->ops(), "");
  EXPECT_TRUE(table_.remove(*client_, 1));
  EXPECT_TRUE(table_.remove(*client_, 1));
  EXPECT_EQ(client_->ops(), R"(["w",1,null])");
}

TEST_F(ItemTableTest, AnUpsertWritesWhetherTheKeyIsThereOrNot) {
  EXPECT_TRUE(table_.upsert(*client_, 9, ItemColumns{1, 2, 3}));
  EXPECT_TRUE(table_.upsert(*client_, 9, ItemColumns{4, 5, 6}));
  EXPECT_TRUE(table_.read(*client_, 9));
  EXPECT_EQ(client_->ops(), R"(["w",9,{"a":1,"b":2,"w":3}],["w",9,{"a":4,"b":5,"w":6}],["r",9,{"a":4,"b":5,"w":6}])");
}

TEST_F(ItemTableTest, AnInsertOfAPresentKeyEndsTheTransaction) {
  EXPECT_FALSE(table_.insert(*client_, 1, ItemColumns{1, 2, 3}));
  EXPECT_NE(client_->lines().find(R"("status":"aborted")"), std::string::npos);
}

TEST_F(RangeStatementsTest, TheConditionIsRecordedWithItsParameters) {
  EXPECT_EQ(range_of_a(3, 7).text(), "a between 3 and 7");
  EXPECT_EQ(range_of_a_with_b_below(-3, 7, 2).text(), "a between -3 and 7 and b < 2");
  EXPECT_EQ(either(4, 5).text(), "a = 4 or b = 5");
}

TEST_F(RangeStatementsTest, AScanRecordsItsRowsAndAnAggregateItsValue) {
  const RangeStatements ranges(database_->dialect(), table_);
  EXPECT_TRUE(ranges.scan(*client_, range_of_a(5, 20), Lock::kNone));
  EXPECT_EQ(client_->ops(), R"(["scan","a between 5 and 20",[[1,{"a":10,"b":1,"w":0}],[2,{"a":20,"b":2,"w":0}]]])");
  client_->roll_back();
  ASSERT_TRUE(client_->begin());
  EXPECT_TRUE(ranges.aggregate(*client_, "count(*)", range_of_a(5, 20)));
  EXPECT_TRUE(ranges.aggregate(*client_, "max(b)", range_of_a(500, 600)));
  EXPECT_EQ(client_->ops(),
            R"j(["agg","count(*)","a between 5 and 20",2],["agg","max(b)","a between 500 and 600",null])j");
}

TEST_F(RangeStatementsTest, RowsAfterAnUpdateAreTheSameWithReturningAndWithout) {
  const db::Dialect plain = without_returning();
  using Change = RangeStatements::Change;
  for (const Change change : {Change::kSetB, Change::kTurnB, Change::kMoveA}) {
    std::string recorded[2];
    for (const bool returning : {false, true}) {
      NativeClient client(*database_->connect(*level_), database_->dialect(), 0, 1);
      client_->roll_back();
      ASSERT_TRUE(client.begin());
      const RangeStatements ranges(returning ? database_->dialect() : plain, table_);
      EXPECT_TRUE(ranges.update(client, change, 7, range_of_a(5, 30)));
      EXPECT_TRUE(ranges.update(client, change, 8, range_of_a_with_b_below(5, 40, 4)));
      EXPECT_TRUE(ranges.update(client, change, 9, range_of_a(500, 600)));
      recorded[returning ? 1 : 0] = client.ops();
      client.roll_back();
    }
    EXPECT_EQ(recorded[0], recorded[1]);
  }
}

TEST_F(RangeStatementsTest, ADeleteRecordsWhatItDeleted) {
  const RangeStatements ranges(database_->dialect(), table_);
  EXPECT_TRUE(ranges.remove(*client_, range_of_a(15, 30)));
  EXPECT_EQ(client_->ops(), R"(["update","a between 15 and 30",[[2,null],[3,null]]])");
  EXPECT_EQ(everything(), "0 0 0 0;1 10 1 0;4 40 4 0;");
}

TEST_F(RangeStatementsTest, WithoutReturningTheDeletedRowsAreMarkedFirst) {
  const db::Dialect plain = without_returning();
  const RangeStatements ranges(plain, table_);
  EXPECT_TRUE(ranges.remove(*client_, range_of_a_with_b_below(15, 40, 4)));
  EXPECT_EQ(client_->ops(),
            R"(["update","a between 15 and 40 and b < 4",[[2,{"a":20,"b":2,"w":2}],[3,{"a":30,"b":3,"w":2}]]],)"
            R"(["update","a between 15 and 40 and w = 2",[[2,null],[3,null]]])");
  EXPECT_EQ(everything(), "0 0 0 0;1 10 1 0;4 40 4 0;");
  EXPECT_TRUE(ranges.remove(*client_, range_of_a(500, 600)));
}

TEST(ListAppend, AKeyIsRetiredWhenItsListIsLong) {
  const auto database = *db::open_database(*db::parse_url("sqlite:"));
  WorkloadOptions options;
  options.keys = 1;
  options.reads = 0.5;
  for (const std::string_view name : {"list-append", "list-append-array"}) {
    const auto workload = *workload_named(name)->make(options, database->dialect());
    auto connection = *database->connect(**db::level_named(*database, "wal deferred"));
    EXPECT_TRUE(connection->run("drop table if exists lists"));
    EXPECT_EQ(make_tables(*connection, *workload), "");
    NativeClient client(std::move(connection), database->dialect(), 0, 1);
    const auto session = workload->session(0, Rng(1));
    for (int i = 0; i < 100; ++i) session->transaction(client);
    EXPECT_EQ(client.fault(), "");
    const History h = native(client.lines());
    std::int64_t longest = 0;
    for (std::uint32_t i = 0; i < h.op_count(); ++i) {
      if (h.op(i).kind() != OpKind::kRead) continue;
      const std::string list = h.value_text(h.op_value(i));
      if (list != "null") longest = std::max(longest, 1 + std::count(list.begin(), list.end(), ','));
    }
    EXPECT_GT(h.key_count(), 4U);
    EXPECT_EQ(longest, 32);
  }
}

}  // namespace statements_test
}  // namespace isolde::record
