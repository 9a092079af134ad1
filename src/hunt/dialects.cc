#include "hunt/dialects.h"

#include <algorithm>
#include <iterator>

namespace isolde::hunt {
namespace {

// Those that name no table, so that they mean something whatever the query's row sources are called.
constexpr std::string_view kMysqlHints[] = {"no_semijoin()", "join_fixed_order()", "set_var(optimizer_switch='mrr=on')",
                                            "set_var(max_seeks_for_key=1)"};
constexpr std::string_view kTidbHints[] = {"hash_agg()", "stream_agg()", "no_index_merge()", "use_toja(true)",
                                           "limit_to_cop()"};

constexpr HuntDialect kHuntDialects[] = {
    {.name = "postgres",
     .family = Family::kPostgres,
     .product = "PostgreSQL",
     .collation = {},
     .prepares = Prepares::kByDriver},
    {.name = "mariadb",
     .family = Family::kMysql,
     .product = "MariaDB",
     .collation = "utf8mb4_nopad_bin",
     .prepares = Prepares::kExecuteImmediate,
     .is_innodb = true},
    {.name = "mysql",
     .family = Family::kMysql,
     .product = "MySQL",
     .collation = "utf8mb4_0900_bin",
     .prepares = Prepares::kPrepareFrom,
     .is_innodb = true,
     .first_except = 80031,
     .hints = kMysqlHints},
    {.name = "tidb",
     .family = Family::kMysql,
     .product = "TiDB",
     .collation = "utf8mb4_0900_bin",
     .prepares = Prepares::kPrepareFrom,
     .shares_locks = false,
     .hints = kTidbHints},
    {.name = "sqlite",
     .family = Family::kSqlite,
     .product = "SQLite",
     .collation = {},
     .prepares = Prepares::kByDriver,
     .locks_rows = false,
     .shares_locks = false,
     // 3.49.1 has the bug (docs/found/sqlite-not-in-descending-index.md), 3.54.0 does not.
     .first_descending = 35400},
};

}  // namespace

std::span<const HuntDialect> hunt_dialects() { return kHuntDialects; }

const HuntDialect* hunt_dialect(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kHuntDialects), std::end(kHuntDialects),
                                         [&](const HuntDialect& one) { return one.name == name; });
  return found == std::end(kHuntDialects) ? nullptr : found;
}

Family family_of(std::string_view dialect) {
  const HuntDialect* const found = hunt_dialect(dialect);
  return found == nullptr ? Family::kPostgres : found->family;
}

std::string_view spoken_dialect(std::string_view driver, std::string_view server) {
  if (!is_of_mysql(driver)) return driver;
  for (const HuntDialect& one : kHuntDialects)
    if (one.family == Family::kMysql && server.starts_with(one.product)) return one.name;
  return driver;
}

std::string translated(std::string sql, std::string_view from, std::string_view to) {
  const HuntDialect* const here = hunt_dialect(from);
  const HuntDialect* const there = hunt_dialect(to);
  if (here == nullptr || there == nullptr || here->collation.empty() || here->collation == there->collation) return sql;
  for (std::size_t at = sql.find(here->collation); at != std::string::npos;
       at = sql.find(here->collation, at + there->collation.size()))
    sql.replace(at, here->collation.size(), there->collation);
  return sql;
}

}  // namespace isolde::hunt
