#include "audit/graph/vulnerable.h"

#include <algorithm>
#include <array>

namespace isolde::audit {

Vulnerability::Vulnerability(const Classes& classes, const ConflictRules& rules, const GraphOptions& options)
    : classes_(classes),
      rules_(rules),
      as_paper_(options.as_paper),
      level_(options.level),
      facts_(classes),
      same_rows_(classes, facts_) {
  for (const TransactionClass& one : classes.classes) {
    std::vector<Writes>& writes = writes_.emplace_back();
    for (const Operation& operation : one.operations) {
      const Access& access = operation.access;
      if (!rules.writes(access)) continue;
      writes.push_back({access.row_set, as_paper_ ? access.column : kNoColumn, access.inserts});
    }
    std::ranges::sort(writes);
    writes.erase(std::ranges::unique(writes).begin(), writes.end());
  }
}

bool Vulnerability::vulnerable(OperationRef read, OperationRef write) {
  const Access& first = classes_.classes[raw(read.of)].operations[read.place].access;
  const Access& second = classes_.classes[raw(write.of)].operations[write.place].access;
  // The row that it read is the row that it writes.
  if (first.of_written_row) return false;
  if (read.of != a_ || write.of != b_) {
    a_ = read.of;
    b_ = write.of;
    known_.clear();
  }
  const bool absent = second.inserts;
  const auto [place, is_new] = known_.try_emplace(std::tuple(first.row_set, second.row_set, absent), false);
  if (is_new && as_paper_) {
    place->second = !both_write_as_paper(a_, first.row_set, b_, second.row_set);
  } else if (is_new)
    place->second = !both_write(a_, first.row_set, b_, second.row_set, absent);
  return place->second;
}

// Does the class write every row that has the values of these keys, by a statement that asks for nothing else?
bool Vulnerability::writes_whole_range(const TransactionClass& one, const ClassRows& looked) const {
  const auto looked_for = [&](const ClassRowKey& key) {
    const auto same = std::ranges::find(looked.keys, key.column, &ClassRowKey::column);
    return same != looked.keys.end() && same->variable == key.variable && key.variable != kNoVariable &&
           facts_.stable(key.column);
  };
  for (const Operation& write : one.operations) {
    const Access& access = write.access;
    if (access.action != Action::kWrite || access.inserts || one.rows[access.row_set].table != looked.table) continue;
    const ClassRows& rows = one.rows[access.row_set];
    if (rows.keys.empty() || !std::ranges::all_of(rows.keys, looked_for)) continue;
    const std::uint32_t shape = raw(one.statements[write.statement]);
    if (shape >= classes_.statements.size() || classes_.statements[shape].limited ||
        classes_.statements[shape].row_sets.size() != 1) {
      continue;
    }
    const bool nothing_else = std::ranges::all_of(one.operations, [&](const Operation& other) {
      return other.statement != write.statement || !other.access.in_where ||
             std::ranges::find(rows.keys, other.access.column, &ClassRowKey::column) != rows.keys.end();
    });
    if (nothing_else) return true;
  }
  return false;
}

bool Vulnerability::both_write(ClassId a, std::uint32_t rows_a, ClassId b, std::uint32_t rows_b, bool absent) {
  const TransactionClass& reader = classes_.classes[raw(a)];
  if (!absent && writes_whole_range(reader, reader.rows[rows_a])) return true;
  const std::array<ClassId, 2> members{a, b};
  const bool snapshots = std::ranges::all_of(
      members, [&](ClassId id) { return classes_.classes[raw(id)].level_or(level_) == WeakLevel::kSnapshotIsolation; });
  same_rows_.reset(members, snapshots);
  same_rows_.meet(0, rows_a, 1, rows_b);
  for (const Writes& mine : writes_[raw(a)]) {
    if (absent && !mine.inserts) continue;
    for (const Writes& theirs : writes_[raw(b)]) {
      if (mine.column == theirs.column && same_rows_.same(0, mine.rows, 1, theirs.rows)) return true;
    }
  }
  return false;
}

bool Vulnerability::same_as_paper(ClassId id, std::uint32_t x, std::uint32_t y) const {
  if (x == y) return true;
  const TransactionClass& one = classes_.classes[raw(id)];
  if (one.rows[x].table != one.rows[y].table) return false;
  std::size_t common = 0;
  for (const ClassRowKey& mine : one.rows[x].keys) {
    for (const ClassRowKey& other : one.rows[y].keys) {
      if (mine.column != other.column) continue;
      if (mine.variable != other.variable) return false;
      ++common;
    }
  }
  return common > 0;
}

// What a reads is what b writes; so it is the same row if each of them writes it, too.
bool Vulnerability::both_write_as_paper(ClassId a, std::uint32_t rows_a, ClassId b, std::uint32_t rows_b) const {
  for (const Writes& mine : writes_[raw(a)]) {
    if (!same_as_paper(a, mine.rows, rows_a)) continue;
    for (const Writes& theirs : writes_[raw(b)]) {
      if (mine.column == theirs.column && same_as_paper(b, theirs.rows, rows_b)) return true;
    }
  }
  return false;
}

}  // namespace isolde::audit
