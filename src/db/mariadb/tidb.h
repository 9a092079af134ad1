// db/mariadb/tidb.h: TiDB, a flavour of the MariaDB driver: what differs is levels, error codes and timestamps.
//
// URL: tidb://user@host:port/database (port 4000). Options: mode=pessimistic|optimistic (not given: what the server
// has),
//      status_port=PORT (10080), where record/tidb_mvcc.h asks for versions.
// Levels: "repeatable read" is what TiDB's manual calls snapshot isolation; "read committed" exists in pessimistic mode
//      only. In pessimistic mode a locking read and an UPDATE work on the newest version, not on the snapshot: a
//      history of such transactions may break snapshot isolation, as InnoDB's does.
// Evidence: start_ts is @@tidb_current_ts, asked for in the same round trip as the start of the transaction; commit_ts
// is
//      in @@tidb_last_txn_info, for_update_ts in @@tidb_last_query_info, both asked for in the same round trip as
//      COMMIT. That variable describes the session's last transaction that wrote: its start_ts tells whether it is this
//      one. One that wrote nothing gets its start_ts as commit_ts. At read committed a transaction has no one snapshot,
//      and nothing is asked. There is no commit_place: two transactions with nothing in common may share a commit_ts.
// Not tried on a server: none was at hand. Tests run the parsing on answers as TiDB's documentation and tests show them
//      (tests/fixtures/tidb), and the wire's part on MariaDB.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "db/database.h"
#include "db/errors.h"

namespace isolde::db {

[[nodiscard]] Result<std::unique_ptr<Database>> open_tidb(const Url& url);

[[nodiscard]] std::span<const ErrorRow> tidb_errors();
[[nodiscard]] std::span<const ErrorRow> tidb_commit_errors();

// What @@tidb_last_txn_info says. None: it is empty (the session has written nothing yet), or of another form.
struct TidbTxnInfo {
  std::int64_t start_ts = 0, commit_ts = 0;
};
[[nodiscard]] std::optional<TidbTxnInfo> parse_tidb_txn_info(std::string_view json);

// What @@tidb_last_query_info says of the session's last statement on rows. None: it is of another form.
struct TidbQueryInfo {
  std::int64_t start_ts = 0, for_update_ts = 0;
};
[[nodiscard]] std::optional<TidbQueryInfo> parse_tidb_query_info(std::string_view json);

// The facts of a transaction that was just committed. `start_ts`: its own; `before`, `after`: @@tidb_last_txn_info
// before and after it; `query`: @@tidb_last_query_info after it, which COMMIT leaves alone.
[[nodiscard]] TxnFacts tidb_facts(std::int64_t start_ts, std::string_view before, std::string_view after,
                                  std::string_view query, bool one_snapshot);

// "8.0.11-TiDB-v7.5.0" -> "TiDB v7.5.0"
[[nodiscard]] std::string tidb_version(std::string_view version);

}  // namespace isolde::db
