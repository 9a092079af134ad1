// db/duckdb/duckdb.h: DuckDB, in this process, through its C interface (duckdb_api.h).
//
// URL: duckdb:FILE (no file: a scratch file that goes with the Database). Option: library=FILE, the libduckdb.so to
// load
//      (not given: where the loader looks).
// Levels: one. DuckDB has no SET TRANSACTION: every transaction has a snapshot, taken when it first touches the
//      database, and the second to change a row that another has changed since fails at once (optimistic MVCC). No
//      request waits for another transaction.
// Evidence: none. txid_current() says when a transaction began, and nothing says where its commit came.
// A file is open once in a process, however many Databases have its name: DuckDB's lock on it does not keep a process
// from opening it twice, and then it is damaged.
#pragma once

#include <memory>
#include <span>

#include "db/database.h"
#include "db/errors.h"

namespace isolde::db {

[[nodiscard]] Result<std::unique_ptr<Database>> open_duckdb(const Url& url);

// What an error does to the transaction: of a statement, and of COMMIT.
[[nodiscard]] std::span<const ErrorRow> duckdb_errors();
[[nodiscard]] std::span<const ErrorRow> duckdb_commit_errors();

}  // namespace isolde::db
