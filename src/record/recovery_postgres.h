// record/recovery_postgres.h: PostgreSQL's certificate: the order of commits and the row versions of its own log.
//
// In, out: a publication of the traced tables and a logical replication slot (pgoutput), made before the run; what the
//          slot has after it -> versions (logged_versions.h).
// Always:  the order of commits in the log is the order of each key's versions, because a row's next writer waits for
//          the one before it to end. Asking for the log takes no lock that a client could meet. The slot is temporary,
//          and goes with its session, unless the server is going to be restarted. What runs that died have left is
//          removed by the next one: who lives holds an advisory lock.
// Cost:    the server decodes the log from the run's start; measured in docs/databases.md.
// Needs:   wal_level = logical, the attribute REPLICATION, a primary key on every traced table.
#pragma once

#include <memory>
#include <string>

#include "record/recovery.h"

namespace isolde::record {

[[nodiscard]] Result<std::unique_ptr<Recovery>> make_postgres_recovery(const RecoverySetup& setup,
                                                                       std::string& why_not);

}  // namespace isolde::record
