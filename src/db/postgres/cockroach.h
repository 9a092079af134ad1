// db/postgres/cockroach.h: CockroachDB, by what differs from PostgreSQL. No such server is at hand: what is here
// follows CockroachDB's documentation (v23.1 to v26.1), and its answers are tested with texts written after it.
//
// URL:      cockroachdb://user@host:26257/database
// Levels:   serializable is the default; read committed (v23.2 and later) runs as serializable where the cluster's
//           setting sql.txn.read_committed_isolation.enabled is off; repeatable read (preview) is snapshot isolation
//           and runs as serializable where sql.txn.repeatable_read_isolation.enabled is off.
// Errors:   PostgreSQL's table. 40001 asks for a retry, which is the client's; 40003 ("result is ambiguous") is an
//           unknown outcome and counts as a lost connection.
// Evidence: cluster_logical_timestamp(), the timestamp that a serializable transaction reads and commits at (hlc.h); at
//           the weaker levels it is an error. Asking fixes the timestamp: a transaction that would have moved to a
//           later one is refused (40001) instead. So it costs retries, and shows fewer interleavings than without.
// Not here: who waits for whom, and ending a session by its number: CockroachDB names sessions by 128-bit texts.
#pragma once

#include <memory>

#include "db/database.h"
#include "db/postgres/flavour.h"

namespace isolde::db {

[[nodiscard]] Result<std::unique_ptr<Database>> open_cockroach(const Url& url);

// What is asked at this level; for tests.
[[nodiscard]] FactsQuestion cockroach_facts(const ServerLevel& level);

}  // namespace isolde::db
