// db/guard/file_sql_dialects.h: file_sql.h, one dialect each.
#pragma once

#include <string>
#include <string_view>

#include "db/guard/file_sql.h"

namespace isolde::db {

[[nodiscard]] std::string why_postgres_refuses(std::string_view sql, const OwnTables& own);
[[nodiscard]] std::string why_mariadb_refuses(std::string_view sql, const OwnTables& own);
[[nodiscard]] std::string why_sqlite_refuses(std::string_view sql, const OwnTables& own);

}  // namespace isolde::db
