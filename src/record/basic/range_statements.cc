#include "record/basic/range_statements.h"

#include <fmt/format.h>

namespace isolde::record {
namespace {

constexpr std::string_view kRange = "a between ? and ?";

std::vector<db::Cell> with_parameters(std::vector<db::Cell> a, std::initializer_list<db::Cell> b) {
  a.insert(a.end(), b);
  return a;
}

}  // namespace

std::string Condition::text() const {
  std::string written;
  auto next = parameters.begin();
  for (const char c : sql) {
    if (c == '?') {
      written += json_text(*next++);
    } else {
      written += c;
    }
  }
  return written;
}

Condition range_of_a(std::int64_t low, std::int64_t high) { return {kRange, {low, high}}; }
Condition range_of_a_with_b_below(std::int64_t low, std::int64_t high, std::int64_t b) {
  return {"a between ? and ? and b < ?", {low, high, b}};
}
Condition either(std::int64_t a, std::int64_t b) { return {"a = ? or b = ?", {a, b}}; }

RangeStatements::RangeStatements(const db::Dialect& dialect, const ItemTable& table)
    : table_(table), lock_(dialect.for_update), returns_(dialect.has_update_returning) {}

std::vector<RecordedItem> RangeStatements::rows_of(const db::Reply& reply) const {
  std::vector<RecordedItem> rows;
  for (std::size_t row = 0; row < reply.rows(); ++row) {
    const auto cells = std::span(reply.cells).subspan(row * reply.width, reply.width);
    rows.push_back({key_text(table_.traced(), cells.first(1)),
                    reply.width == 1 ? "null" : value_text(table_.traced(), cells.subspan(1))});
  }
  return rows;
}

bool RangeStatements::scan(Client& client, const Condition& where, Lock lock) const {
  const std::string sql = fmt::format("select k, a, b, w from {} where {}{}", table_.traced().name, where.sql,
                                      lock == Lock::kNone ? "" : lock_);
  if (!client.run(sql, where.parameters)) return false;
  client.scanned(where.text(), rows_of(client.reply()), lock);
  return true;
}

bool RangeStatements::aggregate(Client& client, std::string_view expression, const Condition& where) const {
  const std::string sql = fmt::format("select {} from {} where {}", expression, table_.traced().name, where.sql);
  if (!client.run(sql, where.parameters)) return false;
  client.aggregated(expression, where.text(), json_text(client.reply().at(0, 0)));
  return true;
}

bool RangeStatements::update(Client& client, Change change, std::int64_t value, const Condition& where) const {
  const std::int64_t w = client.unique();
  std::string_view set = "b = ?";
  if (change == Change::kTurnB) set = "b = 9 - b";
  if (change == Change::kMoveA) set = "a = ?";
  std::vector<db::Cell> parameters;
  if (change != Change::kTurnB) parameters.emplace_back(value);
  parameters.emplace_back(w);
  parameters.insert(parameters.end(), where.parameters.begin(), where.parameters.end());
  const std::string& name = table_.traced().name;
  const std::string sql =
      fmt::format("update {} set {}, w = ? where {}{}", name, set, where.sql, returns_ ? " returning k, a, b, w" : "");
  if (!client.run(sql, parameters)) return false;
  if (!returns_ && client.reply().changed > 0) {
    client.go_on();
    // The condition on a is there for the database's sake: at SERIALIZABLE this SELECT locks what it looks at, and that
    // is locked already.
    const std::string changed =
        fmt::format("select k, a, b, w from {} where {} and w = ?", name, change == Change::kMoveA ? "a = ?" : kRange);
    const bool done = change == Change::kMoveA ? client.run(changed, {value, w})
                                               : client.run(changed, {where.parameters[0], where.parameters[1], w});
    if (!done) return false;
  }
  client.updated(where.text(), rows_of(client.reply()));
  return true;
}

bool RangeStatements::remove(Client& client, const Condition& where) const {
  const std::string& name = table_.traced().name;
  if (returns_) {
    if (!client.run(fmt::format("delete from {} where {} returning k", name, where.sql), where.parameters))
      return false;
    client.updated(where.text(), rows_of(client.reply()));
    return true;
  }
  // Without RETURNING a DELETE does not say what it deleted, so the rows are marked first.
  const std::int64_t w = client.unique();
  const std::string mark = fmt::format("update {} set w = ? where {}", name, where.sql);
  std::vector<db::Cell> parameters = {w};
  parameters.insert(parameters.end(), where.parameters.begin(), where.parameters.end());
  if (!client.run(mark, parameters)) return false;
  std::vector<RecordedItem> rows;
  const std::vector<db::Cell> marked = with_parameters({where.parameters[0], where.parameters[1]}, {w});
  const std::string condition = fmt::format("{} and w = ?", kRange);
  if (client.reply().changed > 0) {
    client.go_on();
    if (!client.run(fmt::format("select k, a, b, w from {} where {}", name, condition), marked)) return false;
    rows = rows_of(client.reply());
  }
  client.updated(where.text(), rows);
  if (rows.empty()) return true;
  if (!client.run(fmt::format("delete from {} where {}", name, condition), marked)) return false;
  for (RecordedItem& row : rows) row.value = "null";
  client.updated(Condition{condition, marked}.text(), rows);
  return true;
}

}  // namespace isolde::record
