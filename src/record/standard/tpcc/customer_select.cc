#include <fmt/format.h>

#include "record/standard/rows.h"
#include "record/standard/tpcc/transactions.h"

namespace isolde::record::tpcc {
CustomerSelect::CustomerSelect(std::string_view for_update, Lock lock)
    : select_(fmt::format("select c_balance, w, c_ytd_payment, c_payment_cnt, c_credit, c_data from customer "
                          "where c_w_id = ? and c_d_id = ? and c_id = ?{}",
                          for_update)),
      lock_(lock) {}

CustomerAsked CustomerSelect::draw(const Counts& counts, std::int64_t warehouse, std::int64_t district, Rng& rng) {
  CustomerAsked asked = {.warehouse = warehouse, .district = district, .number = std::nullopt, .last_name = {}};
  if (rng.chance(0.6)) {
    asked.last_name = last_name(draw_skewed(Skewed::kLastName, 0, counts.last_names() - 1, rng));
  } else {
    asked.number = draw_skewed(Skewed::kCustomer, 1, counts.customers, rng);
  }
  return asked;
}

std::optional<CustomerRow> CustomerSelect::run(Client& client, const CustomerAsked& asked) const {
  const auto& [warehouse, district, number, name] = asked;
  std::int64_t id = number.value_or(0);
  if (!number) {
    if (!client.run("select c_id from customer where c_w_id = ? and c_d_id = ? and c_last = ? order by c_first, c_id",
                    {warehouse, district, name})) {
      return std::nullopt;
    }
    const std::size_t found = client.reply().rows();
    if (found == 0) return client.roll_back(), std::nullopt;
    id = integer_at(client.reply(), (found - 1) / 2, 0);
  }
  if (!client.run(select_, {warehouse, district, id})) return std::nullopt;
  if (!saw_row(client, tables().customer, {warehouse, district, id}, lock_)) return client.commit(), std::nullopt;
  const db::Reply& reply = client.reply();
  return CustomerRow{.id = id,
                     .balance = integer_at(reply, 0, 0),
                     .ytd_payment = integer_at(reply, 0, 2),
                     .payments = integer_at(reply, 0, 3),
                     .credit = db::text_in(reply.at(0, 4)),
                     .data = db::text_in(reply.at(0, 5))};
}

}  // namespace isolde::record::tpcc
