#include "audit/classes/made_ids.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "audit/classes/column_domains.h"

namespace isolde::audit {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

MadeIds::MadeIds(const TraceLog& log, const Schema& schema, std::span<const Statement> statements)
    : log_(log),
      made_by_(schema.tables(), kNoColumn),
      ids_of_(schema.columns(), kNoTable),
      tables_with_ids_(schema.tables()),
      of_table_(schema.tables()) {
  find_columns(schema);
  find_uses(statements);
}

void MadeIds::find_columns(const Schema& schema) {
  const ColumnDomains domains(schema);
  std::unordered_map<std::uint32_t, TableId> maker;  // by domain; kNoTable: more than one
  for (std::uint32_t i = 0; i < schema.tables(); ++i) {
    const Table& table = schema.table(TableId(i));
    if (table.primary_key.size() != 1 || !schema.column(table.primary_key[0]).generated_id) continue;
    made_by_[i] = table.primary_key[0];
    const auto [place, is_new] = maker.try_emplace(domains.of(made_by_[i]), TableId(i));
    if (!is_new) place->second = kNoTable;
  }
  for (std::uint32_t i = 0; i < schema.columns(); ++i) {
    const auto found = maker.find(domains.of(ColumnId(i)));
    if (found == maker.end() || found->second == kNoTable) continue;
    ids_of_[i] = found->second;
    std::vector<TableId>& tables = tables_with_ids_[raw(schema.column(ColumnId(i)).table)];
    if (std::ranges::find(tables, found->second) == tables.end()) tables.push_back(found->second);
  }
}

std::uint64_t MadeIds::when(std::uint32_t statement) const {
  return std::uint64_t{log_.statements[statement].line} << 32 | statement;
}

void MadeIds::find_uses(std::span<const Statement> statements) {
  if (std::ranges::all_of(made_by_, [](ColumnId id) { return id == kNoColumn; })) return;
  for (std::uint32_t i = 0; i < log_.statements.size(); ++i) {
    const TraceStatement& here = log_.statements[i];
    const Statement& statement = statements[raw(here.shape)];
    const std::span<const LiteralId> literals = log_.literals_of(here);
    for (const TableId named : statement.tables) {
      for (const TableId table : tables_with_ids_[raw(named)]) {
        OfTable& of = of_table_[raw(table)];
        for (const LiteralId literal : literals) {
          std::uint64_t& first = of.first_use.try_emplace(literal, when(i)).first->second;
          first = std::min(first, when(i));
        }
      }
    }
    for (const RowSet& rows : statement.row_sets) {
      for (const RowKey& key : rows.keys) {
        const TableId table = ids_of_[raw(key.column)];
        if (table == kNoTable || key.literal >= literals.size()) continue;
        if (const auto id = whole_number(log_.shapes.literal(literals[key.literal]))) {
          of_table_[raw(table)].largest.push_back({when(i), *id});
        }
      }
    }
  }
  for (OfTable& of : of_table_) {
    std::ranges::sort(of.largest, {}, [](const Largest& one) { return std::pair(one.when, one.id); });
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    std::erase_if(of.largest, [&](const Largest& one) {
      if (one.id <= most) return true;
      most = one.id;
      return false;
    });
  }
}

bool MadeIds::made_after(TableId table, LiteralId id, std::uint32_t insert) const {
  const OfTable& of = of_table_[raw(table)];
  const auto use = of.first_use.find(id);
  if (use != of.first_use.end() && use->second < when(insert)) return false;
  return rises_at(table, id, insert);
}

bool MadeIds::rises_at(TableId table, LiteralId id, std::uint32_t insert) const {
  if (id == kNoLiteral) return false;
  const auto number = whole_number(log_.shapes.literal(id));
  if (!number) return false;
  const OfTable& of = of_table_[raw(table)];
  const auto after =
      std::ranges::partition_point(of.largest, [&](const Largest& one) { return one.when < when(insert); });
  return after == of.largest.begin() || std::prev(after)->id < *number;
}

}  // namespace isolde::audit
