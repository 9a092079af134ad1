#include "hunt/run/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <variant>

#include "hunt/case/dialects.h"

namespace isolde::hunt {
namespace {

std::string row_text_sql(const Table& table, std::string_view dialect) {
  const db::HuntRules& rules = rules_of(dialect);
  const bool has_concat = rules.has_concat_ws;
  // A column of JSON has a collation of its own in MySQL's grammar.
  const std::string comma = rules.collation.empty() ? "', '" : fmt::format("', ' collate {}", rules.collation);
  std::string text = has_concat ? fmt::format("concat_ws({}, pkey, vkey", comma) : "pkey || ', ' || vkey";
  for (std::size_t i = 2; i < table.columns.size(); ++i)
    text += (has_concat ? ", " : " || ', ' || ") + fmt::format(fmt::runtime(rules.quoted), table.columns[i]);
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

Result<std::vector<std::string>> literals_in(std::string_view cells, std::string_view dialect) {
  constexpr std::string_view kBetween = ", ";
  const bool by_backslash = rules_of(dialect).escapes_by_backslash;
  std::vector<std::string> literals;
  std::size_t start = 0;
  for (std::size_t i = 0; i < cells.size();) {
    if (cells.substr(i).starts_with(kBetween)) {
      literals.emplace_back(cells.substr(start, i - start));
      start = i = i + kBetween.size();
      continue;
    }
    if (cells[i++] != '\'') continue;
    // PostgreSQL writes E'…' where a backslash escapes, and only there; a quote within is doubled, which reads as two
    // texts side by side.
    const bool escapes = by_backslash || (i >= 2 && cells[i - 2] == 'E');
    while (i < cells.size() && cells[i] != '\'') i += escapes && cells[i] == '\\' ? 2 : 1;
    if (i++ >= cells.size()) return Error{"a text without its end in what the server wrote"};
  }
  literals.emplace_back(cells.substr(start));
  return literals;
}

Result<Schema> with_rows(const Schema& schema, const ContentsByTable& rows, std::string_view dialect) {
  Schema changed = schema;
  for (Table& table : changed.tables) {
    const auto found = rows.find(table.name);
    if (found == rows.end()) continue;
    table.rows.clear();
    for (const Version& version : found->second) {
      auto literals = literals_in(version.cells, dialect);
      if (!literals) return std::move(literals).error();
      if (literals->size() != table.columns.size()) return Error{"a row with other columns than its table has"};
      std::vector<std::string>& row = table.rows.emplace_back();
      for (const std::string& column : table.inserted) {
        const auto at = std::find(table.columns.begin(), table.columns.end(), column);
        if (at == table.columns.end()) return Error{"a column that the table does not have"};
        row.push_back((*literals)[static_cast<std::size_t>(at - table.columns.begin())]);
      }
    }
  }
  return changed;
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
