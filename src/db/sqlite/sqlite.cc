#include "db/sqlite/sqlite.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <filesystem>

#include "base/scratch_folder.h"
#include "db/sqlite/sqlite_connection.h"

namespace isolde::db {
namespace {

namespace fs = std::filesystem;

constexpr Dialect kSqliteDialect = {.name = "sqlite",
                                    .family = Family::kSqlite,
                                    .text_type = "text",
                                    .concat = "{0} || {1}",
                                    .list_type = "text",
                                    .list_append = "json_insert({0}, '$[#]', ?)",
                                    .for_update = "",
                                    .upsert = Upsert::kOnConflict,
                                    .has_merge = false,
                                    .has_update_returning = true,
                                    .table_exists = "select count(*) from sqlite_master where name = ?",
                                    .table_options = ""};

constexpr ServerLevel kSqliteLevels[] = {
    {"delete deferred", Level::kSerializable, "delete deferred", false, SerialOrder::kCommitPlaces},
    {"delete immediate", Level::kSerializable, "delete immediate", false, SerialOrder::kCommitPlaces},
    {"wal deferred", Level::kSerializable, "wal deferred", true, SerialOrder::kCommitPlaces},
    {"wal immediate", Level::kSerializable, "wal immediate", false, SerialOrder::kCommitPlaces},
    {"shared-cache read_uncommitted deferred", Level::kReadUncommitted, "shared deferred"},
};

class SqliteDatabase : public Database {
 public:
  SqliteDatabase(std::string file, std::string scratch, int timeout_ms)
      : file_(std::move(file)), scratch_(std::move(scratch)), timeout_ms_(timeout_ms) {}
  ~SqliteDatabase() override {
    std::error_code ignored;
    if (!scratch_.empty()) fs::remove_all(scratch_, ignored);
  }

  Result<std::unique_ptr<Connection>> connect(const ServerLevel& level) override {
    const SqliteMode mode = {.wal = level.setting.starts_with("wal"),
                             .shared_cache = level.setting.starts_with("shared"),
                             .immediate = level.setting.ends_with("immediate"),
                             .timeout_ms = timeout_ms_};
    return connect_sqlite(file_, mode, commits_);
  }
  const Dialect& dialect() const override { return kSqliteDialect; }
  std::span<const ServerLevel> levels() const override { return kSqliteLevels; }
  Result<std::string> describe(Connection&) override { return fmt::format("SQLite {}", sqlite_version()); }
  Result<std::vector<std::int64_t>> waiting(Connection&) override { return std::vector<std::int64_t>(); }
  Result<void> terminate(Connection&, std::int64_t) override {
    return Error{"SQLite has no server that could end a session"};
  }

 private:
  std::string file_, scratch_;
  int timeout_ms_;
  std::atomic<std::int64_t> commits_ = 0;
};

}  // namespace

Result<std::unique_ptr<Database>> open_sqlite(const Url& url) {
  int timeout_ms = 0;
  for (const auto& [name, value] : url.options) {
    if (name != "timeout") return Error{fmt::format("sqlite: takes the option timeout=MS, not \"{}\"", name)};
    const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), timeout_ms);
    if (failed != std::errc{} || end != value.data() + value.size() || timeout_ms < 0)
      return Error{fmt::format("timeout takes milliseconds, not \"{}\"", value)};
  }
  if (url.database == ":memory:")
    return Error{"each connection would get its own in-memory database; sqlite: alone is a scratch file"};
  if (!url.database.empty())
    return std::unique_ptr<Database>(std::make_unique<SqliteDatabase>(url.database, "", timeout_ms));
  const std::string folder = make_scratch_folder("sqlite");
  if (folder.empty()) return Error{"cannot create a scratch folder for SQLite"};
  return std::unique_ptr<Database>(std::make_unique<SqliteDatabase>(folder + "/scratch.db", folder, timeout_ms));
}

}  // namespace isolde::db
