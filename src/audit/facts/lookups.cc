#include "audit/facts/lookups.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "audit/facts/mapping.h"
#include "audit/facts/occurrences.h"
#include "audit/facts/same_rows.h"

namespace isolde::audit {
namespace {

// A table that is asked by one column, and the column of another table that its key is used for.
using Lookup = std::tuple<TableId, ColumnId, ColumnId>;

class LookupFinder {
 public:
  LookupFinder(const TraceLog& log, Classes& classes)
      : log_(log), classes_(classes), values_(log, classes.statements), facts_(classes) {
    for (const Statement& statement : classes.statements) asks_.push_back(questions(statement));
  }

  void run() {
    if (std::ranges::all_of(asks_, [](const auto& all) { return all.empty(); })) return;
    for (const TraceTransaction& transaction : log_.transactions) {
      if (transaction.outcome == TxnOutcome::kCommitted && !transaction.autocommit) look_at(transaction);
    }
    for (const auto& [lookup, mapping] : seen_) {
      if (!mapping.holds()) continue;
      const auto& [parent, asked, column] = lookup;
      const TableReference found{classes_.schema.column(column).table, parent, {column}};
      if (std::ranges::find(classes_.references, found) == classes_.references.end())
        classes_.references.push_back(found);
      if (std::ranges::find(classes_.looked_up_by, asked) == classes_.looked_up_by.end())
        classes_.looked_up_by.push_back(asked);
    }
  }

 private:
  // Row sets of a SELECT that returns the key of a table and asks for something else.
  [[nodiscard]] std::vector<std::uint16_t> questions(const Statement& statement) const {
    std::vector<std::uint16_t> out;
    if (statement.kind != StatementKind::kSelect) return out;
    for (std::uint16_t rows = 0; rows < statement.row_sets.size(); ++rows) {
      const RowSet& set = statement.row_sets[rows];
      const std::vector<ColumnId>& key = classes_.schema.table(set.table).primary_key;
      if (key.size() != 1 || set.keys.empty() || !facts_.stable(key[0])) continue;
      const bool returned = std::ranges::any_of(statement.accesses, [&](const Access& access) {
        return access.row_set == rows && access.column == key[0] && access.action == Action::kRead &&
               !access.counts_only && !access.in_where;
      });
      const bool known = std::ranges::binary_search(set.keys, key[0], {}, &RowKey::column);
      if (returned && !known) out.push_back(rows);
    }
    return out;
  }

  // A value that comes up after such a SELECT, and before the next one of that table, is one that it returned.
  void look_at(const TraceTransaction& transaction) {
    struct Open {
      std::uint32_t statement;
      std::uint16_t rows;
    };
    std::map<TableId, Open> open;  // by table that was asked
    std::set<LiteralId> used;
    for (std::uint32_t i = 0; i < transaction.statements; ++i) {
      const std::uint32_t here = transaction.first_statement + i;
      const Statement& statement = values_.meaning(here);
      if (!open.empty()) {
        for (const RowSet& rows : statement.row_sets) {
          for (const RowKey& key : rows.keys) {
            const LiteralId value = values_.literal(here, key.literal);
            if (value == kNoLiteral || used.contains(value) || !facts_.stable(key.column)) continue;
            for (const auto& [table, asked] : open) {
              if (table != rows.table) add(table, asked.statement, asked.rows, key.column, value);
            }
          }
        }
      }
      for (const LiteralId literal : log_.literals_of(log_.statements[here])) used.insert(literal);
      for (const std::uint16_t rows : asks_[raw(log_.statements[here].shape)])
        open[statement.row_sets[rows].table] = {here, rows};
    }
  }

  void add(TableId parent, std::uint32_t statement, std::uint16_t rows, ColumnId column, LiteralId value) {
    for (const RowKey& asked : values_.meaning(statement).row_sets[rows].keys) {
      const LiteralId by = values_.literal(statement, asked.literal);
      if (by != kNoLiteral && facts_.stable(asked.column)) seen_[{parent, asked.column, column}].add({value}, by);
    }
  }

  const TraceLog& log_;
  Classes& classes_;
  TraceValues values_;
  RowFacts facts_;
  std::vector<std::vector<std::uint16_t>> asks_;  // by shape
  std::map<Lookup, Mapping> seen_;
};

}  // namespace

void find_lookups(const TraceLog& log, Classes& classes) { LookupFinder(log, classes).run(); }

}  // namespace isolde::audit
