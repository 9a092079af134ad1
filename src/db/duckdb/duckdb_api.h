// db/duckdb/duckdb_api.h: the functions of DuckDB's C interface that the driver calls, looked up in libduckdb.so when a
// database is opened. So Isolde builds and runs without DuckDB.
//
// The types are those of DuckDB's duckdb.h (its "stable" interface): handles are pointers that nobody looks into.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace isolde::db {

using DuckdbHandle = void*;  // a database, a connection, a prepared statement

struct DuckdbResult {  // duckdb_result
  std::uint64_t column_count, row_count, rows_changed;
  void* columns;
  char* error;
  void* internal;
};
struct DuckdbString {  // duckdb_string
  char* data;
  std::uint64_t size;
};

// duckdb_type, as far as it makes a difference.
enum class DuckdbType : int { kBoolean = 1, kTinyint = 2, kUbigint = 9, kFloat = 10, kDouble = 11, kHugeint = 16 };
enum class DuckdbReturns : int { kChangedRows = 1, kNothing = 2, kRows = 3 };

struct DuckdbApi {
  const char* (*library_version)();
  void (*free)(void*);
  int (*create_config)(DuckdbHandle*);
  int (*set_config)(DuckdbHandle, const char* name, const char* value);
  void (*destroy_config)(DuckdbHandle*);
  int (*open_ext)(const char* path, DuckdbHandle*, DuckdbHandle config, char** error);
  void (*close)(DuckdbHandle*);
  int (*connect)(DuckdbHandle, DuckdbHandle*);
  void (*disconnect)(DuckdbHandle*);
  void (*interrupt)(DuckdbHandle);
  int (*query)(DuckdbHandle, const char*, DuckdbResult*);
  void (*destroy_result)(DuckdbResult*);
  const char* (*result_error)(DuckdbResult*);
  int (*result_error_type)(DuckdbResult*);
  DuckdbReturns (*result_return_type)(DuckdbResult);
  std::uint64_t (*rows_changed)(DuckdbResult*);
  std::uint64_t (*column_count)(DuckdbResult*);
  std::uint64_t (*row_count)(DuckdbResult*);
  const char* (*column_name)(DuckdbResult*, std::uint64_t column);
  DuckdbType (*column_type)(DuckdbResult*, std::uint64_t column);
  bool (*value_is_null)(DuckdbResult*, std::uint64_t column, std::uint64_t row);
  std::int64_t (*value_int64)(DuckdbResult*, std::uint64_t column, std::uint64_t row);
  double (*value_double)(DuckdbResult*, std::uint64_t column, std::uint64_t row);
  DuckdbString (*value_string)(DuckdbResult*, std::uint64_t column, std::uint64_t row);
  int (*prepare)(DuckdbHandle, const char*, DuckdbHandle* statement);
  const char* (*prepare_error)(DuckdbHandle statement);
  void (*destroy_prepare)(DuckdbHandle* statement);
  std::uint64_t (*nparams)(DuckdbHandle statement);
  int (*bind_int64)(DuckdbHandle statement, std::uint64_t place, std::int64_t);
  int (*bind_double)(DuckdbHandle statement, std::uint64_t place, double);
  int (*bind_varchar_length)(DuckdbHandle statement, std::uint64_t place, const char*, std::uint64_t);
  int (*bind_null)(DuckdbHandle statement, std::uint64_t place);
  int (*execute_prepared)(DuckdbHandle statement, DuckdbResult*);
};

// `library`: a file, or empty for the loader's places. It stays loaded. The error says what to install.
[[nodiscard]] Result<const DuckdbApi*> load_duckdb(const std::string& library);

}  // namespace isolde::db
