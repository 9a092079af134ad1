#include "audit/confirm/rows.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>

namespace isolde::audit {
namespace {

constexpr std::uint64_t kMostTries = 60;  // of other values for a key

// A value that a comparison other than = is true of; none: any will do.
struct Suggestion {
  bool null = false;
  std::string value;
};

std::string without_wildcards(std::string_view pattern) {
  std::string text;
  for (const char c : pattern) {
    if (c != '%' && c != '\\') text += c == '_' ? 'a' : c;
  }
  return text;
}

bool is_date(const SqlValueType& type) { return type.kind == ValueKind::kDate || type.kind == ValueKind::kDateTime; }

std::optional<Suggestion> suggestion(const SqlValueType& type, Compares how, std::string_view literal) {
  switch (how) {
    case Compares::kNull:
      return Suggestion{true, {}};
    case Compares::kLess:
      if (is_date(type)) return Suggestion{false, "1990-01-01"};
      if (looks_like_number(literal)) {
        std::int64_t n = 0;
        std::from_chars(literal.data(), literal.data() + literal.size(), n);
        return Suggestion{false, std::to_string(n - 1)};
      }
      return Suggestion{false, ""};
    case Compares::kMore:
      if (is_date(type)) return Suggestion{false, "2037-12-31"};
      return Suggestion{false, value_beside(type, literal, 1)};
    case Compares::kUnequal:
      if (nth_value(type, 1) != literal) return std::nullopt;
      return Suggestion{false, value_beside(type, literal, 1)};
    case Compares::kLike:
      return Suggestion{false, without_wildcards(literal)};
    case Compares::kAtMost:
    case Compares::kAtLeast:
    case Compares::kEqual:
      return Suggestion{false, std::string(literal)};
    case Compares::kTrue:
      return Suggestion{false, "1"};
    case Compares::kFalse:
      return Suggestion{false, "0"};
    case Compares::kNotNull:
      return std::nullopt;
  }
  return std::nullopt;
}

class RowMaker {
 public:
  RowMaker(const Play& play, const Variation& variation) : play_(play), variation_(variation) {
    for (std::uint32_t m = 0; m < play.members.size(); ++m) {
      for (const Line& line : play.members[m].lines) {
        for (const WrittenLiteral& w : line.clues.written) {
          if (w.literal < line.literals.size()) written_[w.column].insert(line.literals[w.literal]);
        }
        for (const WrittenTruth& w : line.clues.written_truths) truths_.emplace(w.column, w.value);
        computed_.insert(line.clues.computed.begin(), line.clues.computed.end());
        for (const Comparison& c : line.clues.comparisons) compared_.insert(c.column);
        for (const EqualColumns& e : line.clues.equal) compared_.insert({e.first_column, e.second_column});
      }
    }
    for (const PlayEdge& edge : play.edges) {
      if (edge.kind == EdgeKind::kWr && edge.to_line != kNone32)
        sees_.insert(&play.members[edge.to].lines[edge.to_line]);
    }
  }

  std::vector<InitialRow> make(std::uint32_t extra) {
    wish();
    choose();
    meet();
    add_partners();
    merge_by_key();
    if (variation_.shared) share();
    note_inserts();
    settle();
    add_parents();
    add_extra(extra);
    return std::move(out_);
  }

 private:
  // A row that some line looks for. Its cells are first_cell, first_cell + 1 …
  struct Wish {
    TableId table;
    std::uint32_t first_cell;
    std::uint32_t merged_into = kNone32;
    bool unborn = false;  // a member inserts it: it is not there at first
  };
  struct Cell {
    ColumnId column;
    std::optional<std::string> fixed;
    std::optional<Suggestion> suggested;
    std::optional<std::optional<std::string>> value;  // once it is settled
  };

  std::uint32_t find(std::uint32_t cell) {
    while (parent_[cell] != cell) cell = parent_[cell] = parent_[parent_[cell]];
    return cell;
  }
  Cell& cell(std::uint32_t at) { return cells_[find(at)]; }
  [[nodiscard]] std::uint32_t position(TableId table, ColumnId column) const {
    const auto& columns = play_.schema.table(table).columns;
    return static_cast<std::uint32_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
  }
  std::uint32_t wish_of(std::uint32_t w) const {
    while (wishes_[w].merged_into != kNone32) w = wishes_[w].merged_into;
    return w;
  }
  [[nodiscard]] bool same(ColumnId column, const std::string& a, const std::string& b) const {
    return same_value(play_.type(column), a, b);
  }

  // False: they are to have different values.
  bool unite(std::uint32_t a, std::uint32_t b) {
    a = find(a), b = find(b);
    if (a == b) return true;
    if (cells_[a].fixed && cells_[b].fixed && !same(cells_[a].column, *cells_[a].fixed, *cells_[b].fixed)) return false;
    if (!cells_[a].fixed) cells_[a].fixed = cells_[b].fixed;
    if (!cells_[a].suggested) cells_[a].suggested = cells_[b].suggested;
    parent_[b] = a;
    return true;
  }

  void wish() {
    for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
      for (std::uint32_t l = 0; l < play_.members[m].lines.size(); ++l) {
        const std::vector<std::uint32_t> of_named = wish(play_.members[m].lines[l]);
        for (std::uint32_t i = 0; i < of_named.size(); ++i) {
          if (of_named[i] != kNone32) places_[{m, l, i}] = of_named[i];
        }
      }
    }
  }

  // The rows that the line looks for, by the tables that it names.
  std::vector<std::uint32_t> wish(const Line& line) {
    std::vector<std::uint32_t> of_named(line.clues.tables.size(), kNone32);
    for (std::uint32_t i = 0; i < line.clues.tables.size(); ++i) {
      const NamedTable& named = line.clues.tables[i];
      if (named.inserted_into) continue;
      of_named[i] = static_cast<std::uint32_t>(wishes_.size());
      wishes_.push_back({named.table, static_cast<std::uint32_t>(cells_.size())});
      for (const ColumnId column : play_.schema.table(named.table).columns) {
        parent_.push_back(static_cast<std::uint32_t>(cells_.size()));
        cells_.push_back({column, {}, {}, {}});
      }
    }
    const auto cell_at = [&](std::uint32_t named, ColumnId column) {
      if (named >= of_named.size() || of_named[named] == kNone32) return kNone32;
      const Wish& w = wishes_[of_named[named]];
      const std::uint32_t place = position(w.table, column);
      return place < play_.schema.table(w.table).columns.size() ? w.first_cell + place : kNone32;
    };
    for (const Comparison& c : line.clues.comparisons) {
      const std::uint32_t where = cell_at(c.named, c.column);
      if (where == kNone32) continue;
      const std::string literal = c.literal < line.literals.size() ? line.literals[c.literal] : "";
      const SqlValueType& type = play_.type(c.column);
      const bool before = variation_.before_write || (variation_.before_seen && sees_.contains(&line));
      if (before && written_[c.column].contains(literal)) continue;
      const bool is_truth = c.how == Compares::kTrue || c.how == Compares::kFalse;
      if (is_truth && !cell(where).fixed) {
        const bool truth = c.how == Compares::kTrue;
        cell(where).fixed = truth != (before && truths_.contains({c.column, truth})) ? "1" : "0";
      } else if (c.how == Compares::kEqual && !cell(where).fixed) {
        cell(where).fixed = fitting_value(type, literal);
      } else if (!cell(where).suggested) {
        cell(where).suggested = suggestion(type, c.how, literal);
      }
    }
    for (const EqualColumns& e : line.clues.equal) {
      const std::uint32_t a = cell_at(e.first, e.first_column), b = cell_at(e.second, e.second_column);
      if (a != kNone32 && b != kNone32) static_cast<void>(unite(a, b));
    }
    return of_named;
  }

  bool may_merge(std::uint32_t a, std::uint32_t b) {
    if (wishes_[a].table != wishes_[b].table) return false;
    const std::size_t width = play_.schema.table(wishes_[a].table).columns.size();
    for (std::uint32_t i = 0; i < width; ++i) {
      const Cell &x = cell(wishes_[a].first_cell + i), &y = cell(wishes_[b].first_cell + i);
      if (x.fixed && y.fixed && !same(x.column, *x.fixed, *y.fixed)) return false;
    }
    return true;
  }

  void merge(std::uint32_t a, std::uint32_t b) {
    a = wish_of(a), b = wish_of(b);
    if (a == b || wishes_[a].unborn || wishes_[b].unborn || !may_merge(a, b)) return;
    const std::size_t width = play_.schema.table(wishes_[a].table).columns.size();
    // In between, two columns of one row may have become one that wants two values: then they stay apart.
    for (std::uint32_t i = 0; i < width; ++i) {
      if (!unite(wishes_[a].first_cell + i, wishes_[b].first_cell + i)) return;
    }
    wishes_[b].merged_into = a;
  }

  // Another member takes its number from the same counter before this one.
  [[nodiscard]] bool follows_another(const PlayChoice& choice) const {
    const auto number = [&](const PlayChoice& one) {
      std::int64_t out = 0;
      const std::string text = play_.returned(one);
      std::from_chars(text.data(), text.data() + text.size(), out);
      return out;
    };
    return choice.step != 0 && std::ranges::any_of(play_.choices, [&](const PlayChoice& other) {
             if (other.step != choice.step || other.column != choice.column) return false;
             const bool before = choice.step > 0 ? number(other) < number(choice) : number(other) > number(choice);
             return before && name_one_row(play_, play_.members[other.member].lines[other.line],
                                           play_.members[choice.member].lines[choice.line],
                                           play_.schema.column(choice.column).table);
           });
  }

  // What is taken from a line's answer is in it.
  void choose() {
    for (const PlayChoice& choice : play_.choices) {
      if (follows_another(choice)) continue;
      const std::string value = play_.returned(choice);
      const auto& tables = play_.members[choice.member].lines[choice.line].clues.tables;
      for (std::uint32_t i = 0; i < tables.size() && !value.empty(); ++i) {
        const auto at = places_.find({choice.member, choice.line, i});
        if (at == places_.end() || tables[i].table != play_.schema.column(choice.column).table) continue;
        Cell& c = cell(wishes_[at->second].first_cell + position(tables[i].table, choice.column));
        if (!c.fixed) c.fixed = fitting_value(play_.type(choice.column), value);
      }
    }
  }

  // A row that a member inserts is found by a join only if its partners are there: they are wished for as those of the
  // rows that are there at first.
  void add_partners() {
    for (const PlayEdge& edge : play_.edges) {
      if (edge.from_line == kNone32 || edge.to_line == kNone32) continue;
      const bool rw = is_rw(edge.kind);
      const std::uint32_t reader = rw ? edge.from : edge.to, read = rw ? edge.from_line : edge.to_line;
      const std::uint32_t writer = rw ? edge.to : edge.from, write = rw ? edge.to_line : edge.from_line;
      const Line& looks = play_.members[reader].lines[read];
      const Line& makes = play_.members[writer].lines[write];
      if (!makes.clues.inserts || makes.clues.tables.empty()) continue;
      const TableId table = makes.clues.tables.front().table;
      const bool joins = looks.clues.tables.size() > 1 && !looks.clues.inserts;
      for (const auto& row : makes.clues.inserted) {
        for (std::uint32_t i = 0; i < looks.clues.tables.size(); ++i) {
          if (looks.clues.tables[i].table != table || looks.clues.tables[i].inserted_into) continue;
          if (variation_.unborn) {
            if (const auto at = places_.find({reader, read, i}); at != places_.end())
              wishes_[wish_of(at->second)].unborn = true;
          }
          if (joins) add_partners(looks, i, makes, row);
        }
      }
    }
  }

  void add_partners(const Line& looks, std::uint32_t named, const Line& makes, const std::vector<InsertedCell>& row) {
    const std::vector<std::uint32_t> of_named = wish(looks);
    Wish& born = wishes_[of_named[named]];
    born.unborn = true;
    for (const InsertedCell& inserted : row) {
      if (inserted.column == kNoColumn || inserted.as != InsertedAs::kLiteral) continue;
      Cell& c = cell(born.first_cell + position(born.table, inserted.column));
      if (!c.fixed) c.fixed = fitting_value(play_.type(inserted.column), makes.literals[inserted.literal]);
    }
    for (const ColumnId column : play_.schema.table(born.table).columns) {
      Cell& c = cell(born.first_cell + position(born.table, column));
      if (!makes.makes.empty() && play_.schema.column(column).generated_id && !c.fixed) c.fixed = makes.makes;
    }
  }

  void meet() {
    for (const auto& [first, second] : play_.meet) {
      const auto a = places_.find({first.member, first.line, first.named});
      const auto b = places_.find({second.member, second.line, second.named});
      if (a != places_.end() && b != places_.end()) merge(a->second, b->second);
    }
  }

  // Rows that are asked for by the same whole key are one row; so are those that are asked for in the very same words.
  void merge_by_key() {
    for (const bool by_key : {true, false}) {
      std::map<std::vector<std::string>, std::uint32_t> seen;
      for (std::uint32_t w = 0; w < wishes_.size(); ++w) {
        if (wishes_[w].merged_into != kNone32) continue;
        std::vector<std::vector<std::string>> names;
        if (by_key) {
          for (const auto& key : play_.keys_of(wishes_[w].table)) {
            if (auto values = fixed_values(w, key); !values.empty()) names.push_back(std::move(values));
          }
        } else {
          names.push_back(all_fixed(w));
        }
        for (const auto& name : names) {
          const auto [at, first] = seen.try_emplace(name, w);
          if (!first) merge(at->second, w);
        }
      }
    }
  }

  void share() {
    const auto names_one = [&](std::uint32_t w) {
      return std::ranges::any_of(play_.keys_of(wishes_[w].table),
                                 [&](const std::vector<ColumnId>& key) { return !fixed_values(w, key).empty(); });
    };
    for (std::uint32_t w = 0; w < wishes_.size(); ++w) {
      if (wishes_[w].merged_into != kNone32 || names_one(w)) continue;
      for (std::uint32_t other = 0; other < wishes_.size() && wishes_[w].merged_into == kNone32; ++other) {
        if (wishes_[other].merged_into == kNone32 && other != w && names_one(other)) merge(other, w);
      }
    }
  }

  std::vector<std::string> fixed_values(std::uint32_t wish, const std::vector<ColumnId>& key) {
    std::vector<std::string> values = {std::to_string(raw(wishes_[wish].table)), std::to_string(raw(key.front()))};
    for (const ColumnId column : key) {
      const Cell& c = cell(wishes_[wish].first_cell + position(wishes_[wish].table, column));
      if (!c.fixed) return {};
      values.push_back(*c.fixed);
    }
    return values;
  }

  std::vector<std::string> all_fixed(std::uint32_t wish) {
    std::vector<std::string> values = {std::to_string(raw(wishes_[wish].table))};
    const std::size_t width = play_.schema.table(wishes_[wish].table).columns.size();
    for (std::uint32_t i = 0; i < width; ++i) {
      const Cell& c = cell(wishes_[wish].first_cell + i);
      if (c.fixed) values.push_back(std::to_string(i) + "=" + *c.fixed);
    }
    return values;
  }

  // Keys of rows that are inserted: no row may have them at first, unless the member deletes it before.
  void note_inserts() {
    for (const Member& member : play_.members) {
      std::set<TableId> cleared;
      for (const Line& line : member.lines) {
        if (line.kind == StatementKind::kDelete && !line.clues.tables.empty())
          cleared.insert(line.clues.tables.front().table);
        if (!line.clues.inserts || line.clues.tables.empty()) continue;
        if (line.clues.may_meet && !variation_.absent) continue;
        const TableId table = line.clues.tables.front().table;
        if (cleared.contains(table) || deleted_by_another(member, line)) continue;
        for (const auto& row : line.clues.inserted) {
          for (const auto& key : play_.keys_of(table)) {
            std::vector<std::string> name = {std::to_string(raw(table)), std::to_string(raw(key.front()))};
            for (const ColumnId column : key) {
              const auto at = std::find_if(row.begin(), row.end(), [&](const auto& c) { return c.column == column; });
              const bool literal = at != row.end() && at->as == InsertedAs::kLiteral;
              const bool made = !literal && play_.schema.column(column).generated_id && !line.makes.empty();
              if (!literal && !made) break;
              name.push_back(made ? line.makes : line.literals[at->literal]);
            }
            if (name.size() == key.size() + 2) taken_.insert(std::move(name));
          }
        }
      }
    }
  }

  // The cycle says that another member deletes what this line inserts again.
  [[nodiscard]] bool deleted_by_another(const Member& member, const Line& line) const {
    return std::ranges::any_of(play_.edges, [&](const PlayEdge& edge) {
      if (edge.kind != EdgeKind::kWw || edge.from_line == kNone32 || edge.to_line == kNone32) return false;
      const Member& from = play_.members[edge.from];
      const Member& to = play_.members[edge.to];
      return &to == &member && &to.lines[edge.to_line] == &line &&
             from.lines[edge.from_line].kind == StatementKind::kDelete;
    });
  }

  [[nodiscard]] std::vector<std::string> key_name(const InitialRow& row, const std::vector<ColumnId>& key) const {
    std::vector<std::string> name = {std::to_string(raw(row.table)), std::to_string(raw(key.front()))};
    for (const ColumnId column : key) {
      const auto& value = row.cells[position(row.table, column)];
      if (!value) return {};  // NULLs do not collide
      name.push_back(*value);
    }
    return name;
  }

  [[nodiscard]] const std::vector<ColumnId>* collision(const InitialRow& row,
                                                       const std::vector<std::vector<ColumnId>>& keys) const {
    for (const auto& key : keys) {
      const auto name = key_name(row, key);
      if (!name.empty() && taken_.contains(name)) return &key;
    }
    return nullptr;
  }

  void put(InitialRow row, const std::vector<std::vector<ColumnId>>& keys) {
    for (const auto& key : keys) {
      if (auto name = key_name(row, key); !name.empty()) taken_.insert(std::move(name));
    }
    out_.push_back(std::move(row));
  }

  // The first value of the type that no member writes there. What is computed may be copied from a column that has the
  // first value, and is to be another.
  std::string plain_value(ColumnId column) {
    const SqlValueType& type = play_.type(column);
    if (computed_.contains(column) && !compared_.contains(column)) return nth_value(type, 2);
    const auto at = written_.find(column);
    for (std::uint64_t n = 1; n < kMostTries && at != written_.end(); ++n) {
      const std::string value = nth_value(type, n);
      if (std::none_of(at->second.begin(), at->second.end(),
                       [&](const std::string& w) { return same_value(type, w, value); }))
        return value;
    }
    return nth_value(type, 1);
  }

  // Those that ask for the same as one that is unborn would find what it must not find.
  [[nodiscard]] bool is_unborn(std::uint32_t w) {
    if (wishes_[w].unborn) return true;
    for (std::uint32_t other = 0; other < wishes_.size() && variation_.unborn; ++other) {
      if (wishes_[other].unborn && wishes_[other].merged_into == kNone32 && all_fixed(other) == all_fixed(w))
        return true;
    }
    return false;
  }

  // Rows whose keys are all given come first, so that the others make way for them.
  void settle() {
    std::vector<std::pair<std::size_t, std::uint32_t>> order;
    for (std::uint32_t w = 0; w < wishes_.size(); ++w) {
      if (wishes_[w].merged_into != kNone32 || is_unborn(w)) continue;
      std::size_t open = 0;
      for (const auto& key : play_.keys_of(wishes_[w].table)) {
        for (const ColumnId column : key)
          open += cell(wishes_[w].first_cell + position(wishes_[w].table, column)).fixed ? 0 : 1;
      }
      order.emplace_back(open, w);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [open, w] : order) settle(w);
  }

  void settle(std::uint32_t w) {
    const TableId table = wishes_[w].table;
    const auto& columns = play_.schema.table(table).columns;
    const auto keys = play_.keys_of(table);
    std::vector<std::uint32_t> chosen;  // cells whose value is ours to change
    for (std::uint32_t i = 0; i < columns.size(); ++i) {
      Cell& c = cell(wishes_[w].first_cell + i);
      if (c.value) continue;
      const bool in_key = std::any_of(keys.begin(), keys.end(), [&](const auto& key) {
        return std::find(key.begin(), key.end(), columns[i]) != key.end();
      });
      if (c.fixed) {
        c.value = *c.fixed;
      } else if (c.suggested && c.suggested->null && !in_key) {
        c.value.emplace(std::nullopt);
      } else {
        c.value = c.suggested && !c.suggested->null ? fitting_value(play_.type(columns[i]), c.suggested->value)
                                                    : plain_value(columns[i]);
        chosen.push_back(wishes_[w].first_cell + i);
      }
    }
    const auto row_now = [&] {
      InitialRow row = {table, {}};
      for (std::uint32_t i = 0; i < columns.size(); ++i) row.cells.push_back(*cell(wishes_[w].first_cell + i).value);
      return row;
    };
    InitialRow row = row_now();
    for (std::uint64_t n = 2; n < kMostTries; ++n) {
      const std::vector<ColumnId>* const key = collision(row, keys);
      if (key == nullptr) return put(std::move(row), keys);
      const auto ours = std::find_if(chosen.begin(), chosen.end(), [&](std::uint32_t at) {
        return std::find(key->begin(), key->end(), columns[at - wishes_[w].first_cell]) != key->end();
      });
      if (ours == chosen.end()) return;  // the row is there already, or is to be inserted
      cell(*ours).value = nth_value(play_.type(columns[*ours - wishes_[w].first_cell]), n);
      row = row_now();
    }
  }

  // Rows that foreign keys of the others want, in tables of the play: of those that are there, and of those that are
  // inserted.
  void add_parents() {
    for (std::size_t i = 0; i < out_.size(); ++i) {
      const InitialRow row = out_[i];
      for (const ForeignKey& key : play_.schema.table(row.table).foreign_keys) {
        std::vector<std::string> values;
        for (const ColumnId column : key.columns) {
          if (const auto& cell = row.cells[position(row.table, column)]) values.push_back(*cell);
        }
        add_parent(key, values);
      }
    }
    for (const Member& member : play_.members) {
      for (const Line& line : member.lines) {
        if (!line.clues.inserts || line.clues.tables.empty()) continue;
        for (const auto& row : line.clues.inserted) {
          for (const ForeignKey& key : play_.schema.table(line.clues.tables.front().table).foreign_keys) {
            std::vector<std::string> values;
            for (const ColumnId column : key.columns) {
              const auto cell = std::ranges::find(row, column, &InsertedCell::column);
              if (cell != row.end() && cell->as == InsertedAs::kLiteral) values.push_back(line.literals[cell->literal]);
            }
            add_parent(key, values);
          }
        }
      }
    }
  }

  void add_parent(const ForeignKey& key, const std::vector<std::string>& values) {
    const bool in_play = std::ranges::find(play_.tables, key.parent) != play_.tables.end();
    if (!in_play || values.size() != key.parent_columns.size()) return;
    InitialRow parent = {key.parent, {}};
    for (const ColumnId column : play_.schema.table(key.parent).columns) parent.cells.emplace_back(plain_value(column));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const ColumnId column = key.parent_columns[i];
      parent.cells[position(key.parent, column)] = fitting_value(play_.type(column), values[i]);
    }
    // One that is there, or that a member makes, is none to add.
    const auto keys = play_.keys_of(key.parent);
    if (collision(parent, keys) == nullptr) put(std::move(parent), keys);
  }

  void add_extra(std::uint32_t extra) {
    constexpr std::uint64_t kFirst = 71;  // far from the values that stories use
    for (const TableId table : play_.tables) {
      const auto keys = play_.keys_of(table);
      for (std::uint32_t i = 0; i < extra; ++i) {
        InitialRow row = {table, {}};
        for (const ColumnId column : play_.schema.table(table).columns)
          row.cells.emplace_back(nth_value(play_.type(column), kFirst + i));
        if (collision(row, keys) == nullptr) put(std::move(row), keys);
      }
    }
  }

  const Play& play_;
  const Variation& variation_;
  std::vector<Wish> wishes_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> parent_;                             // of cells that have the same value
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> places_;  // member, line, named table -> wish
  std::map<ColumnId, std::set<std::string>> written_;
  std::set<std::pair<ColumnId, bool>> truths_;  // likewise
  std::set<ColumnId> computed_, compared_;
  std::set<const Line*> sees_;                // reads of the cycle that see a write
  std::set<std::vector<std::string>> taken_;  // keys
  std::vector<InitialRow> out_;
};

}  // namespace

std::vector<InitialRow> make_rows(const Play& play, const Variation& variation, std::uint32_t extra) {
  return RowMaker(play, variation).make(extra);
}

}  // namespace isolde::audit
