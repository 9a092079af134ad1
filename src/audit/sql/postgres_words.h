// audit/sql/postgres_words.h: words that PostgreSQL's grammar treats as its own, and what they are elsewhere.
#pragma once

#include <string_view>

namespace isolde::audit {

// All in upper case.

// Reserved by PostgreSQL but a plain name in MySQL and SQLite: user, end, offset, collation …
[[nodiscard]] bool is_name_elsewhere(std::string_view word);
// A name of a type in PostgreSQL, so that it cannot be called as a function without quotes: TIME(x), CHAR(65).
[[nodiscard]] bool is_type_not_function(std::string_view word);
// Not taken as a column's alias without AS.
[[nodiscard]] bool needs_as(std::string_view word);
// A value follows: no value ends with this word, and no alias is it.
[[nodiscard]] bool comes_before_operand(std::string_view word);
// DAY, HOUR_SECOND …
[[nodiscard]] bool is_time_unit(std::string_view word);
// What ends the list of tables in FROM: WHERE, GROUP …
[[nodiscard]] bool ends_tables(std::string_view word);

}  // namespace isolde::audit
