// record/logged_versions.h: PostgreSQL's log, message by message -> the versions of the traced tables' keys.
//
// In, out: messages of pgoutput in the order of the log -> versions in the order of commits; of each transaction the
//          last version of each key.
// Always:  rows of other tables are skipped; a change of the primary key is a deletion of the old key. A long value
//          that an update left alone is that of the version before; if that one is older than the log, `value` is
//          empty.
// Cost:    linear; holds the last row of each key.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "record/pgoutput.h"
#include "record/recovery.h"
#include "record/workload/traced_table.h"

namespace isolde::record {

class LoggedVersions {
 public:
  // `next_xid`: the next one that the server is going to assign; it tells which epoch the log's 32-bit xids belong to.
  LoggedVersions(std::span<const TracedTable> tables, std::int64_t next_xid) : tables_(tables), next_xid_(next_xid) {}

  [[nodiscard]] Result<void> add(std::string_view message);
  // Requires: the last message was a commit, or there was none.
  [[nodiscard]] std::vector<RecoveredVersion> take() { return std::move(versions_); }
  [[nodiscard]] bool in_transaction() const { return open_; }

 private:
  using Cells = std::vector<std::optional<db::Cell>>;  // none: the log does not say
  struct Layout {                                      // of a table whose description was seen
    const TracedTable* table = nullptr;                // null: not traced
    std::size_t width = 0;
    std::vector<std::size_t> keys, values;  // places of its columns
    std::vector<std::uint32_t> types;       // by place
  };

  [[nodiscard]] Result<void> see(const pgoutput::Relation& relation);
  [[nodiscard]] Result<void> see(const pgoutput::Change& change);
  [[nodiscard]] Result<void> see_truncated(std::span<const std::uint32_t> relations) const;
  void begin(std::uint32_t xid);
  void close();
  [[nodiscard]] static Result<std::string> key_of(const Layout& layout, const pgoutput::Row& row);
  void version(std::string key, std::string value);

  std::span<const TracedTable> tables_;
  std::int64_t next_xid_;
  std::unordered_map<std::uint32_t, Layout> layouts_;
  std::unordered_map<std::string, Cells> last_;  // value columns by key
  bool open_ = false;
  std::int64_t xid_ = 0;
  std::unordered_map<std::string, std::size_t> of_key_;  // of the open transaction, in versions_
  std::vector<RecoveredVersion> versions_;
};

}  // namespace isolde::record
