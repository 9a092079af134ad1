#include "audit/graph/vulnerable.h"

#include <algorithm>
#include <array>

namespace isolde::audit {

Vulnerability::Vulnerability(const Classes& classes, const ConflictRules& rules, bool same_column)
    : classes_(classes), rules_(rules), facts_(classes), same_rows_(classes, facts_) {
  for (const TransactionClass& one : classes.classes) {
    std::vector<Writes>& writes = writes_.emplace_back();
    for (const Operation& operation : one.operations) {
      const Access& access = operation.access;
      if (!rules.writes(access)) continue;
      writes.push_back({access.row_set, same_column ? access.column : kNoColumn, access.inserts});
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
  if (is_new) place->second = !both_write(a_, first.row_set, b_, second.row_set, absent);
  return place->second;
}

bool Vulnerability::both_write(ClassId a, std::uint32_t rows_a, ClassId b, std::uint32_t rows_b, bool absent) {
  const std::array<ClassId, 2> members{a, b};
  same_rows_.reset(members);
  same_rows_.meet(0, rows_a, 1, rows_b);
  for (const Writes& mine : writes_[raw(a)]) {
    if (absent && !mine.inserts) continue;
    for (const Writes& theirs : writes_[raw(b)]) {
      if (mine.column == theirs.column && same_rows_.same(0, mine.rows, 1, theirs.rows)) return true;
    }
  }
  return false;
}

}  // namespace isolde::audit
