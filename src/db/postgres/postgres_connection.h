// db/postgres/postgres_connection.h: one libpq connection, and what PostgreSQL's answers mean for the transaction.
//
// Always: a failure is kLost if the connection is gone, whatever else was said; else the flavour's table names it and
//         the server's own transaction status says what is left: failed (kMustRollBack) or none (kRolledBack).
//         commit() is kDone only if the server answered with the command tag COMMIT to a transaction that was open.
//         sever() is safe from any thread, too.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/connection.h"
#include "db/postgres/flavour.h"

namespace isolde::db {

struct PostgresTarget {
  std::vector<std::pair<std::string, std::string>> parameters;  // libpq's
  std::string shown;                                            // the URL as it may be shown
};

[[nodiscard]] Result<std::unique_ptr<Connection>> connect_postgres(const PostgresTarget& target,
                                                                   const ServerLevel& level,
                                                                   std::span<const ErrorRow> errors,
                                                                   FactsQuestion question);

}  // namespace isolde::db
