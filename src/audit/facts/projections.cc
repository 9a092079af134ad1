#include "audit/facts/projections.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace isolde::audit {
namespace {

constexpr std::uint64_t kEnoughExplained = 20;
constexpr std::uint64_t kEnoughValues = 4;  // different ones, of one UPDATE

struct ExplainedColumn {
  std::uint64_t explained = 0, unexplained = 0, values = 0;
};

// Columns of the row that is taken which the class sets to values; none if one of them is not always explained.
std::optional<std::uint64_t> explained_writes(const Classes& classes, const TransactionClass& one, const Choice& choice,
                                              const std::map<ColumnId, ExplainedColumn>& columns) {
  std::uint64_t least = ~std::uint64_t{0};
  bool any = false;
  for (const Operation& operation : one.operations) {
    const Access& access = operation.access;
    const ClassRows& rows = one.rows[access.row_set];
    if (access.action != Action::kWrite || access.inserts || access.deletes || access.increments) continue;
    if (rows.table != classes.schema.column(choice.key[0].column).table) continue;
    const bool same = std::ranges::all_of(
        choice.key, [&](const ClassRowKey& key) { return variable_in(rows, key.column) == key.variable; });
    if (!same) return std::nullopt;  // it writes other rows of the table too
    const auto found = columns.find(access.column);
    if (found == columns.end()) continue;  // never a number with a known old value
    if (found->second.unexplained > 0) return std::nullopt;
    // A flag that is always set to the same value says nothing.
    if (found->second.values < kEnoughValues) continue;
    if (found->second.explained < kEnoughExplained) return std::nullopt;
    least = std::min(least, found->second.explained);
    any = true;
  }
  if (!any) return std::nullopt;
  return least;
}

}  // namespace

void find_projections(const std::vector<WrittenColumn>& written, Classes& classes) {
  std::map<ColumnId, ExplainedColumn> columns;
  for (const WrittenColumn& one : written) {
    if (one.writes == 0) continue;  // texts
    ExplainedColumn& column = columns[one.column];
    column.explained += one.by_last + one.by_earlier;
    column.unexplained += one.unexplained;
    column.values = std::max(column.values, one.values);
  }
  std::map<TableId, std::uint32_t> facts;
  for (TransactionClass& one : classes.classes) {
    for (const Choice& choice : one.choices) {
      if (choice.taken == kNoRows || !one.rows[choice.taken].single) continue;
      const Statement& select = classes.statements[raw(one.statements[choice.statement])];
      if (!select.plain_list || select.limited) continue;
      const std::optional<std::uint64_t> explained = explained_writes(classes, one, choice, columns);
      if (!explained) continue;
      const TableId table = one.rows[choice.found].table;
      const auto [place, is_new] = facts.try_emplace(table, static_cast<std::uint32_t>(classes.facts.size()));
      if (is_new) {
        const std::string& name = classes.schema.table(table).name;
        classes.facts.push_back(
            {FactKind::kProjection, true, table, *explained,
             fmt::format("of the rows of {} that a SELECT finds, only the values of the one that is taken are used: "
                         "all that is written to it follows from its own values (at least {} times for each column)",
                         name, *explained)});
      }
      for (std::uint32_t op = 0; op < one.operations.size(); ++op) {
        const Operation& read = one.operations[op];
        if (read.statement != choice.statement || read.access.row_set != choice.found) continue;
        if (read.access.action != Action::kRead || read.access.in_where || read.access.counts_only) continue;
        const ColumnId column = read.access.column;
        const bool decides = std::ranges::find(select.ordered_by, column) != select.ordered_by.end() ||
                             std::ranges::find(choice.key, column, &ClassRowKey::column) != choice.key.end();
        if (!decides) one.narrowed.push_back({op, choice.taken, place->second});
      }
    }
  }
}

}  // namespace isolde::audit
