#include "audit/classes/concurrent.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <unordered_map>
#include <utility>

#include "base/hash.h"

namespace isolde::audit {
namespace {

struct ColumnValue {
  ColumnId column;
  LiteralId value;
  friend auto operator<=>(const ColumnValue&, const ColumnValue&) = default;
};

// A row by a whole key of its table.
struct UsedRow {
  std::uint64_t row;
  bool writes;
  friend auto operator<=>(const UsedRow&, const UsedRow&) = default;
};

struct Uses {
  std::vector<ColumnValue> values;  // sorted, each once
  std::vector<UsedRow> rows;        // sorted, each once
};

// What a shape's statements use: worked out once a shape.
struct ShapeUses {
  struct Row {
    std::uint32_t first, size;  // literals, in the order of the key's columns
    std::uint64_t key;          // a number of table and key
    bool writes;
  };
  std::vector<RowKey> values;
  std::vector<Row> rows;
  std::vector<std::uint32_t> literals;
};

class Sweep {
 public:
  Sweep(const TraceLog& log, Classes& classes)
      : log_(log),
        classes_(classes),
        shape_uses_(classes.statements.size()),
        shape_known_(classes.statements.size()),
        columns_(classes.schema.columns()),
        open_in_class_(classes.classes.size()) {
    for (const Statement& statement : classes.statements) {
      for (const Access& access : statement.accesses) {
        if (access.in_where) columns_[raw(access.column)].unique = true;
      }
    }
  }

  void run(std::uint64_t pairs_for_unique) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < log_.transactions.size(); ++i) {
      if (classes_.class_of[i] != kNone32) order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return log_.transactions[i].begun; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const TraceTransaction& txn = log_.transactions[order[i]];
      while (!ends_.empty() && ends_.top().first <= txn.begun) {
        close(ends_.top().second);
        ends_.pop();
      }
      // Alone from begin to end: nothing to compare, and nobody to compare with.
      const bool alone = ends_.empty() && (i + 1 == order.size() || log_.transactions[order[i + 1]].begun >= txn.ended);
      if (!alone) open(order[i]);
    }
    for (std::uint32_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].unique && columns_[i].pairs >= std::max<std::uint64_t>(pairs_for_unique, 1)) {
        classes_.unique.push_back({ColumnId{i}, columns_[i].pairs});
      }
    }
  }

 private:
  struct OfColumn {
    std::uint64_t pairs = 0;
    std::uint32_t open = 0;  // transactions that use it
    bool unique = false;     // as far as was seen; only what rows are looked for by can be
  };
  struct Open {
    std::uint32_t transaction = 0;
    std::uint32_t class_id = 0;
    Uses uses;
    std::uint32_t met = kNone32;  // the transaction that it was last counted with
  };

  const ShapeUses& uses_of(ShapeId shape) {
    ShapeUses& out = shape_uses_[raw(shape)];
    if (shape_known_[raw(shape)]) return out;
    shape_known_[raw(shape)] = true;
    const Statement& statement = classes_.statements[raw(shape)];
    for (std::uint16_t i = 0; i < statement.row_sets.size(); ++i) {
      const RowSet& rows = statement.row_sets[i];
      out.values.insert(out.values.end(), rows.keys.begin(), rows.keys.end());
      if (!rows.single) continue;
      const bool writes = std::ranges::any_of(statement.accesses, [&](const Access& access) {
        return access.row_set == i && access.action == Action::kWrite;
      });
      const Table& table = classes_.schema.table(rows.table);
      add_row(rows, table.primary_key, 0, writes, out);
      for (std::uint32_t key = 0; key < table.unique_keys.size(); ++key) {
        add_row(rows, table.unique_keys[key], key + 1, writes, out);
      }
    }
    return out;
  }

  static void add_row(const RowSet& rows, const std::vector<ColumnId>& key, std::uint32_t number, bool writes,
                      ShapeUses& out) {
    if (key.empty()) return;
    const auto first = static_cast<std::uint32_t>(out.literals.size());
    for (const ColumnId column : key) {
      const auto place = std::ranges::find(rows.keys, column, &RowKey::column);
      if (place == rows.keys.end()) {
        out.literals.resize(first);
        return;
      }
      out.literals.push_back(place->literal);
    }
    out.rows.push_back({.first = first,
                        .size = static_cast<std::uint32_t>(key.size()),
                        .key = std::uint64_t{raw(rows.table)} << 32U | number,
                        .writes = writes});
  }

  [[nodiscard]] LiteralId value(const TraceStatement& statement, std::uint32_t literal) const {
    const std::size_t at = std::size_t{statement.first_literal} + literal;
    return at < log_.literals.size() ? log_.literals[at] : kNoLiteral;
  }

  void collect(const TraceTransaction& txn, Uses& out) {
    out.values.clear();
    out.rows.clear();
    for (const TraceStatement& statement : log_.of(txn)) {
      const ShapeUses& uses = uses_of(statement.shape);
      for (const RowKey& key : uses.values) {
        if (columns_[raw(key.column)].unique) out.values.push_back({key.column, value(statement, key.literal)});
      }
      for (const ShapeUses::Row& row : uses.rows) {
        std::uint64_t hash = mix64(row.key + 1);
        for (std::uint32_t i = row.first; i < row.first + row.size; ++i) {
          hash = mix64(hash ^ raw(value(statement, uses.literals[i])));
        }
        out.rows.push_back({hash, row.writes});
      }
    }
    const auto each_once = [](auto& list) {
      std::ranges::sort(list);
      list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    each_once(out.values);
    each_once(out.rows);
  }

  void open(std::uint32_t transaction) {
    std::uint32_t slot = static_cast<std::uint32_t>(open_.size());
    if (free_.empty()) {
      open_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    Open& one = open_[slot];
    one.transaction = transaction;
    one.class_id = classes_.class_of[transaction];
    one.met = kNone32;
    collect(log_.transactions[transaction], one.uses);
    count_classes(one);
    compare_values(one);
    meet_rows(slot);
    ends_.push({log_.transactions[transaction].ended, slot});
  }

  void close(std::uint32_t slot) {
    Open& one = open_[slot];
    if (--open_in_class_[one.class_id] == 0) std::erase(open_classes_, one.class_id);
    ColumnId last = kNoColumn;
    for (const ColumnValue& used : one.uses.values) {
      if (used.column != last) --columns_[raw(used.column)].open;
      last = used.column;
      if (const auto place = open_values_.find(key_of(used)); place != open_values_.end() && --place->second == 0) {
        open_values_.erase(place);
      }
    }
    for (const UsedRow& row : one.uses.rows) {
      const auto place = open_rows_.find(row.row);
      if (place == open_rows_.end()) continue;
      std::erase_if(place->second, [&](const auto& holder) { return holder.first == slot; });
      if (place->second.empty()) open_rows_.erase(place);
    }
    free_.push_back(slot);
  }

  void count_classes(const Open& one) {
    for (const std::uint32_t other : open_classes_) {
      count(classes_.seen_concurrent, one.class_id, other, open_in_class_[other]);
    }
    if (open_in_class_[one.class_id]++ == 0) open_classes_.push_back(one.class_id);
  }

  static void count(std::unordered_map<std::uint64_t, std::uint32_t>& counts, std::uint32_t a, std::uint32_t b,
                    std::uint32_t times) {
    std::uint32_t& cell = counts[Classes::pair(ClassId{a}, ClassId{b})];
    cell += std::min(times, std::numeric_limits<std::uint32_t>::max() - cell);
  }

  static std::uint64_t key_of(const ColumnValue& used) {
    return std::uint64_t{raw(used.column)} << 32U | raw(used.value);
  }

  void compare_values(const Open& one) {
    ColumnId last = kNoColumn;
    for (const ColumnValue& used : one.uses.values) {
      OfColumn& column = columns_[raw(used.column)];
      if (used.column != last) column.pairs += column.open++;
      last = used.column;
      if (++open_values_[key_of(used)] > 1) column.unique = false;
    }
  }

  void meet_rows(std::uint32_t slot) {
    Open& one = open_[slot];
    for (const UsedRow& row : one.uses.rows) {
      auto& holders = open_rows_[row.row];
      for (const auto& [other, writes] : holders) {
        if (other == slot || meetings_ >= kMostMeetings) break;
        ++meetings_;
        if (!row.writes && !writes) continue;
        if (std::exchange(open_[other].met, one.transaction) == one.transaction) continue;
        count(classes_.seen_same_row, one.class_id, open_[other].class_id, 1);
      }
      holders.emplace_back(slot, row.writes);
    }
  }

  const TraceLog& log_;
  Classes& classes_;
  std::vector<ShapeUses> shape_uses_;
  std::vector<bool> shape_known_;
  std::vector<OfColumn> columns_;
  std::vector<std::uint32_t> open_in_class_;
  std::vector<std::uint32_t> open_classes_;
  std::vector<Open> open_;
  std::vector<std::uint32_t> free_;
  using End = std::pair<std::uint64_t, std::uint32_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::unordered_map<std::uint64_t, std::uint32_t> open_values_;  // column and value: how many use it
  std::unordered_map<std::uint64_t, std::vector<std::pair<std::uint32_t, bool>>> open_rows_;
  std::uint64_t meetings_ = 0;
};

}  // namespace

void look_at_concurrency(const TraceLog& log, std::uint64_t pairs_for_unique, Classes& classes) {
  Sweep(log, classes).run(pairs_for_unique);
}

}  // namespace isolde::audit
