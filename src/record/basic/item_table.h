// record/basic/item_table.h: a table (k, one or more bigint columns), and the statements on one row of it, recorded.
//
// In, out: keys and columns -> requests through the client, reads and writes in the journal.
// Always:  one column is recorded as a scalar, several as a row; each call is false once the transaction has ended.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"
#include "db/dialect.h"
#include "record/workload/client.h"
#include "record/workload/traced_table.h"

namespace isolde::record {

inline constexpr std::size_t kMostColumns = 4;
using ItemColumns = std::array<std::int64_t, kMostColumns>;

struct ItemRow {
  bool present = false;
  ItemColumns columns{};
};

// What the row of a key holds after load().
using FirstRow = std::function<ItemColumns(std::uint32_t key)>;

// How a read that finds no row is recorded.
enum class Absent : std::uint8_t {
  kNull,  // as a read of null; which of several deletes it saw is then open
  kScan,  // as a scan of `key = 7` without a row: among other scans that asks less, and is decided by less evidence
};

class ItemTable {
 public:
  // Requires: 1 to kMostColumns columns.
  ItemTable(const db::Dialect& dialect, std::string_view name, std::vector<std::string> columns,
            Absent absent = Absent::kNull);

  [[nodiscard]] const TracedTable& traced() const { return traced_; }
  [[nodiscard]] const std::string& schema() const { return schema_; }
  // Rows with keys 0 … count-1.
  [[nodiscard]] Result<void> load(db::Connection& connection, std::uint32_t count, const FirstRow& first_row) const;
  // The same for Workload::initial().
  [[nodiscard]] std::string initial(std::uint32_t count, const FirstRow& first_row) const;

  // Every row that comes back is recorded; `row` is the first.
  [[nodiscard]] bool read(Client& client, std::int64_t key, Lock lock, ItemRow& row) const;
  [[nodiscard]] bool read(Client& client, std::int64_t key, Lock lock = Lock::kNone) const {
    ItemRow ignored;
    return read(client, key, lock, ignored);
  }
  // Requires: the key has a row at all times.
  [[nodiscard]] bool update(Client& client, std::int64_t key, std::span<const std::int64_t> columns) const;
  [[nodiscard]] bool update(Client& client, std::int64_t key, std::int64_t value) const {
    return update(client, key, std::span(&value, 1));
  }
  // As update, where the key may be absent; what was changed is recorded by the reply.
  // Requires: a column gets a value that it never had, so that the database counts the row as changed.
  [[nodiscard]] bool update_if_present(Client& client, std::int64_t key, std::span<const std::int64_t> columns) const;
  // Fails if the key has a row.
  [[nodiscard]] bool insert(Client& client, std::int64_t key, std::span<const std::int64_t> columns) const;
  [[nodiscard]] bool upsert(Client& client, std::int64_t key, std::span<const std::int64_t> columns) const;
  [[nodiscard]] bool upsert(Client& client, std::int64_t key, std::int64_t value) const {
    return upsert(client, key, std::span(&value, 1));
  }
  // A key that has no row is not written. That none was seen is not recorded: it may be the state in the middle of
  // another transaction (PostgreSQL at READ COMMITTED goes on with the version that it waited for, and not with a row
  // that was inserted since).
  [[nodiscard]] bool remove(Client& client, std::int64_t key) const;

  [[nodiscard]] std::string key_of(std::int64_t key) const { return key_text(traced_, {key}); }
  [[nodiscard]] std::string value_of(std::span<const std::int64_t> columns) const;

 private:
  TracedTable traced_;
  Absent absent_;
  std::string schema_, select_, select_locked_, update_, insert_, upsert_, remove_;
};

// A reply to a statement of load(), as a result.
[[nodiscard]] Result<void> loaded(const Result<db::Reply>& reply);

}  // namespace isolde::record
