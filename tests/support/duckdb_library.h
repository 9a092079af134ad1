// tests/support/duckdb_library.h: where `./dev test` and `./dev live duckdb` put DuckDB's library.
#pragma once

#include <filesystem>
#include <string>

namespace isolde::test {

inline constexpr const char* kDuckdbLibrary = ISOLDE_SOURCE_DIR "/build/servers/duckdb-1.5.6/libduckdb.so";
inline constexpr const char* kNoDuckdb = "DuckDB is not there: ./dev live duckdb fetches it";

[[nodiscard]] inline bool has_duckdb() { return std::filesystem::exists(kDuckdbLibrary); }
[[nodiscard]] inline std::string duckdb_url(const std::string& file = "") {
  return "duckdb:" + file + "?library=" + kDuckdbLibrary;
}

}  // namespace isolde::test
