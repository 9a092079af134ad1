#include "hunt/case/dialects.h"

#include <fmt/format.h>

#include <cstdlib>

namespace isolde::hunt {

const db::HuntRules* hunt_dialect(std::string_view name) {
  const db::Product* const product = db::find_product(name);
  return product == nullptr ? nullptr : product->hunt;
}

const db::HuntRules& rules_of(std::string_view dialect) {
  const db::HuntRules* const rules = hunt_dialect(dialect);
  if (rules == nullptr) std::abort();  // it was to be refused before
  return *rules;
}

std::string hunted_products() {
  return db::titles_where([](const db::Product& product) { return product.hunt != nullptr; });
}

bool share_grammar(std::string_view a, std::string_view b) {
  const db::HuntRules* const one = hunt_dialect(a);
  const db::HuntRules* const other = hunt_dialect(b);
  return one != nullptr && other != nullptr && one->grammar == other->grammar;
}

std::string_view spoken_dialect(std::string_view driver, std::string_view server) {
  const db::Product* const described = db::product_described(server);
  return described != nullptr && share_grammar(driver, described->name) ? described->name : driver;
}

std::string translated(std::string sql, std::string_view from, std::string_view to) {
  const db::HuntRules* const here = hunt_dialect(from);
  const db::HuntRules* const there = hunt_dialect(to);
  if (here == nullptr || there == nullptr || here->collation.empty() || here->collation == there->collation) return sql;
  for (std::size_t at = sql.find(here->collation); at != std::string::npos;
       at = sql.find(here->collation, at + there->collation.size()))
    sql.replace(at, here->collation.size(), there->collation);
  return sql;
}

std::string filled_in(std::string_view text, std::string_view name, std::string_view value) {
  std::string out(text);
  const std::string place = fmt::format("{{{}}}", name);
  for (std::size_t at = out.find(place); at != std::string::npos; at = out.find(place, at + value.size()))
    out.replace(at, place.size(), value);
  return out;
}

}  // namespace isolde::hunt
