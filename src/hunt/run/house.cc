#include "hunt/run/house.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>

#include "hunt/dialects.h"
#include "hunt/run/own_schema.h"

namespace isolde::hunt {
namespace {

// Literals compare as columns do: byte by byte, blanks at the end included.
std::string set_names(std::string_view dialect) {
  return fmt::format("set names utf8mb4 collate {}", hunt_dialect(dialect)->collation);
}

// Every session works where hunts make their tables.
SessionSetup entered(SessionSetup setup, std::string_view dialect) {
  const std::vector<std::string> first = enter_own_schema(dialect);
  setup.must.insert(setup.must.begin(), first.begin(), first.end());
  return setup;
}

// SQLite's cannot change the row that is being stored: it updates it right afterwards, and so for once only.
void add_trigger(const Table& table, std::string_view dialect, std::vector<std::string>& all) {
  const std::string value = fmt::format("coalesce(new.{}, 0) + 1", table.trigger->from);
  if (dialect == "postgres") {
    all.push_back(
        fmt::format("create or replace function {}_f() returns trigger language plpgsql as $$ begin new.{} "
                    ":= {}; return new; end $$",
                    table.name, table.trigger->column, value));
    all.push_back(fmt::format(
        "create trigger {0}_g before insert or update on {0} for each row execute function {0}_f()", table.name));
    return;
  }
  for (const std::string_view when : {"insert", "update"}) {
    all.push_back(
        dialect == "sqlite"
            ? fmt::format("create trigger {0}_{1} after {1} on {0} begin update {0} set {2} = {3} where pkey = "
                          "new.pkey; end",
                          table.name, when, table.trigger->column, value)
            : fmt::format("create trigger {0}_{1} before {1} on {0} for each row set new.{2} = {3}", table.name, when,
                          table.trigger->column, value));
  }
}

}  // namespace

bool is_huntable(std::string_view dialect) { return hunt_dialect(dialect) != nullptr; }

SessionSetup fighter_setup(std::string_view dialect, std::chrono::milliseconds limit) {
  SessionSetup setup;
  if (dialect == "postgres") {
    setup.must = {fmt::format("set statement_timeout = {}", limit.count()),
                  // One process a statement, and no seconds spent on compiling it.
                  "set max_parallel_workers_per_gather = 0", "set jit = off"};
    // A session that waits says so itself, as soon as it has looked for a deadlock.
    setup.may = {"set deadlock_timeout = '1ms'", "set log_lock_waits = on", "set client_min_messages = log"};
  } else if (is_of_mysql(dialect)) {
    setup.must = {"set session innodb_lock_wait_timeout = 10", set_names(dialect)};
    setup.may = {fmt::format("set session max_statement_time = {:.3f}", static_cast<double>(limit.count()) / 1000),
                 fmt::format("set session max_execution_time = {}", limit.count())};  // MySQL
  } else {
    setup.must = {"pragma foreign_keys = on", "pragma synchronous = off"};
  }
  return entered(std::move(setup), dialect);
}

SessionSetup keeper_setup(std::string_view dialect) {
  SessionSetup setup;
  if (dialect == "postgres") {
    setup.must = {"set statement_timeout = '60s'", "set jit = off"};
  } else if (is_of_mysql(dialect)) {
    setup.must = {"set session foreign_key_checks = 0", "set session innodb_lock_wait_timeout = 10",
                  set_names(dialect)};
  } else {
    setup.must = {"pragma foreign_keys = off", "pragma synchronous = off"};
  }
  return entered(std::move(setup), dialect);
}

std::string_view name(Plan plan) { return plan == Plan::kByIndexes ? "by-indexes" : "by-scans"; }

PlanSettings plan_settings(std::string_view dialect, Plan plan) {
  struct Row {
    std::string_view dialect;
    Plan plan;
    std::string_view setting, value;
  };
  // SQLite has none: it takes an index wherever there is one, and without_indexes() does the rest.
  static constexpr Row kRows[] = {
      {"postgres", Plan::kByIndexes, "enable_seqscan", "off"},
      {"postgres", Plan::kByIndexes, "enable_bitmapscan", "off"},
      {"postgres", Plan::kByIndexes, "enable_sort", "off"},
      {"postgres", Plan::kByScans, "enable_indexscan", "off"},
      {"postgres", Plan::kByScans, "enable_indexonlyscan", "off"},
      {"postgres", Plan::kByScans, "enable_bitmapscan", "off"},
      {"postgres", Plan::kByScans, "enable_hashjoin", "off"},
      {"postgres", Plan::kByScans, "enable_mergejoin", "off"},
      {"postgres", Plan::kByScans, "enable_hashagg", "off"},
      {"mariadb", Plan::kByIndexes, "max_seeks_for_key", "1"},
      {"mysql", Plan::kByIndexes, "max_seeks_for_key", "1"},
      {"mysql", Plan::kByScans, "optimizer_switch",
       "'semijoin=off,materialization=off,derived_merge=off,index_merge=off,mrr=off,skip_scan=off'"},
      {"tidb", Plan::kByIndexes, "tidb_opt_prefer_range_scan", "on"},
      {"tidb", Plan::kByScans, "tidb_enable_vectorized_expression", "off"},
      {"tidb", Plan::kByScans, "tidb_opt_insubq_to_join_and_agg", "off"},
      {"tidb", Plan::kByScans, "tidb_enable_index_merge", "off"},
      {"mariadb", Plan::kByScans, "optimizer_switch",
       "'semijoin=off,materialization=off,derived_merge=off,subquery_cache=off,index_merge=off,"
       "outer_join_with_cache=off,exists_to_in=off,condition_pushdown_for_derived=off,rowid_filter=off'"},
  };
  PlanSettings settings;
  for (const Row& row : kRows) {
    if (row.dialect != dialect || row.plan != plan) continue;
    settings.on.push_back(fmt::format("set session {} = {}", row.setting, row.value));
    settings.off.push_back(fmt::format("set session {} = default", row.setting));
  }
  return settings;
}

std::vector<std::string> creation(const Table& table, std::string_view dialect) {
  std::vector<std::string> all = {table.create};
  const bool postgres = dialect == "postgres";
  if (table.partitions > 0) {
    all[0] += postgres ? std::string(" partition by hash (pkey)")
                       : fmt::format(" partition by hash (pkey) partitions {}", table.partitions);
    for (std::uint32_t i = 0; postgres && i < table.partitions; ++i)
      all.push_back(fmt::format("create table {0}_p{1} partition of {0} for values with (modulus {2}, remainder {1})",
                                table.name, i, table.partitions));
  }
  if (table.trigger) add_trigger(table, dialect, all);
  return all;
}

std::vector<std::string> left_by_drops(const Schema& schema, std::string_view dialect) {
  std::vector<std::string> all;
  if (dialect != "postgres") return all;
  for (const Table& table : schema.tables)
    if (table.trigger) all.push_back(fmt::format("drop function if exists {}_f", table.name));
  return all;
}

std::vector<std::string> creation(const Schema& schema, std::string_view dialect) {
  std::vector<std::string> all;
  for (const Table& table : schema.tables) {
    for (std::string& sql : creation(table, dialect)) all.push_back(std::move(sql));
    // Fresh statistics in the middle of a run might change the order in which rows are locked.
    if (dialect == "postgres" && table.partitions == 0)
      all.push_back(fmt::format("alter table {} set (autovacuum_enabled = off)", table.name));
  }
  all.insert(all.end(), schema.more.begin(), schema.more.end());
  for (const View& view : schema.views) all.push_back(view.create);
  return all;
}

std::string reset_sql(const Schema& schema, std::string_view dialect) {
  std::set<std::string_view> all;
  for (const Table& table : schema.tables) all.insert(table.name);
  return reset_sql(schema, dialect, all);
}

std::string reset_sql(const Schema& schema, std::string_view dialect, const std::set<std::string_view>& changed) {
  std::set<std::string_view> emptied = changed;
  std::vector<const Table*> tables;
  for (const Table& table : schema.tables) {  // parents before their children
    for (const ForeignKey& key : table.foreign_keys)
      if (emptied.contains(key.parent)) emptied.insert(table.name);
    if (emptied.contains(table.name)) tables.push_back(&table);
  }
  if (tables.empty()) return {};
  // PostgreSQL makes one transaction of one request by itself.
  std::string sql = dialect == "postgres" ? "" : is_of_mysql(dialect) ? "start transaction; " : "begin immediate; ";
  // Children first, so that no foreign key stands in the way; then parents first.
  for (const Table* const table : tables | std::views::reverse) sql += fmt::format("delete from {}; ", table->name);
  for (const Table* const table : tables) {
    if (table->rows.empty()) continue;
    sql += fmt::format("insert into {} ({}) values ", table->name, fmt::join(table->inserted, ", "));
    for (std::size_t i = 0; i < table->rows.size(); ++i)
      sql += fmt::format("{}({})", i == 0 ? "" : ", ", fmt::join(table->rows[i], ", "));
    sql += "; ";
  }
  if (dialect != "postgres") sql += "commit";
  return sql;
}

}  // namespace isolde::hunt
