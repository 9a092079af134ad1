// db/postgres/placeholders.h: `?` into $1, $2 …, except in quotes and comments.
//
// In, out: one statement -> the same with numbered parameters, and how many there are.
// Always:  '…' (with doubled quotes), E'…' (with backslashes), "…", $tag$…$tag$, -- … and nested /* … */ are copied as
//          they are; what is not closed goes on to the end.
// Cost:    linear.  Source: the PostgreSQL manual, section 4.1.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace isolde::db {

struct NumberedSql {
  std::string sql;
  std::size_t parameters = 0;
};

[[nodiscard]] NumberedSql number_placeholders(std::string_view sql);

}  // namespace isolde::db
