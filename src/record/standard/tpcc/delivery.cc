// record/standard/tpcc/delivery.cc: the oldest new order of every district is delivered.
//
// Weak levels let two deliveries find the same order: the one that deletes no row gives up, as in BenchBase.
#include <vector>

#include "record/standard/rows.h"
#include "record/standard/tpcc/transactions.h"

namespace isolde::record::tpcc {
namespace {

class Delivery : public Transaction {
 public:
  explicit Delivery(const Context& context)
      : add_to_customer_(context.dialect, tables().customer,
                         "c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1") {}

  void run(Client& client, std::int64_t home, Rng& rng) const override {
    const std::int64_t carrier = rng.between(1, 10);
    if (!client.begin()) return;
    for (std::int64_t district = 1; district <= kDistricts; ++district) {
      if (!client.run("select w, no_o_id from new_order where no_w_id = ? and no_d_id = ? order by no_o_id limit 1",
                      {home, district})) {
        return;
      }
      if (client.reply().rows() == 0) continue;  // all delivered
      const std::int64_t order = integer_at(client.reply(), 0, 1);
      saw_row(client, tables().new_order, {home, district, order});
      if (!deliver(client, {home, district, order}, carrier)) return;
    }
    client.commit();
  }

 private:
  struct OrderKey {
    std::int64_t warehouse, district, order;
  };

  bool deliver(Client& client, const OrderKey& key, std::int64_t carrier) const {
    const auto& [w, d, o] = key;
    if (!take(client, key)) return false;
    if (!client.run("select o_carrier_id, w, o_c_id from orders where o_w_id = ? and o_d_id = ? and o_id = ?",
                    {w, d, o})) {
      return false;
    }
    if (!saw_row(client, tables().orders, {w, d, o})) return client.commit(), false;
    const std::int64_t customer = integer_at(client.reply(), 0, 2);
    const std::int64_t unique = client.unique();
    if (!write_row(client, tables().orders, {w, d, o}, {carrier, unique},
                   "update orders set o_carrier_id = ?, w = ? where o_w_id = ? and o_d_id = ? and o_id = ?",
                   {carrier, unique, w, d, o})) {
      return false;
    }
    const auto amount = deliver_lines(client, key);
    return amount && add_to_customer_.run(client, {*amount}, {w, d, customer});
  }

  static bool take(Client& client, const OrderKey& key) {
    const auto& [w, d, o] = key;
    if (!client.run("delete from new_order where no_w_id = ? and no_d_id = ? and no_o_id = ?", {w, d, o})) return false;
    if (client.reply().changed != 1) return client.roll_back(), false;
    client.wrote(key_text(tables().new_order, {w, d, o}), "null");
    return true;
  }

  // The sum of their amounts. The lines of an order are all inserted with it and none is deleted, so an UPDATE of as
  // many lines as were read is one of those lines.
  static std::optional<std::int64_t> deliver_lines(Client& client, const OrderKey& key) {
    const auto& [w, d, o] = key;
    const TracedTable& table = tables().order_line;
    if (!client.run("select w, ol_number, ol_amount from order_line where ol_w_id = ? and ol_d_id = ? and ol_o_id = ?",
                    {w, d, o})) {
      return std::nullopt;
    }
    const db::Reply& reply = client.reply();
    const std::int64_t unique = client.unique();
    const std::size_t lines = reply.rows();
    std::int64_t amount = 0;
    for (std::size_t row = 0; row < lines; ++row) {
      const std::string name = key_text(table, {w, d, o, integer_at(reply, row, 1)});
      client.saw(name, value_at(reply, table, row));
      client.will_write(name, value_text(table, std::vector<db::Cell>{unique}));
      amount += integer_at(reply, row, 2);
    }
    if (!client.run("update order_line set ol_delivery_d = ?, w = ? where ol_w_id = ? and ol_d_id = ? and ol_o_id = ?",
                    {unique, unique, w, d, o})) {
      return std::nullopt;
    }
    if (client.reply().changed != lines) return client.roll_back(), std::nullopt;
    return amount;
  }

  LearningUpdate add_to_customer_;
};

}  // namespace

std::unique_ptr<Transaction> make_delivery(const Context& context) { return std::make_unique<Delivery>(context); }

}  // namespace isolde::record::tpcc
