#include "db/database.h"

#include <fmt/format.h>

#include "base/text.h"
#include "db/product.h"

namespace isolde::db {
Result<std::unique_ptr<Database>> open_database(const Url& url) {
  const Product* const product = product_of_scheme(url.scheme);
  if (product == nullptr)
    return Error{fmt::format("there is no driver for {}: use {}", url.scheme,
                             names_where([](const Product& one) { return one.open != nullptr; }))};
  return product->open(url);
}

Result<const ServerLevel*> level_named(const Database& database, std::string_view name) {
  for (const ServerLevel& level : database.levels()) {
    if (same_name(level.name, name)) return &level;
  }
  std::string all;
  for (const ServerLevel& level : database.levels())
    all += fmt::format("{}\"{}\"", all.empty() ? "" : ", ", level.name);
  const auto asked = isolde::level_named(name);
  if (!asked) return Error{fmt::format("\"{}\" is not a level of this database ({})", name, all)};
  const ServerLevel* best = nullptr;
  for (const ServerLevel& level : database.levels()) {
    if (level.claims != *asked && !implies(level.claims, *asked)) continue;
    if (best == nullptr || (best->claims != level.claims && implies(best->claims, level.claims))) best = &level;
    if (best->claims == level.claims && level.is_default) best = &level;
  }
  if (best == nullptr)
    return Error{fmt::format("no level of this database claims {} (it has {})", info(*asked).name, all)};
  return best;
}

}  // namespace isolde::db
