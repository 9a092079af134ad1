#include "record/standard/rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace isolde::record {
namespace {

constexpr std::size_t kRowsAnInsert = 100;

std::string insert_of(std::string_view head, std::size_t width, std::size_t rows) {
  std::string row = "(";
  for (std::size_t i = 0; i < width; ++i) row += i == 0 ? "?" : ", ?";
  row += ")";
  std::string sql(head);
  for (std::size_t i = 0; i < rows; ++i) sql += (i == 0 ? " " : ", ") + row;
  return sql;
}

// Announces the write and runs it. False: the transaction is over.
bool runs_write(Client& client, const TracedTable& table, std::initializer_list<std::int64_t> key,
                std::initializer_list<db::Cell> values, std::string_view sql,
                std::initializer_list<db::Cell> parameters) {
  client.will_write(key_text(table, key), value_text(table, std::span(values.begin(), values.size())));
  return client.run(sql, parameters);
}

// The last run() passed over a row that is always there. False, so that its caller ends.
bool missed_row(Client& client, const TracedTable& table, std::initializer_list<std::int64_t> key) {
  client.saw(key_text(table, key), "null");
  client.commit();
  return false;
}

}  // namespace

RowLoader::RowLoader(db::Connection& connection, std::string_view table, std::string_view columns)
    : connection_(connection), insert_(fmt::format("insert into {} ({}) values", table, columns)) {}

void RowLoader::add(std::initializer_list<db::Cell> row) {
  width_ = row.size();
  cells_.insert(cells_.end(), row);
  if (++rows_ == kRowsAnInsert) send();
}

Result<void> RowLoader::finish() {
  if (rows_ != 0) send();
  return std::move(result_);
}

void RowLoader::send() {
  if (result_) {
    const auto reply = connection_.execute(insert_of(insert_, width_, rows_), cells_);
    if (!reply) {
      result_ = reply.error();
    } else if (!reply->done()) {
      result_ = Error{fmt::format("cannot load: {} … : {} {}", insert_, reply->failure.code, reply->failure.text)};
    }
  }
  cells_.clear();
  rows_ = 0;
}

void InitialObject::add(const TracedTable& table, std::initializer_list<std::int64_t> key,
                        std::initializer_list<db::Cell> values) {
  if (text_.size() > 1) text_ += ",";
  const std::string name = key_text(table, key);
  text_ += name.starts_with('"') ? name : fmt::format("\"{}\"", name);
  text_ += ":" + value_text(table, std::span(values.begin(), values.size()));
}

std::int64_t integer_at(const db::Reply& reply, std::size_t row, std::size_t column) {
  const auto* integer = std::get_if<std::int64_t>(&reply.at(row, column));
  return integer == nullptr ? 0 : *integer;
}

std::string value_at(const db::Reply& reply, const TracedTable& table, std::size_t row, std::size_t first) {
  return value_text(table, std::span(&reply.at(row, first), table.value_columns.size()));
}

bool saw_row(Client& client, const TracedTable& table, std::initializer_list<std::int64_t> key, Lock lock) {
  const bool there = client.reply().rows() != 0;
  client.saw(key_text(table, key), there ? value_at(client.reply(), table, 0) : "null", lock);
  return there;
}

bool write_row(Client& client, const TracedTable& table, std::initializer_list<std::int64_t> key,
               std::initializer_list<db::Cell> values, std::string_view sql,
               std::initializer_list<db::Cell> parameters) {
  if (!runs_write(client, table, key, values, sql, parameters)) return false;
  if (client.reply().changed == 1) return true;
  client.roll_back();  // what was announced did not happen
  return false;
}

bool update_row(Client& client, const TracedTable& table, std::initializer_list<std::int64_t> key,
                std::initializer_list<db::Cell> values, std::string_view sql,
                std::initializer_list<db::Cell> parameters) {
  if (!runs_write(client, table, key, values, sql, parameters)) return false;
  return client.reply().changed == 1 || missed_row(client, table, key);
}

LearningUpdate::LearningUpdate(const db::Dialect& dialect, const TracedTable& table, std::string_view set)
    : table_(table), returns_(dialect.has_update_returning) {
  const std::string where = fmt::format("{} = ?", fmt::join(table.key_columns, " = ? and "));
  const std::string columns = fmt::format("{}", fmt::join(table.value_columns, ", "));
  update_ = fmt::format("update {} set {}, {} = ? where {}", table.name, set, table.value_columns.back(), where);
  if (returns_) update_ += " returning " + columns;
  select_ = fmt::format("select {} from {} where {}", columns, table.name, where);
}

bool LearningUpdate::run(Client& client, std::initializer_list<db::Cell> set_parameters,
                         std::initializer_list<std::int64_t> key) const {
  const std::int64_t unique = client.unique();
  const std::vector<db::Cell> key_cells(key.begin(), key.end());
  std::vector<db::Cell> parameters(set_parameters);
  parameters.emplace_back(unique);
  parameters.insert(parameters.end(), key_cells.begin(), key_cells.end());
  if (!client.run(update_, parameters)) return false;
  if ((returns_ ? client.reply().rows() : client.reply().changed) != 1) return missed_row(client, table_, key);
  const std::string name = key_text(table_, key);
  if (returns_) {
    client.wrote(name, value_at(client.reply(), table_, 0));
    return true;
  }
  client.go_on();
  if (!client.run(select_, key_cells)) return false;
  if (client.reply().rows() == 1 && integer_at(client.reply(), 0, table_.value_columns.size() - 1) == unique) {
    client.wrote(name, value_at(client.reply(), table_, 0));
    return true;
  }
  // The row that was just written is not seen: apart from the unique column it is not known.
  std::vector<db::Cell> values(table_.value_columns.size());
  values.back() = unique;
  client.wrote(name, value_text(table_, values));
  saw_row(client, table_, key);
  return true;
}

}  // namespace isolde::record
