// db/sqlite/sqlite_connection.h: one connection to an SQLite file, and what its result codes mean.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "db/connection.h"

namespace isolde::db {

struct SqliteMode {
  bool wal = true;            // else the rollback journal, mode "delete"
  bool shared_cache = false;  // with PRAGMA read_uncommitted
  bool immediate = false;     // BEGIN IMMEDIATE takes the write lock at once
  int timeout_ms = 0;
};

// `commits` counts the commits of all connections to the file; it outlives them.
[[nodiscard]] Result<std::unique_ptr<Connection>> connect_sqlite(const std::string& file, SqliteMode mode,
                                                                 std::atomic<std::int64_t>& commits);
[[nodiscard]] std::string sqlite_version();

}  // namespace isolde::db
