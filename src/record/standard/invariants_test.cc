// What SmallBank and TPC-C promise of their tables holds after a run on a serializable database, and the recording says
// the same as the tables.
#include <map>

#include "history/value.h"
#include "tests/support/recorded_run.h"

namespace isolde::record {
namespace invariants_test {

constexpr std::string_view kScratch = "sqlite:?timeout=500";

// An integer column of a recorded row.
std::int64_t column(const History& h, ValueId row, std::string_view name) {
  for (const RowField& field : h.values().row(row)) {
    if (h.values().string(field.name) == name) return h.values().integer(field.value);
  }
  ADD_FAILURE() << "no column " << name;
  return 0;
}

TEST(SmallBank, NoMoneyComesOrGoesButByTheRecordedTransactions) {
  const Place p = place(kScratch, "wal deferred");
  WorkloadOptions options;
  options.keys = 30;
  const auto run = record_on(p, "smallbank", options, transactions(600, 4));
  ASSERT_TRUE(run);
  const History& h = run->history;
  std::int64_t moved = 0;  // what committed transactions wrote, less what they had read of the same accounts
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (h.status(TxnId{t}) != Status::kCommitted) continue;
    std::map<std::uint32_t, std::int64_t> read;
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      const std::int64_t balance = column(h, h.op_value(i), "bal");
      const std::uint32_t key = raw(h.op(i).key());
      if (h.op(i).kind() == OpKind::kWrite) {
        ASSERT_TRUE(read.contains(key));
        moved += balance - read[key];
      }
      read[key] = balance;
    }
  }
  auto connection = *p.database->connect(*p.level);
  EXPECT_EQ(answer(*connection, "select (select sum(bal) from savings) + (select sum(bal) from checking)"),
            std::to_string(moved + 2 * 30 * 100'00));
}

class TpccTables : public ::testing::TestWithParam<std::uint32_t> {};

// TPC-C 5.11, clause 3.3.2; each query gives what breaks its condition.
TEST_P(TpccTables, AreConsistentAfterARun) {
  const Place p = place(kScratch, "wal deferred");
  WorkloadOptions options;
  options.scale = GetParam();
  const auto run = record_on(p, "tpcc", options, transactions(400, 3));
  ASSERT_TRUE(run);
  EXPECT_EQ(judged(run->history, Level::kSerializable), Outcome::kSatisfied);
  auto connection = *p.database->connect(*p.level);
  for (const std::string_view broken : {
           "select w_id from warehouse where w_ytd <> (select sum(d_ytd) from district where d_w_id = w_id)",
           "select w_id from warehouse where w_ytd <> (select sum(h_amount) from history where h_w_id = w_id)",
           "select d_id from district where d_next_o_id - 1 <> "
           "(select max(o_id) from orders where o_w_id = d_w_id and o_d_id = d_id)",
           "select d_id from district where d_next_o_id - 1 <> "
           "(select max(no_o_id) from new_order where no_w_id = d_w_id and no_d_id = d_id)",
           "select no_d_id from new_order group by no_w_id, no_d_id having max(no_o_id) - min(no_o_id) + 1 <> count(*)",
           "select o_id from orders where o_ol_cnt <> "
           "(select count(*) from order_line where ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id)",
           "select o_id from orders where (o_carrier_id is null) <> exists "
           "(select 1 from new_order where no_w_id = o_w_id and no_d_id = o_d_id and no_o_id = o_id)",
           "select ol_o_id from order_line where (ol_delivery_d is null) <> exists "
           "(select 1 from new_order where no_w_id = ol_w_id and no_d_id = ol_d_id and no_o_id = ol_o_id)",
           "select c_id from customer where c_balance <> "
           "(select coalesce(sum(ol_amount), 0) from orders, order_line where o_w_id = c_w_id and o_d_id = c_d_id "
           "and o_c_id = c_id and ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id "
           "and ol_delivery_d is not null) - (select sum(h_amount) from history where h_c_w_id = c_w_id "
           "and h_c_d_id = c_d_id and h_c_id = c_id)",
       }) {
    EXPECT_EQ(answer(*connection, broken), "nothing") << broken;
  }
  // Something of each kind of transaction was done.
  for (const std::string_view done : {"select count(*) > 0 from orders where w > 0 and o_carrier_id is null",
                                      "select count(*) > 0 from orders where w > 0 and o_carrier_id is not null",
                                      "select count(*) > 0 from history where w > 0"}) {
    EXPECT_EQ(answer(*connection, done), "1") << done;
  }
}

INSTANTIATE_TEST_SUITE_P(Warehouses, TpccTables, ::testing::Values(1, 3));

TEST(Tpcc, HasRowsOfTheStandardsCountIfAskedFor) {
  const Place p = place(kScratch, "wal deferred");
  WorkloadOptions options;
  options.keys = 10'000;
  const auto run = record_on(p, "tpcc", options, transactions(10, 1));
  ASSERT_TRUE(run);
  auto connection = *p.database->connect(*p.level);
  EXPECT_EQ(answer(*connection, "select count(*) from stock"), "10000");
  EXPECT_EQ(answer(*connection, "select count(*) from customer"), "3000");
}

}  // namespace invariants_test
}  // namespace isolde::record
