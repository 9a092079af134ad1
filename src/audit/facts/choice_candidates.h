// audit/facts/choice_candidates.h: which SELECTs of a class may have found a row that a later statement names
// (choices.h), going by the class alone; the trace has to bear it out.
//
// In, out: a class -> choices, with the places of their values.
// Cost:    the pairs of row sets of the class.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "audit/facts/co_inserts.h"
#include "audit/facts/occurrences.h"

namespace isolde::audit {

// What was asked for and what is taken: all SELECTs of one table by the same columns ask the same question.
struct ChoiceQuestion {
  TableId table;
  std::vector<ColumnId> asked;
  ColumnId result;
  auto operator<=>(const ChoiceQuestion&) const = default;
};

// A choice of a class, and where its values are.
struct ChoiceCandidate {
  Choice choice;
  ChoiceQuestion question;
  RowsPlace found, named;
  std::vector<ColumnId> named_columns;  // of the rows that name it: where they have the primary key, in its order
  // What is asked for and set again by the statement that names it, an UPDATE of the whole row.
  std::vector<ColumnId> kept = {};
};

class ChoiceCandidates {
 public:
  // Requires: both outlive it.
  ChoiceCandidates(const Classes& classes, std::span<const CoInsert> co_inserts)
      : classes_(classes), co_inserts_(co_inserts) {}

  [[nodiscard]] std::vector<ChoiceCandidate> of(const TransactionClass& one) const;
  // Where the rows of a table have the primary key of `of`. Empty: they do not.
  [[nodiscard]] std::vector<ColumnId> columns_with_key(TableId of, TableId table) const;

 private:
  [[nodiscard]] std::optional<ChoiceCandidate> candidate(const TransactionClass& one,
                                                         const std::vector<RowsPlace>& places, std::uint16_t found,
                                                         const Table& table, ColumnId result) const;
  [[nodiscard]] std::vector<ColumnId> written_again(const TransactionClass& one, const ChoiceCandidate& candidate,
                                                    const Table& table) const;

  const Classes& classes_;
  std::span<const CoInsert> co_inserts_;
};

}  // namespace isolde::audit
