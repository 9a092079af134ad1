#include "hunt/run/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <variant>

namespace isolde::hunt {
namespace {

// A function that writes any value as an SQL literal, and NULL as the word.
std::string_view quote_function(std::string_view dialect) { return dialect == "postgres" ? "quote_nullable" : "quote"; }

std::string row_text_sql(const Table& table, std::string_view dialect) {
  const bool has_concat = dialect != "sqlite";
  std::string text = has_concat ? "concat_ws(', ', pkey, vkey" : "pkey || ', ' || vkey";
  for (std::size_t i = 2; i < table.columns.size(); ++i)
    text += fmt::format("{}{}({})", has_concat ? ", " : " || ', ' || ", quote_function(dialect), table.columns[i]);
  return has_concat ? text + ")" : text;
}

}  // namespace

std::string contents_sql(std::span<const Table* const> tables, std::string_view dialect) {
  std::string sql;
  for (std::size_t i = 0; i < tables.size(); ++i)
    sql += fmt::format("{}select {}, pkey, vkey, {} from {}", i == 0 ? "" : " union all ", i,
                       row_text_sql(*tables[i], dialect), tables[i]->name);
  return sql;
}

Result<ContentsByTable> contents_of(std::span<const Table* const> tables, const db::Reply& reply) {
  ContentsByTable contents;
  std::vector<Contents*> places;
  for (const Table* const table : tables) places.push_back(&contents[table->name]);
  for (std::size_t row = 0; row < reply.rows(); ++row) {
    const std::int64_t* numbers[3] = {};
    for (std::size_t i = 0; i < 3 && i < reply.width; ++i) numbers[i] = std::get_if<std::int64_t>(&reply.at(row, i));
    const auto* const cells = reply.width == 4 ? std::get_if<std::string>(&reply.at(row, 3)) : nullptr;
    if (numbers[0] == nullptr || numbers[1] == nullptr || numbers[2] == nullptr || cells == nullptr ||
        static_cast<std::uint64_t>(*numbers[0]) >= tables.size())
      return Error{"a row without a whole number as pkey and vkey, or a table that no row was asked of"};
    places[static_cast<std::size_t>(*numbers[0])]->push_back({*numbers[1], *numbers[2], *cells});
  }
  for (Contents* const rows : places)
    std::sort(rows->begin(), rows->end(), [](const Version& a, const Version& b) {
      return std::tie(a.pkey, a.vkey, a.cells) < std::tie(b.pkey, b.vkey, b.cells);
    });
  return contents;
}

Result<std::vector<std::int64_t>> pkeys_of(const db::Reply& reply) {
  std::vector<std::int64_t> pkeys;
  for (std::size_t row = 0; row < reply.rows(); ++row) {
    const auto* const pkey = std::get_if<std::int64_t>(&reply.at(row, 0));
    if (pkey == nullptr) return Error{"a pkey that is no whole number"};
    pkeys.push_back(*pkey);
  }
  std::sort(pkeys.begin(), pkeys.end());
  return pkeys;
}

}  // namespace isolde::hunt
