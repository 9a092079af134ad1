#include "record/set_up.h"

#include <fmt/format.h>

namespace isolde::record {
namespace {

constexpr std::string_view kMade = "isolde_made";

Result<db::Reply> done(Result<db::Reply> reply, std::string_view doing) {
  if (reply && !reply->done()) return Error{fmt::format("{}: {} {}", doing, reply->failure.code, reply->failure.text)};
  return reply;
}

// How many rows the first cell of the answer counts.
Result<bool> any(Result<db::Reply> reply, std::string_view doing) {
  reply = done(std::move(reply), doing);
  if (!reply) return std::move(reply).error();
  const auto* const count = reply->rows() == 0 ? nullptr : std::get_if<std::int64_t>(&reply->at(0, 0));
  return count != nullptr && *count > 0;
}

Result<void> refuse_foreign_tables(db::Connection& connection, const db::Dialect& dialect,
                                   std::span<const TracedTable> tables) {
  for (const TracedTable& table : tables) {
    const db::Cell name = table.name;
    const auto exists = any(connection.execute(dialect.table_exists, std::span(&name, 1)), "looking for tables");
    if (!exists) return exists.error();
    if (!*exists) continue;
    const auto ours =
        any(connection.execute(fmt::format("select count(*) from {} where name = ?", kMade), std::span(&name, 1)),
            "looking for tables");
    if (!ours) return ours.error();
    if (!*ours) {
      return Error{
          fmt::format("the database has a table {} that `isolde record` did not create, and the workload needs that "
                      "name: use a separate database",
                      table.name)};
    }
  }
  return {};
}

}  // namespace

Result<void> set_up(db::Connection& connection, const db::Dialect& dialect, Workload& workload) {
  const auto run = [&](const std::string& sql) { return done(connection.run(sql), sql); };
  if (auto r = run(
          fmt::format("create table if not exists {} (name varchar(64) primary key){}", kMade, dialect.table_options));
      !r)
    return std::move(r).error();
  if (auto ours = refuse_foreign_tables(connection, dialect, workload.tables()); !ours) return ours;
  for (const TracedTable& table : workload.tables()) {
    if (auto r = run("drop table if exists " + table.name); !r) return std::move(r).error();
    if (auto r = run(fmt::format("delete from {} where name = '{}'", kMade, table.name)); !r)
      return std::move(r).error();
    if (auto r = run(fmt::format("insert into {} (name) values ('{}')", kMade, table.name)); !r)
      return std::move(r).error();
  }
  for (const std::string& sql : workload.schema()) {
    if (auto r = run(sql); !r) return std::move(r).error();
  }
  if (auto r = done(connection.begin(), "loading"); !r) return std::move(r).error();
  if (auto loaded = workload.load(connection); !loaded) return loaded;
  if (auto r = done(connection.commit(), "loading"); !r) return std::move(r).error();
  return {};
}

}  // namespace isolde::record
