// record/standard/tpcc/payment.cc: a customer pays: warehouse, district and customer are updated, a row is booked.
//
// The sums of the warehouse and of the district are added to by the database; the customer's balance is read and
// written back by the client.
#include <fmt/format.h>

#include "record/standard/rows.h"
#include "record/standard/tpcc/transactions.h"

namespace isolde::record::tpcc {
namespace {

constexpr std::size_t kLongestData = 500;

class Payment : public Transaction {
 public:
  explicit Payment(const Context& context)
      : counts_(context.counts),
        customer_(context.for_update, context.lock),
        add_to_district_(context.dialect, tables().district, "d_ytd = d_ytd + ?") {}

  void run(Client& client, std::int64_t home, Rng& rng) const override {
    const std::int64_t district = rng.between(1, kDistricts);
    const std::int64_t amount = rng.between(1'00, 5'000'00);
    const bool away = counts_.warehouses > 1 && rng.chance(0.15);
    const CustomerAsked asked = CustomerSelect::draw(counts_, away ? home % counts_.warehouses + 1 : home,
                                                     away ? rng.between(1, kDistricts) : district, rng);
    if (!client.begin()) return;
    if (!pay_warehouse(client, home, amount) || !pay_district(client, home, district, amount)) return;
    const auto customer = customer_.run(client, asked);
    if (!customer || !pay_customer(client, asked, *customer, amount, home, district)) return;
    const std::int64_t unique = client.unique();
    if (!write_row(
            client, tables().history, {unique}, {unique},
            "insert into history (h_id, h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data, w) "
            "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            {unique, customer->id, asked.district, asked.warehouse, district, home, unique, amount,
             fmt::format("warehouse-{}    district-{}", home, district), unique})) {
      return;
    }
    client.commit();
  }

 private:
  static bool pay_warehouse(Client& client, std::int64_t home, std::int64_t amount) {
    const TracedTable& table = tables().warehouse;
    const std::int64_t unique = client.unique();
    if (!update_row(client, table, {home}, {unique}, "update warehouse set w_ytd = w_ytd + ?, w = ? where w_id = ?",
                    {amount, unique, home}) ||
        !client.run("select w, w_name, w_street_1, w_street_2, w_city, w_state, w_zip from warehouse where w_id = ?",
                    {home})) {
      return false;
    }
    saw_row(client, table, {home});
    return true;
  }

  bool pay_district(Client& client, std::int64_t home, std::int64_t district, std::int64_t amount) const {
    if (!add_to_district_.run(client, {amount}, {home, district}) ||
        !client.run("select d_next_o_id, w, d_name, d_street_1, d_street_2, d_city, d_state, d_zip from district "
                    "where d_w_id = ? and d_id = ?",
                    {home, district})) {
      return false;
    }
    saw_row(client, tables().district, {home, district});
    return true;
  }

  static bool pay_customer(Client& client, const CustomerAsked& asked, const CustomerRow& customer, std::int64_t amount,
                           std::int64_t home, std::int64_t district) {
    const std::int64_t unique = client.unique();
    const std::int64_t balance = customer.balance - amount;
    const std::int64_t paid = customer.ytd_payment + amount;
    const std::int64_t payments = customer.payments + 1;
    const TracedTable& table = tables().customer;
    if (customer.credit != "BC") {
      return update_row(client, table, {asked.warehouse, asked.district, customer.id}, {balance, unique},
                        "update customer set c_balance = ?, c_ytd_payment = ?, c_payment_cnt = ?, w = ? "
                        "where c_w_id = ? and c_d_id = ? and c_id = ?",
                        {balance, paid, payments, unique, asked.warehouse, asked.district, customer.id});
    }
    std::string data = fmt::format("{} {} {} {} {} {} | {}", customer.id, asked.district, asked.warehouse, district,
                                   home, amount, customer.data);
    if (data.size() > kLongestData) data.resize(kLongestData);
    return update_row(client, table, {asked.warehouse, asked.district, customer.id}, {balance, unique},
                      "update customer set c_balance = ?, c_ytd_payment = ?, c_payment_cnt = ?, c_data = ?, w = ? "
                      "where c_w_id = ? and c_d_id = ? and c_id = ?",
                      {balance, paid, payments, data, unique, asked.warehouse, asked.district, customer.id});
  }

  Counts counts_;
  CustomerSelect customer_;
  LearningUpdate add_to_district_;
};

}  // namespace

std::unique_ptr<Transaction> make_payment(const Context& context) { return std::make_unique<Payment>(context); }

}  // namespace isolde::record::tpcc
