// record/standard/tpcc/schema.cc: the nine tables. No foreign keys: they would add locks that the benchmark's
// implementations mostly leave out; the table `history` has a key of its own, so that its rows are keys of a recording.
#include "record/standard/tpcc/population.h"

namespace isolde::record::tpcc {

const Tables& tables() {
  static const Tables kTables = {
      .warehouse = {.name = "warehouse", .key_columns = {"w_id"}, .value_columns = {"w"}},
      .district = {.name = "district",
                   .key_columns = {"d_w_id", "d_id"},
                   .value_columns = {"d_next_o_id", "w"},
                   .style = ValueStyle::kRow},
      .customer = {.name = "customer",
                   .key_columns = {"c_w_id", "c_d_id", "c_id"},
                   .value_columns = {"c_balance", "w"},
                   .style = ValueStyle::kRow},
      .history = {.name = "history", .key_columns = {"h_id"}, .value_columns = {"w"}},
      .new_order = {.name = "new_order", .key_columns = {"no_w_id", "no_d_id", "no_o_id"}, .value_columns = {"w"}},
      .orders = {.name = "orders",
                 .key_columns = {"o_w_id", "o_d_id", "o_id"},
                 .value_columns = {"o_carrier_id", "w"},
                 .style = ValueStyle::kRow},
      .order_line = {.name = "order_line",
                     .key_columns = {"ol_w_id", "ol_d_id", "ol_o_id", "ol_number"},
                     .value_columns = {"w"}},
      .item = {.name = "item", .key_columns = {"i_id"}, .value_columns = {"i_price"}},
      .stock = {.name = "stock",
                .key_columns = {"s_w_id", "s_i_id"},
                .value_columns = {"s_quantity", "w"},
                .style = ValueStyle::kRow},
  };
  return kTables;
}

std::vector<std::string> schema(const db::Dialect& dialect) {
  std::vector<std::string> all;
  const auto create = [&](std::string_view sql) {
    all.push_back(std::string(sql) + std::string(dialect.table_options));
  };
  create(
      "create table warehouse (w_id bigint primary key, w_name varchar(20), w_street_1 varchar(20), "
      "w_street_2 varchar(20), w_city varchar(20), w_state char(2), w_zip char(9), w_tax bigint, w_ytd bigint, "
      "w bigint not null)");
  create(
      "create table district (d_w_id bigint, d_id bigint, d_name varchar(20), d_street_1 varchar(20), "
      "d_street_2 varchar(20), d_city varchar(20), d_state char(2), d_zip char(9), d_tax bigint, d_ytd bigint, "
      "d_next_o_id bigint not null, w bigint not null, primary key (d_w_id, d_id))");
  create(
      "create table customer (c_w_id bigint, c_d_id bigint, c_id bigint, c_first varchar(16), c_middle char(2), "
      "c_last varchar(16), c_street_1 varchar(20), c_street_2 varchar(20), c_city varchar(20), c_state char(2), "
      "c_zip char(9), c_phone char(16), c_since bigint, c_credit char(2), c_credit_lim bigint, c_discount bigint, "
      "c_balance bigint not null, c_ytd_payment bigint, c_payment_cnt bigint, c_delivery_cnt bigint, "
      "c_data varchar(500), w bigint not null, primary key (c_w_id, c_d_id, c_id))");
  create(
      "create table history (h_id bigint primary key, h_c_id bigint, h_c_d_id bigint, h_c_w_id bigint, h_d_id bigint, "
      "h_w_id bigint, h_date bigint, h_amount bigint, h_data varchar(50), w bigint not null)");
  create(
      "create table new_order (no_w_id bigint, no_d_id bigint, no_o_id bigint, w bigint not null, "
      "primary key (no_w_id, no_d_id, no_o_id))");
  create(
      "create table orders (o_w_id bigint, o_d_id bigint, o_id bigint, o_c_id bigint, o_entry_d bigint, "
      "o_carrier_id bigint, o_ol_cnt bigint, o_all_local bigint, w bigint not null, "
      "primary key (o_w_id, o_d_id, o_id))");
  create(
      "create table order_line (ol_w_id bigint, ol_d_id bigint, ol_o_id bigint, ol_number bigint, ol_i_id bigint, "
      "ol_supply_w_id bigint, ol_delivery_d bigint, ol_quantity bigint, ol_amount bigint, ol_dist_info varchar(24), "
      "w bigint not null, primary key (ol_w_id, ol_d_id, ol_o_id, ol_number))");
  create(
      "create table item (i_id bigint primary key, i_im_id bigint, i_name varchar(24), i_price bigint, "
      "i_data varchar(50))");
  create(
      "create table stock (s_w_id bigint, s_i_id bigint, s_quantity bigint not null, s_dist_01 varchar(24), "
      "s_dist_02 varchar(24), s_dist_03 varchar(24), s_dist_04 varchar(24), s_dist_05 varchar(24), "
      "s_dist_06 varchar(24), s_dist_07 varchar(24), s_dist_08 varchar(24), s_dist_09 varchar(24), "
      "s_dist_10 varchar(24), s_ytd bigint, s_order_cnt bigint, s_remote_cnt bigint, s_data varchar(50), "
      "w bigint not null, primary key (s_w_id, s_i_id))");
  all.emplace_back("create index customer_by_name on customer (c_w_id, c_d_id, c_last, c_first)");
  all.emplace_back("create index orders_by_customer on orders (o_w_id, o_d_id, o_c_id, o_id)");
  return all;
}

}  // namespace isolde::record::tpcc
