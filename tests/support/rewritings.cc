#include "tests/support/rewritings.h"

#include <gtest/gtest.h>
#include <pg_query.h>

namespace isolde::audit::testing {

PostgresText rewritten(std::string_view sql, SqlDialect dialect) {
  Lexer lexer(dialect);
  return to_postgres(lexer.tokens(sql), dialect);
}

bool parses(std::string_view postgres) {
  const PgQueryParseResult result = pg_query_parse(std::string(postgres).c_str());
  const bool parsed = result.error == nullptr;
  if (!parsed) ADD_FAILURE() << result.error->message << "\n" << postgres;
  pg_query_free_parse_result(result);
  return parsed;
}

void expect_rewritten(std::span<const Rewriting> cases, SqlDialect dialect) {
  for (const Rewriting& one : cases) {
    EXPECT_EQ(rewritten(one.sql, dialect).sql, one.postgres) << one.sql;
    EXPECT_TRUE(parses(one.postgres)) << one.sql;
    Lexer lexer(dialect);
    EXPECT_TRUE(parses(to_postgres_with_literals(lexer.tokens(one.sql), dialect).sql)) << one.sql;
  }
}

}  // namespace isolde::audit::testing
