// Which values of a play are data, and which are written in the program (play_values.h).
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "audit/confirm/play_values.h"
#include "audit/schema/entries.h"

namespace isolde::audit {
namespace {

// How many different values the trace has in each place of the play's statements, as far as that matters.
class ValuesOfPlaces {
 public:
  ValuesOfPlaces(const Classes& classes, const TraceLog& log, const Play& play) {
    for (const Member& member : play.members) {
      for (const Line& line : member.lines) values_[classes.classes[raw(member.id)].statements[line.statement]];
    }
    const std::size_t count = std::min(log.statements.size(), kMostStatements);
    for (std::size_t i = 0; i < count; ++i) {
      const auto of = values_.find(log.statements[i].shape);
      if (of == values_.end()) continue;
      const std::span<const LiteralId> literals = log.literals_of(log.statements[i]);
      of->second.resize(std::max(of->second.size(), literals.size()));
      for (std::size_t place = 0; place < literals.size(); ++place) {
        if (of->second[place].size() < kMany) of->second[place].insert(literals[place]);
      }
    }
  }
  [[nodiscard]] bool are_many(ShapeId shape, std::uint32_t place) const {
    const auto of = values_.find(shape);
    return of != values_.end() && place < of->second.size() && of->second[place].size() >= kMany;
  }

 private:
  static constexpr std::size_t kMany = 5;
  static constexpr std::size_t kMostStatements = 100'000;
  std::map<ShapeId, std::vector<std::set<LiteralId>>> values_;
};

}  // namespace

std::vector<bool> columns_looked_at(const Play& play) {
  std::vector<bool> looked_at(play.schema.columns(), false);
  for (const TableId table : play.tables) {
    for (const auto& key : play.keys_of(table)) {
      for (const ColumnId column : key) looked_at[raw(column)] = true;
    }
  }
  for (const Member& member : play.members) {
    for (const Line& line : member.lines) {
      for (const Comparison& c : line.clues.comparisons) looked_at[raw(c.column)] = true;
      for (const EqualColumns& e : line.clues.equal)
        looked_at[raw(e.first_column)] = looked_at[raw(e.second_column)] = true;
    }
  }
  return looked_at;
}

namespace {

void find_ranges(Play& play) {
  std::set<ColumnId> compared, inserted;
  for (const Member& member : play.members) {
    for (const Line& line : member.lines) {
      for (const Comparison& c : line.clues.comparisons) {
        if (is_range(c.how) && c.literal < line.literals.size()) compared.insert(c.column);
      }
      for (const auto& row : line.clues.inserted) {
        for (const InsertedCell& cell : row) {
          if (cell.as == InsertedAs::kLiteral && cell.column != kNoColumn) inserted.insert(cell.column);
        }
      }
    }
  }
  for (const TableId table : play.tables) {
    for (const auto& key : play.keys_of(table)) {
      for (const ColumnId column : key) compared.erase(column);
    }
  }
  std::ranges::set_intersection(compared, inserted, std::inserter(play.ranges, play.ranges.end()));
}

}  // namespace

void find_data(const Classes& classes, const TraceLog& log, Play& play) {
  find_ranges(play);
  const std::vector<bool> looked_at = columns_looked_at(play);
  const std::vector<EntryColumns> entries = entry_columns(play.schema);  // whose names are the program's, however many
  const ValuesOfPlaces values(classes, log, play);
  for (std::uint32_t m = 0; m < play.members.size(); ++m) {
    std::uint32_t next = classes.classes[raw(play.members[m].id)].variables;
    std::map<std::pair<ColumnId, std::string>, std::uint32_t> own;  // kNoColumn: of all ranges
    for (Line& line : play.members[m].lines) {
      const auto see = [&](ColumnId column, std::uint32_t literal) {
        if (column == kNoColumn || literal >= line.literals.size() || !looked_at[raw(column)]) return;
        const std::string& value = line.literals[literal];
        const bool is_tied = m < play.tied.size() && play.tied[m].contains(line.variables[literal]);
        if (play.ranges.contains(column) && !is_tied) {
          line.variables[literal] = own.try_emplace({kNoColumn, value}, next + own.size()).first->second;
          play.data.emplace(m, line.variables[literal]);
          return;
        }
        const ShapeId shape = classes.classes[raw(play.members[m].id)].statements[line.statement];
        const bool names_entry = entries[raw(play.schema.column(column).table)].name == column;
        const bool many = !names_entry && values.are_many(shape, literal);
        if (looks_like_number(value) || !(looks_like_data(value) || many)) return;
        std::uint32_t& variable = line.variables[literal];
        if (variable == kNoVariable) variable = own.try_emplace({column, value}, next + own.size()).first->second;
        play.data.emplace(m, variable);
      };
      for (const Comparison& c : line.clues.comparisons) {
        if (c.how == Compares::kEqual || play.ranges.contains(c.column)) see(c.column, c.literal);
      }
      for (const WrittenLiteral& w : line.clues.written) see(w.column, w.literal);
      for (const auto& row : line.clues.inserted) {
        for (const InsertedCell& cell : row) {
          if (cell.as == InsertedAs::kLiteral) see(cell.column, cell.literal);
        }
      }
    }
  }
}

}  // namespace isolde::audit
