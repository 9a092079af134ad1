#include "record/basic/item_table.h"

#include <fmt/format.h>

#include <utility>

namespace isolde::record {
namespace {

std::string listed(std::span<const std::string> names, std::string_view form) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ", ";
    text += fmt::format(fmt::runtime(form), name);
  }
  return text;
}

// Parameters: the columns and the key.
struct Parameters {
  std::array<db::Cell, kMostColumns + 1> cells;
  std::size_t count = 0;

  void add(std::int64_t value) { cells[count++] = value; }
  void add(std::span<const std::int64_t> values) {
    for (const std::int64_t value : values) add(value);
  }
  [[nodiscard]] std::span<const db::Cell> all() const { return std::span(cells).first(count); }
};

}  // namespace

ItemTable::ItemTable(const db::Dialect& dialect, std::string_view name, std::vector<std::string> columns, Absent absent)
    : absent_(absent) {
  traced_ = {.name = std::string(name),
             .key_columns = {"k"},
             .value_columns = std::move(columns),
             .style = ValueStyle::kRow,
             .bare_key = true};
  const std::vector<std::string>& all = traced_.value_columns;
  if (all.size() == 1) traced_.style = ValueStyle::kScalar;
  const std::string names = listed(all, "{}");
  schema_ = fmt::format("create table {} (k bigint primary key, {}){}", name, listed(all, "{} bigint not null"),
                        dialect.table_options);
  select_ = fmt::format("select {} from {} where k = ?", names, name);
  select_locked_ = select_ + std::string(dialect.for_update);
  update_ = fmt::format("update {} set {} where k = ?", name, listed(all, "{} = ?"));
  insert_ = fmt::format("insert into {} (k, {}) values (?", name, names);
  for (std::size_t i = 0; i < all.size(); ++i) insert_ += ", ?";
  insert_ += ")";
  upsert_ = dialect.upsert == db::Upsert::kOnDuplicateKey
                ? fmt::format("{} on duplicate key update {}", insert_, listed(all, "{0} = values({0})"))
                : fmt::format("{} on conflict (k) do update set {}", insert_, listed(all, "{0} = excluded.{0}"));
  remove_ = fmt::format("delete from {} where k = ?", name);
}

std::string ItemTable::value_of(std::span<const std::int64_t> columns) const {
  const std::size_t count = traced_.value_columns.size();
  std::array<db::Cell, kMostColumns> cells;
  for (std::size_t i = 0; i < count; ++i) cells[i] = columns[i];
  return value_text(traced_, std::span(cells).first(count));
}

bool ItemTable::read(Client& client, std::int64_t key, Lock lock, ItemRow& row) const {
  if (!client.run(lock == Lock::kNone ? select_ : select_locked_, {key})) return false;
  const db::Reply& reply = client.reply();
  row.present = reply.rows() > 0;
  if (!row.present) {
    if (absent_ == Absent::kNull) {
      client.saw(key_of(key), "null", lock);
    } else {
      client.scanned(fmt::format("key = {}", key), {}, lock);
    }
    return true;
  }
  for (std::size_t i = 0; i < reply.width && i < kMostColumns; ++i) {
    const auto* integer = std::get_if<std::int64_t>(&reply.at(0, i));
    row.columns[i] = integer == nullptr ? 0 : *integer;
  }
  // More than one row of a primary key is no fault of ours: PostgreSQL at REPEATABLE READ shows the row of its snapshot
  // and one that was inserted since another transaction deleted that.
  for (std::size_t i = 0; i < reply.rows(); ++i) {
    const auto cells = std::span(reply.cells).subspan(i * reply.width, reply.width);
    client.saw(key_of(key), value_text(traced_, cells), lock);
  }
  return true;
}

bool ItemTable::update(Client& client, std::int64_t key, std::span<const std::int64_t> columns) const {
  client.will_write(key_of(key), value_of(columns));
  Parameters parameters;
  parameters.add(columns.first(traced_.value_columns.size()));
  parameters.add(key);
  return client.run(update_, parameters.all());
}

bool ItemTable::update_if_present(Client& client, std::int64_t key, std::span<const std::int64_t> columns) const {
  Parameters parameters;
  parameters.add(columns.first(traced_.value_columns.size()));
  parameters.add(key);
  if (!client.run(update_, parameters.all())) return false;
  if (client.reply().changed > 0) client.wrote(key_of(key), value_of(columns));
  return true;
}

bool ItemTable::insert(Client& client, std::int64_t key, std::span<const std::int64_t> columns) const {
  client.will_write(key_of(key), value_of(columns));
  Parameters parameters;
  parameters.add(key);
  parameters.add(columns.first(traced_.value_columns.size()));
  return client.run(insert_, parameters.all());
}

bool ItemTable::upsert(Client& client, std::int64_t key, std::span<const std::int64_t> columns) const {
  client.will_write(key_of(key), value_of(columns));
  Parameters parameters;
  parameters.add(key);
  parameters.add(columns.first(traced_.value_columns.size()));
  return client.run(upsert_, parameters.all());
}

bool ItemTable::remove(Client& client, std::int64_t key) const {
  if (!client.run(remove_, {key})) return false;
  if (client.reply().changed > 0) client.wrote(key_of(key), "null");
  return true;
}

Result<void> ItemTable::load(db::Connection& connection, std::uint32_t count, const FirstRow& first_row) const {
  constexpr std::uint32_t kRowsAtOnce = 500;
  for (std::uint32_t key = 0; key < count;) {
    std::string sql = fmt::format("insert into {} (k, {}) values ", traced_.name, listed(traced_.value_columns, "{}"));
    for (std::uint32_t i = 0; i < kRowsAtOnce && key < count; ++i, ++key) {
      const ItemColumns columns = first_row(key);
      sql += fmt::format("{}({}", i == 0 ? "" : ", ", key);
      for (std::size_t c = 0; c < traced_.value_columns.size(); ++c) sql += fmt::format(", {}", columns[c]);
      sql += ")";
    }
    if (auto done = loaded(connection.run(sql)); !done) return done;
  }
  return {};
}

std::string ItemTable::initial(std::uint32_t count, const FirstRow& first_row) const {
  std::string text = R"(null,"initial_of":[)";
  for (std::uint32_t key = 0; key < count; ++key)
    text += fmt::format("{}[{},{}]", key == 0 ? "" : ",", key, value_of(first_row(key)));
  return text + "]";
}

Result<void> loaded(const Result<db::Reply>& reply) {
  if (!reply) return reply.error();
  if (!reply->done()) return Error{fmt::format("the first rows: {}: {}", reply->failure.code, reply->failure.text)};
  return {};
}

}  // namespace isolde::record
