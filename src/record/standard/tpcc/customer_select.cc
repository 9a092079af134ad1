#include <fmt/format.h>

#include "record/standard/rows.h"
#include "record/standard/tpcc/transactions.h"

namespace isolde::record::tpcc {
namespace {

constexpr std::string_view kColumns = "c_balance, w, c_id, c_ytd_payment, c_payment_cnt, c_credit, c_data";

std::string text_at(const db::Reply& reply, std::size_t row, std::size_t column) {
  const auto* text = std::get_if<std::string>(&reply.at(row, column));
  return text == nullptr ? std::string() : *text;
}

}  // namespace

CustomerSelect::CustomerSelect(std::string_view for_update, Lock lock)
    : by_number_(
          fmt::format("select {} from customer where c_w_id = ? and c_d_id = ? and c_id = ?{}", kColumns, for_update)),
      by_name_(fmt::format("select {} from customer where c_w_id = ? and c_d_id = ? and c_last = ? "
                           "order by c_first, c_id{}",
                           kColumns, for_update)),
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
  const bool answered = number ? client.run(by_number_, {warehouse, district, *number})
                               : client.run(by_name_, {warehouse, district, name});
  if (!answered) return std::nullopt;
  const db::Reply& reply = client.reply();
  const TracedTable& table = tables().customer;
  for (std::size_t row = 0; row < reply.rows(); ++row)
    client.saw(key_text(table, {warehouse, district, integer_at(reply, row, 2)}), value_at(reply, table, row), lock_);
  if (reply.rows() == 0) {
    if (number) client.saw(key_text(table, {warehouse, district, *number}), "null", lock_);
    client.commit();
    return std::nullopt;
  }
  const std::size_t middle = (reply.rows() - 1) / 2;
  return CustomerRow{.id = integer_at(reply, middle, 2),
                     .balance = integer_at(reply, middle, 0),
                     .ytd_payment = integer_at(reply, middle, 3),
                     .payments = integer_at(reply, middle, 4),
                     .credit = text_at(reply, middle, 5),
                     .data = text_at(reply, middle, 6)};
}

}  // namespace isolde::record::tpcc
