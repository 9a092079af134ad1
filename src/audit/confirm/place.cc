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
  const bool postgres = dialect() == "postgres";
  const std::string_view what = postgres ? "schema" : "database";
  const auto made = keeper_->run(fmt::format("create {} {}", what, name_));
  if (auto done = carried_out(made, "create"); !done)
    return Error{fmt::format("cannot make the scratch {} {}: {}. The user of the URL needs the right to create one",
                             what, name_, done.error().text)};
  made_ = true;
  if (auto done = enter(*keeper_); !done) return done;
  if (postgres) {
    for (const std::string& helper : postgres_helpers()) static_cast<void>(keeper_->run(helper));
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
  const bool postgres = dialect() == "postgres";
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
  if (dialect() == "postgres") {
    must = {fmt::format("set search_path = {}, pg_catalog", name_), "set client_min_messages = error"};
    may = {"set jit = off", "set max_parallel_workers_per_gather = 0", "set deadlock_timeout = '50ms'",
           "set statement_timeout = '20s'"};
  } else {
    must = {fmt::format("use {}", name_), "set timestamp = 1714979289",
            // Of old MySQL, whose applications the traces are: no value is refused, it is made to fit.
            source_ == SqlDialect::kMysql ? "set session sql_mode = ''" : "set session sql_mode = 'PIPES_AS_CONCAT'"};
    may = {"set names utf8mb4", "set session foreign_key_checks = 0", "set session innodb_lock_wait_timeout = 10"};
  }
  for (const std::string& sql : must) {
    if (auto done = carried_out(connection.run(sql), sql); !done) return done;
  }
  for (const std::string& sql : may) static_cast<void>(connection.run(sql));
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
  return dialect() == "postgres" ? fmt::format("\"{}\"", lower_case(name)) : fmt::format("`{}`", name);
}

std::string ScratchPlace::column_name(const Play& play, ColumnId column) const {
  const std::string& name = play.schema.column(column).name;
  return dialect() == "postgres" ? fmt::format("\"{}\"", lower_case(name)) : fmt::format("`{}`", name);
}

Result<void> ScratchPlace::make_tables(const Play& play) {
  for (const std::string& table : tables_) {
    if (auto done = carried_out(keeper_->run(fmt::format("drop table if exists {}", table)), table); !done) return done;
  }
  tables_.clear();
  if (play.tables.empty()) return Error{"the statements name no table"};
  for (const TableId table : play.tables) tables_.push_back(table_name(play, table));
  for (const std::string& sql : create_tables(play.schema, play.tables, database_.dialect())) {
    if (auto done = carried_out(keeper_->run(sql), sql); !done) return done;
  }
  if (dialect() != "postgres") return {};
  for (const TableId table : play.tables) {
    for (const ColumnId column : play.schema.table(table).columns) {
      if (!play.schema.column(column).generated_id) continue;
      const std::string name = table_name(play, table), of = column_name(play, column);
      for (const std::string& sql :
           {fmt::format("alter table {} alter column {} drop identity if exists", name, of),
            fmt::format("alter table {} alter column {} set default isolde_next_id()", name, of)}) {
        if (auto done = carried_out(keeper_->run(sql), sql); !done) return done;
      }
    }
  }
  return {};
}

Result<void> ScratchPlace::fill(const Play& play, std::span<const InitialRow> rows, RowOrder order) {
  const bool postgres = dialect() == "postgres";
  std::string sql;
  if (postgres) {
    sql = fmt::format("truncate {}; ", fmt::join(tables_, ", "));
  } else {
    for (const std::string& table : tables_) sql += fmt::format("truncate {}; ", table);
  }
  for (const TableId table : play.tables) {
    std::vector<std::string> columns, texts;
    for (const ColumnId column : play.schema.table(table).columns) columns.push_back(column_name(play, column));
    for (const InitialRow& row : rows) {
      if (row.table != table) continue;
      std::vector<std::string> cells;
      for (const auto& cell : row.cells) cells.push_back(cell ? quoted_value(*cell, !postgres) : "null");
      texts.push_back(fmt::format("({})", fmt::join(cells, ", ")));
    }
    if (texts.empty()) continue;
    if (order == RowOrder::kBackward) std::reverse(texts.begin(), texts.end());
    sql += fmt::format("insert into {} ({}) values {}; ", table_name(play, table), fmt::join(columns, ", "),
                       fmt::join(texts, ", "));
  }
  return carried_out(keeper_->run(sql), "cannot put rows into the scratch tables");
}

Result<db::Reply> ScratchPlace::contents(const Play& play, TableId table) {
  auto reply = keeper_->run(fmt::format("select * from {}", table_name(play, table)));
  if (auto done = carried_out(reply, "cannot read the scratch tables"); !done) return std::move(done).error();
  return reply;
}

std::string ScratchPlace::after_begin(std::uint32_t member) const {
  if (dialect() != "postgres") return {};
  return fmt::format("set local isolde.next_id = '{}'", kFirstNumber + kNumbersOfMember * member);
}

std::string ScratchPlace::before_insert(std::uint32_t member, std::uint32_t line, const std::string& makes) const {
  std::int64_t number = kFirstNumber + kNumbersOfMember * member + kNumbersOfLine * line + 1;
  if (!makes.empty()) std::from_chars(makes.data(), makes.data() + makes.size(), number);
  if (dialect() == "postgres") return fmt::format("set local isolde.next_id = '{}'", number - 1);
  return sets_insert_id_ ? fmt::format("set insert_id = {}", number) : std::string();
}

}  // namespace isolde::audit
