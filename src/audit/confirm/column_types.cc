#include "audit/confirm/column_types.h"

#include <algorithm>

namespace isolde::audit {
namespace {

constexpr int kTypeRounds = 4;  // of handing types on from column to column

// Of two guesses, the one that takes both.
void widen(std::string& type, std::string_view other) {
  if (type.empty() || type == other) {
    type = other;
    return;
  }
  const auto number = [](std::string_view t) { return t == "bigint" || t == "decimal(20,4)"; };
  type = number(type) && number(other) ? "decimal(20,4)" : "varchar(255)";
}

bool ends_in_id(std::string_view name) {
  return name.size() >= 2 && (name.ends_with("id") || name.ends_with("ID") || name.ends_with("Id"));
}

void guess(Play& play) {
  std::vector<std::string> guesses(play.schema.columns());
  const auto see = [&](ColumnId column, const Line& line, std::uint32_t literal) {
    if (column == kNoColumn || literal >= line.literals.size()) return;
    widen(guesses[raw(column)], type_of_literal(line.literals[literal]));
  };
  for (const Member& member : play.members) {
    for (const Line& line : member.lines) {
      for (const Comparison& c : line.clues.comparisons) {
        if (c.how != Compares::kLike) see(c.column, line, c.literal);
      }
      for (const WrittenLiteral& w : line.clues.written) see(w.column, line, w.literal);
      for (const auto& row : line.clues.inserted) {
        for (const InsertedCell& cell : row) see(cell.column, line, cell.literal);
      }
    }
  }
  for (const Member& member : play.members) {
    for (const Line& line : member.lines) {
      for (const ColumnId column : line.clues.computed) {
        if (guesses[raw(column)].empty()) guesses[raw(column)] = "bigint";
      }
    }
  }
  const auto type_now = [&](ColumnId column) {
    return play.schema.column(column).type.empty() ? guesses[raw(column)] : play.schema.column(column).type;
  };
  for (int round = 0; round < kTypeRounds; ++round) {
    for (const Member& member : play.members) {
      for (const Line& line : member.lines) {
        for (const EqualColumns& equal : line.clues.equal) {
          const std::string first = type_now(equal.first_column), second = type_now(equal.second_column);
          if (first.empty()) guesses[raw(equal.first_column)] = second;
          if (second.empty()) guesses[raw(equal.second_column)] = first;
        }
      }
    }
  }
  for (const TableId table : play.tables) {
    for (const ColumnId id : play.schema.table(table).columns) {
      Column& column = play.schema.column(id);
      if (!column.type.empty()) continue;
      column.type = guesses[raw(id)];
      if (column.type.empty()) column.type = ends_in_id(column.name) ? "bigint" : "varchar(255)";
    }
  }
}

bool in_a_key(const Play& play, TableId table, ColumnId column) {
  const auto keys = play.keys_of(table);
  return std::any_of(keys.begin(), keys.end(), [&](const std::vector<ColumnId>& key) {
    return std::find(key.begin(), key.end(), column) != key.end();
  });
}

// MySQL makes a new number for NULL and 0, too.
bool leaves_out(const std::vector<InsertedCell>& row, const Line& line, ColumnId column) {
  for (const InsertedCell& cell : row) {
    if (cell.column != column) continue;
    if (cell.as != InsertedAs::kLiteral) return cell.as != InsertedAs::kOther;
    return line.literals[cell.literal] == "0" || line.literals[cell.literal].empty();
  }
  return true;
}

void find_generated(Play& play) {
  for (const Member& member : play.members) {
    for (const Line& line : member.lines) {
      if (!line.clues.inserts || line.clues.tables.empty()) continue;
      const TableId table = line.clues.tables.front().table;
      const std::vector<ColumnId>& key = play.schema.table(table).primary_key;
      if (key.size() != 1 || value_type(play.schema.column(key[0]).type).kind != ValueKind::kInteger) continue;
      const bool missing = std::any_of(line.clues.inserted.begin(), line.clues.inserted.end(),
                                       [&](const auto& row) { return leaves_out(row, line, key[0]); });
      if (missing) play.schema.column(key[0]).generated_id = true;
    }
  }
}

}  // namespace

void complete_types(Play& play) {
  guess(play);
  find_generated(play);
  for (const TableId table : play.tables) {
    for (const ColumnId id : play.schema.table(table).columns) {
      if (!in_a_key(play, table, id)) play.schema.column(id).nullable = true;
    }
  }
  play.types.clear();
  for (std::uint32_t i = 0; i < play.schema.columns(); ++i)
    play.types.push_back(value_type(play.schema.column(ColumnId{i}).type));
}

}  // namespace isolde::audit
