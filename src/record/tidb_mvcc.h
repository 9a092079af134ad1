// record/tidb_mvcc.h: TiDB's certificate: the versions of each key, as its status port shows them (MVCC API).
//
// In, out: GET /mvcc/key/{db}/{table}/{handle}?decode=true for every key -> versions in the order of their commit
//          timestamps, each with the start timestamp of its transaction.
// Always:  only what was committed after prepare() counts; rollbacks and locks are no versions. A key that was
//          inserted and deleted again within the run is not asked for (the API goes by key, and the table no longer
//          has it): it gets no order. While the run lasts, old versions are kept (tidb_gc_life_time, put back
//          afterwards).
// Cost:    one HTTP request a key. Needs:   the status port (URL option status_port, 10080), a clustered primary key,
//          the privilege to set a global variable.
// Source:  TiDB's docs/tidb_http_api.md. No server was at hand: tested on recorded answers (tests/fixtures/tidb).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/recovery.h"

namespace isolde::record {

struct MvccVersion {
  std::int64_t start_ts = 0, commit_ts = 0;
  bool is_deletion = false;
  std::vector<std::pair<std::string, std::string>> columns;  // as TiDB writes them; NULL is "nil"
};

// By commit_ts. An error if the key is locked by a transaction that may yet turn out to be committed.
[[nodiscard]] Result<std::vector<MvccVersion>> parse_mvcc(std::string_view json);

// Where to ask for a key: by its handle if it is one integer, else by its columns.
[[nodiscard]] std::string mvcc_path(std::string_view database, const TracedTable& table, std::span<const db::Cell> key);

[[nodiscard]] Result<std::unique_ptr<Recovery>> make_tidb_recovery(const RecoverySetup& setup, std::string& why_not);

}  // namespace isolde::record
