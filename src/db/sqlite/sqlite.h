// db/sqlite/sqlite.h: SQLite, in this process: the default database, for which no server is needed.
//
// URL: sqlite:FILE (no file: a scratch file that goes with the Database). Options: timeout=MS, how long a request waits
//      for a lock (0: it fails at once with SQLITE_BUSY).
// Levels: journal mode and kind of BEGIN; "shared-cache read_uncommitted deferred" is the only weak one.
// Evidence: the place of each commit, counted in SQLite's commit hook while the committing connection holds the write
//      lock. Hooks see only commits of this process.
#pragma once

#include <memory>

#include "db/database.h"

namespace isolde::db {

[[nodiscard]] Result<std::unique_ptr<Database>> open_sqlite(const Url& url);

}  // namespace isolde::db
