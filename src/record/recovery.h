// record/recovery.h: the certificate that a database's own log gives of a run: the order of the versions of each key.
//
// In, out: prepare() before the first transaction, recover() after the last -> versions in the order of their commits;
//          with the recorded history -> native version_order_by_txn lines (evidence.jsonl of a recording).
// Always:  what the log says is evidence, not opinion: a version is given to a transaction only by its xid, or by a
// value
//          that exactly one transaction was going to write; an order is called complete only if every version that the
//          log has of the key found its transaction, and every write of a transaction that counts was found in the log.
// Cost:    linear in the versions; measured against the run in docs/performance.md.  Source: Emme (section 5).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/database.h"
#include "history/history.h"
#include "record/workload/traced_table.h"

namespace isolde::record {

struct RecoveredVersion {
  std::string key;       // JSON text, by key_text()
  std::string value;     // JSON text, by value_text(); null: deleted
  std::int64_t xid = 0;  // TiDB: its start_ts
};

class Recovery {
 public:
  virtual ~Recovery() = default;  // leaves nothing of it in the database
  // Asks the database to keep what recover() will read. `url`: for sources that are not asked by SQL.
  [[nodiscard]] virtual Result<void> prepare() = 0;
  // In the order of commits; within one transaction the last version of each key. Requires: the run is over.
  [[nodiscard]] virtual Result<std::vector<RecoveredVersion>> recover() = 0;
  // For the report: "logical replication slot, pgoutput".
  [[nodiscard]] virtual std::string source() const = 0;
};

struct RecoverySetup {
  db::Database& database;
  const db::Url& url;
  std::span<const TracedTable> tables;
  bool survives_restarts = false;  // the server will be stopped in the middle
};

// The source that this database has. Null: it has none (the facts of each commit are all there is), with the reason in
// `why_not`, which a person may act on ("wal_level is replica: set it to logical").
[[nodiscard]] Result<std::unique_ptr<Recovery>> make_recovery(const RecoverySetup& setup, std::string& why_not);

// What a commit said of its transaction at a level where there is no snapshot to write it into.
struct KnownXid {
  std::int64_t id;  // of the transaction in the recording
  std::int64_t xid;
};

// Native lines, one a key, each ended by a newline. `h` is the recording as its reader gives it.
[[nodiscard]] std::string version_order_lines(const History& h, std::span<const RecoveredVersion> versions,
                                              std::span<const KnownXid> xids = {});

}  // namespace isolde::record
