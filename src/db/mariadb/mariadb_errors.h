// db/mariadb/mariadb_errors.h: what MariaDB's and MySQL's error numbers mean for the transaction.
//
// Always: two tables, since the same number means another thing for a COMMIT: InnoDB either rolled everything back, or
//         nobody can say. What a live test has seen on a server is in tests/live/mariadb_driver_test.cc; the rest is
//         from the manuals. Both are in docs/databases.md.
#pragma once

#include <span>

#include "db/errors.h"

namespace isolde::db {

[[nodiscard]] std::span<const ErrorRow> mariadb_errors();
// kLost here: whether it was committed is not known.
[[nodiscard]] std::span<const ErrorRow> mariadb_commit_errors();

}  // namespace isolde::db
