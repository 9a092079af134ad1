// db/guard/file_sql_dialects.h: file_sql.h, one dialect each.
#pragma once

#include <string>
#include <string_view>

namespace isolde::db {

[[nodiscard]] std::string why_postgres_refuses(std::string_view sql);
[[nodiscard]] std::string why_mariadb_refuses(std::string_view sql);
[[nodiscard]] std::string why_sqlite_refuses(std::string_view sql);

}  // namespace isolde::db
