#include "hunt/run/own_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <thread>

#include "base/ascii.h"
#include "hunt/dialects.h"

namespace isolde::hunt {
namespace {

constexpr int kLockTries = 60;
constexpr std::chrono::milliseconds kBetweenLocks{50};

// The mark is a table with one column. In a schema it has the row "schema" if the hunt made the schema itself.
constexpr std::string_view kMark = "isolde_hunt_made";

struct OwnSchema {
  Family family;
  std::string_view called;  // as the server's users say
  // Each is answered with one number.
  std::string_view is_there, is_marked, things_in_it;
  std::string_view lock;  // 1: this session has it, until it ends
  // One request each.
  std::string_view make, take;  // with its mark; the mark alone, in one that is there
  std::string_view enter;
  std::string_view let_make;  // what somebody who may has to run for a user who may not
  std::string_view tables;    // names and kinds ("table", "view", "function") of all but the mark
  char quote;
  std::string_view drop;
};

constexpr OwnSchema kOwnSchemas[] = {
    {.family = Family::kPostgres,
     .called = "schema",
     .is_there = "select count(*) from pg_catalog.pg_namespace where nspname = 'isolde_hunt'",
     .is_marked = "select count(*) from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace "
                  "where n.nspname = 'isolde_hunt' and c.relname = 'isolde_hunt_made'",
     .things_in_it = "select (select count(*) from pg_catalog.pg_class where relnamespace = n.oid) + (select count(*) "
                     "from pg_catalog.pg_proc where pronamespace = n.oid) + (select count(*) from pg_catalog.pg_type "
                     "where typnamespace = n.oid) from pg_catalog.pg_namespace n where n.nspname = 'isolde_hunt'",
     .lock = "select case when pg_try_advisory_lock(hashtext('isolde_hunt')) then 1 else 0 end",
     .make = "create schema isolde_hunt; create table isolde_hunt.isolde_hunt_made (name varchar(64) primary key); "
             "insert into isolde_hunt.isolde_hunt_made values ('schema')",
     .take = "create table isolde_hunt.isolde_hunt_made (name varchar(64) primary key)",
     .enter = "set search_path = isolde_hunt",
     .let_make = "create schema isolde_hunt authorization USER",
     .tables = "select c.relname::text, case c.relkind when 'v' then 'view' else 'table' end from pg_catalog.pg_class "
               "c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.nspname = 'isolde_hunt' and "
               "c.relkind in ('r', 'p', 'v') and c.relname <> 'isolde_hunt_made' union all select p.proname::text, "
               "'function' from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace where "
               "n.nspname = 'isolde_hunt' and p.proname like 'hunt\\_%' order by 1",
     .quote = '"',
     .drop = "drop schema isolde_hunt"},
    {.family = Family::kMysql,
     .called = "database",
     .is_there = "select count(*) from information_schema.schemata where schema_name = 'isolde_hunt'",
     .is_marked = "select count(*) from information_schema.tables where table_schema = 'isolde_hunt' and table_name = "
                  "'isolde_hunt_made'",
     .things_in_it = "select (select count(*) from information_schema.tables where table_schema = 'isolde_hunt') + "
                     "(select count(*) from information_schema.routines where routine_schema = 'isolde_hunt')",
     .lock = "select get_lock('isolde_hunt', 0)",
     .make = "create database isolde_hunt; create table isolde_hunt.isolde_hunt_made (name varchar(64) primary key) "
             "engine=InnoDB; insert into isolde_hunt.isolde_hunt_made values ('schema')",
     .take = "create table isolde_hunt.isolde_hunt_made (name varchar(64) primary key) engine=InnoDB",
     .enter = "use isolde_hunt",
     .let_make = "create database isolde_hunt; grant all on isolde_hunt.* to USER",
     .tables = "select table_name, case table_type when 'VIEW' then 'view' else 'table' end from "
               "information_schema.tables where table_schema = 'isolde_hunt' and table_name <> 'isolde_hunt_made' "
               "order by 1",
     .quote = '`',
     .drop = "drop database isolde_hunt"},
};

// Null: the dialect has no schemas.
const OwnSchema* own_schema_of(std::string_view dialect) {
  const auto* const found = std::find_if(std::begin(kOwnSchemas), std::end(kOwnSchemas),
                                         [&](const OwnSchema& own) { return own.family == family_of(dialect); });
  return found == std::end(kOwnSchemas) ? nullptr : found;
}

// SQLite's, where the mark lists names.
constexpr std::string_view kHasMark = "select count(*) from sqlite_master where name = 'isolde_hunt_made'";
constexpr std::string_view kMarkedTables =
    "select name, type from sqlite_master where type in ('table', 'view') and lower(name) in (select name from "
    "isolde_hunt_made) order by 1";

Result<db::Reply> answered(Result<db::Reply> reply) {
  if (reply && !reply->done()) return Error{fmt::format("{} ({})", reply->failure.text, reply->failure.code)};
  return reply;
}

Result<void> run_through(db::Connection& connection, std::string_view sql) {
  if (auto reply = answered(connection.run(sql)); !reply) return std::move(reply).error();
  return {};
}

Result<std::int64_t> number_of(Result<db::Reply> reply) {
  reply = answered(std::move(reply));
  if (!reply) return std::move(reply).error();
  const auto* const count = reply->rows() == 1 ? std::get_if<std::int64_t>(&reply->at(0, 0)) : nullptr;
  if (count == nullptr) return Error{"the server gave no number where it was asked to count"};
  return *count;
}

std::string quoted_name(std::string_view name, char quote) {
  std::string out(1, quote);
  for (const char c : name) out.append(c == quote ? 2 : 1, c);
  return out + quote;
}

// `tables` is answered with names and kinds.
Result<void> drop_tables(db::Connection& connection, std::string_view tables, char quote, bool several_at_once) {
  auto reply = answered(connection.run(tables));
  if (!reply) return std::move(reply).error();
  for (const std::string_view kind : {"view", "table", "function"}) {
    std::vector<std::string> names;
    for (std::size_t row = 0; row < reply->rows(); ++row) {
      if (db::text_in(reply->at(row, 1)) == kind) names.push_back(quoted_name(db::text_in(reply->at(row, 0)), quote));
    }
    // Together, so that tables that refer to each other do not stand in each other's way.
    if (several_at_once && !names.empty()) names = {fmt::format("{}", fmt::join(names, ", "))};
    for (const std::string& name : names) {
      if (auto done = run_through(connection, fmt::format("drop {} {}", kind, name)); !done) return done;
    }
  }
  return {};
}

Result<bool> has_mark(db::Connection& connection, std::string_view dialect) {
  const OwnSchema* const own = own_schema_of(dialect);
  const auto count = number_of(connection.run(own == nullptr ? kHasMark : own->is_marked));
  if (!count) return count.error();
  return *count > 0;
}

// A connection that has entered the schema, with no tables of hunts left in it. Null: there is nothing of a hunt.
Result<std::unique_ptr<db::Connection>> cleared(db::Database& database, const db::ServerLevel& level) {
  const std::string_view dialect = database.dialect().name;
  auto connection = database.connect(level);
  if (!connection) return connection;
  const auto marked = has_mark(**connection, dialect);
  if (!marked) return marked.error();
  if (!*marked) return std::unique_ptr<db::Connection>();
  std::vector<std::string> setup = enter_own_schema(dialect);
  if (is_of_mysql(dialect)) setup.emplace_back("set session foreign_key_checks = 0");
  if (dialect == "sqlite") setup.emplace_back("pragma foreign_keys = off");
  for (const std::string& sql : setup) {
    if (auto done = run_through(**connection, sql); !done) return std::move(done).error();
  }
  const OwnSchema* const own = own_schema_of(dialect);
  if (auto dropped = own == nullptr ? drop_tables(**connection, kMarkedTables, '"', false)
                                    : drop_tables(**connection, own->tables, own->quote, true);
      !dropped)
    return std::move(dropped).error();
  return connection;
}

}  // namespace

Result<std::unique_ptr<db::Connection>> hold_own_schema(db::Database& database, const db::ServerLevel& level) {
  const OwnSchema* const own = own_schema_of(database.dialect().name);
  if (own == nullptr) return std::unique_ptr<db::Connection>();
  auto connection = database.connect(level);
  if (!connection) return connection;
  // A hunt that has just ended may hold it for another moment.
  for (int tries = 1;; ++tries) {
    const auto locked = number_of((*connection)->run(own->lock));
    if (!locked) return locked.error();
    if (*locked == 1) return connection;
    if (tries == kLockTries)
      return Error{
          fmt::format("another hunt is at work in the {} isolde_hunt: wait until it is over, or give this one "
                      "a server of its own (--spawn {})",
                      own->called, own->family == Family::kPostgres ? "postgres" : "mariadb")};
    std::this_thread::sleep_for(kBetweenLocks);
  }
}

Result<void> make_own_schema(db::Connection& connection, std::string_view dialect) {
  const OwnSchema* const own = own_schema_of(dialect);
  if (own == nullptr) return {};
  const auto marked = has_mark(connection, dialect);
  if (!marked) return marked.error();
  if (*marked) return {};
  const auto there = number_of(connection.run(own->is_there));
  if (!there) return there.error();
  if (*there > 0) {
    const auto things = number_of(connection.run(own->things_in_it));
    if (!things) return things.error();
    if (*things > 0)
      return Error{fmt::format(
          "there is a {} isolde_hunt that `isolde hunt` did not make, and it works in one of that name: nothing was "
          "changed; rename it, or give the hunt a server of its own (--spawn {})",
          own->called, dialect)};
  }
  if (auto made = run_through(connection, *there > 0 ? own->take : own->make); !made)
    return Error{
        fmt::format("`isolde hunt` works in a {} of its own and cannot make it: {}; somebody who may has to "
                    "run: {}",
                    own->called, made.error().text, own->let_make)};
  return {};
}

std::vector<std::string> enter_own_schema(std::string_view dialect) {
  const OwnSchema* const own = own_schema_of(dialect);
  return own == nullptr ? std::vector<std::string>() : std::vector{std::string(own->enter)};
}

Result<void> refuse_taken_names(db::Connection& connection, std::string_view dialect,
                                std::span<const std::string> names) {
  if (own_schema_of(dialect) != nullptr) return {};
  const auto marked = has_mark(connection, dialect);
  if (!marked) return marked.error();
  for (const std::string& name : names) {
    const db::Cell lower = lower_case(name);
    const auto there =
        number_of(connection.execute("select count(*) from sqlite_master where lower(name) = ?", {&lower, 1}));
    if (!there) return there.error();
    if (*there == 0) continue;
    const auto ours =
        *marked ? number_of(connection.execute("select count(*) from isolde_hunt_made where name = ?", {&lower, 1}))
                : Result<std::int64_t>(0);
    if (!ours) return ours.error();
    if (*ours == 0)
      return Error{fmt::format(
          "the file has a table {} that `isolde hunt` did not make, and the hunt needs that name: nothing was changed; "
          "give it a file of its own",
          name)};
  }
  return {};
}

Result<void> claim_names(db::Connection& connection, std::string_view dialect, const Schema& schema) {
  if (own_schema_of(dialect) != nullptr) return {};
  std::vector<std::string> names;
  for (const Table& table : schema.tables) names.push_back(table.name);
  for (const View& view : schema.views) names.push_back(view.name);
  if (names.empty()) return {};
  if (auto ours = refuse_taken_names(connection, dialect, names); !ours) return ours;
  if (auto made = run_through(connection, fmt::format("create table if not exists {} (name text primary key)", kMark));
      !made)
    return made;
  for (const std::string& name : names) {
    const db::Cell lower = lower_case(name);
    auto marked = answered(connection.execute("insert or ignore into isolde_hunt_made values (?)", {&lower, 1}));
    if (!marked) return std::move(marked).error();
  }
  return {};
}

Result<void> clear_own_schema(db::Database& database, const db::ServerLevel& level) {
  auto connection = cleared(database, level);
  if (!connection) return std::move(connection).error();
  return {};
}

Result<void> drop_own_schema(db::Database& database, const db::ServerLevel& level) {
  auto connection = cleared(database, level);
  if (!connection) return std::move(connection).error();
  if (*connection == nullptr) return {};
  const OwnSchema* const own = own_schema_of(database.dialect().name);
  const auto made = own == nullptr
                        ? Result<std::int64_t>(0)
                        : number_of((*connection)->run("select count(*) from isolde_hunt_made where name = 'schema'"));
  if (!made) return made.error();
  if (auto unmarked = run_through(**connection, fmt::format("drop table {}", kMark)); !unmarked) return unmarked;
  return *made > 0 ? run_through(**connection, own->drop) : Result<void>();
}

}  // namespace isolde::hunt
