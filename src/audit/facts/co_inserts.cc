#include "audit/facts/co_inserts.h"

#include <map>
#include <optional>
#include <set>

namespace isolde::audit {
namespace {

// Columns of `second` that may hold each part of the first's key: those that have its variable.
std::optional<std::vector<std::set<ColumnId>>> columns_with_key(const ClassRows& first, const Table& table,
                                                                const ClassRows& second) {
  std::vector<std::set<ColumnId>> out;
  for (const ColumnId part : table.primary_key) {
    const std::uint32_t variable = variable_in(first, part);
    if (variable == kNoVariable) return std::nullopt;
    std::set<ColumnId>& columns = out.emplace_back();
    for (const ClassRowKey& key : second.keys) {
      if (key.variable == variable) columns.insert(key.column);
    }
    if (columns.empty()) return std::nullopt;
  }
  if (out.empty()) return std::nullopt;
  return out;
}

class CoInsertFinder {
 public:
  CoInsertFinder(const TraceLog& log, const Classes& classes)
      : log_(log), classes_(classes), values_(log, classes.statements), refused_(classes.schema.tables(), false) {}

  std::vector<CoInsert> find() {
    find_candidates();
    std::vector<CoInsert> found;
    for (const auto& [tables, columns] : candidates_) {
      if (refused_[raw(tables.second)]) continue;
      CoInsert one{tables.first, tables.second, {}, 0};
      for (const std::set<ColumnId>& some : columns) {
        const auto free = std::ranges::find_if(
            some, [&](ColumnId column) { return std::ranges::find(one.columns, column) == one.columns.end(); });
        if (free == some.end()) break;
        one.columns.push_back(*free);
      }
      if (one.columns.size() == columns.size()) found.push_back(std::move(one));
    }
    check(found);
    return found;
  }

 private:
  using Tables = std::pair<TableId, TableId>;

  // By classes: what their variables allow.
  void find_candidates() {
    std::map<Tables, std::vector<std::set<ColumnId>>> all;
    std::set<Tables> impossible;
    std::set<TableId> seen;  // second tables
    for (const TransactionClass& one : classes_.classes) {
      std::vector<std::uint16_t> inserted;
      for (const Operation& operation : one.operations) {
        const Access& access = operation.access;
        if (access.action != Action::kWrite || !access.inserts) continue;
        const TableId table = one.rows[access.row_set].table;
        if (!is_plain_insert_of(one, operation)) {
          refused_[raw(table)] = true;
        } else if (std::ranges::find(inserted, access.row_set) == inserted.end()) {
          inserted.push_back(access.row_set);
        }
      }
      for (const std::uint16_t second : inserted) {
        const TableId of = one.rows[second].table;
        const bool known = !seen.insert(of).second;
        std::map<Tables, std::vector<std::set<ColumnId>>> here;
        for (const std::uint16_t first : inserted) {
          const TableId other = one.rows[first].table;
          if (other == of || here.contains({other, of})) continue;
          if (auto columns = columns_with_key(one.rows[first], classes_.schema.table(other), one.rows[second]))
            here.emplace(Tables(other, of), *std::move(columns));
        }
        // What is not so here is not so.
        for (auto& [tables, columns] : all) {
          if (tables.second != of) continue;
          const auto mine = here.find(tables);
          if (mine == here.end()) {
            impossible.insert(tables);
            continue;
          }
          for (std::size_t i = 0; i < columns.size(); ++i)
            std::erase_if(columns[i], [&](ColumnId column) { return !mine->second[i].contains(column); });
        }
        for (auto& [tables, columns] : here) {
          if (!all.try_emplace(tables, std::move(columns)).second) continue;
          if (known) impossible.insert(tables);  // an earlier class did not have it
        }
      }
    }
    for (auto& [tables, columns] : all) {
      if (!impossible.contains(tables)) candidates_.emplace(tables, std::move(columns));
    }
  }

  [[nodiscard]] bool is_plain_insert_of(const TransactionClass& one, const Operation& operation) const {
    const Statement& statement = classes_.statements[raw(one.statements[operation.statement])];
    return statement.kind == StatementKind::kInsert && !operation.access.deletes && !statement.keeps_old_row &&
           one.rows[operation.access.row_set].single;
  }

  // By every row that the trace inserts.
  void check(std::vector<CoInsert>& found) {
    std::map<TableId, std::vector<std::size_t>> as_first, as_second;
    for (std::size_t i = 0; i < found.size(); ++i) {
      as_first[found[i].first].push_back(i);
      as_second[found[i].second].push_back(i);
    }
    std::vector<bool> wrong(found.size(), false);
    for (std::uint32_t transaction = 0; transaction < log_.transactions.size(); ++transaction) {
      const TraceTransaction& txn = log_.transactions[transaction];
      if (txn.outcome != TxnOutcome::kCommitted) continue;
      std::set<std::pair<TableId, std::vector<LiteralId>>> made;
      struct Row {
        std::uint32_t statement;
        const RowSet* rows;
      };
      std::vector<Row> rows;
      for (std::uint32_t i = txn.first_statement; i < txn.first_statement + txn.statements; ++i) {
        const Statement& statement = values_.meaning(i);
        const RowSet* last = nullptr;
        for (const Access& access : statement.accesses) {
          if (access.action != Action::kWrite || !access.inserts) continue;
          const RowSet& set = statement.row_sets[access.row_set];
          if (&set == last) continue;
          last = &set;
          const bool plain = is_plain_insert(statement, access);
          if (as_first.contains(set.table) && plain)
            made.emplace(set.table, values_.values(i, set, classes_.schema.table(set.table).primary_key));
          const auto second = as_second.find(set.table);
          if (second == as_second.end()) continue;
          if (plain) {
            rows.push_back({i, &set});
          } else {
            for (const std::size_t one : second->second) wrong[one] = true;
          }
        }
      }
      for (const Row& row : rows) {
        for (const std::size_t i : as_second[row.rows->table]) {
          std::vector<LiteralId> key = values_.values(row.statement, *row.rows, found[i].columns);
          if (key.empty() || !made.contains({found[i].first, std::move(key)})) wrong[i] = true;
          ++found[i].rows;
        }
      }
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (wrong[i] || found[i].rows == 0) continue;
      if (kept != i) found[kept] = std::move(found[i]);
      ++kept;
    }
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(kept), found.end());
  }

  const TraceLog& log_;
  const Classes& classes_;
  TraceValues values_;
  std::vector<bool> refused_;  // by table: rows come by something else than a plain INSERT
  std::map<Tables, std::vector<std::set<ColumnId>>> candidates_;
};

}  // namespace

std::vector<CoInsert> find_co_inserts(const TraceLog& log, const Classes& classes) {
  return CoInsertFinder(log, classes).find();
}

}  // namespace isolde::audit
