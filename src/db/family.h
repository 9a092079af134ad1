// db/family.h: which databases share a grammar of SQL: one value per parser that Isolde writes for.
//
// Whoever has to tell databases apart asks for a capability (db/product.h, db/grammar.h, db/hunt_rules.h). The family
// is for code that is written for one grammar, such as the readers of traces.
#pragma once

#include <cstdint>

namespace isolde::db {

enum class Family : std::uint8_t { kPostgres, kMysql, kSqlite, kDuckdb };

}  // namespace isolde::db
