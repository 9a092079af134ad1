// audit/sql/functions.h: what is known of functions by their names.
//
// In, out: a function's name in lower case -> whether it only computes; whether the database brings it.
// Limits:  a list. What is on neither is taken for a function of the application, which may read and write tables.
#pragma once

#include <string_view>

namespace isolde::audit {

// It computes, tells a clock, or what the session knows of itself: statements of a trace that call it may be run.
[[nodiscard]] bool only_computes_or_tells(std::string_view function);

// One that comes with PostgreSQL, MySQL, MariaDB or SQLite, and touches no table of the application.
[[nodiscard]] bool is_built_in(std::string_view function);

}  // namespace isolde::audit
