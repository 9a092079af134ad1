#include "db/duckdb/duckdb.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <mutex>

#include "base/scratch_folder.h"
#include "db/duckdb/duckdb_connection.h"

namespace isolde::db {
namespace {

constexpr Dialect kDuckdbDialect = {
    .name = "duckdb",
    .family = Family::kDuckdb,
    .text_type = "varchar",
    .concat = "{0} || {1}",
    .list_type = "varchar",
    .list_append = "concat(rtrim({0}, ']'), case when {0} = '[]' then '' else ',' end, cast(? as varchar), ']')",
    .for_update = "",
    .upsert = Upsert::kOnConflict,
    .has_merge = false,
    .has_update_returning = true,
    .table_options = ""};

constexpr ServerLevel kDuckdbLevels[] = {{"snapshot isolation", Level::kSnapshotIsolation, "", true}};

// Nothing of what is run reaches other files or the network, not even by an extension that a statement would load.
constexpr std::pair<const char*, const char*> kDuckdbConfig[] = {
    {"enable_external_access", "false"},
    {"autoinstall_known_extensions", "false"},
    {"autoload_known_extensions", "false"},
};

Result<std::shared_ptr<DuckdbFile>> opened_file(const DuckdbApi& api, const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<DuckdbFile>> files;
  std::error_code ignored;
  const std::string place = std::filesystem::weakly_canonical(path, ignored).string();
  const std::lock_guard lock(mutex);
  if (auto open = files[place].lock()) return open;
  DuckdbHandle config = nullptr, handle = nullptr;
  if (api.create_config(&config) != 0) return Error{"DuckDB makes no configuration"};
  for (const auto& [name, value] : kDuckdbConfig) api.set_config(config, name, value);
  char* words = nullptr;
  const int code = api.open_ext(path.c_str(), &handle, config, &words);
  api.destroy_config(&config);
  if (code != 0) {
    const std::string why = words == nullptr ? "no reason given" : words;
    if (words != nullptr) api.free(words);
    return Error{fmt::format("DuckDB cannot open {}: {}", path, why)};
  }
  auto file = std::make_shared<DuckdbFile>(api, handle);
  files[place] = file;
  return file;
}

class DuckdbDatabase : public Database {
 public:
  DuckdbDatabase(const DuckdbApi& api, std::string file, std::string scratch)
      : api_(api), path_(std::move(file)), scratch_(std::move(scratch)) {}
  ~DuckdbDatabase() override {
    file_.reset();
    std::error_code ignored;
    if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
  }

  Result<std::unique_ptr<Connection>> connect(const ServerLevel&) override {
    const std::lock_guard lock(mutex_);
    if (file_ == nullptr) {
      auto opened = opened_file(api_, path_);
      if (!opened) return std::move(opened).error();
      file_ = *std::move(opened);
    }
    return connect_duckdb(file_);
  }
  const Dialect& dialect() const override { return kDuckdbDialect; }
  std::span<const ServerLevel> levels() const override { return kDuckdbLevels; }
  Result<std::string> describe(Connection&) override { return fmt::format("DuckDB {}", api_.library_version()); }
  Result<std::vector<std::int64_t>> waiting(Connection&) override { return std::vector<std::int64_t>(); }
  Result<void> terminate(Connection&, std::int64_t) override {
    return Error{"DuckDB has no server that could end a session"};
  }

 private:
  const DuckdbApi& api_;
  std::string path_, scratch_;
  std::mutex mutex_;
  std::shared_ptr<DuckdbFile> file_;
};

}  // namespace

Result<std::unique_ptr<Database>> open_duckdb(const Url& url) {
  std::string library;
  for (const auto& [name, value] : url.options) {
    if (name != "library") return Error{fmt::format("duckdb: takes the option library=FILE, not \"{}\"", name)};
    library = value;
  }
  if (url.database == ":memory:") return Error{"an in-memory database has no file; duckdb: alone is a scratch file"};
  const auto api = load_duckdb(library);
  if (!api) return api.error();
  if (!url.database.empty())
    return std::unique_ptr<Database>(std::make_unique<DuckdbDatabase>(**api, url.database, ""));
  const std::string folder = make_scratch_folder("duckdb");
  if (folder.empty()) return Error{"cannot create a scratch folder for DuckDB"};
  return std::unique_ptr<Database>(std::make_unique<DuckdbDatabase>(**api, folder + "/scratch.db", folder));
}

}  // namespace isolde::db
