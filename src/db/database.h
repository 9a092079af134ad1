// db/database.h: a database by its URL: what it can do, its levels, and how to connect to it.
//
// Always: the names that a driver gives its levels are the server's own; `claims` is what its manual promises.
//         Adding a database: docs/adding-a-database.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anomaly/level.h"
#include "base/result.h"
#include "db/connection.h"
#include "db/dialect.h"
#include "db/url.h"

namespace isolde::db {

// What the serialization order of a level is known by, where its mechanism promises one.
enum class SerialOrder : std::uint8_t {
  kNone,
  kCommitTimestamps,  // the order of commit timestamps
  // Transactions that write, in the order of their commits; those that only read, at the state that they saw (SQLite:
  // one writer at a time, on the latest state).
  kCommitPlaces,
  // Strict two-phase locking: when a client asks for its commit, the transaction holds all its locks, and gives up none
  // before. Two that conflict never hold theirs at once, so the moments of asking, on one clock, are in the order of
  // the conflicts (InnoDB's SERIALIZABLE, where plain reads lock, too).
  kLockPoints,
};

struct ServerLevel {
  std::string_view name;     // as the server calls it, e.g. "repeatable read", "wal deferred"
  Level claims;              // the strongest level that its manual promises there
  std::string_view setting;  // for the driver, e.g. what follows BEGIN
  bool is_default = false;
  SerialOrder serial = SerialOrder::kNone;
};

class Database {
 public:
  Database() = default;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  virtual ~Database() = default;

  // From any thread. `level` is one of levels(). The error says what to do about it (no such host, wrong password …).
  [[nodiscard]] virtual Result<std::unique_ptr<Connection>> connect(const ServerLevel& level) = 0;
  [[nodiscard]] virtual const Dialect& dialect() const = 0;
  [[nodiscard]] virtual std::span<const ServerLevel> levels() const = 0;
  // E.g. "PostgreSQL 15.19", with the settings that change what its levels mean ("innodb_snapshot_isolation=ON").
  [[nodiscard]] virtual Result<std::string> describe(Connection& connection) = 0;
  // Sessions that wait for a lock that another session holds, by the server's own tables, asked through `observer`.
  // Empty where requests never wait (SQLite).
  [[nodiscard]] virtual Result<std::vector<std::int64_t>> waiting(Connection& observer) = 0;
  // Ends another session at the server, as an administrator would (a fault to inject).
  [[nodiscard]] virtual Result<void> terminate(Connection& observer, std::int64_t session) = 0;
};

// Opens nothing yet: connect() does. An error if no driver has that scheme, or an option of the URL is unknown.
[[nodiscard]] Result<std::unique_ptr<Database>> open_database(const Url& url);

// By the server's own name or by a level's name as in CONTRACT section 2 ("serializable", "si"): the weakest of its
// levels that claims at least that. The error lists what there is.
[[nodiscard]] Result<const ServerLevel*> level_named(const Database& database, std::string_view name);

}  // namespace isolde::db
