#include "db/dialect.h"

#include <fmt/format.h>

namespace isolde::db {

std::string concatenated(const Dialect& dialect, std::string_view a, std::string_view b) {
  return fmt::format(fmt::runtime(dialect.concat), a, b);
}

std::string upsert_sql(const Dialect& dialect, std::string_view table, std::string_view key_column,
                       std::string_view column) {
  const std::string insert = fmt::format("insert into {} ({}, {}) values (?, ?)", table, key_column, column);
  if (dialect.upsert == Upsert::kOnDuplicateKey)
    return fmt::format("{} on duplicate key update {} = values({})", insert, column, column);
  return fmt::format("{} on conflict ({}) do update set {} = excluded.{}", insert, key_column, column, column);
}

}  // namespace isolde::db
