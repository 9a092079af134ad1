#include "hunt/run/own_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <thread>

#include "base/ascii.h"
#include "hunt/case/dialects.h"

namespace isolde::hunt {
namespace {

constexpr int kLockTries = 60;
constexpr std::chrono::milliseconds kBetweenLocks{50};

// The mark is a table with one column. In a schema it has the row "schema" if the hunt made the schema itself.
constexpr std::string_view kMark = "isolde_hunt_made";

// Null: the dialect has no schemas.
const db::OwnSchema* own_schema_of(std::string_view dialect) { return rules_of(dialect).own_schema; }
// Of one that has none.
const db::MarkedNames& marked_names(std::string_view dialect) { return *rules_of(dialect).marked; }

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
  const db::OwnSchema* const own = own_schema_of(dialect);
  const auto count = number_of(connection.run(own == nullptr ? marked_names(dialect).is_marked : own->is_marked));
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
  for (const std::string_view sql : rules_of(dialect).clearing) setup.emplace_back(sql);
  for (const std::string& sql : setup) {
    if (auto done = run_through(**connection, sql); !done) return std::move(done).error();
  }
  const db::OwnSchema* const own = own_schema_of(dialect);
  if (auto dropped = own == nullptr ? drop_tables(**connection, marked_names(dialect).tables, '"', false)
                                    : drop_tables(**connection, own->tables, own->quote, true);
      !dropped)
    return std::move(dropped).error();
  return connection;
}

}  // namespace

Result<std::unique_ptr<db::Connection>> hold_own_schema(db::Database& database, const db::ServerLevel& level) {
  const db::OwnSchema* const own = own_schema_of(database.dialect().name);
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
                      own->called, db::find_product(database.dialect().name)->scratch_server)};
    std::this_thread::sleep_for(kBetweenLocks);
  }
}

Result<void> make_own_schema(db::Connection& connection, std::string_view dialect) {
  const db::OwnSchema* const own = own_schema_of(dialect);
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
  const db::OwnSchema* const own = own_schema_of(dialect);
  return own == nullptr ? std::vector<std::string>() : std::vector{std::string(own->enter)};
}

Result<void> refuse_taken_names(db::Connection& connection, std::string_view dialect,
                                std::span<const std::string> names) {
  if (own_schema_of(dialect) != nullptr) return {};
  const auto marked = has_mark(connection, dialect);
  if (!marked) return marked.error();
  for (const std::string& name : names) {
    const db::Cell lower = lower_case(name);
    const auto there = number_of(connection.execute(marked_names(dialect).is_there, {&lower, 1}));
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
    auto marked = answered(connection.execute(marked_names(dialect).mark, {&lower, 1}));
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
  const db::OwnSchema* const own = own_schema_of(database.dialect().name);
  const auto made = own == nullptr
                        ? Result<std::int64_t>(0)
                        : number_of((*connection)->run("select count(*) from isolde_hunt_made where name = 'schema'"));
  if (!made) return made.error();
  if (auto unmarked = run_through(**connection, fmt::format("drop table {}", kMark)); !unmarked) return unmarked;
  return *made > 0 ? run_through(**connection, own->drop) : Result<void>();
}

}  // namespace isolde::hunt
