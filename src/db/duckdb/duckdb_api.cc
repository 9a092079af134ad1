#include "db/duckdb/duckdb_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <map>
#include <mutex>

namespace isolde::db {
namespace {

struct LoadedDuckdb {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<const DuckdbApi>> libraries;
};

// Fills in a function; the first that is missing is kept.
template <typename Function>
void look_up_function(void* library, const char* name, Function& function, std::string& missing) {
  void* const found = dlsym(library, name);
  if (found == nullptr && missing.empty()) missing = name;
  function = reinterpret_cast<Function>(found);
}

}  // namespace

Result<const DuckdbApi*> load_duckdb(const std::string& library) {
  static LoadedDuckdb* const loaded = new LoadedDuckdb;  // to the end of the process: DuckDB has threads
  const std::lock_guard lock(loaded->mutex);
  if (const auto known = loaded->libraries.find(library); known != loaded->libraries.end()) return known->second.get();
  const std::string file = library.empty() ? "libduckdb.so" : library;
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return Error{
        fmt::format("DuckDB's library cannot be loaded ({}): it is libduckdb.so in the release archives of DuckDB and "
                    "in the npm package @duckdb/node-bindings-linux-x64; put it where the loader looks "
                    "(LD_LIBRARY_PATH), or name it: duckdb:FILE?library=/path/to/libduckdb.so",
                    dlerror())};
  auto api = std::make_unique<DuckdbApi>();
  std::string missing;
  const auto take = [&](const char* name, auto& function) { look_up_function(handle, name, function, missing); };
  take("duckdb_library_version", api->library_version);
  take("duckdb_free", api->free);
  take("duckdb_create_config", api->create_config);
  take("duckdb_set_config", api->set_config);
  take("duckdb_destroy_config", api->destroy_config);
  take("duckdb_open_ext", api->open_ext);
  take("duckdb_close", api->close);
  take("duckdb_connect", api->connect);
  take("duckdb_disconnect", api->disconnect);
  take("duckdb_interrupt", api->interrupt);
  take("duckdb_query", api->query);
  take("duckdb_destroy_result", api->destroy_result);
  take("duckdb_result_error", api->result_error);
  take("duckdb_result_error_type", api->result_error_type);
  take("duckdb_result_return_type", api->result_return_type);
  take("duckdb_rows_changed", api->rows_changed);
  take("duckdb_column_count", api->column_count);
  take("duckdb_row_count", api->row_count);
  take("duckdb_column_name", api->column_name);
  take("duckdb_column_type", api->column_type);
  take("duckdb_value_is_null", api->value_is_null);
  take("duckdb_value_int64", api->value_int64);
  take("duckdb_value_double", api->value_double);
  take("duckdb_value_string", api->value_string);
  take("duckdb_prepare", api->prepare);
  take("duckdb_prepare_error", api->prepare_error);
  take("duckdb_destroy_prepare", api->destroy_prepare);
  take("duckdb_nparams", api->nparams);
  take("duckdb_bind_int64", api->bind_int64);
  take("duckdb_bind_double", api->bind_double);
  take("duckdb_bind_varchar_length", api->bind_varchar_length);
  take("duckdb_bind_null", api->bind_null);
  take("duckdb_execute_prepared", api->execute_prepared);
  if (!missing.empty())
    return Error{fmt::format("{} has no function {}: DuckDB 1.1 or later is needed", file, missing)};
  return loaded->libraries.emplace(library, std::move(api)).first->second.get();
}

}  // namespace isolde::db
