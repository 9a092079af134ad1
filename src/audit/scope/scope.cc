#include "audit/scope/scope.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "audit/story/stakes.h"
#include "base/ascii.h"

namespace isolde::audit {
namespace {

// A plain read that a later transaction of the session may act on.
struct EarlierRead {
  std::uint32_t statement;    // of the log
  std::uint32_t transaction;  // likewise
  std::uint32_t rows;         // of its shape
  std::uint64_t when;         // statements of the session before it
};

struct SeenPair {
  ScopeKind kind;
  ColumnId column;
  std::uint64_t times = 0;
  std::uint32_t read_at = 0, write_at = 0;
};

bool covers(const std::vector<ColumnId>& key, const std::vector<RowKey>& named) {
  return !key.empty() && std::ranges::all_of(key, [&](ColumnId column) {
    return std::ranges::binary_search(named, column, {}, &RowKey::column);
  });
}

class ScopeSearch {
 public:
  ScopeSearch(const TraceLog& log, const Classes& classes) : log_(log), classes_(classes), stakes_(classes.schema) {}

  std::vector<ScopeFinding> run() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_session;  // in their order
    for (std::uint32_t i = 0; i < log_.transactions.size(); ++i) {
      if (log_.transactions[i].outcome == TxnOutcome::kCommitted) by_session[log_.transactions[i].session].push_back(i);
    }
    for (const auto& [session, transactions] : by_session) {
      reads_.clear();
      for (const std::uint32_t transaction : transactions) read_transaction(transaction);
    }
    std::vector<ScopeFinding> out;
    for (const auto& [shapes, pair] : pairs_) {
      const auto& [read, write, kind] = shapes;
      const std::uint64_t writes = writes_[write];
      if (pair.times * 2 < writes) continue;
      out.push_back({pair.kind, read, write, pair.column, pair.times, writes, pair.read_at, pair.write_at, 0});
      out.back().rank = rank(out.back());
    }
    keep_nearest(out);
    std::ranges::stable_sort(out, std::greater<>(), &ScopeFinding::rank);
    return out;
  }

 private:
  [[nodiscard]] const Statement& meaning(std::uint32_t statement) const {
    return classes_.statements[raw(log_.statements[statement].shape)];
  }
  [[nodiscard]] LiteralId value(std::uint32_t statement, const RowKey& key) const {
    return log_.literals_of(log_.statements[statement])[key.literal];
  }

  void read_transaction(std::uint32_t number) {
    const TraceTransaction& transaction = log_.transactions[number];
    for (std::uint32_t i = 0; i < transaction.statements; ++i) {
      const std::uint32_t at = transaction.first_statement + i;
      const Statement& statement = meaning(at);
      if (statement.kind == StatementKind::kSelect) {
        note_reads(at, number, statement);
      } else if (!statement.accesses.empty()) {
        look_for_reads(at, number, statement);
      }
      ++now_;
      while (!reads_.empty() && reads_.front().when + kMostBetween < now_) reads_.pop_front();
    }
  }

  void note_reads(std::uint32_t at, std::uint32_t transaction, const Statement& statement) {
    for (std::uint32_t rows = 0; rows < statement.row_sets.size(); ++rows) {
      const RowSet& set = statement.row_sets[rows];
      if (set.keys.empty() || classes_.schema.table(set.table).is_lock) continue;
      const bool locks = std::ranges::any_of(statement.accesses, [&](const Access& access) {
        return access.row_set == rows && access.lock != Lock::kNone;
      });
      if (!locks) reads_.push_back({at, transaction, rows, now_});
    }
  }

  void look_for_reads(std::uint32_t at, std::uint32_t transaction, const Statement& statement) {
    bool counted = false;
    for (std::uint32_t rows = 0; rows < statement.row_sets.size(); ++rows) {
      bool inserts = false, updates = false, asks_more = false;
      const RowSet& set = statement.row_sets[rows];
      const Table& table = classes_.schema.table(set.table);
      for (const Access& access : statement.accesses) {
        if (access.row_set != rows) continue;
        if (access.action == Action::kWrite) (access.inserts ? inserts : updates) |= !access.deletes;
        const bool in_key = std::ranges::find(table.primary_key, access.column) != table.primary_key.end();
        asks_more |= access.action == Action::kRead && access.in_where && !access.foreign_key && !in_key;
      }
      if (!inserts && !updates) continue;
      if (!counted) ++writes_[log_.statements[at].shape];
      counted = true;
      if (statement.kind == StatementKind::kUpdate && updates && set.single && !asks_more &&
          covers(table.primary_key, set.keys))
        match_update(at, transaction, statement, rows);
      if (statement.kind == StatementKind::kInsert && inserts && set.single && !statement.keeps_old_row)
        match_insert(at, transaction, statement, rows);
    }
  }

  // The row of the UPDATE was read by its key, and one of the columns that are set.
  void match_update(std::uint32_t at, std::uint32_t transaction, const Statement& statement, std::uint32_t rows) {
    const std::vector<ColumnId>& key = classes_.schema.table(statement.row_sets[rows].table).primary_key;
    for (auto read = reads_.rbegin(); read != reads_.rend(); ++read) {
      const Statement& reading = meaning(read->statement);
      const RowSet& looked = reading.row_sets[read->rows];
      if (looked.table != statement.row_sets[rows].table || !covers(key, looked.keys)) continue;
      if (!same_values(key, at, statement.row_sets[rows], read->statement, looked)) continue;
      std::optional<ColumnId> column;
      bool adds = false;
      for (const Access& write : statement.accesses) {
        if (write.action != Action::kWrite || write.row_set != rows) continue;
        const bool was_read = std::ranges::any_of(reading.accesses, [&](const Access& access) {
          return access.row_set == read->rows && access.column == write.column && !access.counts_only;
        });
        const bool in_key = std::ranges::find(key, write.column) != key.end();
        if (!was_read || in_key) continue;
        if (column && stakes_.of_column[raw(*column)] >= stakes_.of_column[raw(write.column)]) continue;
        column = write.column;
        adds = write.increments;
      }
      if (!column) continue;
      // What this transaction has read itself is a matter of its level.
      if (read->transaction == transaction) return;
      return note(*read, at, adds ? ScopeKind::kActs : ScopeKind::kOverwrites, *column);
    }
  }

  // Rows such as the one that is inserted were looked for.
  void match_insert(std::uint32_t at, std::uint32_t transaction, const Statement& statement, std::uint32_t rows) {
    const RowSet& made = statement.row_sets[rows];
    const Table& table = classes_.schema.table(made.table);
    for (auto read = reads_.rbegin(); read != reads_.rend(); ++read) {
      const RowSet& looked = meaning(read->statement).row_sets[read->rows];
      if (looked.table != made.table || covers(table.primary_key, looked.keys)) continue;
      if (std::ranges::any_of(table.unique_keys, [&](const auto& key) { return covers(key, looked.keys); })) continue;
      std::vector<ColumnId> columns;
      for (const RowKey& part : looked.keys) columns.push_back(part.column);
      if (!covers(columns, made.keys) || !same_values(columns, at, made, read->statement, looked)) continue;
      if (read->transaction == transaction) return;
      return note(*read, at, ScopeKind::kInserts, columns.front());
    }
  }

  [[nodiscard]] bool same_values(const std::vector<ColumnId>& columns, std::uint32_t a, const RowSet& in_a,
                                 std::uint32_t b, const RowSet& in_b) const {
    return std::ranges::all_of(columns, [&](ColumnId column) {
      const auto x = std::ranges::lower_bound(in_a.keys, column, {}, &RowKey::column);
      const auto y = std::ranges::lower_bound(in_b.keys, column, {}, &RowKey::column);
      return value(a, *x) == value(b, *y);
    });
  }

  void note(const EarlierRead& read, std::uint32_t write, ScopeKind kind, ColumnId column) {
    const auto [place, is_new] =
        pairs_.try_emplace({log_.statements[read.statement].shape, log_.statements[write].shape, kind},
                           SeenPair{kind, column, 0, read.statement, write});
    ++place->second.times;
  }

  // A count, a sum or a largest value is looked at to decide something.
  [[nodiscard]] bool decides(ShapeId shape) const {
    const std::string text = lower_case(log_.shapes.example(shape));
    return std::ranges::any_of(std::initializer_list<std::string_view>{"count(", "sum(", "max(", "min(", "exists"},
                               [&](std::string_view word) { return text.find(word) != std::string::npos; });
  }

  [[nodiscard]] double rank(const ScopeFinding& one) const {
    const TableId table = classes_.schema.column(one.column).table;
    const double stake =
        one.kind == ScopeKind::kInserts ? stakes_.of_table[raw(table)] : stakes_.of_column[raw(one.column)];
    const double out = 2 * stake + 0.5 * std::log2(1 + static_cast<double>(one.times));
    switch (one.kind) {
      case ScopeKind::kOverwrites:
        return out + 3;
      case ScopeKind::kActs:
        return out + 2;
      case ScopeKind::kInserts:
        return out + (decides(one.read) ? 3 : 1);
    }
    return out;
  }

  // Of several reads before one write, the one that the trace pairs with it most often; then the best.
  static void keep_nearest(std::vector<ScopeFinding>& all) {
    std::ranges::stable_sort(all, [](const ScopeFinding& a, const ScopeFinding& b) {
      return std::tuple(a.write, ~a.times, -a.rank) < std::tuple(b.write, ~b.times, -b.rank);
    });
    const auto again = std::ranges::unique(all, {}, &ScopeFinding::write);
    all.erase(again.begin(), again.end());
  }

  const TraceLog& log_;
  const Classes& classes_;
  Stakes stakes_;
  std::deque<EarlierRead> reads_;
  std::uint64_t now_ = 0;
  std::map<std::tuple<ShapeId, ShapeId, ScopeKind>, SeenPair> pairs_;
  std::unordered_map<ShapeId, std::uint64_t> writes_;
};

}  // namespace

std::vector<ScopeFinding> find_scope_errors(const TraceLog& log, const Classes& classes) {
  return ScopeSearch(log, classes).run();
}

}  // namespace isolde::audit
