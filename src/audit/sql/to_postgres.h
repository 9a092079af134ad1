// audit/sql/to_postgres.h: a statement of any dialect -> text that PostgreSQL's grammar takes, literals as $1, $2 …
//
// Always:  $n stands for the literal of index n-1 of the shape; other parameters (?, @var, $1 of the application) get
// the
//          numbers behind the last literal. Where the grammar wants a constant (type sizes, EXTRACT) or a number means
//          a column's place (ORDER BY 1) the literal itself is left; DDL keeps all of them. What the statement does to
//          tables and columns is kept; what has no bearing on it (hints, SQL_NO_CACHE, collations) is dropped. Names
//          keep their case in double quotes where MySQL's would not survive (digits first, reserved words).
// Never:   fails. What is no SQL stays none, and libpg_query says so.
// Cost:    linear in the tokens; no recursion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "audit/sql/shape.h"

namespace isolde::audit {

// What the rewriting took away and the meaning needs.
struct PostgresText {
  std::string sql;
  bool replaces = false;          // REPLACE: deletes the row that has the key, then inserts
  bool ignores = false;           // INSERT IGNORE, INSERT OR IGNORE
  bool on_duplicate_key = false;  // its SET list became ON CONFLICT … DO UPDATE
  // UPDATE a JOIN b ON … SET b.x = …   became  UPDATE a SET b.x = … FROM a JOIN b ON …
  // DELETE b FROM a JOIN b ON …        became  DELETE FROM b USING a JOIN b ON …
  // FROM and USING hold every table, the written ones too; the one named first is in no addition to them. SET keeps its
  // qualifiers (libpg_query: name = "b", indirection = "x"); one without is a column of any of the tables.
  bool multi_table_write = false;
  std::vector<std::string> deletes_from = {};  // of a multi-table DELETE: its targets as written, names or aliases
};

// SET, SHOW, USE, EXPLAIN, BEGIN, LOCK TABLES, PREPARE …: nothing to rewrite, no row is read or written. Such
// statements need not be given to to_postgres, and PostgreSQL's grammar does not have all of them.
[[nodiscard]] bool touches_no_data(const std::vector<Token>& tokens, SqlDialect dialect);

[[nodiscard]] PostgresText to_postgres(const std::vector<Token>& tokens, SqlDialect dialect);
// The same with every literal as it is: for what cannot be parsed with parameters.
[[nodiscard]] PostgresText to_postgres_with_literals(const std::vector<Token>& tokens, SqlDialect dialect);

}  // namespace isolde::audit
