// db/product.h: what each database is and can do: one constant per database, one table of them all.
//
// Nobody outside src/db compares names of databases: they ask for a capability here. A name that no row has is an error
// that lists those there are. Adding a database: docs/adding-a-database.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "db/family.h"
#include "db/hunt_rules.h"
#include "db/own_tables.h"
#include "db/url.h"

namespace isolde::db {

class Database;
class ServerRecipe;
struct ServerOptions;

// Where the database says after a run which versions there were, and in which order (src/record/recovery.cc).
enum class LogEvidence : std::uint8_t {
  kNone,
  kWithCommit,       // with each commit; there is nothing to read afterwards
  kCommitPlaces,     // with each commit, if the server keeps a binary log
  kLogicalDecoding,  // PostgreSQL's log
  kMvccVersions,     // TiDB's status port
  kChangefeed,       // CockroachDB's
};

// What `audit --confirm` can do there.
enum class Confirms : std::uint8_t { kNo, kYes, kNothingWeaker };

struct Product {
  std::string_view name;   // in URLs and files: "postgres"
  std::string_view title;  // in sentences, and at the beginning of what its servers say of themselves: "PostgreSQL"
  Family family;
  std::span<const std::string_view> also = {};  // other schemes of its URLs
  std::string_view url_form = {};               // for messages: "sqlite:FILE", "postgres://…"
  bool in_process = false;                      // a file, opened by this process: sqlite:FILE
  // Null: it is reached through another's driver.
  Result<std::unique_ptr<Database>> (*open)(const Url& url) = nullptr;
  // Null: it cannot be started as a scratch server.
  Result<std::unique_ptr<ServerRecipe>> (*recipe)(const ServerOptions& options) = nullptr;
  std::string_view scratch_server = {};     // whose scratch server runs its SQL
  std::string_view password_variable = {};  // of the environment, where its client library does not look by itself
  Setting recording_option = {};            // of the URL, when a run is recorded and the URL has no options
  LogEvidence evidence = LogEvidence::kNone;
  bool shares_snapshots = false;  // a second session may read at a session's snapshot
  bool speaks_postgres_protocol = false;
  Confirms confirms = Confirms::kNo;
  // How the description counts versions: numbers of a version, and how many of them name the major one.
  int version_numbers = 3, major_numbers = 1;
  const HuntRules* hunt = nullptr;  // null: it is not hunted
  // Why a statement of a file is not run; null: none is.
  std::string (*why_refused)(std::string_view sql, const OwnTables& own) = nullptr;
};

[[nodiscard]] std::span<const Product* const> products();
// Null: none has this name.
[[nodiscard]] const Product* find_product(std::string_view name);
// The error lists the names.
[[nodiscard]] Result<const Product*> product_named(std::string_view name);
// By a scheme of a URL, aliases included. Null: no driver has it.
[[nodiscard]] const Product* product_of_scheme(std::string_view scheme);
// The one whose title a server's description begins with. Null: none.
[[nodiscard]] const Product* product_described(std::string_view description);
// "PostgreSQL, MariaDB and SQLite": the titles, or names, of those for which `has` holds.
[[nodiscard]] std::string titles_where(bool (*has)(const Product&), std::string_view last = "and");
[[nodiscard]] std::string names_where(bool (*has)(const Product&), std::string_view last = "or");

// Why a statement of a file is not run on a database (db/guard/file_sql.h), as the end of a sentence; "": it is.
// `product`: its name.
[[nodiscard]] std::string why_refused(std::string_view sql, std::string_view product, const OwnTables& own);

}  // namespace isolde::db
