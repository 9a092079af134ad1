// record/standard/tpcc/population.h: the nine tables of TPC-C, how many rows they have, and their first rows.
//
// Always: a row is a function of the seed and its key, so that what load() inserts and what initial() says agree.
//         Every traced table has a column `w`, which each write sets to a number never used before: 0 at first.
// Money is in cents, rates in hundredths of a percent, a date is a number that grows with time: integers are written
// alike by all databases.
// Source: TPC-C 5.11, clauses 1.3 and 4.3.3.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "db/connection.h"
#include "db/dialect.h"
#include "record/workload/traced_table.h"

namespace isolde::record::tpcc {

inline constexpr std::int64_t kDistricts = 10;  // a warehouse

struct Counts {
  std::int64_t warehouses = 1;
  std::int64_t items = 1'000;   // the standard has 100,000 …
  std::int64_t customers = 30;  // … and 3,000 a district, with one order each at first

  [[nodiscard]] std::int64_t last_names() const { return customers < 1'000 ? customers : 1'000; }
  // The last three tenths of the first orders are not delivered yet.
  [[nodiscard]] std::int64_t delivered() const { return customers - customers * 3 / 10; }
};

struct Tables {
  TracedTable warehouse, district, customer, history, new_order, orders, order_line, item, stock;
  [[nodiscard]] std::vector<TracedTable> all() const {
    return {warehouse, district, customer, history, new_order, orders, order_line, item, stock};
  }
};
[[nodiscard]] const Tables& tables();

[[nodiscard]] std::vector<std::string> schema(const db::Dialect& dialect);
[[nodiscard]] Result<void> load(db::Connection& connection, const Counts& counts, std::uint64_t seed);
[[nodiscard]] std::string initial(const Counts& counts, std::uint64_t seed);

// Number 0 … 999 as the standard's three syllables: BARBARBAR, BARBAROUGHT, …
[[nodiscard]] std::string last_name(std::int64_t number);
// The standard's non-uniform choice of low … high.
enum class Skewed : std::uint8_t { kLastName, kCustomer, kItem };
[[nodiscard]] std::int64_t draw_skewed(Skewed what, std::int64_t low, std::int64_t high, Rng& rng);

}  // namespace isolde::record::tpcc
