#include "audit/confirm/references.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

namespace isolde::audit {
namespace {

using Key = std::vector<std::string>;

// As the server shows it, and as it was put in: texts are in quotes there.
std::string bare(const std::string& cell) {
  const bool quoted = cell.size() >= 2 && cell.front() == '\'' && cell.back() == '\'';
  return quoted ? cell.substr(1, cell.size() - 2) : cell;
}

class References {
 public:
  explicit References(const Play& play) : play_(play) {}

  // Values of these columns in every row of the table; a row with a NULL among them has none.
  std::set<Key> before(TableId table, const std::vector<ColumnId>& columns, const std::vector<InitialRow>& rows) const {
    std::set<Key> out;
    for (const InitialRow& row : rows) {
      if (row.table != table) continue;
      Key key;
      for (const ColumnId column : columns) {
        if (const auto& cell = row.cells[position(table, column)]) key.push_back(*cell);
      }
      if (key.size() == columns.size()) out.insert(std::move(key));
    }
    return out;
  }

  std::set<Key> after(TableId table, const std::vector<ColumnId>& columns, const std::vector<Rows>& left) const {
    std::set<Key> out;
    const auto at = std::ranges::find(play_.tables, table);
    if (at == play_.tables.end()) return out;
    for (const std::vector<std::string>& row : left[static_cast<std::size_t>(at - play_.tables.begin())].rows) {
      Key key;
      for (const ColumnId column : columns) {
        const std::size_t place = position(table, column);
        if (place < row.size() && row[place] != "null") key.push_back(bare(row[place]));
      }
      if (key.size() == columns.size()) out.insert(std::move(key));
    }
    return out;
  }

 private:
  [[nodiscard]] std::size_t position(TableId table, ColumnId column) const {
    const auto& columns = play_.schema.table(table).columns;
    return static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin());
  }
  const Play& play_;
};

}  // namespace

std::string broken_reference(const Play& play, const std::vector<InitialRow>& before, const std::vector<Rows>& left) {
  const References references(play);
  for (const TableId table : play.tables) {
    for (const ForeignKey& key : play.schema.table(table).foreign_keys) {
      // What was put in and what the server shows are written alike.
      const auto plain = [&](ColumnId column) {
        const ValueKind kind = play.type(column).kind;
        return kind == ValueKind::kInteger || kind == ValueKind::kText;
      };
      if (!std::ranges::all_of(key.columns, plain) || !std::ranges::all_of(key.parent_columns, plain)) continue;
      if (std::ranges::find(play.tables, key.parent) == play.tables.end()) continue;
      const std::set<Key> parents = references.after(key.parent, key.parent_columns, left);
      const std::set<Key> were_parents = references.before(key.parent, key.parent_columns, before);
      const std::set<Key> were = references.before(table, key.columns, before);
      for (const Key& child : references.after(table, key.columns, left)) {
        if (parents.contains(child)) continue;
        const bool as_before = were.contains(child) && !were_parents.contains(child);
        if (as_before) continue;
        return fmt::format("a row of {} is left whose {} ({}) is gone: the foreign key does not let that happen",
                           play.schema.table(table).name, play.schema.table(key.parent).name, fmt::join(child, ", "));
      }
    }
  }
  return {};
}

}  // namespace isolde::audit
