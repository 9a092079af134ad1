#include "audit/facts/occurrences.h"

#include <charconv>

namespace isolde::audit {

std::vector<RowsPlace> places_of_rows(const TransactionClass& one) {
  std::vector<RowsPlace> out(one.rows.size());
  std::uint32_t statement = kNone32, first = 0;
  for (std::uint32_t op = 0; op < one.operations.size(); ++op) {
    if (one.operations[op].statement != statement) {
      statement = one.operations[op].statement;
      first = op;
    }
    RowsPlace& place = out[one.operations[op].access.row_set];
    if (place.statement == kNone32) place = {statement, op - first};
  }
  return out;
}

std::vector<LiteralId> TraceValues::values(std::uint32_t statement, const RowSet& rows,
                                           std::span<const ColumnId> columns) const {
  std::vector<LiteralId> out;
  for (const ColumnId column : columns) {
    out.push_back(value(statement, rows, column));
    if (out.back() == kNoLiteral) return {};
  }
  return out;
}

std::optional<double> TraceValues::number(LiteralId literal) const {
  if (literal == kNoLiteral) return std::nullopt;
  const std::string_view text = log_.shapes.literal(literal);
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

bool is_plain_insert(const Statement& statement, const Access& access) {
  return access.action == Action::kWrite && access.inserts && !access.deletes &&
         statement.kind == StatementKind::kInsert && !statement.keeps_old_row &&
         statement.row_sets[access.row_set].single;
}

std::uint32_t variable_in(const ClassRows& rows, ColumnId column) {
  const auto place = std::ranges::lower_bound(rows.keys, column, {}, &ClassRowKey::column);
  return place == rows.keys.end() || place->column != column ? kNoVariable : place->variable;
}

}  // namespace isolde::audit
