// db/dialect.h: how a database wants its SQL written; data, one constant a dialect.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/family.h"

namespace isolde::db {

enum class Upsert : std::uint8_t { kOnConflict, kOnDuplicateKey };

struct Dialect {
  std::string_view name;  // of its product (db/product.h): "postgres", "mariadb", "sqlite"
  Family family;
  std::string_view text_type;  // unbounded text: "text", "longtext"
  std::string_view concat;     // {0} and {1} are the two texts: "{0} || {1}", "concat({0}, {1})"
  // A column that holds a list, and how it is made to grow by one integer; empty where there is none.
  std::string_view list_type;    // "bigint[]", "json"
  std::string_view list_append;  // {0}: the column, ? : the element
  std::string_view for_update;   // " for update", or empty where every writing transaction locks anyway
  Upsert upsert = Upsert::kOnConflict;
  bool has_merge = false;             // the MERGE statement
  bool has_update_returning = false;  // UPDATE … RETURNING, DELETE … RETURNING
  // Counts the tables and views of one name (?) where tables are made.
  std::string_view table_exists =
      "select count(*) from information_schema.tables where table_schema = current_schema() and table_name = ?";
  std::string_view table_options;  // what follows CREATE TABLE t (…): " engine=InnoDB"
};

// `a` and `b` put together as texts.
[[nodiscard]] std::string concatenated(const Dialect& dialect, std::string_view a, std::string_view b);
// INSERT that overwrites `column` of the row that has the key already: parameters are the key and the value.
[[nodiscard]] std::string upsert_sql(const Dialect& dialect, std::string_view table, std::string_view key_column,
                                     std::string_view column);

}  // namespace isolde::db
