// db/server.h: a scratch server that Isolde itself starts, stops, kills and starts again: for tests, faults and hunts.
//
// Always:  it listens on a unix socket only, in a folder of its own that nobody else may enter (mode 0700, under the
//          system's scratch folder), as an unprivileged user where we are root; it is stopped and its folder removed
//          when the object goes, and also when this process dies (the server gets a parent-death signal).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace isolde::db {

struct ServerOptions {
  std::string kind;      // of a product that has a recipe (db/product.h): "postgres", "mariadb"
  std::string binaries;  // folder of the server's programs; empty: looked for in the usual places
  std::map<std::string, std::string> settings;  // further settings: {"innodb_snapshot_isolation", "ON"}
};

enum class Stop : std::uint8_t {
  kOrderly,  // it ends what it can and writes everything out
  kCrash,    // SIGKILL: it has to recover when it starts again
};

class Server {
 public:
  virtual ~Server() = default;
  // With which open_database() reaches it: socket, user and database filled in. The same after a restart. The user owns
  // the database, may use replication slots or the binlog, and is no superuser: it can neither run programs nor read
  // or write the server's files.
  [[nodiscard]] virtual std::string url() const = 0;
  // The same as the superuser: to change settings of the whole server.
  [[nodiscard]] virtual std::string superuser_url() const = 0;
  [[nodiscard]] virtual Result<void> stop(Stop how) = 0;
  // Ensures: it accepts connections again. Requires: it was stopped.
  [[nodiscard]] virtual Result<void> start() = 0;
  [[nodiscard]] virtual std::string log_file() const = 0;
};

// Ensures: it accepts connections; a database of its own is there. PostgreSQL: wal_level=logical. MariaDB: log_bin on.
// The error says which package is missing, or shows the end of the server's log.
[[nodiscard]] Result<std::unique_ptr<Server>> start_server(const ServerOptions& options);

}  // namespace isolde::db
