// db/guard/file_sql.h: which statements of a file are run: what a finding or a scenario is made of, and nothing else.
//
// A `.finding` or `.scenario` may come from anybody, and what it says is run with the rights of the person who replays
// it. So a statement is run only if everything in it is on a list: reading and changing rows, transaction control, and
// tables, views and indexes of its own, by names without a schema or a database. All else is refused, above all what
// reaches files and programs, other databases, users, or settings that decide what a name means.
// In, out: one statement, the dialect of the server and the names of the file's own tables -> "" or why it is refused,
// as
//          the end of a sentence.
// Always:  what is not understood is refused. PostgreSQL's statements are parsed by its own parser (libpg_query), those
//          of MariaDB and SQLite are taken apart into words. Who asks: why_refused() in db/product.h.
// Cost:    linear in the statement.
#pragma once

#include <string>
#include <string_view>

#include "db/own_tables.h"

namespace isolde::db {

// Whether a function does nothing but compute: it may be called by statements of a file. Lower case.
[[nodiscard]] bool only_computes(std::string_view function);

}  // namespace isolde::db
