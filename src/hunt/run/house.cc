#include "hunt/run/house.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>

#include "hunt/run/own_schema.h"

namespace isolde::hunt {
namespace {

// Literals compare as columns do: byte by byte, blanks at the end included.
constexpr const char* kNames = "set names utf8mb4 collate utf8mb4_nopad_bin";

// Every session works where hunts make their tables.
SessionSetup entered(SessionSetup setup, std::string_view dialect) {
  const std::vector<std::string> first = enter_own_schema(dialect);
  setup.must.insert(setup.must.begin(), first.begin(), first.end());
  return setup;
}

}  // namespace

bool is_huntable(std::string_view dialect) {
  return dialect == "postgres" || dialect == "mariadb" || dialect == "sqlite";
}

SessionSetup fighter_setup(std::string_view dialect, std::chrono::milliseconds limit) {
  SessionSetup setup;
  if (dialect == "postgres") {
    setup.must = {fmt::format("set statement_timeout = {}", limit.count()),
                  // One process a statement, and no seconds spent on compiling it.
                  "set max_parallel_workers_per_gather = 0", "set jit = off"};
    // A session that waits says so itself, as soon as it has looked for a deadlock.
    setup.may = {"set deadlock_timeout = '1ms'", "set log_lock_waits = on", "set client_min_messages = log"};
  } else if (dialect == "mariadb") {
    setup.must = {"set session innodb_lock_wait_timeout = 10", kNames};
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
  } else if (dialect == "mariadb") {
    setup.must = {"set session foreign_key_checks = 0", "set session innodb_lock_wait_timeout = 10", kNames};
  } else {
    setup.must = {"pragma foreign_keys = off", "pragma synchronous = off"};
  }
  return entered(std::move(setup), dialect);
}

std::vector<std::string> creation(const Schema& schema, std::string_view dialect) {
  std::vector<std::string> all;
  for (const Table& table : schema.tables) {
    all.push_back(table.create);
    // Fresh statistics in the middle of a run might change the order in which rows are locked.
    if (dialect == "postgres") all.push_back(fmt::format("alter table {} set (autovacuum_enabled = off)", table.name));
  }
  all.insert(all.end(), schema.more.begin(), schema.more.end());
  for (const View& view : schema.views) all.push_back(view.create);
  return all;
}

std::string reset_sql(const Schema& schema, std::string_view dialect) {
  // PostgreSQL makes one transaction of one request by itself.
  std::string sql = dialect == "postgres" ? "" : dialect == "mariadb" ? "start transaction; " : "begin immediate; ";
  // Children first, so that no foreign key stands in the way; then parents first.
  for (const Table& table : schema.tables | std::views::reverse) sql += fmt::format("delete from {}; ", table.name);
  for (const Table& table : schema.tables) {
    if (table.rows.empty()) continue;
    sql += fmt::format("insert into {} ({}) values ", table.name, fmt::join(table.inserted, ", "));
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      sql += fmt::format("{}({})", i == 0 ? "" : ", ", fmt::join(table.rows[i], ", "));
    sql += "; ";
  }
  if (dialect != "postgres") sql += "commit";
  return sql;
}

}  // namespace isolde::hunt
