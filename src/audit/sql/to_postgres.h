// audit/sql/to_postgres.h: a statement of any dialect -> text that PostgreSQL's grammar takes, literals as $1, $2 …
//
// Always:  $n stands for the literal of index n-1 of the shape; where the grammar wants a constant (INTERVAL, type
// sizes)
//          the literal itself is left. What the statement does to tables and columns is kept; what has no bearing on it
//          (hints, SQL_NO_CACHE, collations) is dropped. Names keep their case in double quotes where MySQL's would not
//          survive (digits first, reserved words).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "audit/sql/shape.h"

namespace isolde::audit {

// What the rewriting took away and the meaning needs.
struct PostgresText {
  std::string sql;
  bool replaces = false;           // REPLACE: deletes the row that has the key, then inserts
  bool ignores = false;            // INSERT IGNORE, INSERT OR IGNORE
  bool on_duplicate_key = false;   // its SET list became ON CONFLICT … DO UPDATE
  bool multi_table_write = false;  // UPDATE a JOIN b …, DELETE a FROM a JOIN b: became a FROM/USING
};

[[nodiscard]] PostgresText to_postgres(const std::vector<Token>& tokens, SqlDialect dialect);
// The same with every literal as it is: for what cannot be parsed with parameters.
[[nodiscard]] PostgresText to_postgres_with_literals(const std::vector<Token>& tokens, SqlDialect dialect);

}  // namespace isolde::audit
