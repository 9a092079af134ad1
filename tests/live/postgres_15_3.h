// tests/live/postgres_15_3.h: where `./dev test` puts PostgreSQL 15.3, whose MERGE loses updates at SERIALIZABLE.
#pragma once

namespace isolde::test {

inline constexpr const char* kPostgres153 = ISOLDE_SOURCE_DIR "/build/servers/postgres-15.3/bin";

}  // namespace isolde::test
