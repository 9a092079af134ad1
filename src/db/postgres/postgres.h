// db/postgres/postgres.h: PostgreSQL over libpq (13 or later).
//
// URL:      postgres://user:password@host:port/database; a host that begins with / is the folder of a unix socket.
//           Options are libpq's own: sslmode, connect_timeout, application_name, options …
// Levels:   the four of the SQL standard. Read uncommitted behaves as read committed does; repeatable read is snapshot
//           isolation; serializable is SSI.
// Evidence: xid of what a transaction wrote at every level, its snapshot where one serves the whole transaction
//           (facts.h); the order of versions from the log (record/recovery_postgres.h).
#pragma once

#include <memory>

#include "db/database.h"

namespace isolde::db {

[[nodiscard]] Result<std::unique_ptr<Database>> open_postgres(const Url& url);

}  // namespace isolde::db
