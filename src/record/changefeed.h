// record/changefeed.h: rows of CockroachDB's CHANGEFEED -> versions in the order of their timestamps.
//
// In, out: (table, key, value) of a sinkless changefeed WITH updated, mvcc_timestamp, in JSON, in the envelope
// "wrapped"
//          or "enriched" -> versions; `xid` is the commit's timestamp (db/postgres/hlc.h).
// Always:  a changefeed may deliver a message twice and keeps no order between keys: versions are ordered by timestamp,
//          and each counts once. Rows of tables that are not traced, and resolved timestamps, are skipped.
// Limits:  JSON does not tell an integer from a whole real: values of traced tables are integers, texts, booleans, null
//          or lists. No server is at hand: the fixtures (tests/fixtures/changefeed) follow the documentation.
// Cost:    sorts the versions.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/postgres/hlc.h"
#include "record/recovery.h"
#include "record/workload/traced_table.h"

namespace isolde::record {

class ChangefeedVersions {
 public:
  explicit ChangefeedVersions(std::span<const TracedTable> tables) : tables_(tables) {}

  // `table` and `key` are empty where the row has NULL: it is a resolved timestamp then.
  [[nodiscard]] Result<void> add(std::string_view table, std::string_view key, std::string_view value);
  [[nodiscard]] Result<std::vector<RecoveredVersion>> take(db::HlcScale& scale);

 private:
  struct Version {
    db::Hlc time;
    std::string key, value;
  };

  std::span<const TracedTable> tables_;
  std::vector<Version> versions_;
};

}  // namespace isolde::record
