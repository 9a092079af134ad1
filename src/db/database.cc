#include "db/database.h"

#include <fmt/format.h>

#include "base/text.h"
#include "db/mariadb/mariadb.h"
#include "db/mariadb/tidb.h"
#include "db/postgres/cockroach.h"
#include "db/postgres/postgres.h"
#include "db/postgres/yugabyte.h"
#include "db/sqlite/sqlite.h"

namespace isolde::db {
namespace {

struct Driver {
  std::string_view scheme;
  Result<std::unique_ptr<Database>> (*open)(const Url& url);
};
constexpr Driver kDrivers[] = {
    {"cockroachdb", open_cockroach}, {"mariadb", open_mariadb}, {"postgres", open_postgres},
    {"sqlite", open_sqlite},         {"tidb", open_tidb},       {"yugabytedb", open_yugabyte},
};

}  // namespace

Result<std::unique_ptr<Database>> open_database(const Url& url) {
  for (const Driver& driver : kDrivers) {
    if (driver.scheme == url.scheme) return driver.open(url);
  }
  return Error{fmt::format("there is no driver for {}", url.scheme)};
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
