#include "audit/facts/next_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "audit/facts/occurrences.h"

namespace isolde::audit {
namespace {

constexpr std::uint64_t kEnoughNumbers = 1;

// A unique key, the column of it that is numbered, and the others, which say within what.
struct NumberedKey {
  TableId table;
  ColumnId number;
  std::vector<ColumnId> group;
  auto operator<=>(const NumberedKey&) const = default;
};

struct ReadsOf {
  std::uint32_t of;  // class
  std::vector<std::uint32_t> reads;
};

class NextNumberFinder {
 public:
  NextNumberFinder(const TraceLog& log, Classes& classes)
      : log_(log), classes_(classes), values_(log, classes.statements) {}

  void run() {
    std::map<NumberedKey, std::vector<ReadsOf>> found;
    for (std::uint32_t id = 0; id < classes_.classes.size(); ++id) look_at(id, found);
    for (const auto& [key, all] : found) {
      if (!stays(key)) continue;
      const std::uint64_t times = replay(key, all);
      if (times < kEnoughNumbers) continue;
      const auto fact = static_cast<std::uint32_t>(classes_.facts.size());
      classes_.facts.push_back(
          {FactKind::kFlow, true, key.table, times,
           fmt::format("two that read the same largest {0} insert the same key of {1}, and the second is turned away: "
                       "what is inserted is always one more than the largest so far ({2} times)",
                       classes_.schema.full_name(key.number), classes_.schema.table(key.table).name, times)});
      for (const ReadsOf& one : all) classes_.classes[one.of].next_numbers.push_back({one.reads, fact});
    }
  }

 private:
  void look_at(std::uint32_t id, std::map<NumberedKey, std::vector<ReadsOf>>& found) const {
    const TransactionClass& one = classes_.classes[id];
    std::set<std::uint16_t> seen;
    for (const Operation& operation : one.operations) {
      const std::uint16_t rows = operation.access.row_set;
      const Statement& insert = classes_.statements[raw(one.statements[operation.statement])];
      if (!operation.access.inserts || insert.kind != StatementKind::kInsert || insert.keeps_old_row ||
          !one.rows[rows].single || !seen.insert(rows).second)
        continue;
      const Table& table = classes_.schema.table(one.rows[rows].table);
      std::vector<std::vector<ColumnId>> keys = table.unique_keys;
      if (!table.primary_key.empty()) keys.push_back(table.primary_key);
      for (const std::vector<ColumnId>& key : keys) {
        for (const ColumnId number : key) add(id, operation.statement, rows, key, number, found);
      }
    }
  }

  void add(std::uint32_t id, std::uint32_t insert, std::uint16_t rows, const std::vector<ColumnId>& key,
           ColumnId number, std::map<NumberedKey, std::vector<ReadsOf>>& found) const {
    const TransactionClass& one = classes_.classes[id];
    if (variable_in(one.rows[rows], number) == kNoVariable) return;
    NumberedKey numbered{one.rows[rows].table, number, {}};
    for (const ColumnId part : key) {
      if (part != number) numbered.group.push_back(part);
    }
    std::ranges::sort(numbered.group);
    std::vector<std::uint32_t> reads;
    for (std::uint32_t op = 0; op < one.operations.size(); ++op) {
      const Operation& read = one.operations[op];
      if (read.statement >= insert || !asks_for_largest(one, read, one.rows[rows], numbered)) continue;
      if (!reads.empty() && one.operations[reads.back()].statement != read.statement) reads.clear();
      reads.push_back(op);
    }
    if (!reads.empty()) found[numbered].push_back({id, std::move(reads)});
  }

  // A read of a SELECT that gives one number of the column, of all rows of the group that the INSERT is about.
  [[nodiscard]] bool asks_for_largest(const TransactionClass& one, const Operation& read, const ClassRows& inserted,
                                      const NumberedKey& key) const {
    const Statement& select = classes_.statements[raw(one.statements[read.statement])];
    if (select.kind != StatementKind::kSelect || !(select.one_number || select.picks_one)) return false;
    const ClassRows& rows = one.rows[read.access.row_set];
    if (rows.table != key.table || rows.keys.size() != key.group.size() || !rows.unlike.empty()) return false;
    const bool same_group = std::ranges::all_of(key.group, [&](ColumnId part) {
      const std::uint32_t variable = variable_in(rows, part);
      return variable != kNoVariable && variable == variable_in(inserted, part);
    });
    return same_group && std::ranges::any_of(one.operations, [&](const Operation& other) {
             return other.statement == read.statement && other.access.action == Action::kRead &&
                    other.access.column == key.number && other.access.row_set == read.access.row_set;
           });
  }

  // Nobody deletes rows of the table, or changes the key of one.
  [[nodiscard]] bool stays(const NumberedKey& key) const {
    return std::ranges::none_of(classes_.classes, [&](const TransactionClass& one) {
      return std::ranges::any_of(one.operations, [&](const Operation& operation) {
        const Access& access = operation.access;
        if (access.action != Action::kWrite || one.rows[access.row_set].table != key.table) return false;
        const bool in_key =
            access.column == key.number || std::ranges::find(key.group, access.column) != key.group.end();
        return access.deletes || (!access.inserts && in_key);
      });
    });
  }

  // How often the number was one more than the largest so far; 0: it was not, or somebody inserts in another way.
  [[nodiscard]] std::uint64_t replay(const NumberedKey& key, const std::vector<ReadsOf>& all) const {
    std::map<std::vector<LiteralId>, double> largest;
    std::uint64_t times = 0;
    for (std::uint32_t t = 0; t < log_.transactions.size(); ++t) {
      const TraceTransaction& transaction = log_.transactions[t];
      if (transaction.outcome != TxnOutcome::kCommitted) continue;
      for (std::uint32_t i = 0; i < transaction.statements; ++i) {
        const std::uint32_t here = transaction.first_statement + i;
        const Statement& statement = values_.meaning(here);
        for (const Access& access : statement.accesses) {
          if (!access.inserts || access.column != key.number) continue;
          const RowSet& rows = statement.row_sets[access.row_set];
          if (std::ranges::find(all, classes_.class_of[t], &ReadsOf::of) == all.end()) return 0;
          const std::optional<double> number = values_.number(values_.value(here, rows, key.number));
          std::vector<LiteralId> group = values_.values(here, rows, key.group);
          if (!number || group.size() != key.group.size()) return 0;
          const auto [last, is_new] = largest.try_emplace(std::move(group), *number);
          if (is_new) continue;
          if (*number != last->second + 1) return 0;
          last->second = *number;
          ++times;
        }
      }
    }
    return times;
  }

  const TraceLog& log_;
  Classes& classes_;
  TraceValues values_;
};

}  // namespace

void find_next_numbers(const TraceLog& log, Classes& classes) { NextNumberFinder(log, classes).run(); }

}  // namespace isolde::audit
