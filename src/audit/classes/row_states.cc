#include "audit/classes/row_states.h"

#include <algorithm>

namespace isolde::audit {

std::optional<RowStates::Row> RowStates::row(const RowSet& rows, std::span<const LiteralId> literals) const {
  Row out;
  for (const ColumnId column : schema_.table(rows.table).primary_key) {
    const auto part = std::ranges::lower_bound(rows.keys, column, {}, &RowKey::column);
    if (part == rows.keys.end() || part->column != column) return std::nullopt;
    out.push_back(literals[part->literal]);
  }
  if (out.empty()) return std::nullopt;
  return out;
}

std::optional<LiteralId> RowStates::value(ColumnId column, const Row& row) const {
  const auto known = values_[raw(column)].find(row);
  return known == values_[raw(column)].end() ? std::nullopt : std::optional(known->second.value);
}

void RowStates::born(const Row& row, ShapeId shape, const RowSet& inserted, std::span<const LiteralId> literals) {
  for (const RowKey& key : inserted.keys)
    values_[raw(key.column)].try_emplace(row, Written{literals[key.literal], shape});
}

std::optional<LiteralId> RowStates::given_by(const Statement& statement, const Access& access,
                                             std::span<const LiteralId> literals) {
  if (std::ranges::find(statement.nulls, access.column) != statement.nulls.end()) return kNullValue;
  const std::vector<RowKey>& from = access.inserts ? statement.row_sets[access.row_set].keys : statement.assigned;
  const auto value = std::ranges::find(from, access.column, &RowKey::column);
  return value == from.end() ? std::nullopt : std::optional(literals[value->literal]);
}

}  // namespace isolde::audit
