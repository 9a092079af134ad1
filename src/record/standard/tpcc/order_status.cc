// record/standard/tpcc/order_status.cc: a customer's last order and its lines; reads only.
#include "record/standard/rows.h"
#include "record/standard/tpcc/transactions.h"

namespace isolde::record::tpcc {
namespace {

class OrderStatus : public Transaction {
 public:
  explicit OrderStatus(const Context& context) : counts_(context.counts), customer_("", Lock::kNone) {}

  void run(Client& client, std::int64_t home, Rng& rng) const override {
    const std::int64_t district = rng.between(1, kDistricts);
    const CustomerAsked asked = CustomerSelect::draw(counts_, home, district, rng);
    if (!client.begin()) return;
    const auto customer = customer_.run(client, asked);
    if (!customer) return;
    if (!client.run("select o_carrier_id, w, o_id, o_entry_d from orders "
                    "where o_w_id = ? and o_d_id = ? and o_c_id = ? order by o_id desc limit 1",
                    {home, district, customer->id})) {
      return;
    }
    if (client.reply().rows() != 0 && !read_lines(client, home, district)) return;
    client.commit();
  }

 private:
  // The last reply is the order.
  static bool read_lines(Client& client, std::int64_t home, std::int64_t district) {
    const Tables& t = tables();
    const std::int64_t order = integer_at(client.reply(), 0, 2);
    saw_row(client, t.orders, {home, district, order});
    if (!client.run("select w, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d "
                    "from order_line where ol_w_id = ? and ol_d_id = ? and ol_o_id = ?",
                    {home, district, order})) {
      return false;
    }
    const db::Reply& reply = client.reply();
    for (std::size_t row = 0; row < reply.rows(); ++row)
      client.saw(key_text(t.order_line, {home, district, order, integer_at(reply, row, 1)}),
                 value_at(reply, t.order_line, row));
    return true;
  }

  Counts counts_;
  CustomerSelect customer_;
};

}  // namespace

std::unique_ptr<Transaction> make_order_status(const Context& context) {
  return std::make_unique<OrderStatus>(context);
}

}  // namespace isolde::record::tpcc
