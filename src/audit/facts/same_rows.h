// audit/facts/same_rows.h: which rows of some transactions must be the same, because others of their rows meet.
//
// In, out: classes, pairs of row sets that have a row in common -> are these two the same single row?
// Always:  yes only if it is certain: by a whole primary or unique key whose values are equal variables, because two
//          single rows meet, or because the table has just one row (a lock). Where sets meet, the variables of the key
//          columns that both have are equal, if no class of the application updates the column (else the row may have
//          had another value when the other looked). Sets that meet in a row contradict each other if one asks for a
//          value in such a column and another for rows that do not have it there (<>, <, >): then they have no row in
//          common after all.
//          Values that are written in the program are equal if they are the same, and what would make two of them equal
//          that are not contradicts itself; likewise, if asked for, what leaves a value none of its names.
//          What the trace shows counts, too: the row that a SELECT finds by one key and that is named by another later
//          (Choice), values that a row is known to have (ClassRows::known), and questions that
//          always have the same answer (Choice::function): where they are asked alike, the same row is taken.
// Cost:    resetting and the first question after a meeting: about the row sets of the members, sorted.
// Source:  IsoDiff, section 3.4, Algorithm 3; keys of several columns and of several tables added.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "audit/classes/classes.h"

namespace isolde::audit {

// What is true of the rows of every class by itself. Made once; all threads may read it.
class RowFacts {
 public:
  explicit RowFacts(const Classes& classes);

  // No class updates it. (INSERT and DELETE make and remove values; they do not change them.)
  [[nodiscard]] bool stable(ColumnId column) const { return stable_[raw(column)]; }
  // Row sets of one class that are the same single row in each of its transactions.
  [[nodiscard]] bool same_in(ClassId id, std::uint32_t x, std::uint32_t y) const {
    return rows_[raw(id)].representative[x] == rows_[raw(id)].representative[y];
  }

  // A whole key of a table, as variables of the class in the order of its columns.
  struct WholeKey {
    std::uint32_t rows;  // the representative
    std::uint32_t key;   // its number over the whole schema
    std::uint32_t first, size;
  };
  struct OfClass {
    std::vector<std::uint32_t> representative;  // by row set: the first that is the same
    std::vector<WholeKey> keys;
    std::vector<std::uint32_t> variables;  // of `keys`
    // Variables whose value is written in the program (facts/constants.h), sorted by value.
    std::vector<std::pair<LiteralId, std::uint32_t>> constants;
    bool any_shared = false;  // rows of a table that has just one
    bool any_unlike = false;  // some rows are known by values that they do not have
  };
  [[nodiscard]] const OfClass& of(ClassId id) const { return rows_[raw(id)]; }

 private:
  std::vector<bool> stable_;
  std::vector<OfClass> rows_;
};

// For the members of one cycle after the other; one object a thread. Requires: both arguments outlive it.
class SameRows {
 public:
  SameRows(const Classes& classes, const RowFacts& facts) : classes_(classes), facts_(facts) {}

  // `on_one_snapshot`: the members run at the same time, each on a snapshot; those who take the next row of one queue,
  // and write it, take the same (Choice::same_moment).
  void reset(std::span<const ClassId> members, bool on_one_snapshot = false);
  // Values that only some names can be (facts/vocabularies.h) count from the next reset on.
  void use_vocabularies(bool use) { use_vocabularies_ = use; }
  // These have a row in common.
  void meet(std::uint32_t member_a, std::uint32_t rows_a, std::uint32_t member_b, std::uint32_t rows_b);
  [[nodiscard]] bool same(std::uint32_t member_a, std::uint32_t rows_a, std::uint32_t member_b, std::uint32_t rows_b) {
    return row(member_a, rows_a) == row(member_b, rows_b);
  }
  // Is any row of one member the same as one of another?
  [[nodiscard]] bool any();
  // A number that is equal for the same rows.
  [[nodiscard]] std::uint32_t row(std::uint32_t member, std::uint32_t rows);
  // Is there a row that one member finds by a value and another, or the same one elsewhere, by not having that value?
  [[nodiscard]] bool contradictory();
  // A number that is equal for variables with the same value.
  [[nodiscard]] std::uint32_t value(std::uint32_t member, std::uint32_t variable);

 private:
  struct KeyEntry {
    std::uint32_t member;
    const RowFacts::WholeKey* key;
  };
  [[nodiscard]] const ClassRows& rows_of(std::uint32_t member, std::uint32_t rows) const {
    return classes_.classes[raw(members_[member])].rows[rows];
  }
  [[nodiscard]] std::uint32_t row_node(std::uint32_t member, std::uint32_t rows) const {
    return first_row_[member] + facts_.of(members_[member]).representative[rows];
  }
  struct AnswerEntry {
    std::uint32_t member;
    const Choice* choice;
    std::uint64_t question;
  };
  bool answer_alike();
  struct Meeting {
    std::uint32_t member_a, rows_a, member_b, rows_b;
  };
  void equate_keys(const ClassRows& a, std::uint32_t member_a, const ClassRows& b, std::uint32_t member_b);
  void settle();
  void equate_constants();
  [[nodiscard]] bool equates_different_constants();
  [[nodiscard]] bool equates_different_names();

  const Classes& classes_;
  const RowFacts& facts_;
  std::vector<ClassId> members_;
  std::vector<std::uint32_t> first_row_, first_variable_;  // by member
  std::vector<std::uint32_t> row_parent_, variable_parent_;
  std::vector<KeyEntry> keys_;
  std::vector<Meeting> meetings_;
  std::vector<AnswerEntry> answers_;
  bool settled_ = false, any_ = false, any_unlike_ = false, any_constant_ = false;
  bool use_vocabularies_ = false, any_vocabulary_ = false;
};

}  // namespace isolde::audit
