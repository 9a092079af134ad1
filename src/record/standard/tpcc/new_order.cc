// record/standard/tpcc/new_order.cc: an order of five to fifteen lines; one in a hundred asks for an item that is not
// there, and is rolled back.
//
// The number of the order is read from the district and written back, plus one, by the client: without FOR UPDATE two
// orders may take one number at READ COMMITTED, and the stock's quantity is lost the same way.
#include <fmt/format.h>

#include <array>
#include <vector>

#include "record/standard/rows.h"
#include "record/standard/tpcc/transactions.h"

namespace isolde::record::tpcc {
namespace {

struct Line {
  std::int64_t item = 0, supplier = 0, quantity = 0;
};
struct OrderEntered {
  std::int64_t warehouse = 0, district = 0, customer = 0;
  std::vector<Line> lines;
  [[nodiscard]] bool all_local() const {
    for (const Line& line : lines) {
      if (line.supplier != warehouse) return false;
    }
    return true;
  }
};

OrderEntered draw_order(const Counts& counts, std::int64_t home, Rng& rng) {
  OrderEntered order = {.warehouse = home,
                        .district = rng.between(1, kDistricts),
                        .customer = draw_skewed(Skewed::kCustomer, 1, counts.customers, rng),
                        .lines = std::vector<Line>(static_cast<std::size_t>(rng.between(5, 15)))};
  for (Line& line : order.lines) {
    line.item = draw_skewed(Skewed::kItem, 1, counts.items, rng);
    line.supplier = home;
    if (counts.warehouses > 1 && rng.chance(0.01)) line.supplier = home % counts.warehouses + 1;
    line.quantity = rng.between(1, 10);
  }
  if (rng.chance(0.01)) order.lines.back().item = counts.items + 1;
  return order;
}

class NewOrder : public Transaction {
 public:
  explicit NewOrder(const Context& context)
      : counts_(context.counts),
        lock_(context.lock),
        select_district_("select d_next_o_id, w, d_tax from district where d_w_id = ? and d_id = ?" +
                         context.for_update) {
    for (std::size_t d = 0; d < select_stock_.size(); ++d)
      select_stock_[d] =
          fmt::format("select s_quantity, w, s_data, s_dist_{:02} from stock where s_w_id = ? and s_i_id = ?{}", d + 1,
                      context.for_update);
  }

  void run(Client& client, std::int64_t home, Rng& rng) const override {
    const OrderEntered order = draw_order(counts_, home, rng);
    if (!client.begin()) return;
    if (!read_rates(client, order)) return;
    const auto number = take_number(client, order);
    if (!number || !insert_order(client, order, *number)) return;
    for (std::size_t i = 0; i < order.lines.size(); ++i) {
      if (!add_line(client, order, *number, static_cast<std::int64_t>(i) + 1, order.lines[i])) return;
    }
    client.commit();
  }

 private:
  // Nobody changes what is read here, nor the items below: it is not recorded.
  static bool read_rates(Client& client, const OrderEntered& order) {
    return client.run("select w_tax from warehouse where w_id = ?", {order.warehouse}) &&
           client.run("select c_discount, c_last, c_credit from customer where c_w_id = ? and c_d_id = ? and c_id = ?",
                      {order.warehouse, order.district, order.customer});
  }

  std::optional<std::int64_t> take_number(Client& client, const OrderEntered& order) const {
    const TracedTable& table = tables().district;
    if (!client.run(select_district_, {order.warehouse, order.district})) return std::nullopt;
    if (!saw_row(client, table, {order.warehouse, order.district}, lock_)) return client.commit(), std::nullopt;
    const std::int64_t number = integer_at(client.reply(), 0, 0);
    const std::int64_t unique = client.unique();
    if (!update_row(client, table, {order.warehouse, order.district}, {number + 1, unique},
                    "update district set d_next_o_id = ?, w = ? where d_w_id = ? and d_id = ?",
                    {number + 1, unique, order.warehouse, order.district})) {
      return std::nullopt;
    }
    return number;
  }

  static bool insert_order(Client& client, const OrderEntered& order, std::int64_t number) {
    const Tables& t = tables();
    const std::int64_t unique = client.unique();
    const auto count = static_cast<std::int64_t>(order.lines.size());
    return write_row(client, t.orders, {order.warehouse, order.district, number}, {db::Cell(), unique},
                     "insert into orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, "
                     "o_all_local, w) values (?, ?, ?, ?, ?, null, ?, ?, ?)",
                     {order.warehouse, order.district, number, order.customer, unique, count,
                      std::int64_t{order.all_local()}, unique}) &&
           write_row(client, t.new_order, {order.warehouse, order.district, number}, {unique},
                     "insert into new_order (no_w_id, no_d_id, no_o_id, w) values (?, ?, ?, ?)",
                     {order.warehouse, order.district, number, unique});
  }

  bool add_line(Client& client, const OrderEntered& order, std::int64_t number, std::int64_t place,
                const Line& line) const {
    const Tables& t = tables();
    if (!client.run("select i_price, i_name, i_data from item where i_id = ?", {line.item})) return false;
    if (client.reply().rows() == 0) return client.roll_back(), false;
    const std::int64_t amount = line.quantity * integer_at(client.reply(), 0, 0);

    const std::string& select = select_stock_[static_cast<std::size_t>(order.district - 1)];
    if (!client.run(select, {line.supplier, line.item})) return false;
    if (!saw_row(client, t.stock, {line.supplier, line.item}, lock_)) return client.commit(), false;
    const std::int64_t before = integer_at(client.reply(), 0, 0);
    const db::Cell info = client.reply().at(0, 3);
    const std::int64_t after = before - line.quantity + (before - line.quantity >= 10 ? 0 : 91);
    const std::int64_t remote = line.supplier == order.warehouse ? 0 : 1;
    const std::int64_t unique = client.unique();
    return update_row(client, t.stock, {line.supplier, line.item}, {after, unique},
                      "update stock set s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, "
                      "s_remote_cnt = s_remote_cnt + ?, w = ? where s_w_id = ? and s_i_id = ?",
                      {after, line.quantity, remote, unique, line.supplier, line.item}) &&
           write_row(client, t.order_line, {order.warehouse, order.district, number, place}, {unique},
                     "insert into order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, "
                     "ol_delivery_d, ol_quantity, ol_amount, ol_dist_info, w) "
                     "values (?, ?, ?, ?, ?, ?, null, ?, ?, ?, ?)",
                     {order.warehouse, order.district, number, place, line.item, line.supplier, line.quantity, amount,
                      info, unique});
  }

  Counts counts_;
  Lock lock_;
  std::string select_district_;
  std::array<std::string, kDistricts> select_stock_;
};

}  // namespace

std::unique_ptr<Transaction> make_new_order(const Context& context) { return std::make_unique<NewOrder>(context); }

}  // namespace isolde::record::tpcc
