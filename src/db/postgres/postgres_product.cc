// What PostgreSQL is and can do (db/product.h).
#include "db/guard/file_sql_dialects.h"
#include "db/postgres/postgres.h"
#include "db/postgres/postgres_grammar.h"
#include "db/products.h"
#include "db/server_recipe.h"

namespace isolde::db {
namespace {

constexpr std::string_view kPostgresSchemes[] = {"postgresql"};

constexpr std::string_view kPostgresFighter[] = {"set statement_timeout = {ms}",
                                                 // One process per statement, and no seconds spent on compiling it.
                                                 "set max_parallel_workers_per_gather = 0", "set jit = off"};
// A session that waits says so itself, as soon as it has looked for a deadlock.
constexpr std::string_view kPostgresFighterMay[] = {"set deadlock_timeout = '1ms'", "set log_lock_waits = on",
                                                    "set client_min_messages = log"};
constexpr std::string_view kPostgresKeeper[] = {"set statement_timeout = '60s'", "set jit = off"};

constexpr PlanSetting kPostgresPlans[] = {
    {true, "enable_seqscan", "off"},    {true, "enable_bitmapscan", "off"},     {true, "enable_sort", "off"},
    {false, "enable_indexscan", "off"}, {false, "enable_indexonlyscan", "off"}, {false, "enable_bitmapscan", "off"},
    {false, "enable_hashjoin", "off"},  {false, "enable_mergejoin", "off"},     {false, "enable_hashagg", "off"},
};

constexpr OwnSchema kPostgresSchema = {
    .called = "schema",
    .is_there = "select count(*) from pg_catalog.pg_namespace where nspname = 'isolde_hunt'",
    .is_marked =
        "select count(*) from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace "
        "where n.nspname = 'isolde_hunt' and c.relname = 'isolde_hunt_made'",
    .things_in_it =
        "select (select count(*) from pg_catalog.pg_class where relnamespace = n.oid) + (select count(*) "
        "from pg_catalog.pg_proc where pronamespace = n.oid) + (select count(*) from pg_catalog.pg_type "
        "where typnamespace = n.oid) from pg_catalog.pg_namespace n where n.nspname = 'isolde_hunt'",
    .lock = "select case when pg_try_advisory_lock(hashtext('isolde_hunt')) then 1 else 0 end",
    .make =
        "create schema isolde_hunt; create table isolde_hunt.isolde_hunt_made (name varchar(64) primary key); "
        "insert into isolde_hunt.isolde_hunt_made values ('schema')",
    .take = "create table isolde_hunt.isolde_hunt_made (name varchar(64) primary key)",
    .enter = "set search_path = isolde_hunt",
    .let_make = "create schema isolde_hunt authorization USER",
    .tables =
        "select c.relname::text, case c.relkind when 'v' then 'view' else 'table' end from pg_catalog.pg_class "
        "c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.nspname = 'isolde_hunt' and "
        "c.relkind in ('r', 'p', 'v') and c.relname <> 'isolde_hunt_made' union all select p.proname::text, "
        "'function' from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace where "
        "n.nspname = 'isolde_hunt' and p.proname like 'hunt\\_%' order by 1",
    .quote = '"',
    .drop = "drop schema isolde_hunt"};

constexpr RefusalRow kPostgresRefusals[] = {
    {"40001", Refusal::kConcurrency, "serialization failure"},
    {"40P01", Refusal::kConcurrency, "deadlock"},
    {"40*", Refusal::kConcurrency, "the transaction was rolled back"},
    {"55P03", Refusal::kConcurrency, "a lock is not available (NOWAIT, lock_timeout)"},
    {"25P02", Refusal::kConcurrency, "the transaction had failed before"},
    {"23503", Refusal::kConstraint, "a foreign key"},
    {"23505", Refusal::kConstraint, "a unique key"},
    {"23P01", Refusal::kConstraint, "an exclusion constraint"},
    {"23001", Refusal::kConstraint, "a foreign key with RESTRICT"},
    {"57014", Refusal::kLimit, "cancelled (also statement_timeout)"},
    {"53*", Refusal::kResource, "out of memory, disk or connections"},
    {"54*", Refusal::kResource, "a limit of the program: stack depth, statement too complex"},
    {"57P*", Refusal::kResource, "the server is starting, stopping or has crashed"},
    {"08*", Refusal::kResource, "the connection"},
    {"58*", Refusal::kResource, "the operating system: input and output"},
    {"XX*", Refusal::kInternal, "internal error, corrupted data or index"},
};
constexpr std::string_view kPostgresUnknown[] = {"42*", "0A*"};

constexpr Setting kPostgresThrowaway[] = {
    {"autovacuum", "off"},  // its locks and its moments would differ from run to run
    {"deadlock_timeout", "10ms"}, {"fsync", "off"},
    {"full_page_writes", "off"},  {"log_min_messages", "log"},  // crashes, not the errors of statements
    {"max_wal_senders", "0"},     {"synchronous_commit", "off"},
    {"wal_level", "minimal"},
};

constexpr ClientWords kPsql = {.usage = "arguments of psql: -h, -p, -U, -d …",
                               .client = R"(psql -X -q "${args[@]}")",
                               .mark = R"(\echo --done--)",
                               .version = "select version();",
                               .quiet = "set client_min_messages = warning;\n",
                               .settings = "",
                               .begin = "begin isolation level {level};"};

constexpr Promise kPostgresPromises[] = {
    {"read committed",
     "\"a SELECT query (without a FOR UPDATE/SHARE clause) sees only data committed before the query began; it never "
     "sees either uncommitted data or changes committed by concurrent transactions during the query's execution\" "
     "(PostgreSQL manual, 13.2.1)"},
    {"repeatable read",
     "\"The Repeatable Read isolation level only sees data committed before the transaction began; it never sees "
     "either uncommitted data or changes committed by concurrent transactions during the transaction's execution\" "
     "(PostgreSQL manual, 13.2.2)"},
    {"serializable",
     "\"This level emulates serial transaction execution for all committed transactions; as if transactions had been "
     "executed one after another, serially, rather than concurrently\" (PostgreSQL manual, 13.2.3)"},
};

constexpr HuntRules kPostgresHunt = {
    .grammar = &kPostgresGrammar,
    .prepares = Prepares::kByDriver,
    .first_merge = 150000,
    .reuses_deleted_keys = true,
    .deadlock_settings = "select current_setting('deadlock_timeout'), current_setting('log_lock_waits')",
    .fighter_must = kPostgresFighter,
    .fighter_may = kPostgresFighterMay,
    .keeper_must = kPostgresKeeper,
    .plans = kPostgresPlans,
    // One request is one transaction by itself.
    .table_setting = "alter table {0} set (autovacuum_enabled = off)",
    .has_concat_ws = true,
    .quoted = "quote_nullable({0})",
    .own_schema = &kPostgresSchema,
    .code_length = 5,
    .refusals = kPostgresRefusals,
    .unknown_codes = kPostgresUnknown,
    .throwaway_settings = kPostgresThrowaway,
    .client = &kPsql,
    .promises = kPostgresPromises};

}  // namespace

constinit const Product kPostgresProduct = {.name = "postgres",
                                            .title = "PostgreSQL",
                                            .family = Family::kPostgres,
                                            .also = kPostgresSchemes,
                                            .url_form = "postgres://…",
                                            .open = open_postgres,
                                            .recipe = postgres_recipe,
                                            .scratch_server = "postgres",
                                            .evidence = LogEvidence::kLogicalDecoding,
                                            .shares_snapshots = true,
                                            .speaks_postgres_protocol = true,
                                            .confirms = Confirms::kYes,
                                            .version_numbers = 2,
                                            .hunt = &kPostgresHunt,
                                            .why_refused = why_postgres_refuses};

}  // namespace isolde::db
