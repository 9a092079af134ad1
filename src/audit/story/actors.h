// audit/story/actors.h: what the trace has of a class: transactions of it, and which of their literals are values of
// columns.
//
// In, out: classes and log -> transactions with the same statements as the class's example; places of literals; the
// text
//          of a statement with other literals.
// Always:  the example is the first; no two of the transactions have the same literals.
// Cost:    one pass over the trace; at most a dozen transactions of each class are kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/classes/classes.h"

namespace isolde::audit {

// Classes written by hand for tests have no statements.
[[nodiscard]] inline bool has_statements(const TransactionClass& one) {
  return one.example_statements.size() == one.statements.size();
}

// Transactions of each class that have the same statements, the example first; made once.
class Actors {
 public:
  Actors(const Classes& classes, const TraceLog& log);
  [[nodiscard]] const std::vector<std::uint32_t>& of(ClassId id) const { return actors_[raw(id)]; }

 private:
  std::vector<std::vector<std::uint32_t>> actors_;  // in TraceLog::transactions
};

// A literal of a class's statements that is a value of a column.
struct ValuePlace {
  std::uint32_t statement, literal;
  std::uint32_t variable;  // kNoVariable: it names no rows
  ColumnId column;
};
[[nodiscard]] std::vector<ValuePlace> value_places(const Classes& classes, const TransactionClass& one);

// The statement with these literals; without a trace, what it does to which tables.
[[nodiscard]] std::string statement_text(const Classes& classes, const TraceLog& log, const TransactionClass& one,
                                         std::uint32_t statement, const std::vector<LiteralId>& literals);

}  // namespace isolde::audit
