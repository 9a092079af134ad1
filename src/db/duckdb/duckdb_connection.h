// db/duckdb/duckdb_connection.h: one connection to a DuckDB file, and what its errors mean.
#pragma once

#include <memory>
#include <string>

#include "db/connection.h"
#include "db/duckdb/duckdb_api.h"

namespace isolde::db {

// An open file; it is closed when the last of its users goes.
struct DuckdbFile {
  DuckdbFile(const DuckdbApi& functions, DuckdbHandle opened) : api(functions), handle(opened) {}
  ~DuckdbFile() { api.close(&handle); }
  DuckdbFile(const DuckdbFile&) = delete;
  DuckdbFile& operator=(const DuckdbFile&) = delete;

  const DuckdbApi& api;
  DuckdbHandle handle;
};

[[nodiscard]] Result<std::unique_ptr<Connection>> connect_duckdb(std::shared_ptr<DuckdbFile> file);

}  // namespace isolde::db
