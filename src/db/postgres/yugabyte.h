// db/postgres/yugabyte.h: YugabyteDB (YSQL), by what differs from PostgreSQL. No such server is at hand: what is here
// follows YugabyteDB's documentation.
//
// URL:      yugabytedb://user@host:5433/database
// Levels:   serializable; repeatable read, which is snapshot isolation; read committed, which is snapshot isolation too
//           unless the tablet servers run with yb_enable_read_committed_isolation=true (describe() shows what it is).
//           Read uncommitted is read committed.
// Errors:   PostgreSQL's table: 40001 (conflict, read restart) and 40P01 end a transaction.
// Evidence: none. yb_get_current_transaction() gives a UUID, which says nothing of order; xids and snapshots of
//           PostgreSQL's own machinery mean nothing there, since rows are not stored by it.
#pragma once

#include <memory>

#include "db/database.h"

namespace isolde::db {

[[nodiscard]] Result<std::unique_ptr<Database>> open_yugabyte(const Url& url);

}  // namespace isolde::db
