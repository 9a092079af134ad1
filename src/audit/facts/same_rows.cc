#include "audit/facts/same_rows.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "audit/facts/vocabularies.h"

namespace isolde::audit {
namespace {

std::uint32_t find(std::vector<std::uint32_t>& parent, std::uint32_t node) {
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

// The smaller one stays, so that the result does not depend on the order.
bool unite(std::vector<std::uint32_t>& parent, std::uint32_t a, std::uint32_t b) {
  a = find(parent, a);
  b = find(parent, b);
  if (a == b) return false;
  parent[std::max(a, b)] = std::min(a, b);
  return true;
}

std::optional<std::uint32_t> variable_of(const ClassRows& rows, ColumnId column) {
  for (const std::vector<ClassRowKey>* keys : {&rows.keys, &rows.known}) {
    const auto place = std::ranges::lower_bound(*keys, column, {}, &ClassRowKey::column);
    if (place != keys->end() && place->column == column && place->variable != kNoVariable) return place->variable;
  }
  return std::nullopt;
}

}  // namespace

RowFacts::RowFacts(const Classes& classes) : stable_(classes.schema.columns(), true), rows_(classes.classes.size()) {
  for (const TransactionClass& one : classes.classes) {
    for (const Operation& operation : one.operations) {
      const Access& access = operation.access;
      if (access.action != Action::kWrite || access.inserts || access.deletes) continue;
      const std::uint32_t shape = raw(one.statements[operation.statement]);
      if (shape < classes.statements.size() && keeps_its_key(classes.statements[shape], access, classes.schema))
        continue;
      const bool kept = std::ranges::any_of(one.kept, [&](const TransactionClass::Change& change) {
        return change.statement == operation.statement && change.column == access.column;
      });
      if (kept) continue;
      stable_[raw(access.column)] = false;
    }
  }
  std::vector<std::uint32_t> first_key(classes.schema.tables() + 1);
  for (std::uint32_t table = 0; table < classes.schema.tables(); ++table) {
    const std::size_t keys = 1 + classes.schema.table(TableId(table)).unique_keys.size();
    first_key[table + 1] = first_key[table] + static_cast<std::uint32_t>(keys);
  }

  for (std::size_t number = 0; number < rows_.size(); ++number) {
    const TransactionClass& one = classes.classes[number];
    OfClass& out = rows_[number];
    const auto add = [&](std::uint32_t rows, std::uint32_t key, const std::vector<ColumnId>& columns) {
      const auto first = static_cast<std::uint32_t>(out.variables.size());
      for (const ColumnId column : columns) {
        const std::optional<std::uint32_t> variable = variable_of(one.rows[rows], column);
        if (!variable || !stable(column)) {
          out.variables.resize(first);
          return;
        }
        out.variables.push_back(*variable);
      }
      if (!columns.empty()) out.keys.push_back({rows, key, first, static_cast<std::uint32_t>(columns.size())});
    };
    for (std::uint32_t rows = 0; rows < one.rows.size(); ++rows) {
      out.any_unlike |= !one.rows[rows].unlike.empty();
      const TableId id = one.rows[rows].table;
      const Table& table = classes.schema.table(id);
      if (table.one_row && one.rows[rows].single) {
        out.keys.push_back({rows, first_key[raw(id)], static_cast<std::uint32_t>(out.variables.size()), 0});
        out.any_shared = true;
        continue;
      }
      add(rows, first_key[raw(id)], table.primary_key);
      for (std::uint32_t i = 0; i < table.unique_keys.size(); ++i) {
        add(rows, first_key[raw(id)] + 1 + i, table.unique_keys[i]);
      }
    }

    for (std::uint32_t v = 0; v < one.constants.size(); ++v) {
      if (one.constants[v] != kNoLiteral) out.constants.emplace_back(one.constants[v], v);
    }
    std::ranges::sort(out.constants);

    const auto values = [&](const WholeKey& key) { return std::span(out.variables).subspan(key.first, key.size); };
    std::ranges::sort(out.keys, [&](const WholeKey& a, const WholeKey& b) {
      if (a.key != b.key) return a.key < b.key;
      if (!std::ranges::equal(values(a), values(b))) return std::ranges::lexicographical_compare(values(a), values(b));
      return a.rows < b.rows;
    });
    out.representative.resize(one.rows.size());
    std::iota(out.representative.begin(), out.representative.end(), 0U);
    for (std::size_t i = 1; i < out.keys.size(); ++i) {
      const WholeKey &a = out.keys[i - 1], &b = out.keys[i];
      if (a.key == b.key && std::ranges::equal(values(a), values(b))) unite(out.representative, a.rows, b.rows);
    }
    // Found by one key and named by another.
    for (const Choice& choice : one.choices) {
      if (choice.taken != kNoRows && one.rows[choice.found].single && one.rows[choice.taken].single)
        unite(out.representative, choice.found, choice.taken);
    }
    for (std::uint32_t i = 0; i < out.representative.size(); ++i) out.representative[i] = find(out.representative, i);
    const auto repeated = std::ranges::unique(out.keys, [&](const WholeKey& a, const WholeKey& b) {
      return a.key == b.key && std::ranges::equal(values(a), values(b));
    });
    out.keys.erase(repeated.begin(), repeated.end());
    for (WholeKey& key : out.keys) key.rows = out.representative[key.rows];
  }
}

void SameRows::reset(std::span<const ClassId> members, bool on_one_snapshot) {
  members_.assign(members.begin(), members.end());
  first_row_.clear();
  first_variable_.clear();
  std::uint32_t rows = 0, variables = 0;
  keys_.clear();
  answers_.clear();
  for (std::uint32_t member = 0; member < members.size(); ++member) {
    const TransactionClass& one = classes_.classes[raw(members[member])];
    first_row_.push_back(rows);
    first_variable_.push_back(variables);
    rows += static_cast<std::uint32_t>(one.rows.size());
    variables += one.variables;
    for (const RowFacts::WholeKey& key : facts_.of(members[member]).keys) keys_.push_back({member, &key});
    for (const Choice& choice : one.choices) {
      if (choice.function != kNone32) answers_.push_back({member, &choice, choice.function});
      if (on_one_snapshot && choice.same_moment != kNone32)
        answers_.push_back({member, &choice, std::uint64_t{1} << 32 | choice.same_moment});
    }
  }
  meetings_.clear();
  any_unlike_ = std::ranges::any_of(members, [&](ClassId id) { return facts_.of(id).any_unlike; });
  row_parent_.resize(rows);
  variable_parent_.resize(variables);
  std::iota(row_parent_.begin(), row_parent_.end(), 0U);
  std::iota(variable_parent_.begin(), variable_parent_.end(), 0U);
  any_ = false;
  // Nothing of one member is the same as anything of another, but for what is the same for all.
  settled_ = std::ranges::none_of(members, [&](ClassId id) { return facts_.of(id).any_shared; });
  any_constant_ = std::ranges::any_of(members, [&](ClassId id) { return !facts_.of(id).constants.empty(); });
  if (any_constant_) equate_constants();
  any_vocabulary_ = use_vocabularies_ && std::ranges::any_of(members, [&](ClassId id) {
                      return !classes_.classes[raw(id)].vocabularies.empty();
                    });
}

// The same value of two members, or of one.
void SameRows::equate_constants() {
  for (std::uint32_t a = 0; a < members_.size(); ++a) {
    const auto& left = facts_.of(members_[a]).constants;
    for (std::size_t i = 1; i < left.size(); ++i) {
      if (left[i].first == left[i - 1].first)
        unite(variable_parent_, first_variable_[a] + left[i - 1].second, first_variable_[a] + left[i].second);
    }
    for (std::uint32_t b = a + 1; b < members_.size(); ++b) {
      const auto& right = facts_.of(members_[b]).constants;
      auto other = right.begin();
      for (const auto& [value, variable] : left) {
        while (other != right.end() && other->first < value) ++other;
        if (other == right.end()) break;
        if (other->first != value) continue;
        unite(variable_parent_, first_variable_[a] + variable, first_variable_[b] + other->second);
        settled_ = false;
      }
    }
  }
}

bool SameRows::equates_different_constants() {
  std::vector<std::pair<std::uint32_t, LiteralId>> values;
  for (std::uint32_t member = 0; member < members_.size(); ++member) {
    for (const auto& [value, variable] : facts_.of(members_[member]).constants)
      values.emplace_back(find(variable_parent_, first_variable_[member] + variable), value);
  }
  std::ranges::sort(values);
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i].first == values[i - 1].first && values[i].second != values[i - 1].second) return true;
  }
  return false;
}

// Is there a value that could be none of the names that all its places take?
bool SameRows::equates_different_names() {
  std::vector<std::pair<std::uint32_t, std::span<const LiteralId>>> values;
  for (std::uint32_t member = 0; member < members_.size(); ++member) {
    const TransactionClass& one = classes_.classes[raw(members_[member])];
    for (std::uint32_t v = 0; v < one.variables; ++v) {
      if (const auto names = names_of(one, v); !names.empty())
        values.emplace_back(find(variable_parent_, first_variable_[member] + v), names);
    }
  }
  std::ranges::sort(values, {}, [](const auto& value) { return value.first; });
  std::vector<LiteralId> left;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 0 || values[i].first != values[i - 1].first) left.clear();
    CommonNames common = names_in_common(left, values[i].second);
    if (common.none) return true;
    left = std::move(common.names);
  }
  return false;
}

void SameRows::meet(std::uint32_t member_a, std::uint32_t rows_a, std::uint32_t member_b, std::uint32_t rows_b) {
  const ClassRows &a = rows_of(member_a, rows_a), &b = rows_of(member_b, rows_b);
  if (a.table != b.table) return;
  equate_keys(a, member_a, b, member_b);
  if (any_unlike_) meetings_.push_back({member_a, rows_a, member_b, rows_b});
  if (a.single && b.single) any_ |= unite(row_parent_, row_node(member_a, rows_a), row_node(member_b, rows_b));
  settled_ = false;
}

void SameRows::equate_keys(const ClassRows& a, std::uint32_t member_a, const ClassRows& b, std::uint32_t member_b) {
  for (const std::vector<ClassRowKey>* keys : {&a.keys, &a.known}) {
    for (const ClassRowKey& key : *keys) {
      if (key.variable == kNoVariable || !facts_.stable(key.column)) continue;
      if (const std::optional<std::uint32_t> other = variable_of(b, key.column)) {
        unite(variable_parent_, first_variable_[member_a] + key.variable, first_variable_[member_b] + *other);
      }
    }
  }
}

// Members that ask the same question with the same values take the same row. Did that make values equal?
bool SameRows::answer_alike() {
  bool changed = false;
  const auto value_of = [&](const AnswerEntry& entry, std::uint32_t variable) {
    return variable == kNoVariable ? kNone32 : find(variable_parent_, first_variable_[entry.member] + variable);
  };
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    for (std::size_t j = i + 1; j < answers_.size(); ++j) {
      const AnswerEntry &a = answers_[i], &b = answers_[j];
      if (a.question != b.question) continue;
      const bool alike =
          std::ranges::equal(a.choice->arguments, b.choice->arguments, [&](const ClassRowKey& x, const ClassRowKey& y) {
            const std::uint32_t value = value_of(a, x.variable);
            return x.column == y.column && value != kNone32 && value == value_of(b, y.variable);
          });
      if (!alike) continue;
      changed |= unite(variable_parent_, first_variable_[a.member] + a.choice->result,
                       first_variable_[b.member] + b.choice->result);
    }
  }
  return changed;
}

// Equal keys make equal rows, and these may make other keys equal.
void SameRows::settle() {
  settled_ = true;
  const auto value_at = [&](const KeyEntry& entry, std::uint32_t i) {
    const std::uint32_t variable = facts_.of(members_[entry.member]).variables[entry.key->first + i];
    return find(variable_parent_, first_variable_[entry.member] + variable);
  };
  const auto compare = [&](const KeyEntry& a, const KeyEntry& b) {  // negative, 0, positive
    if (a.key->key != b.key->key) return a.key->key < b.key->key ? -1 : 1;
    for (std::uint32_t i = 0; i < a.key->size; ++i) {
      const std::uint32_t x = value_at(a, i), y = value_at(b, i);
      if (x != y) return x < y ? -1 : 1;
    }
    return 0;
  };
  const auto row_of = [&](const KeyEntry& entry) {
    return find(row_parent_, first_row_[entry.member] + entry.key->rows);
  };
  bool changed = true;
  while (changed) {
    changed = answer_alike();
    std::ranges::sort(keys_, [&](const KeyEntry& a, const KeyEntry& b) { return compare(a, b) < 0; });
    for (std::size_t i = 1; i < keys_.size(); ++i) {
      const KeyEntry &a = keys_[i - 1], &b = keys_[i];
      if (compare(a, b) != 0 || row_of(a) == row_of(b)) continue;
      any_ |= unite(row_parent_, row_of(a), row_of(b));
      equate_keys(rows_of(a.member, a.key->rows), a.member, rows_of(b.member, b.key->rows), b.member);
      changed = true;
    }
    // The same row has the same values under each of its keys.
    std::ranges::sort(keys_, {}, [&](const KeyEntry& entry) { return std::pair(entry.key->key, row_of(entry)); });
    for (std::size_t i = 1; i < keys_.size(); ++i) {
      const KeyEntry &a = keys_[i - 1], &b = keys_[i];
      if (a.key->key != b.key->key || row_of(a) != row_of(b)) continue;
      for (std::uint32_t k = 0; k < a.key->size; ++k)
        changed |= unite(variable_parent_, value_at(a, k), value_at(b, k));
    }
  }
}

bool SameRows::contradictory() {
  if (!any_unlike_ && !any_constant_ && !any_vocabulary_) return false;
  if (!settled_) settle();
  if (any_constant_ && equates_different_constants()) return true;
  if (any_vocabulary_ && equates_different_names()) return true;
  if (!any_unlike_) return false;
  struct Held {  // a set of rows that the row is one of
    std::uint32_t row, member, rows;
  };
  std::vector<Held> held;
  for (std::uint32_t i = 0; i < meetings_.size(); ++i) {
    const Meeting& m = meetings_[i];
    const bool a = rows_of(m.member_a, m.rows_a).single, b = rows_of(m.member_b, m.rows_b).single;
    // Two sets of several rows have a row in common of which nothing else is known.
    const std::uint32_t row = a   ? row_node(m.member_a, m.rows_a)
                              : b ? row_node(m.member_b, m.rows_b)
                                  : static_cast<std::uint32_t>(row_parent_.size()) + i;
    const std::uint32_t found = row < row_parent_.size() ? find(row_parent_, row) : row;
    held.push_back({found, m.member_a, m.rows_a});
    held.push_back({found, m.member_b, m.rows_b});
  }
  // What else is that single row.
  const std::size_t met = held.size();
  for (std::uint32_t member = 0; member < members_.size(); ++member) {
    const std::vector<ClassRows>& all = classes_.classes[raw(members_[member])].rows;
    for (std::uint32_t rows = 0; rows < all.size(); ++rows) {
      if (!all[rows].single) continue;
      const std::uint32_t row = find(row_parent_, row_node(member, rows));
      const auto end = held.begin() + static_cast<std::ptrdiff_t>(met);
      if (std::any_of(held.begin(), end, [&](const Held& one) { return one.row == row; }))
        held.push_back({row, member, rows});
    }
  }
  for (const Held& one : held) {
    for (const ClassRowKey& unlike : rows_of(one.member, one.rows).unlike) {
      if (unlike.variable == kNoVariable || !facts_.stable(unlike.column)) continue;
      const std::uint32_t value = find(variable_parent_, first_variable_[one.member] + unlike.variable);
      for (const Held& other : held) {
        if (other.row != one.row) continue;
        const std::optional<std::uint32_t> asked = variable_of(rows_of(other.member, other.rows), unlike.column);
        if (asked && find(variable_parent_, first_variable_[other.member] + *asked) == value) return true;
      }
    }
  }
  return false;
}

bool SameRows::any() {
  if (!settled_) settle();
  return any_;
}

std::uint32_t SameRows::row(std::uint32_t member, std::uint32_t rows) {
  if (!settled_) settle();
  return find(row_parent_, row_node(member, rows));
}

std::uint32_t SameRows::value(std::uint32_t member, std::uint32_t variable) {
  if (!settled_) settle();
  return find(variable_parent_, first_variable_[member] + variable);
}

}  // namespace isolde::audit
