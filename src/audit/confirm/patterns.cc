#include "audit/confirm/patterns.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "audit/classes/column_domains.h"

namespace isolde::audit {
namespace {

// A variable of a member that names rows by a number, or by a text that is data.
struct OpenKey {
  std::uint32_t member, variable;
  std::uint32_t domain;
  ColumnId column;  // the first that it is a value of
  std::string value;
  bool open = false;  // the cycle says nothing about it
};

std::vector<OpenKey> keys_of(const Play& play) {
  const ColumnDomains domains(play.schema);
  const std::set<TableId> contested = contested_tables(play);
  // Keys of rows that a member makes are its own: nobody else can have meant them.
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::string>> made;
  for (std::uint32_t m = 0; m < play.members.size(); ++m) {
    for (const Line& line : play.members[m].lines) {
      if (line.makes.empty() || line.clues.tables.empty()) continue;
      for (const ColumnId column : play.schema.table(line.clues.tables.front().table).columns) {
        if (play.schema.column(column).generated_id) made.emplace(m, domains.of(column), line.makes);
      }
    }
  }
  // Values of ranges are compared with each other, from whichever column they are.
  const auto domain_of = [&](ColumnId column) {
    return play.ranges.contains(column) ? kNone32 - 1 - raw(play.schema.column(column).table) : domains.of(column);
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, OpenKey> keys;
  for (std::uint32_t m = 0; m < play.members.size(); ++m) {
    for (const Line& line : play.members[m].lines) {
      const auto see = [&](ColumnId column, std::uint32_t literal) {
        if (column == kNoColumn || literal >= line.variables.size() || line.variables[literal] == kNoVariable) return;
        const std::uint32_t variable = line.variables[literal];
        const bool is_number = domains.names_rows(column) && looks_like_number(line.literals[literal]);
        if (!is_number && !play.data.contains({m, variable})) return;
        const bool tied = (m < play.tied.size() && play.tied[m].contains(variable)) ||
                          made.contains({m, domains.of(column), line.literals[literal]});
        auto [at, first] = keys.try_emplace(
            {m, variable}, OpenKey{m, variable, domain_of(column), column, line.literals[literal], false});
        at->second.open |= !tied && contested.contains(play.schema.column(column).table);
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
  std::vector<OpenKey> out;
  for (auto& [place, key] : keys) out.push_back(std::move(key));
  return out;
}

class PatternSearch {
 public:
  PatternSearch(const Play& play, std::size_t most) : play_(play), most_(most), keys_(keys_of(play)) {
    for (const OpenKey& key : keys_) values_.push_back(key.value);
  }

  Patterns run() {
    out_.listed.emplace_back();
    out_.count = 1;
    // Depth-first over the open keys; at each, the values that it may have. On the heap: there may be many keys.
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i].open) open.push_back(i);
      if (!keys_[i].open) settled_.insert(i);
    }
    std::vector<std::pair<std::vector<std::string>, std::size_t>> levels;
    const auto enter = [&] {
      levels.emplace_back(choices(open[levels.size()]), 0);
      settled_.insert(open[levels.size() - 1]);
    };
    if (!open.empty()) enter();
    while (!levels.empty() && out_.count < Patterns::kMostPatterns) {
      auto& [values, next] = levels.back();
      const std::size_t key = open[levels.size() - 1];
      if (next == values.size()) {
        values_[key] = keys_[key].value;
        settled_.erase(key);
        levels.pop_back();
        continue;
      }
      values_[key] = values[next++];
      if (levels.size() == open.size()) {
        note();
      } else {
        enter();
      }
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool own_has(std::size_t key, const std::string& value) const {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (i != key && keys_[i].member == keys_[key].member && keys_[i].domain == keys_[key].domain &&
          values_[i] == value)
        return true;
    }
    return false;
  }

  // What it has in the story first; then what others have whose value is settled, and one that none of them has.
  [[nodiscard]] std::vector<std::string> choices(std::size_t key) const {
    const OpenKey& one = keys_[key];
    std::vector<std::string> out = {one.value};
    bool met = false;  // in the story it is equal to a key of another
    std::set<std::string> all;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i].domain != one.domain) continue;
      all.insert(values_[i]);
      if (keys_[i].member == one.member || !settled_.contains(i)) continue;
      met |= values_[i] == one.value;
      if (std::ranges::find(out, values_[i]) == out.end() && !own_has(key, values_[i])) out.push_back(values_[i]);
    }
    for (std::int64_t n = 1; met && n < 100; ++n) {
      std::string other = value_beside(play_.type(one.column), one.value, 100 + n);
      if (all.contains(other)) continue;
      out.push_back(std::move(other));
      break;
    }
    return out;
  }

  void note() {
    std::vector<Renaming> renamings;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (values_[i] != keys_[i].value) renamings.push_back({keys_[i].member, keys_[i].variable, values_[i]});
    }
    if (renamings.empty()) return;
    ++out_.count;
    if (out_.listed.size() < most_) out_.listed.push_back(std::move(renamings));
  }

  const Play& play_;
  std::size_t most_;
  std::vector<OpenKey> keys_;
  std::vector<std::string> values_;  // by key, as chosen so far
  std::set<std::size_t> settled_;    // keys whose value is chosen, or not open
  Patterns out_;
};

}  // namespace

Patterns row_patterns(const Play& play, std::size_t most) { return PatternSearch(play, most).run(); }

void rename_keys(Play& play, const std::vector<Renaming>& renamings) {
  for (const Renaming& one : renamings) {
    for (Line& line : play.members[one.member].lines) {
      for (std::size_t i = 0; i < line.literals.size(); ++i) {
        if (line.variables[i] == one.variable) line.literals[i] = one.value;
      }
    }
  }
}

}  // namespace isolde::audit
