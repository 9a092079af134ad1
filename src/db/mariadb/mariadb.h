// db/mariadb/mariadb.h: MariaDB and MySQL, through libmariadb.
//
// URL: mariadb://user:password@host:port/database (host: also the file or folder of a unix socket). Options, each set
// for
//      the session: innodb_snapshot_isolation=on|off (not given: what the server has; its levels claim what they claim
//      with off until describe() has asked), innodb_lock_wait_timeout=SECONDS.
// Levels: SET SESSION TRANSACTION ISOLATION LEVEL. Repeatable read is snapshot isolation only with
//      innodb_snapshot_isolation=on: without it an UPDATE works on rows that its snapshot does not show.
// Evidence: commit_place is the sequence number of the transaction's GTID, which the server sends with its answer to
//      COMMIT (session tracking of last_gtid: no request of its own, and nothing for a transaction that wrote nothing).
//      Needs log_bin. The binary log's order is the order of each row's versions: a transaction holds its row locks
//      until InnoDB has committed it, and that is after its events have got their place in the log; so whoever writes
//      the row next comes later in the log. What a transaction saw is not to be had: InnoDB shows no read view.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "db/database.h"

namespace isolde::db {

// TiDB's is this one with what differs.
inline constexpr Dialect kMariadbDialect = {.name = "mariadb",
                                            .family = Family::kMysql,
                                            .text_type = "longtext",
                                            .concat = "concat({0}, {1})",
                                            .list_type = "json",
                                            .list_append = "json_array_append({0}, '$', ?)",
                                            .for_update = " for update",
                                            .upsert = Upsert::kOnDuplicateKey,
                                            .has_merge = false,
                                            .has_update_returning = false,
                                            .table_exists =
                                                "select count(*) from information_schema.tables where table_schema = "
                                                "database() and table_name = ?",
                                            .table_options = " engine=InnoDB"};

[[nodiscard]] Result<std::unique_ptr<Database>> open_mariadb(const Url& url);

// The sessions that wait for a row's or table's lock, by the text of SHOW ENGINE INNODB STATUS.
// Not by information_schema.innodb_trx: the server renews that table only if nobody has read it for 0.1 s, so that one
// who asks often is shown the same old moment again and again.
[[nodiscard]] std::vector<std::int64_t> sessions_in_lock_wait(std::string_view innodb_status);

}  // namespace isolde::db
