#include "record/standard/key_value.h"

#include <fmt/format.h>

#include "record/standard/rows.h"

namespace isolde::record {
namespace {

constexpr std::uint64_t kMostSampledKeys = 1U << 27;  // KeySampler's
constexpr std::uint64_t kRepeatedValues = 10;

}  // namespace

Result<KeyValueShape> key_value_shape(const WorkloadOptions& options, std::uint64_t keys, std::uint32_t ops) {
  const std::uint64_t wanted = options.keys ? *options.keys : keys;
  if (wanted == 0 || wanted > kMostSampledKeys)
    return Error{fmt::format("keys: 1 to {}, not {}", kMostSampledKeys, wanted)};
  if (options.ops && *options.ops == 0) return Error{"ops: at least one operation per transaction"};
  KeyValueShape shape;
  shape.keys = static_cast<std::uint32_t>(wanted);
  shape.ops = options.ops.value_or(ops);
  shape.repeated_values = options.repeated_values;
  return shape;
}

KeyValueWorkload::KeyValueWorkload(KeyValueShape shape, const db::Dialect& dialect)
    : shape_(std::move(shape)), table_options_(dialect.table_options) {
  const auto& [table, key, value, keys, ops, repeated] = shape_;
  table_ = {.name = table, .key_columns = {key}, .value_columns = {value}, .bare_key = true};
  select_ = fmt::format("select {} from {} where {} = ?", value, table, key);
  select_range_ = fmt::format("select {1}, {0} from {2} where {0} between ? and ? order by {0}", key, value, table);
  update_ = fmt::format("update {} set {} = ? where {} = ?", table, value, key);
}

std::vector<std::string> KeyValueWorkload::schema() const {
  return {fmt::format("create table {} ({} bigint primary key, {} bigint not null){}", shape_.table, shape_.key_column,
                      shape_.value_column, table_options_)};
}

Result<void> KeyValueWorkload::load(db::Connection& connection) {
  RowLoader rows(connection, shape_.table, fmt::format("{}, {}", shape_.key_column, shape_.value_column));
  for (std::int64_t key = 0; key < shape_.keys; ++key) rows.add({key, std::int64_t{0}});
  return rows.finish();
}

bool KeyValueWorkload::read(Client& client, std::uint32_t key) const {
  if (!client.run(select_, {std::int64_t{key}})) return false;
  saw_row(client, table_, {std::int64_t{key}});
  return true;
}

bool KeyValueWorkload::read_range(Client& client, std::uint32_t first, std::uint32_t last) const {
  if (!client.run(select_range_, {std::int64_t{first}, std::int64_t{last}})) return false;
  const db::Reply& reply = client.reply();
  std::vector<RecordedItem> items;
  items.reserve(reply.rows());
  for (std::size_t row = 0; row < reply.rows(); ++row)
    items.push_back({key_text(table_, std::span(&reply.at(row, 1), 1)), value_at(reply, table_, row)});
  client.scanned(fmt::format("key between {} and {}", first, last), items);
  return true;
}

bool KeyValueWorkload::write(Client& client, std::uint32_t key, Rng& rng) const {
  // A row that holds a repeated value already is set to it all the same, as the client sees it. (MariaDB makes no new
  // version then, and at REPEATABLE READ the writer may go on to read an older value: found as `internal`.)
  const std::int64_t value =
      shape_.repeated_values ? static_cast<std::int64_t>(rng.below(kRepeatedValues)) + 1 : client.unique();
  return update_row(client, table_, {std::int64_t{key}}, {value}, update_, {value, std::int64_t{key}});
}

}  // namespace isolde::record
