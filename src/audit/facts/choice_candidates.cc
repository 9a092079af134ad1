#include "audit/facts/choice_candidates.h"

#include <algorithm>

namespace isolde::audit {
namespace {

bool is_only_question(const TransactionClass& one, const std::vector<RowsPlace>& places, std::uint16_t found,
                      std::uint32_t before) {
  for (std::uint16_t rows = 0; rows < one.rows.size(); ++rows) {
    if (rows != found && one.rows[rows].table == one.rows[found].table && places[rows].statement < before) return false;
  }
  return true;
}

// The one column of the primary key that the rows are not asked for by.
std::optional<ColumnId> missing_part(const ClassRows& rows, const Table& table) {
  std::optional<ColumnId> out;
  for (const ColumnId part : table.primary_key) {
    if (variable_in(rows, part) != kNoVariable) continue;
    if (out) return std::nullopt;
    out = part;
  }
  return rows.keys.empty() ? std::nullopt : out;
}

bool returns(const TransactionClass& one, std::uint32_t statement, std::uint16_t rows, ColumnId column) {
  return std::ranges::any_of(one.operations, [&](const Operation& operation) {
    return operation.statement == statement && operation.access.row_set == rows && operation.access.column == column &&
           operation.access.action == Action::kRead && !operation.access.counts_only;
  });
}

// The variable that the later rows have for `result`, if they agree with what was asked for in the rest of the key.
std::uint32_t names_one_of(const ClassRows& found, const Table& table, ColumnId result, const ClassRows& later,
                           const std::vector<ColumnId>& columns) {
  if (columns.size() != table.primary_key.size()) return kNoVariable;
  std::uint32_t taken = kNoVariable;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint32_t variable = variable_in(later, columns[i]);
    if (variable == kNoVariable) return kNoVariable;
    if (table.primary_key[i] == result) {
      taken = variable;
    } else if (variable != variable_in(found, table.primary_key[i])) {
      return kNoVariable;
    }
  }
  return taken;
}

// In the same round of a loop or before it: the row that was taken in the last round does not count.
bool used_before(const TransactionClass& one, const std::vector<RowsPlace>& places, std::uint32_t statement,
                 std::uint32_t variable) {
  const auto has = [&](const ClassRowKey& key) { return key.variable == variable; };
  for (std::size_t rows = 0; rows < one.rows.size(); ++rows) {
    const std::uint32_t other = places[rows].statement;
    if (other == kNone32 || other > statement || one.positions[other] > one.positions[statement]) continue;
    if (std::ranges::any_of(one.rows[rows].keys, has) || std::ranges::any_of(one.rows[rows].unlike, has)) return true;
  }
  return false;
}

// Does the class insert rows into the table that have this value?
bool inserts(const TransactionClass& one, TableId table, ColumnId column, std::uint32_t variable) {
  return std::ranges::any_of(one.operations, [&](const Operation& operation) {
    const ClassRows& rows = one.rows[operation.access.row_set];
    return operation.access.inserts && rows.table == table && variable_in(rows, column) == variable;
  });
}

// Does the class insert a row whose key the database makes, between these two statements?
bool makes_row_between(const TransactionClass& one, TableId table, ColumnId key, std::uint32_t after,
                       std::uint32_t before) {
  return std::ranges::any_of(one.operations, [&](const Operation& operation) {
    const ClassRows& rows = one.rows[operation.access.row_set];
    return operation.access.inserts && rows.table == table && operation.statement > after &&
           operation.statement < before && variable_in(rows, key) == kNoVariable;
  });
}

}  // namespace

std::vector<ChoiceCandidate> ChoiceCandidates::of(const TransactionClass& one) const {
  std::vector<ChoiceCandidate> out;
  const std::vector<RowsPlace> places = places_of_rows(one);
  for (std::uint16_t found = 0; found < one.rows.size(); ++found) {
    if (places[found].statement == kNone32) continue;
    const ClassRows& rows = one.rows[found];
    const Table& table = classes_.schema.table(rows.table);
    const Statement& statement = classes_.statements[raw(one.statements[places[found].statement])];
    if (table.is_lock || table.learned || statement.kind != StatementKind::kSelect) continue;
    const std::optional<ColumnId> result = missing_part(rows, table);
    if (!result || !returns(one, places[found].statement, found, *result)) continue;
    std::optional<ChoiceCandidate> made = candidate(one, places, found, table, *result);
    // One row by another key than the one that is used later: it is that row, if no other SELECT can have found it.
    if (made && rows.single && !is_only_question(one, places, found, made->named.statement)) made.reset();
    if (made) out.push_back(*std::move(made));
  }
  return out;
}

std::optional<ChoiceCandidate> ChoiceCandidates::candidate(const TransactionClass& one,
                                                           const std::vector<RowsPlace>& places, std::uint16_t found,
                                                           const Table& table, ColumnId result) const {
  const ClassRows& rows = one.rows[found];
  // The first statement that names a row so: by the table's own key, else by that of rows that came with it.
  std::optional<ChoiceCandidate> out;
  for (const bool own : {true, false}) {
    for (std::uint16_t later = 0; later < one.rows.size() && !out; ++later) {
      if (places[later].statement == kNone32 || places[later].statement <= places[found].statement) continue;
      if (own != (one.rows[later].table == rows.table)) continue;
      const std::vector<ColumnId> columns = columns_with_key(rows.table, one.rows[later].table);
      const std::uint32_t taken = names_one_of(rows, table, result, one.rows[later], columns);
      if (taken == kNoVariable || used_before(one, places, places[found].statement, taken)) continue;
      if (inserts(one, rows.table, result, taken)) return std::nullopt;
      // The row may be the one that the transaction has just made.
      if (one.rows[later].own ||
          makes_row_between(one, rows.table, result, places[found].statement, places[later].statement))
        return std::nullopt;
      out = ChoiceCandidate{{places[found].statement, found, own ? later : kNoRows, {}, rows.keys, taken, kNone32},
                            {rows.table, {}, result},
                            places[found],
                            places[later],
                            columns};
      for (const ColumnId part : table.primary_key)
        out->choice.key.push_back({part, part == result ? taken : variable_in(rows, part)});
      for (const ClassRowKey& key : rows.keys) out->question.asked.push_back(key.column);
      out->kept = written_again(one, *out, table);
    }
  }
  return out;
}

// Columns that are asked for and that the UPDATE of the row sets; none, unless it sets all columns but the key: who
// moves a row to what was looked at (SELECT … WHERE cart = 2, UPDATE … SET cart = 2) does not do that.
std::vector<ColumnId> ChoiceCandidates::written_again(const TransactionClass& one, const ChoiceCandidate& candidate,
                                                      const Table& table) const {
  const Statement& update = classes_.statements[raw(one.statements[candidate.named.statement])];
  if (update.kind != StatementKind::kUpdate || candidate.choice.taken == kNoRows) return {};
  const auto sets = [&](ColumnId column) {
    return std::ranges::find(update.assigned, column, &RowKey::column) != update.assigned.end();
  };
  const bool whole = std::ranges::all_of(table.columns, [&](ColumnId column) {
    return sets(column) || std::ranges::find(table.primary_key, column) != table.primary_key.end() ||
           std::ranges::find(update.nulls, column) != update.nulls.end();
  });
  std::vector<ColumnId> out;
  for (const ColumnId asked : candidate.question.asked) {
    if (whole && sets(asked)) out.push_back(asked);
  }
  return out;
}

// Where the rows of a table have the primary key of `of`. Empty: they do not.
std::vector<ColumnId> ChoiceCandidates::columns_with_key(TableId of, TableId table) const {
  if (of == table) return classes_.schema.table(of).primary_key;
  for (const CoInsert& one : co_inserts_) {
    if (one.first == of && one.second == table) return one.columns;
  }
  return {};
}

}  // namespace isolde::audit
