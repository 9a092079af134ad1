// What DuckDB is and can do (db/product.h). Its parser is PostgreSQL's, with other functions and types.
#include "db/duckdb/duckdb.h"
#include "db/guard/file_sql_dialects.h"
#include "db/postgres/postgres_grammar.h"
#include "db/products.h"

namespace isolde::db {
namespace {

// What PostgreSQL spells otherwise: a quotient is a floating-point number, and so is a mean of decimals.
constexpr Spelling kDuckdbSpellings[] = {
    {.name = "round", .text = "cast(round({0}) as decimal(18, 2))"},
    {.name = "/", .type = ValueType::kDecimal, .text = "cast(<0> / <1> as decimal(18, 2))"},
    {.name = "/", .type = ValueType::kInteger, .text = "cast(trunc(<0> / <1>) as bigint)"},
    {.name = "json_text", .text = "(json_object('k', cast({0} as text)) ->> '$.k')"},
    {.name = "json_in", .text = "json_object('v', cast({0} as text))"},
    {.name = "json_out", .text = "({0} ->> '$.v')"},
    {.name = "cast", .type = ValueType::kInteger, .text = "cast({0} as decimal(14, 2))", .to = ValueType::kDecimal},
};

constexpr Grammar duckdb_grammar() {
  Grammar grammar = kPostgresGrammar;
  grammar.family = Family::kDuckdb;
  grammar.own = kDuckdbSpellings;
  grammar.types.decimal = "decimal(14, 2)";
  grammar.types.text = "varchar";
  grammar.types.json = "json";
  grammar.average = "cast(avg({0}) as decimal(18, 2))";
  grammar.locks = LockClause::kNone;
  grammar.has_lateral = false;
  grammar.has_cursors = false;
  grammar.has_savepoints = false;
  grammar.partitions = Partitions::kNone;
  grammar.triggers = Triggers::kNone;
  // Deleting a child and its parent in one transaction fails, and so the rows of a case could not be put back.
  grammar.has_foreign_keys = false;
  grammar.has_generated_columns = false;
  grammar.indexes_json = false;
  grammar.indexes_parts = false;
  grammar.has_hash_indexes = false;
  return grammar;
}
constexpr Grammar kDuckdbGrammar = duckdb_grammar();

constexpr MarkedNames kDuckdbNames = {
    .is_marked = "select count(*) from information_schema.tables where table_name = 'isolde_hunt_made'",
    .tables =
        "select table_name, case table_type when 'VIEW' then 'view' else 'table' end from "
        "information_schema.tables where lower(table_name) in (select name from isolde_hunt_made) order by 1",
    .is_there = "select count(*) from information_schema.tables where lower(table_name) = ?",
    .mark = "insert or ignore into isolde_hunt_made values (?)"};

constexpr RefusalRow kDuckdbRefusals[] = {
    {"DUCKDB_ERROR_TRANSACTION", Refusal::kConcurrency, "another transaction has changed the row or made the key"},
    {"DUCKDB_ERROR_CONSTRAINT", Refusal::kConstraint, "a primary or unique key"},
    {"DUCKDB_ERROR_INTERRUPT", Refusal::kLimit, "cancelled"},
    {"DUCKDB_ERROR_OUT_OF_MEMORY", Refusal::kResource, "out of memory"},
    {"DUCKDB_ERROR_IO", Refusal::kResource, "input and output"},
    {"DUCKDB_ERROR_INTERNAL", Refusal::kInternal, "a fault of DuckDB's own"},
    {"DUCKDB_ERROR_FATAL", Refusal::kInternal, "a fault after which the database is unusable"},
    {"DUCKDB_ERROR_SERIALIZATION", Refusal::kInternal, "the file is damaged"},
};
constexpr std::string_view kDuckdbUnknown[] = {"DUCKDB_ERROR_PARSER",          "DUCKDB_ERROR_SYNTAX",
                                               "DUCKDB_ERROR_BINDER",          "DUCKDB_ERROR_CATALOG",
                                               "DUCKDB_ERROR_NOT_IMPLEMENTED", "DUCKDB_ERROR_PERMISSION"};

// There is no client for a script: its own opens the file in a process of its own, one at a time.
constexpr HuntRules kDuckdbHunt = {
    .grammar = &kDuckdbGrammar,
    .locks_rows = false,
    .shares_locks = false,
    .snapshot_by_read = "snapshot isolation",
    .reuses_deleted_keys = true,
    .is_stopped_from_here = true,
    .begin_reset = "begin transaction; ",
    .end_reset = "commit",
    .has_concat_ws = true,
    .quoted = "coalesce('''' || replace(cast({0} as varchar), '''', '''''') || '''', 'NULL')",
    .marked = &kDuckdbNames,
    .refusals = kDuckdbRefusals,
    .unknown_codes = kDuckdbUnknown};

}  // namespace

constinit const Product kDuckdbProduct = {.name = "duckdb",
                                          .title = "DuckDB",
                                          .family = Family::kDuckdb,
                                          .url_form = "duckdb:FILE",
                                          .in_process = true,
                                          .open = open_duckdb,
                                          .hunt = &kDuckdbHunt,
                                          .why_refused = why_postgres_refuses};

}  // namespace isolde::db
