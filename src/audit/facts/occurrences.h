// audit/facts/occurrences.h: where the literals of a class's rows are in each of its transactions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/classes/forms.h"

namespace isolde::audit {

// One statement of a transaction that touches data.
struct Occurrence {
  std::uint32_t position;   // TransactionClass::positions
  std::uint32_t statement;  // in TraceLog::statements
};

// `visit` is given the number of each transaction of the class and its statements in their order, all rounds of loops.
template <typename Visit>
void for_each_transaction(const TraceLog& log, const Forms& forms, const FormGroup& group, Visit&& visit) {
  std::vector<Occurrence> list;
  for (const std::uint32_t number : group.forms) {
    const Form& form = forms.forms[number];
    const std::vector<std::uint32_t>& in_skeleton = forms.trees[form.tree].in_skeleton();
    const std::span<const std::uint32_t> offsets = forms.offsets_of(form);
    for (const std::uint32_t transaction : forms.transactions_of(form)) {
      const std::uint32_t first = log.transactions[transaction].first_statement;
      list.clear();
      for (std::size_t place = 0; place < in_skeleton.size(); ++place)
        list.push_back({in_skeleton[place], first + offsets[place]});
      visit(transaction, std::span<const Occurrence>(list));
    }
  }
}

// A set of rows of a class: the statement that it belongs to, and the first access of that statement that is of it.
struct RowsPlace {
  std::uint32_t statement = kNone32, access = 0;
};

// By row set; those that no operation touches have no statement.
[[nodiscard]] std::vector<RowsPlace> places_of_rows(const TransactionClass& one);

// The literals of a trace, by what they stand for.
class TraceValues {
 public:
  // Requires: both outlive it.
  TraceValues(const TraceLog& log, std::span<const Statement> statements) : log_(log), statements_(statements) {}

  [[nodiscard]] const Statement& meaning(std::uint32_t statement) const {
    return statements_[raw(log_.statements[statement].shape)];
  }
  [[nodiscard]] LiteralId literal(std::uint32_t statement, std::uint32_t place) const {
    const std::span<const LiteralId> all = log_.literals_of(log_.statements[statement]);
    return place < all.size() ? all[place] : kNoLiteral;
  }
  // The value that these rows of a statement have in a column; kNoLiteral: the statement does not say.
  [[nodiscard]] LiteralId value(std::uint32_t statement, const RowSet& rows, ColumnId column) const {
    const auto key = std::ranges::lower_bound(rows.keys, column, {}, &RowKey::column);
    return key == rows.keys.end() || key->column != column ? kNoLiteral : literal(statement, key->literal);
  }
  // The same, of several columns. Empty: one of them is not known.
  [[nodiscard]] std::vector<LiteralId> values(std::uint32_t statement, const RowSet& rows,
                                              std::span<const ColumnId> columns) const;
  // The rows of a class in one of its transactions' statements.
  [[nodiscard]] const RowSet& rows(std::uint32_t statement, const RowsPlace& place) const {
    const Statement& one = meaning(statement);
    return one.row_sets[one.accesses[place.access].row_set];
  }
  [[nodiscard]] std::optional<double> number(LiteralId literal) const;

 private:
  const TraceLog& log_;
  std::span<const Statement> statements_;
};

// An INSERT of one row that puts it there or fails.
[[nodiscard]] bool is_plain_insert(const Statement& statement, const Access& access);

// The variable that a class's rows have in a column; kNoVariable: none.
[[nodiscard]] std::uint32_t variable_in(const ClassRows& rows, ColumnId column);

}  // namespace isolde::audit
