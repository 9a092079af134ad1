// What SQLite is and can do (db/product.h).
#include "db/guard/file_sql_dialects.h"
#include "db/products.h"
#include "db/sqlite/sqlite.h"

namespace isolde::db {
namespace {

// Divisors have been made NULL where they are zero; see hunt/sql/print_expression.cc.
constexpr Spelling kSqliteSpellings[] = {
    {.name = "*", .type = ValueType::kDecimal, .text = "<0> * <1> / 100"},
    {.name = "/", .type = ValueType::kDecimal, .text = "(<0> * 100 / <1>)"},
    {.name = "/", .type = ValueType::kInteger, .text = "<0> / <1>"},
    {.name = "||", .text = "<0> || <1>"},
    {.name = "matches", .text = "<0> glob <1>"},
    {.name = "is distinct from", .text = "<0> is not <1>"},
    {.name = "is not distinct from", .text = "<0> is <1>"},
    {.name = "abs", .text = "abs({0})"},
    {.name = "length", .text = "length({0})", .narrow = true},
    {.name = "lower", .text = "lower({0})"},
    {.name = "upper", .text = "upper({0})"},
    {.name = "trim", .text = "trim({0})"},
    {.name = "substr", .text = "substr({0}, {1}, {2})"},
    {.name = "replace", .text = "replace({0}, {1}, {2})"},
    {.name = "instr", .text = "instr({0}, {1})", .narrow = true},
    {.name = "round", .text = "(<0> / 100 * 100)"},
    {.name = "add_days", .text = "date({0}, <1> || ' days')"},
    {.name = "add_hours", .text = "date({0}, <1> || ' hours')"},
    {.name = "seconds", .text = "cast(strftime('%s', {0}) as integer)"},
    {.name = "half", .text = "cast(cast({0} as real) / 2 as integer)"},
    {.name = "json_text", .text = "json_extract(json_object('k', {0}), '$.k')"},
    {.name = "float_in", .text = "cast({0} as real)"},
    {.name = "float_out", .text = "cast({0} as integer)"},
    {.name = "json_in", .text = "json_object('v', {0})"},
    {.name = "json_out", .text = "json_extract({0}, '$.v')"},
    {.name = "moment_in", .text = "datetime({0}, '+810 minutes')"},
    {.name = "moment_out", .text = "date({0})"},
    {.name = "days_between", .text = "cast(julianday({0}) - julianday({1}) as integer)", .narrow = true},
    {.name = "year", .text = "cast(strftime('%Y', {0}) as integer)", .narrow = true},
    {.name = "month", .text = "cast(strftime('%m', {0}) as integer)", .narrow = true},
    {.name = "day", .text = "cast(strftime('%d', {0}) as integer)", .narrow = true},
    {.name = "cast", .type = ValueType::kInteger, .text = "<0> * 100", .to = ValueType::kDecimal},
    {.name = "cast", .type = ValueType::kInteger, .text = "cast({0} as text)", .to = ValueType::kText},
    {.name = "cast", .type = ValueType::kInteger, .text = "<0> <> 0", .to = ValueType::kBoolean},
    {.name = "cast", .type = ValueType::kDecimal, .text = "<0> / 100", .to = ValueType::kInteger},
    {.name = "cast", .type = ValueType::kDecimal, .text = "cast({0} as text)", .to = ValueType::kText},
    {.name = "cast",
     .type = ValueType::kBoolean,
     .text = "cast({0} as integer)",
     .narrow = true,
     .to = ValueType::kInteger},
    {.name = "cast", .type = ValueType::kBoolean, .text = "cast({0} as text)", .to = ValueType::kText},
    {.name = "cast", .type = ValueType::kDate, .text = "cast({0} as text)", .to = ValueType::kText},
};

constexpr Grammar kSqliteGrammar = {.family = Family::kSqlite,
                                    .spellings = kSqliteSpellings,
                                    .types = {.integer = "integer",
                                              .decimal = "integer",
                                              .text = "text",
                                              .boolean = "integer",
                                              .date = "text",
                                              .real = "real",
                                              .json = "text",
                                              .moment = "text"},
                                    .hundredths = true,
                                    .dates_are_texts = true,
                                    .rows_after_values = true,
                                    .average = "(sum({0}) / count({0}))",
                                    .greatest = "max",
                                    .least = "min",
                                    .locks = LockClause::kNone,
                                    .second = SecondSource::kUpdateOnly,
                                    .where_sees_start = false,
                                    .has_replace = true,
                                    .triggers = Triggers::kUpdatesRow,
                                    .has_rowids = true,
                                    .indexes_json = true,
                                    .indexes_expressions = true,
                                    .indexes_parts = true};

constexpr std::string_view kSqliteFighter[] = {"pragma foreign_keys = on", "pragma synchronous = off"};
constexpr std::string_view kSqliteKeeper[] = {"pragma foreign_keys = off", "pragma synchronous = off"};
constexpr std::string_view kSqliteClearing[] = {"pragma foreign_keys = off"};

constexpr MarkedNames kSqliteNames = {
    .is_marked = "select count(*) from sqlite_master where name = 'isolde_hunt_made'",
    .tables =
        "select name, type from sqlite_master where type in ('table', 'view') and lower(name) in (select name "
        "from isolde_hunt_made) order by 1",
    .is_there = "select count(*) from sqlite_master where lower(name) = ?",
    .mark = "insert or ignore into isolde_hunt_made values (?)"};

constexpr RefusalRow kSqliteRefusals[] = {
    {"SQLITE_BUSY*", Refusal::kConcurrency, "another connection holds the lock, or wrote since the snapshot"},
    {"SQLITE_LOCKED*", Refusal::kConcurrency, "another connection of the shared cache holds the table's lock"},
    {"SQLITE_PROTOCOL", Refusal::kConcurrency, "the locks of the log file could not be had"},
    {"SQLITE_SCHEMA", Refusal::kConcurrency, "the schema has changed"},
    {"SQLITE_CONSTRAINT_FOREIGNKEY", Refusal::kConstraint, "a foreign key"},
    {"SQLITE_CONSTRAINT_PRIMARYKEY", Refusal::kConstraint, "a primary key"},
    {"SQLITE_CONSTRAINT_ROWID", Refusal::kConstraint, "a primary key"},
    {"SQLITE_CONSTRAINT_UNIQUE", Refusal::kConstraint, "a unique key"},
    {"SQLITE_INTERRUPT", Refusal::kLimit, "cancelled"},
    {"SQLITE_NOMEM", Refusal::kResource, "out of memory"},
    {"SQLITE_FULL", Refusal::kResource, "disk full"},
    {"SQLITE_IOERR*", Refusal::kResource, "input and output"},
    {"SQLITE_CANTOPEN*", Refusal::kResource, "the file cannot be opened"},
    {"SQLITE_READONLY*", Refusal::kResource, "the file is read-only"},
    {"SQLITE_INTERNAL", Refusal::kInternal, "a fault of SQLite's own"},
    {"SQLITE_CORRUPT*", Refusal::kInternal, "the file is damaged"},
    {"SQLITE_NOTADB", Refusal::kInternal, "the file is no database any more"},
    {"SQLITE_MISUSE", Refusal::kInternal, "its interface was used wrongly"},
};
constexpr std::string_view kSqliteUnknown[] = {"SQLITE_ERROR", "SQLITE_AUTH"};

constexpr UnjudgedLevel kSqliteUnjudged[] = {
    {.level = "readuncommitted",
     .whole = false,
     .why = "connections that share a cache at read_uncommitted see rows that are not committed, so a statement does "
            "not see what its transaction saw right before"},
};

constexpr ClientWords kSqliteClient = {.usage = "no arguments",
                                       .client = R"(stdbuf -oL sqlite3 -header "$dir/db")",
                                       .mark = ".print --done--",
                                       .version = "select sqlite_version();",
                                       .quiet = "",
                                       .settings = "pragma journal_mode = {first}; pragma foreign_keys = on;",
                                       .begin = "begin;",
                                       .begin_at = "immediate",
                                       .begin_then = "begin immediate;"};
constexpr Promise kSqlitePromises[] = {
    {"",
     "\"Except in the case of shared cache database connections with PRAGMA read_uncommitted turned on, all "
     "transactions in SQLite show 'serializable' isolation\" (Isolation In SQLite)"},
};

// There are no settings of plans: it takes an index wherever there is one, and without_indexes() does the rest.
constexpr HuntRules kSqliteHunt = {
    .grammar = &kSqliteGrammar,
    .locks_rows = false,
    .shares_locks = false,
    // 3.49.1 has the bug (docs/found/sqlite-not-in-descending-index.md), 3.54.0 does not.
    .first_descending = 35400,
    .first_outer_joins = 33900,
    .is_stopped_from_here = true,
    .fighter_must = kSqliteFighter,
    .keeper_must = kSqliteKeeper,
    .clearing = kSqliteClearing,
    .begin_reset = "begin immediate; ",
    .end_reset = "commit",
    .marked = &kSqliteNames,
    .refusals = kSqliteRefusals,
    .unknown_codes = kSqliteUnknown,
    .unjudged = kSqliteUnjudged,
    .client = &kSqliteClient,
    .promises = kSqlitePromises};

}  // namespace

constinit const Product kSqliteProduct = {.name = "sqlite",
                                          .title = "SQLite",
                                          .family = Family::kSqlite,
                                          .url_form = "sqlite:FILE",
                                          .in_process = true,
                                          .open = open_sqlite,
                                          // Clients that fail at once where they could wait a little would record
                                          // little but their own impatience.
                                          .recording_option = {"timeout", "1000"},
                                          .evidence = LogEvidence::kWithCommit,
                                          .confirms = Confirms::kNothingWeaker,
                                          .hunt = &kSqliteHunt,
                                          .why_refused = why_sqlite_refuses};

}  // namespace isolde::db
