// What MariaDB, MySQL and TiDB are and can do (db/product.h): one grammar over one wire.
//
// Source: the manuals of MySQL 8.0, TiDB 7.5 and MariaDB 10.11. No MySQL or TiDB was at hand: their SQL is tested on
//         MariaDB, where it means the same or is a comment, and their rows here by tests of the text.
#include "db/guard/file_sql_dialects.h"
#include "db/mariadb/mariadb.h"
#include "db/mariadb/mariadb_grammar.h"
#include "db/mariadb/tidb.h"
#include "db/products.h"
#include "db/server_recipe.h"

namespace isolde::db {
namespace {

constexpr std::string_view kMariadbSchemes[] = {"mysql"};

// Literals compare as columns do: byte by byte, blanks at the end included.
constexpr std::string_view kMysqlFighter[] = {"set session innodb_lock_wait_timeout = 10",
                                              "set names utf8mb4 collate {collation}"};
constexpr std::string_view kMysqlFighterMay[] = {"set session max_statement_time = {s}",
                                                 "set session max_execution_time = {ms}"};  // MySQL
constexpr std::string_view kMysqlKeeper[] = {"set session foreign_key_checks = 0",
                                             "set session innodb_lock_wait_timeout = 10",
                                             "set names utf8mb4 collate {collation}"};
constexpr std::string_view kMysqlClearing[] = {"set session foreign_key_checks = 0"};

constexpr PlanSetting kMariadbPlans[] = {
    {true, "max_seeks_for_key", "1"},
    {false, "optimizer_switch",
     "'semijoin=off,materialization=off,derived_merge=off,subquery_cache=off,index_merge=off,"
     "outer_join_with_cache=off,exists_to_in=off,condition_pushdown_for_derived=off,rowid_filter=off'"},
};
constexpr PlanSetting kMysqlPlans[] = {
    {true, "max_seeks_for_key", "1"},
    {false, "optimizer_switch",
     "'semijoin=off,materialization=off,derived_merge=off,index_merge=off,mrr=off,skip_scan=off'"},
};
constexpr PlanSetting kTidbPlans[] = {
    {true, "tidb_opt_prefer_range_scan", "on"},
    {false, "tidb_enable_vectorized_expression", "off"},
    {false, "tidb_opt_insubq_to_join_and_agg", "off"},
    {false, "tidb_enable_index_merge", "off"},
};

constexpr OwnSchema kMysqlSchema = {
    .called = "database",
    .is_there = "select count(*) from information_schema.schemata where schema_name = 'isolde_hunt'",
    .is_marked =
        "select count(*) from information_schema.tables where table_schema = 'isolde_hunt' and table_name = "
        "'isolde_hunt_made'",
    .things_in_it =
        "select (select count(*) from information_schema.tables where table_schema = 'isolde_hunt') + "
        "(select count(*) from information_schema.routines where routine_schema = 'isolde_hunt')",
    .lock = "select get_lock('isolde_hunt', 0)",
    .make =
        "create database isolde_hunt; create table isolde_hunt.isolde_hunt_made (name varchar(64) primary key) "
        "engine=InnoDB; insert into isolde_hunt.isolde_hunt_made values ('schema')",
    .take = "create table isolde_hunt.isolde_hunt_made (name varchar(64) primary key) engine=InnoDB",
    .enter = "use isolde_hunt",
    .let_make = "create database isolde_hunt; grant all on isolde_hunt.* to USER",
    .tables =
        "select table_name, case table_type when 'VIEW' then 'view' else 'table' end from "
        "information_schema.tables where table_schema = 'isolde_hunt' and table_name <> 'isolde_hunt_made' "
        "order by 1",
    .quote = '`',
    .drop = "drop database isolde_hunt"};

constexpr RefusalRow kMariadbRefusals[] = {
    {"1213", Refusal::kConcurrency, "deadlock"},
    {"1020", Refusal::kConcurrency, "the row has changed since the snapshot"},
    {"1412", Refusal::kConcurrency, "the table was altered since the snapshot"},
    {"3572", Refusal::kConcurrency, "NOWAIT met a lock (MySQL)"},
    {"8002", Refusal::kConcurrency, "a locking read cannot be retried (TiDB)"},
    {"8022", Refusal::kConcurrency, "the commit failed and may be retried (TiDB)"},
    {"9007", Refusal::kConcurrency, "write conflict (TiDB)"},
    {"1022", Refusal::kConstraint, "a unique key"},
    {"1062", Refusal::kConstraint, "a unique key"},
    {"1586", Refusal::kConstraint, "a unique key"},
    {"1216", Refusal::kConstraint, "a foreign key"},
    {"1217", Refusal::kConstraint, "a foreign key"},
    {"1451", Refusal::kConstraint, "a foreign key"},
    {"1452", Refusal::kConstraint, "a foreign key"},
    {"1205", Refusal::kLimit, "waited too long for a lock"},
    {"1317", Refusal::kLimit, "KILL QUERY"},
    {"1969", Refusal::kLimit, "longer than max_statement_time (MariaDB)"},
    {"3024", Refusal::kLimit, "longer than max_execution_time (MySQL)"},
    {"1021", Refusal::kResource, "disk full"},
    {"1037", Refusal::kResource, "out of memory"},
    {"1038", Refusal::kResource, "out of memory for sorting"},
    {"1040", Refusal::kResource, "too many connections"},
    {"1041", Refusal::kResource, "out of memory"},
    {"1114", Refusal::kResource, "the table is full"},
    {"1135", Refusal::kResource, "no thread can be made"},
    {"1206", Refusal::kResource, "more locks than the lock table holds"},
    {"1290", Refusal::kResource, "the server is read-only"},
    {"1637", Refusal::kResource, "too many transactions"},
    {"1032", Refusal::kInternal, "a row that an index has is not in its table"},
    {"1034", Refusal::kInternal, "an index is broken"},
    {"1105", Refusal::kInternal, "unknown error"},
    {"1194", Refusal::kInternal, "the table is marked as crashed"},
    {"1712", Refusal::kInternal, "an index is corrupted"},
    {"1815", Refusal::kInternal, "internal error"},
};
constexpr std::string_view kMysqlUnknown[] = {"1064", "1146", "1054", "1305", "1235", "1115",
                                              "1044", "1045", "1142", "1143", "1227", "1370"};

// Those that name no table, so that they mean something whatever the query's row sources are called.
constexpr std::string_view kMysqlHints[] = {"no_semijoin()", "join_fixed_order()", "set_var(optimizer_switch='mrr=on')",
                                            "set_var(max_seeks_for_key=1)"};
constexpr std::string_view kTidbHints[] = {"hash_agg()", "stream_agg()", "no_index_merge()", "use_toja(true)",
                                           "limit_to_cop()"};

constexpr std::string_view kSnapshotIsolationOn[] = {"innodb_snapshot_isolation=ON", "innodb_snapshot_isolation=1"};
constexpr UnjudgedLevel kInnodbUnjudged[] = {
    {.level = "readuncommitted",
     .whole = true,
     .why = "at READ UNCOMMITTED a statement sees rows that are not committed, and those that it changes may be undone "
            "under it"},
    {.level = "repeatableread",
     .whole = true,
     .unless_says = kSnapshotIsolationOn,
     .why = "at REPEATABLE READ without innodb_snapshot_isolation an UPDATE, DELETE or locking read works on the rows "
            "committed last, not on those of its transaction's snapshot",
     .recognised_by = "innodb-repeatable-read"},
};
constexpr UnjudgedLevel kTidbUnjudged[] = {
    {.level = "repeatableread",
     .whole = true,
     .if_says = "pessimistic",
     .why = "a statement that locks reads the rows committed last, not those of its transaction's snapshot (TiDB's "
            "pessimistic transactions)",
     .recognised_by = "tidb-pessimistic"},
};

constexpr Setting kMariadbIsolation[] = {{"innodb_snapshot_isolation", "OFF"}};
constexpr Setting kMariadbThrowaway[] = {
    {"innodb_doublewrite", "0"},
    {"innodb_flush_log_at_trx_commit", "0"},
    {"innodb_stats_persistent", "OFF"},
    {"skip_log_bin", ""},
    {"sync_binlog", "0"},
};

constexpr ClientWords client_words(std::string_view usage, std::string_view client) {
  return {.usage = usage,
          .client = client,
          .mark = R"(select "--done--";)",
          .version = "select version();",
          .quiet = "",
          .settings =
              "set names utf8mb4 collate {collation};{isolation_settings} set session transaction isolation "
              "level {level};",
          .begin = "start transaction;"};
}
constexpr ClientWords kMariadbClient = client_words("arguments of mariadb: -S, -h, -P, -u, DATABASE …",
                                                    R"(mariadb "${args[@]}" -N -s --unbuffered --force)");
constexpr ClientWords kMysqlClient =
    client_words("arguments of mysql: -S, -h, -P, -u, DATABASE …", R"(mysql "${args[@]}" -N -s --unbuffered --force)");
constexpr ClientWords kTidbClient =
    client_words("arguments of mysql: -h, -P, -u, DATABASE …", R"(mysql "${args[@]}" -N -s --unbuffered --force)");

constexpr Promise kMariadbPromises[] = {
    {"repeatable read",
     "\"All consistent reads within the same transaction read the snapshot established by the first read\" (MariaDB "
     "documentation, SET TRANSACTION); with innodb_snapshot_isolation=ON a write to a row that is newer than the "
     "snapshot fails with error 1020"},
};

constexpr HuntRules mysql_rules(std::string_view collation, Prepares prepares) {
  HuntRules rules = {.grammar = &kMysqlGrammar};
  rules.prepares = prepares;
  rules.collation = collation;
  rules.snapshot_by_read = "repeatable read";
  rules.counts_upserts_twice = true;
  rules.escapes_by_backslash = true;
  rules.fighter_must = kMysqlFighter;
  rules.fighter_may = kMysqlFighterMay;
  rules.keeper_must = kMysqlKeeper;
  rules.clearing = kMysqlClearing;
  rules.begin_reset = "start transaction; ";
  rules.end_reset = "commit";
  rules.has_concat_ws = true;
  rules.own_schema = &kMysqlSchema;
  rules.code_length = 4;
  rules.refusals = kMariadbRefusals;
  rules.unknown_codes = kMysqlUnknown;
  return rules;
}
constexpr HuntRules mariadb_rules() {
  HuntRules rules = mysql_rules("utf8mb4_nopad_bin", Prepares::kExecuteImmediate);
  rules.is_innodb = true;
  rules.plans = kMariadbPlans;
  rules.unjudged = kInnodbUnjudged;
  rules.isolation_settings = kMariadbIsolation;
  rules.throwaway_settings = kMariadbThrowaway;
  rules.client = &kMariadbClient;
  rules.promises = kMariadbPromises;
  return rules;
}
constexpr HuntRules rules_of_mysql() {
  HuntRules rules = mysql_rules("utf8mb4_0900_bin", Prepares::kPrepareFrom);
  rules.is_innodb = true;
  rules.first_except = 80031;
  rules.hints = kMysqlHints;
  rules.plans = kMysqlPlans;
  rules.unjudged = kInnodbUnjudged;
  rules.client = &kMysqlClient;
  return rules;
}
constexpr HuntRules tidb_rules() {
  HuntRules rules = mysql_rules("utf8mb4_0900_bin", Prepares::kPrepareFrom);
  rules.shares_locks = false;
  rules.hints = kTidbHints;
  rules.plans = kTidbPlans;
  rules.unjudged = kTidbUnjudged;
  rules.client = &kTidbClient;
  return rules;
}
constexpr HuntRules kMariadbHunt = mariadb_rules(), kMysqlHunt = rules_of_mysql(), kTidbHunt = tidb_rules();

}  // namespace

constinit const Product kMariadbProduct = {.name = "mariadb",
                                           .title = "MariaDB",
                                           .family = Family::kMysql,
                                           .also = kMariadbSchemes,
                                           .url_form = "mariadb://…, mysql://…",
                                           .open = open_mariadb,
                                           .recipe = mariadb_recipe,
                                           .scratch_server = "mariadb",
                                           .password_variable = "MYSQL_PWD",
                                           .evidence = LogEvidence::kCommitPlaces,
                                           .confirms = Confirms::kYes,
                                           .major_numbers = 2,
                                           .hunt = &kMariadbHunt,
                                           .why_refused = why_mariadb_refuses};

// Its URLs are opened by MariaDB's driver; hunts write its own SQL for it.
constinit const Product kMysqlProduct = {.name = "mysql",
                                         .title = "MySQL",
                                         .family = Family::kMysql,
                                         .scratch_server = "mariadb",
                                         .major_numbers = 2,
                                         .hunt = &kMysqlHunt,
                                         .why_refused = why_mariadb_refuses};

constinit const Product kTidbProduct = {.name = "tidb",
                                        .title = "TiDB",
                                        .family = Family::kMysql,
                                        .url_form = "tidb://…",
                                        .open = open_tidb,
                                        .scratch_server = "mariadb",
                                        .password_variable = "MYSQL_PWD",
                                        .evidence = LogEvidence::kMvccVersions,
                                        .hunt = &kTidbHunt,
                                        .why_refused = why_mariadb_refuses};

}  // namespace isolde::db
