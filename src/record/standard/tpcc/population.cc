#include "record/standard/tpcc/population.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "record/standard/rows.h"

namespace isolde::record::tpcc {
namespace {

using Integer = std::int64_t;

constexpr Integer kPaidAtFirst = 10'00;  // by every customer, and booked in the table history

// Chance for one row: by the seed and the key of the row.
Rng rng_for(std::uint64_t seed, std::initializer_list<Integer> key) {
  for (const Integer part : key) seed = mix64(seed + static_cast<std::uint64_t>(part) + 0x9e3779b97f4a7c15ULL);
  return Rng(seed);
}

enum DrawnFor : Integer { kStock = 1, kOrder, kCarrier, kLine, kItemRow, kCustomerRow, kRates, kCustomersOfOrders };

Integer stock_at_first(std::uint64_t seed, Integer w, Integer i) {
  return rng_for(seed, {kStock, w, i}).between(10, 100);
}
Integer lines_at_first(std::uint64_t seed, Integer w, Integer d, Integer o) {
  return rng_for(seed, {kOrder, w, d, o}).between(5, 15);
}
db::Cell carrier_at_first(const Counts& counts, std::uint64_t seed, Integer w, Integer d, Integer o) {
  if (o > counts.delivered()) return {};
  return rng_for(seed, {kCarrier, w, d, o}).between(1, 10);
}

std::string numbered_text(std::string_view what, Integer number) { return fmt::format("{}-{}", what, number); }

class Population {
 public:
  Population(db::Connection& c, const Counts& counts, std::uint64_t seed)
      : counts_(counts),
        seed_(seed),
        item_(c, "item", "i_id, i_im_id, i_name, i_price, i_data"),
        warehouse_(c, "warehouse", "w_id, w_name, w_street_1, w_street_2, w_city, w_state, w_zip, w_tax, w_ytd, w"),
        stock_(c, "stock",
               "s_w_id, s_i_id, s_quantity, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, "
               "s_dist_07, s_dist_08, s_dist_09, s_dist_10, s_ytd, s_order_cnt, s_remote_cnt, s_data, w"),
        district_(c, "district",
                  "d_w_id, d_id, d_name, d_street_1, d_street_2, d_city, d_state, d_zip, d_tax, d_ytd, d_next_o_id, w"),
        customer_(c, "customer",
                  "c_w_id, c_d_id, c_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, "
                  "c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_payment_cnt, "
                  "c_delivery_cnt, c_data, w"),
        history_(c, "history", "h_id, h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data, w"),
        orders_(c, "orders", "o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local, w"),
        new_order_(c, "new_order", "no_w_id, no_d_id, no_o_id, w"),
        order_line_(c, "order_line",
                    "ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, "
                    "ol_amount, ol_dist_info, w") {}

  Result<void> load() {
    for (Integer i = 1; i <= counts_.items; ++i) add_item(i);
    for (Integer w = 1; w <= counts_.warehouses; ++w) {
      const Integer rate = rng_for(seed_, {kRates, w}).between(0, 2'000);
      warehouse_.add({w, numbered_text("warehouse", w), numbered_text("street", w), "", numbered_text("city", w), "ST",
                      "123411111", rate, kDistricts * counts_.customers * kPaidAtFirst, kZero});
      for (Integer i = 1; i <= counts_.items; ++i) add_stock(w, i);
      for (Integer d = 1; d <= kDistricts; ++d) add_district(w, d);
    }
    for (RowLoader* rows :
         {&item_, &warehouse_, &stock_, &district_, &customer_, &history_, &orders_, &new_order_, &order_line_}) {
      if (auto result = rows->finish(); !result) return result;
    }
    return {};
  }

 private:
  static constexpr Integer kZero = 0;

  void add_item(Integer i) {
    Rng rng = rng_for(seed_, {kItemRow, i});
    item_.add({i, rng.between(1, 10'000), numbered_text("item", i), rng.between(1'00, 100'00),
               rng.chance(0.1) ? "ORIGINAL" : numbered_text("data", i)});
  }
  void add_stock(Integer w, Integer i) {
    const std::string info = fmt::format("{:024}", i);
    stock_.add({w, i, stock_at_first(seed_, w, i), info, info, info, info, info, info, info, info, info, info, kZero,
                kZero, kZero, i % 10 == 0 ? "ORIGINAL" : numbered_text("data", i), kZero});
  }
  void add_district(Integer w, Integer d) {
    const Integer rate = rng_for(seed_, {kRates, w, d}).between(0, 2'000);
    district_.add({w, d, numbered_text("district", d), numbered_text("street", d), "", numbered_text("city", d), "ST",
                   "123411111", rate, counts_.customers * kPaidAtFirst, counts_.customers + 1, kZero});
    for (Integer c = 1; c <= counts_.customers; ++c) add_customer(w, d, c);
    std::vector<Integer> customers(static_cast<std::size_t>(counts_.customers));
    std::iota(customers.begin(), customers.end(), 1);
    Rng rng = rng_for(seed_, {kCustomersOfOrders, w, d});
    for (std::size_t i = customers.size(); i > 1; --i) std::swap(customers[i - 1], customers[rng.below(i)]);
    for (Integer o = 1; o <= counts_.customers; ++o) add_order(w, d, o, customers[static_cast<std::size_t>(o - 1)]);
  }
  void add_customer(Integer w, Integer d, Integer c) {
    Rng rng = rng_for(seed_, {kCustomerRow, w, d, c});
    const Integer name = c <= 1'000 ? c - 1 : draw_skewed(Skewed::kLastName, 0, 999, rng);
    customer_.add({w,
                   d,
                   c,
                   numbered_text("first", rng.between(0, 99'999)),
                   "OE",
                   last_name(name),
                   numbered_text("street", c),
                   "",
                   numbered_text("city", c),
                   "ST",
                   "123411111",
                   "0123456789012345",
                   kZero,
                   rng.chance(0.1) ? "BC" : "GC",
                   Integer{50'000'00},
                   rng.between(0, 5'000),
                   -kPaidAtFirst,
                   kPaidAtFirst,
                   Integer{1},
                   kZero,
                   numbered_text("data", c),
                   kZero});
    // Keys of the rows that are inserted later are above zero.
    history_.add(
        {-(((w * kDistricts) + d) * (counts_.customers + 1) + c), c, d, w, d, w, kZero, kPaidAtFirst, "first", kZero});
  }
  void add_order(Integer w, Integer d, Integer o, Integer c) {
    const bool delivered = o <= counts_.delivered();
    const Integer lines = lines_at_first(seed_, w, d, o);
    orders_.add({w, d, o, c, kZero, carrier_at_first(counts_, seed_, w, d, o), lines, Integer{1}, kZero});
    if (!delivered) new_order_.add({w, d, o, kZero});
    for (Integer number = 1; number <= lines; ++number) {
      Rng rng = rng_for(seed_, {kLine, w, d, o, number});
      order_line_.add({w, d, o, number, rng.between(1, counts_.items), w, delivered ? db::Cell(kZero) : db::Cell(),
                       Integer{5}, delivered ? kZero : rng.between(1, 9'999'99), "info", kZero});
    }
  }

  Counts counts_;
  std::uint64_t seed_;
  RowLoader item_, warehouse_, stock_, district_, customer_, history_, orders_, new_order_, order_line_;
};

}  // namespace

Result<void> load(db::Connection& connection, const Counts& counts, std::uint64_t seed) {
  return Population(connection, counts, seed).load();
}

std::string initial(const Counts& counts, std::uint64_t seed) {
  const Tables& t = tables();
  constexpr Integer kZero = 0;
  InitialObject all;
  for (Integer w = 1; w <= counts.warehouses; ++w) {
    all.add(t.warehouse, {w}, {kZero});
    for (Integer i = 1; i <= counts.items; ++i) all.add(t.stock, {w, i}, {stock_at_first(seed, w, i), kZero});
    for (Integer d = 1; d <= kDistricts; ++d) {
      all.add(t.district, {w, d}, {counts.customers + 1, kZero});
      for (Integer c = 1; c <= counts.customers; ++c) all.add(t.customer, {w, d, c}, {-kPaidAtFirst, kZero});
      for (Integer o = 1; o <= counts.customers; ++o) {
        all.add(t.orders, {w, d, o}, {carrier_at_first(counts, seed, w, d, o), kZero});
        if (o > counts.delivered()) all.add(t.new_order, {w, d, o}, {kZero});
        const Integer lines = lines_at_first(seed, w, d, o);
        for (Integer number = 1; number <= lines; ++number) all.add(t.order_line, {w, d, o, number}, {kZero});
      }
    }
  }
  return std::move(all).text();
}

std::string last_name(std::int64_t number) {
  static constexpr std::string_view kSyllables[] = {"BAR", "OUGHT", "ABLE",  "PRI",   "PRES",
                                                    "ESE", "ANTI",  "CALLY", "ATION", "EING"};
  return fmt::format("{}{}{}", kSyllables[number / 100 % 10], kSyllables[number / 10 % 10], kSyllables[number % 10]);
}

std::int64_t draw_skewed(Skewed what, std::int64_t low, std::int64_t high, Rng& rng) {
  struct Row {
    std::int64_t a, c;
  };
  static constexpr Row kRows[] = {{255, 223}, {1'023, 259}, {8'191, 7'911}};
  const auto [a, c] = kRows[static_cast<int>(what)];
  const std::int64_t base = rng.between(0, a) | rng.between(low, high);
  return (base + c) % (high - low + 1) + low;
}

}  // namespace isolde::record::tpcc
