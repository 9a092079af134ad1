#include "audit/confirm/place.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <random>

#include "audit/confirm/wording.h"
#include "base/ascii.h"

namespace isolde::audit {
namespace {

// Where the numbers that tables make begin, for each member.
constexpr std::int64_t kFirstNumber = 900'000;
constexpr std::int64_t kNumbersOfMember = 10'000;
constexpr std::int64_t kNumbersOfLine = 100;

Result<void> carried_out(const Result<db::Reply>& reply, std::string_view what) {
  if (!reply) return reply.error();
  if (!reply->done()) return Error{fmt::format("{}: {} ({})", what, reply->failure.text, reply->failure.code)};
  return {};
}

std::string fresh_name() {
  std::random_device device;
  return fmt::format("isolde_audit_{:08x}{:08x}", device(), device());
}

}  // namespace

Result<std::unique_ptr<ScratchPlace>> ScratchPlace::make(db::Database& database, SqlDialect source) {
  std::unique_ptr<ScratchPlace> place(new ScratchPlace(database, fresh_name(), source));
  if (auto opened = place->open(); !opened) return std::move(opened).error();
  return place;
}

Result<void> ScratchPlace::open() {
  auto keeper = database_.connect(database_.levels().front());
  if (!keeper) return std::move(keeper).error();
  keeper_ = *std::move(keeper);
  const bool postgres = dialect() == db::Family::kPostgres;
  const std::string_view what = postgres ? "schema" : "database";
  const auto made = keeper_->run(fmt::format("create {} {}", what, name_));
  if (auto done = carried_out(made, "create"); !done)
    return Error{fmt::format("cannot make the scratch {} {}: {}. The user of the URL needs the right to create one",
                             what, name_, done.error().text)};
  made_ = true;
  if (auto done = enter(*keeper_); !done) return done;
  const auto locks = keeper_->run(fmt::format("create table {} (name varchar(250) primary key)", kLockTable));
  if (auto done = carried_out(locks, "cannot make a table in the scratch place"); !done) return done;
  if (postgres) {
    std::vector<db::Request> helpers;
    for (const std::string& helper : postgres_helpers()) helpers.push_back({db::RequestKind::kStatement, helper});
    static_cast<void>(keeper_->run_all(helpers, db::OnFailure::kGoOn));
    return carried_out(keeper_->run("create function isolde_next_id() returns bigint language sql volatile as $$"
                                    "select set_config('isolde.next_id', "
                                    "(current_setting('isolde.next_id')::bigint + 1)::text, true)::bigint$$"),
                       "cannot make a function in the scratch schema");
  }
  const auto set = keeper_->run("set insert_id = 1");
  sets_insert_id_ = set && set->done();
  static_cast<void>(keeper_->run("set insert_id = 0"));
  return {};
}

ScratchPlace::~ScratchPlace() {
  if (!made_) return;
  const bool postgres = dialect() == db::Family::kPostgres;
  const std::string drop = postgres ? fmt::format("drop schema if exists {} cascade", name_)
                                    : fmt::format("drop database if exists {}", name_);
  if (keeper_) {
    static_cast<void>(keeper_->roll_back());
    if (carried_out(keeper_->run(drop), "")) return;
  }
  // The keeper's connection is gone: the scratch place must not stay.
  if (auto again = database_.connect(database_.levels().front())) static_cast<void>((*again)->run(drop));
}

Result<void> ScratchPlace::enter(db::Connection& connection) const {
  std::vector<std::string> must, may;
  if (dialect() == db::Family::kPostgres) {
    must = {fmt::format("set search_path = {}, pg_catalog", name_), "set client_min_messages = error"};
    may = {"set jit = off", "set max_parallel_workers_per_gather = 0", "set deadlock_timeout = '50ms'",
           "set statement_timeout = '20s'",
           // Tables have a handful of rows: to think about how to join thirty of them takes a thousand times as long as
           // to do it.
           "set join_collapse_limit = 1", "set from_collapse_limit = 1"};
  } else {
    must = {fmt::format("use {}", name_), "set timestamp = 1714979289",
            // Of old MySQL, whose applications the traces are: no value is refused, it is made to fit.
            source_ == SqlDialect::kMysql ? "set session sql_mode = ''" : "set session sql_mode = 'PIPES_AS_CONCAT'"};
    may = {"set names utf8mb4", "set session foreign_key_checks = 0", "set session innodb_lock_wait_timeout = 10"};
  }
  std::vector<db::Request> requests;
  for (const auto* const list : {&must, &may}) {
    for (const std::string& sql : *list) requests.push_back({db::RequestKind::kStatement, sql});
  }
  const auto replies = connection.run_all(requests, db::OnFailure::kGoOn);
  for (std::size_t i = 0; i < must.size(); ++i) {
    if (i >= replies.size()) return Error{"the connection was lost"};
    if (auto done = carried_out(replies[i], must[i]); !done) return done;
  }
  return {};
}

Result<std::unique_ptr<db::Connection>> ScratchPlace::connect(const StageLevel& level) {
  auto connection = database_.connect(*level.level);
  if (!connection) return std::move(connection).error();
  if (auto entered = enter(**connection); !entered) return std::move(entered).error();
  for (const std::string& sql : level.settings) {
    if (auto done = carried_out((*connection)->run(sql), sql); !done) return std::move(done).error();
  }
  return connection;
}

std::string ScratchPlace::table_name(const Play& play, TableId table) const {
  const std::string& name = play.schema.table(table).name;
  return dialect() == db::Family::kPostgres ? fmt::format("\"{}\"", lower_case(name)) : fmt::format("`{}`", name);
}

std::string ScratchPlace::column_name(const Play& play, ColumnId column) const {
  const std::string& name = play.schema.column(column).name;
  return dialect() == db::Family::kPostgres ? fmt::format("\"{}\"", lower_case(name)) : fmt::format("`{}`", name);
}

std::vector<std::string> ScratchPlace::statements_that_make(const Play& play, TableId table) const {
  std::vector<std::string> out = create_tables(play.schema, std::span(&table, 1), database_.dialect());
  if (dialect() != db::Family::kPostgres) return out;
  const std::string name = table_name(play, table);
  for (const ColumnId column : play.schema.table(table).columns) {
    if (!play.schema.column(column).generated_id) continue;
    const std::string of = column_name(play, column);
    out.push_back(fmt::format("alter table {} alter column {} drop identity if exists", name, of));
    out.push_back(fmt::format("alter table {} alter column {} set default isolde_next_id()", name, of));
  }
  return out;
}

Result<void> ScratchPlace::make_tables(const Play& play) {
  if (play.tables.empty()) return Error{"the statements name no table"};
  for (const TableId table : play.tables) {
    const std::string name = table_name(play, table);
    std::vector<std::string> statements = statements_that_make(play, table);
    if (const auto there = tables_.find(name); there != tables_.end()) {
      if (there->second.made_by == statements) continue;
      tables_.erase(there);
      if (auto done = carried_out(keeper_->run(fmt::format("drop table if exists {}", name)), name); !done) return done;
    }
    for (const std::string& sql : statements) {
      if (auto done = carried_out(keeper_->run(sql), sql); !done) {
        static_cast<void>(keeper_->run(fmt::format("drop table if exists {}", name)));
        return done;
      }
    }
    tables_.emplace(name, ScratchTable{std::move(statements), {}, false, 0});
  }
  return {};
}

// Deleting is far cheaper than truncating, but leaves the dead rows in the file; so now and then it is truncated.
std::string ScratchPlace::statement_that_empties(const std::string& name, ScratchTable& table) {
  constexpr unsigned kMostDeletes = 64;
  if (++table.deletes < kMostDeletes) return fmt::format("delete from {}", name);
  table.deletes = 0;
  return fmt::format("truncate {}", name);
}

std::string ScratchPlace::statements_that_make_locks(const Play& play) {
  std::string sql;
  for (const Member& member : play.members) {
    for (const Line& line : member.lines) {
      if (line.lock_key.empty() || !lock_rows_.insert(lock_row(line)).second) continue;
      sql += fmt::format("insert into {} values ({}); ", kLockTable,
                         quoted_value(lock_row(line), dialect() != db::Family::kPostgres));
    }
  }
  return sql;
}

Result<void> ScratchPlace::fill(const Play& play, std::span<const InitialRow> rows, RowOrder order) {
  const bool postgres = dialect() == db::Family::kPostgres;
  std::string sql = statements_that_make_locks(play);
  std::vector<std::pair<ScratchTable*, std::string>> filled;
  for (const TableId table : play.tables) {
    std::vector<std::string> columns, texts;
    for (const ColumnId column : play.schema.table(table).columns) columns.push_back(column_name(play, column));
    for (const InitialRow& row : rows) {
      if (row.table != table) continue;
      std::vector<std::string> cells;
      for (const auto& cell : row.cells) cells.push_back(cell ? quoted_value(*cell, !postgres) : "null");
      texts.push_back(fmt::format("({})", fmt::join(cells, ", ")));
    }
    if (order == RowOrder::kBackward) std::reverse(texts.begin(), texts.end());
    const std::string name = table_name(play, table);
    std::string insert;
    if (!texts.empty())
      insert = fmt::format("insert into {} ({}) values {}; ", name, fmt::join(columns, ", "), fmt::join(texts, ", "));
    const auto there = tables_.find(name);
    if (there == tables_.end()) return Error{fmt::format("there is no scratch table {}", name)};
    ScratchTable& scratch = there->second;
    if (!scratch.changed && scratch.filled_by == insert) continue;
    sql += fmt::format("{}; {}", statement_that_empties(name, scratch), insert);
    scratch.changed = true;
    filled.emplace_back(&scratch, std::move(insert));
  }
  if (sql.empty()) return {};
  if (auto done = carried_out(keeper_->run(sql), "cannot put rows into the scratch tables"); !done) return done;
  for (auto& [scratch, insert] : filled) {
    scratch->filled_by = std::move(insert);
    scratch->changed = false;
  }
  return {};
}

void ScratchPlace::was_run(const Play& play) {
  const auto changed = [&](TableId table) {
    if (const auto there = tables_.find(table_name(play, table)); there != tables_.end()) there->second.changed = true;
  };
  for (const Member& member : play.members) {
    for (const Line& line : member.lines) {
      if (line.kind == StatementKind::kSelect) continue;
      for (const TableId table : line.tables) changed(table);
    }
  }
}

Result<std::vector<db::Reply>> ScratchPlace::contents(const Play& play) {
  std::vector<db::Request> requests;
  for (const TableId table : play.tables)
    requests.push_back({db::RequestKind::kStatement, fmt::format("select * from {}", table_name(play, table))});
  std::vector<db::Reply> out;
  for (auto& reply : keeper_->run_all(requests, db::OnFailure::kStop)) {
    if (auto done = carried_out(reply, "cannot read the scratch tables"); !done) return std::move(done).error();
    out.push_back(*std::move(reply));
  }
  return out;
}

std::string ScratchPlace::after_begin(std::uint32_t member) const {
  if (dialect() != db::Family::kPostgres) return {};
  return fmt::format("set local isolde.next_id = '{}'", kFirstNumber + kNumbersOfMember * member);
}

std::string ScratchPlace::before_insert(std::uint32_t member, std::uint32_t line, const std::string& makes) const {
  std::int64_t number = kFirstNumber + kNumbersOfMember * member + kNumbersOfLine * line + 1;
  if (!makes.empty()) std::from_chars(makes.data(), makes.data() + makes.size(), number);
  if (dialect() == db::Family::kPostgres) return fmt::format("set local isolde.next_id = '{}'", number - 1);
  return sets_insert_id_ ? fmt::format("set insert_id = {}", number) : std::string();
}

}  // namespace isolde::audit
