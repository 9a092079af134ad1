// audit/classes/forms.h: which transactions do the same: first those of the same statements (a form), then those whose
// statements do the same when loops are cut (a group: it becomes a class).
//
// In, out: TraceLog, what each shape does -> forms and groups, both in the order of their first transaction.
// Always:  two transactions are in one group if their skeletons are the same and the loops of one are among those of
//          the other: what went round once is part of what went round twice (Theorem 3.3), and if the trace says the
//          same level of both.
// Cost:    linear in the statements; loops are looked for once in each different sequence.
// Source:  IsoDiff, sections 3.2 and 3.3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "audit/classes/loops.h"
#include "audit/sql/statement.h"
#include "audit/trace/log.h"

namespace isolde::audit {

// By shape: the same number for statements that do the same operations in the same order; kNone32: touches no data.
// What is told of columns that no statement writes or looks for depends on nobody: there the table counts, not which
// column (TPC-C's s_dist_01 … s_dist_10).
[[nodiscard]] std::vector<std::uint32_t> signatures(std::span<const Statement> statements, const Schema& schema);

struct Form {
  std::uint32_t tree;                             // of Forms::trees
  std::uint32_t first_statement;                  // in Forms::offsets; as many as the tree's sequence has
  std::uint32_t first_transaction, transactions;  // in Forms::transactions
};

struct FormGroup {
  std::vector<LoopSpan> spans;
  SaidLevel level = SaidLevel::kNothing;
  std::vector<std::uint32_t> forms;
};

struct Forms {
  std::vector<Form> forms;
  std::vector<std::uint32_t> offsets;       // of the statements that touch data, from the transaction's first
  std::vector<std::uint32_t> transactions;  // of the log, those of a form are neighbours
  std::vector<LoopTree> trees;              // one for each different sequence of what statements do
  std::vector<FormGroup> groups;

  [[nodiscard]] std::span<const std::uint32_t> transactions_of(const Form& form) const {
    return std::span(transactions).subspan(form.first_transaction, form.transactions);
  }
  [[nodiscard]] std::span<const std::uint32_t> offsets_of(const Form& form) const {
    return std::span(offsets).subspan(form.first_statement, trees[form.tree].in_skeleton().size());
  }
};

struct FormOptions {
  std::uint32_t rounds = 2;
  bool rolled_back_too = false;
  bool levels = true;  // false: what the trace says of levels does not count
};
// Requires: the shapes of the log are below signature_of.size().
[[nodiscard]] Forms find_forms(const TraceLog& log, std::span<const std::uint32_t> signature_of,
                               const FormOptions& options);

}  // namespace isolde::audit
