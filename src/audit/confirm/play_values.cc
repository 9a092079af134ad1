#include "audit/confirm/play_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace isolde::audit {
namespace {

class PlayValueChooser {
 public:
  PlayValueChooser(const Anomaly& anomaly, const Classes& classes, const TraceLog& log, Play& play)
      : anomaly_(anomaly), classes_(classes), log_(log), play_(play) {
    first_variable_.push_back(0);
    for (const Member& member : play.members)
      first_variable_.push_back(first_variable_.back() + classes.classes[raw(member.id)].variables);
    parent_.resize(first_variable_.back());
    std::iota(parent_.begin(), parent_.end(), 0U);
    tied_.assign(parent_.size(), false);
    for (const Member& member : play.members) {
      std::map<std::uint32_t, Example>& own = examples_.emplace_back();
      for (const Line& line : member.lines) {
        for (const Comparison& c : line.clues.comparisons) {
          if (c.how == Compares::kEqual && line.variables[c.literal] != kNoVariable)
            own.try_emplace(line.variables[c.literal], Example{c.column, line.literals[c.literal]});
        }
      }
    }
  }

  void bind() {
    for (const Binding& binding : anomaly_.bindings) {
      if (binding.member >= play_.members.size() || binding.value == kNoLiteral) continue;
      const std::uint32_t line = play_.members[binding.member].line_of(binding.statement);
      if (line == kNone32 || binding.literal >= literals(binding.member, line).size()) continue;
      const std::string value(log_.shapes.literal(binding.value));
      set(binding.member, line, binding.literal, value);
    }
    for (const CycleEdge& edge : anomaly_.cycle.edges) {
      const ClassRows* const from = rows_of(edge.from, edge.conflict.from_op);
      const ClassRows* const to = rows_of(edge.to, edge.conflict.to_op);
      if (from == nullptr || to == nullptr || from->table != to->table) continue;
      for (const ClassRowKey& a : from->keys) {
        for (const ClassRowKey& b : to->keys) {
          if (a.column == b.column) tie(node(edge.from, a.variable), node(edge.to, b.variable));
        }
      }
    }
    play_.tied.resize(play_.members.size());
    for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
      for (std::uint32_t n = first_variable_[m]; n < first_variable_[m + 1]; ++n) {
        if (tied_[find(n)]) play_.tied[m].insert(n - first_variable_[m]);
      }
    }
    // The first member's value for all that are tied together.
    std::map<std::uint32_t, std::string> values;
    for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
      for (Line& line : play_.members[m].lines) {
        for (std::size_t i = 0; i < line.literals.size(); ++i) {
          const std::uint32_t n = node(m, line.variables[i]);
          if (n == kNone32 || !tied_[find(n)]) continue;
          const auto [at, first] = values.try_emplace(find(n), line.literals[i]);
          if (!first) line.literals[i] = at->second;
        }
      }
    }
  }

  // Two values of one column that differ in the member's transaction still do: one that was not meant to become the
  // other's gets what that had. (A loop deletes 'a', then 'b'; the cycle makes the second one 'a'.)
  void keep_different() {
    for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
      for (const std::uint32_t tied : play_.tied[m]) {
        const auto was = examples_[m].find(tied);
        const std::string now = play_.value(m, tied);
        if (was == examples_[m].end() || now == was->second.value) continue;
        for (const auto& [other, example] : examples_[m]) {
          if (other == tied || play_.tied[m].contains(other) || example.column != was->second.column) continue;
          if (example.value != was->second.value && play_.value(m, other) == now) set(m, other, was->second.value);
        }
      }
    }
  }

  // Two lines that name one row by a whole key do not ask for different values of a column that nobody writes.
  void agree() {
    std::set<ColumnId> written;
    for (const Member& member : play_.members) {
      for (const Line& line : member.lines) {
        for (const WrittenLiteral& w : line.clues.written) written.insert(w.column);
        written.insert(line.clues.computed.begin(), line.clues.computed.end());
      }
    }
    for (std::uint32_t m = 1; m < play_.members.size(); ++m) {
      for (std::uint32_t l = 0; l < play_.members[m].lines.size(); ++l) {
        for (std::uint32_t n = 0; n < m; ++n) {
          for (const Line& other : play_.members[n].lines) agree(m, l, other, written);
        }
      }
    }
  }

  // What two members insert must not collide by chance, nor what one inserts twice.
  void part_inserts() {
    std::set<std::vector<std::string>> taken;
    for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
      std::set<std::vector<std::string>> own;
      for (std::uint32_t l = 0; l < play_.members[m].lines.size(); ++l) {
        const Line& line = play_.members[m].lines[l];
        if (!line.clues.inserts || line.clues.may_meet || line.clues.tables.empty()) continue;
        const TableId table = line.clues.tables.front().table;
        for (std::size_t r = 0; r < line.clues.inserted.size(); ++r) {
          for (const std::vector<ColumnId>& key : play_.keys_of(table)) part(m, l, r, table, key, taken, own);
        }
      }
      taken.insert(own.begin(), own.end());
    }
  }

  // A number that the table makes is the one by which the cycle, or else the member itself later on, finds the row.
  void choose_made() {
    std::set<std::pair<TableId, std::string>> taken;
    const auto make = [&](Line& line, TableId table, const std::string& value) {
      if (!line.makes.empty() || !taken.emplace(table, value).second) return;
      line.makes = value;
    };
    for (const auto& [first, second] : play_.meet) {
      for (const bool turned : {false, true}) {
        const Touch &a = turned ? second : first, &b = turned ? first : second;
        Line& line = play_.members[a.member].lines[a.line];
        const ColumnId made = made_by(line);
        if (made == kNoColumn || a.named != 0) continue;
        for (const Comparison& c : play_.line(b).clues.comparisons) {
          if (c.column == made && c.named == b.named && c.how == Compares::kEqual)
            make(line, line.clues.tables.front().table, play_.line(b).literals[c.literal]);
        }
      }
    }
    for (Member& member : play_.members) {
      for (std::size_t l = 0; l < member.lines.size(); ++l) {
        const ColumnId made = made_by(member.lines[l]);
        if (made == kNoColumn) continue;
        std::set<std::string> before;
        for (std::size_t other = 0; other < member.lines.size(); ++other) {
          for (const Comparison& c : member.lines[other].clues.comparisons) {
            if (c.column != made || c.how != Compares::kEqual) continue;
            const std::string& value = member.lines[other].literals[c.literal];
            if (other < l) before.insert(value);
            if (other > l && !before.contains(value)) make(member.lines[l], play_.schema.column(made).table, value);
          }
        }
      }
    }
  }

  // What members write into a column that nobody looks for.
  void part_writes() {
    const std::vector<bool> looked_at = columns_looked_at(play_);
    std::map<ColumnId, std::set<std::string>> taken;
    for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
      std::map<ColumnId, std::set<std::string>> own;
      std::map<std::pair<ColumnId, std::string>, std::string> renamed;
      for (Line& line : play_.members[m].lines) {
        const auto part = [&](ColumnId column, std::uint32_t literal) {
          if (literal >= line.literals.size()) return;
          std::string& value = line.literals[literal];
          const SqlValueType& type = play_.type(column);
          value = fitting_value(type, value);
          if (!looked_at[raw(column)]) {
            const auto [at, first] = renamed.try_emplace({column, value}, value);
            for (std::int64_t n = 1; first && n < kTries && taken[column].contains(at->second); ++n)
              at->second = value_beside(type, value, n);
            value = at->second;
          }
          own[column].insert(value);
        };
        for (const WrittenLiteral& w : line.clues.written) part(w.column, w.literal);
        if (!line.clues.may_meet || line.keeps_old_row) continue;
        for (const auto& row : line.clues.inserted) {  // a row that is there takes these values
          for (const InsertedCell& cell : row) {
            if (cell.column != kNoColumn && cell.as == InsertedAs::kLiteral) part(cell.column, cell.literal);
          }
        }
      }
      for (auto& [column, values] : own) taken[column].merge(values);
    }
  }

  // Literals as their columns take them.
  void fit() {
    for (Member& member : play_.members) {
      for (Line& line : member.lines) {
        const auto fit_one = [&](ColumnId column, std::uint32_t literal) {
          if (column == kNoColumn || literal >= line.literals.size()) return;
          line.literals[literal] = fitting_value(play_.type(column), line.literals[literal]);
        };
        for (const Comparison& c : line.clues.comparisons) {
          if (c.how != Compares::kLike && play_.type(c.column).kind != ValueKind::kText) fit_one(c.column, c.literal);
        }
        for (const auto& row : line.clues.inserted) {
          for (const InsertedCell& cell : row) fit_one(cell.column, cell.literal);
        }
      }
    }
  }

 private:
  static constexpr std::int64_t kTries = 200;

  // The column whose number the table makes for the one row of an INSERT.
  [[nodiscard]] ColumnId made_by(const Line& line) const {
    if (!line.clues.inserts || line.clues.inserted.size() != 1 || line.clues.tables.empty()) return kNoColumn;
    for (const ColumnId column : play_.schema.table(line.clues.tables.front().table).columns) {
      if (!play_.schema.column(column).generated_id) continue;
      const auto& row = line.clues.inserted.front();
      const auto cell = std::find_if(row.begin(), row.end(), [&](const auto& c) { return c.column == column; });
      if (cell == row.end() || cell->as == InsertedAs::kNull || cell->as == InsertedAs::kDefault) return column;
    }
    return kNoColumn;
  }

  std::vector<std::string>& literals(std::uint32_t member, std::uint32_t line) {
    return play_.members[member].lines[line].literals;
  }
  [[nodiscard]] std::uint32_t node(std::uint32_t member, std::uint32_t variable) const {
    if (variable == kNoVariable) return kNone32;
    const std::uint32_t at = first_variable_[member] + variable;
    return at < first_variable_[member + 1] ? at : kNone32;
  }
  std::uint32_t find(std::uint32_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }
  void tie(std::uint32_t a, std::uint32_t b) {
    if (a == kNone32 || b == kNone32) return;
    a = find(a), b = find(b);
    parent_[b] = a;
    tied_[a] = tied_[b] = true;
  }
  [[nodiscard]] const ClassRows* rows_of(std::uint32_t member, std::uint32_t operation) const {
    const TransactionClass& of = classes_.classes[raw(play_.members[member].id)];
    if (operation >= of.operations.size()) return nullptr;
    const std::uint16_t set = of.operations[operation].access.row_set;
    return set < of.rows.size() ? &of.rows[set] : nullptr;
  }

  void agree(std::uint32_t member, std::uint32_t line, const Line& with, const std::set<ColumnId>& written) {
    for (const Comparison& theirs : with.clues.comparisons) {
      if (theirs.how != Compares::kEqual || written.contains(theirs.column)) continue;
      const TableId table = play_.schema.column(theirs.column).table;
      for (const Comparison& ours : play_.members[member].lines[line].clues.comparisons) {
        if (ours.column != theirs.column || ours.how != Compares::kEqual) continue;
        const Line& one = play_.members[member].lines[line];
        if (one.literals[ours.literal] == with.literals[theirs.literal] || !name_one_row(play_, one, with, table))
          continue;
        const std::uint32_t n = node(member, one.variables[ours.literal]);
        if (n == kNone32 || !tied_[find(n)]) set(member, line, ours.literal, with.literals[theirs.literal]);
      }
    }
  }

  void set(std::uint32_t member, std::uint32_t variable, const std::string& value) {
    for (Line& line : play_.members[member].lines) {
      for (std::size_t i = 0; i < line.literals.size(); ++i) {
        if (line.variables[i] == variable) line.literals[i] = value;
      }
    }
  }

  [[nodiscard]] bool takes_number(std::uint32_t member, std::uint32_t variable) const {
    return std::ranges::any_of(play_.choices, [&](const PlayChoice& choice) {
      return choice.step != 0 && choice.member == member && choice.variable == variable;
    });
  }

  // The literal, and with it all of its variable.
  void set(std::uint32_t member, std::uint32_t line, std::uint32_t literal, const std::string& value) {
    const std::uint32_t variable = play_.members[member].lines[line].variables[literal];
    literals(member, line)[literal] = value;
    if (variable != kNoVariable) set(member, variable, value);
  }

  [[nodiscard]] bool used_before(std::uint32_t member, ColumnId column, const std::string& value) const {
    for (std::uint32_t m = 0; m < member; ++m) {
      for (const Line& line : play_.members[m].lines) {
        for (const Comparison& c : line.clues.comparisons) {
          if (c.column == column && c.literal < line.literals.size() && line.literals[c.literal] == value) return true;
        }
        for (const auto& row : line.clues.inserted) {
          for (const InsertedCell& cell : row) {
            if (cell.column == column && cell.literal < line.literals.size() && line.literals[cell.literal] == value)
              return true;
          }
        }
      }
    }
    return false;
  }

  // Another value for a literal of the member and for all that go with it: those of its variable; if it has none, those
  // of the same value whose column has the same name, and, if the value is no small number, all of the same value.
  void rename(std::uint32_t member, std::uint32_t line, std::uint32_t literal, ColumnId column) {
    const std::string before = literals(member, line)[literal];
    const std::uint32_t variable = play_.members[member].lines[line].variables[literal];
    std::string after = before;
    for (std::int64_t n = 1; n < kTries && (after == before || used_before(member + 1, column, after)); ++n)
      after = value_beside(play_.type(column), before, 10 * static_cast<std::int64_t>(member) + n);
    if (variable != kNoVariable) return set(member, line, literal, after);
    const std::string& name = play_.schema.column(column).name;
    for (Line& other : play_.members[member].lines) {
      const auto follow = [&](ColumnId other_column, std::uint32_t i) {
        if (other_column == kNoColumn || i >= other.literals.size() || other.literals[i] != before) return;
        if (other.variables[i] != kNoVariable) return;
        if (before.size() >= 3 || play_.schema.column(other_column).name == name) other.literals[i] = after;
      };
      for (const Comparison& c : other.clues.comparisons) follow(c.column, c.literal);
      for (const auto& row : other.clues.inserted) {
        for (const InsertedCell& cell : row) follow(cell.column, cell.literal);
      }
    }
    literals(member, line)[literal] = after;
  }

  // The values of a key in a row that is inserted, with the table in front; empty: not all are literals.
  [[nodiscard]] std::vector<std::string> key_values(const Line& line, std::size_t row, TableId table,
                                                    const std::vector<ColumnId>& key) const {
    std::vector<std::string> values = {std::to_string(raw(table)), std::to_string(raw(key.front()))};
    for (const ColumnId column : key) {
      const auto& cells = line.clues.inserted[row];
      const auto cell = std::find_if(cells.begin(), cells.end(), [&](const auto& c) { return c.column == column; });
      if (cell == cells.end() || cell->as != InsertedAs::kLiteral) return {};
      values.push_back(line.literals[cell->literal]);
    }
    return values;
  }

  void part(std::uint32_t m, std::uint32_t l, std::size_t row, TableId table, const std::vector<ColumnId>& key,
            const std::set<std::vector<std::string>>& taken, std::set<std::vector<std::string>>& own) {
    const Line& line = play_.members[m].lines[l];
    std::vector<std::string> values = key_values(line, row, table, key);
    if (values.empty()) return;
    for (auto column = key.rbegin(); taken.contains(values) && column != key.rend(); ++column) {
      const auto& cells = line.clues.inserted[row];
      const auto cell = std::find_if(cells.begin(), cells.end(), [&](const auto& c) { return c.column == *column; });
      const std::uint32_t n = node(m, line.variables[cell->literal]);
      if (n != kNone32 && tied_[find(n)]) continue;
      // Numbers that follow from what is read collide if they do: the database turns the second away.
      if (takes_number(m, line.variables[cell->literal])) return;
      rename(m, l, cell->literal, *column);
      values = key_values(line, row, table, key);
      play_.parted.insert(fmt::format("T{}'s {}", m + 1, play_.schema.full_name(*column)));
    }
    own.insert(values);
  }

  const Anomaly& anomaly_;
  const Classes& classes_;
  const TraceLog& log_;
  Play& play_;
  std::vector<std::uint32_t> first_variable_;  // by member
  std::vector<std::uint32_t> parent_;
  std::vector<bool> tied_;  // by root: across members
  // By member and variable: what it is compared with, and its value in the trace.
  struct Example {
    ColumnId column;
    std::string value;
  };
  std::vector<std::map<std::uint32_t, Example>> examples_;
};

}  // namespace

void choose_values(const Anomaly& anomaly, const Classes& classes, const TraceLog& log, Play& play) {
  PlayValueChooser chooser(anomaly, classes, log, play);
  chooser.bind();
  chooser.keep_different();
  chooser.agree();
  chooser.fit();
  chooser.part_inserts();
  chooser.choose_made();
  chooser.part_writes();
}

}  // namespace isolde::audit
