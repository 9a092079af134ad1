// tests/support/rewritings.h: tables of statements and what to_postgres must make of them.
#pragma once

#include <span>
#include <string_view>

#include "audit/sql/to_postgres.h"

namespace isolde::audit::testing {

struct Rewriting {
  std::string_view sql, postgres;
};

// Each comes out as written there, and libpg_query parses it with parameters and with literals.
void expect_rewritten(std::span<const Rewriting> cases, SqlDialect dialect);
PostgresText rewritten(std::string_view sql, SqlDialect dialect);
bool parses(std::string_view postgres);

}  // namespace isolde::audit::testing
