// audit/story/values.h: the transactions of a story with their values, set so that the rows of the cycle meet.
//
// In, out: members of a cycle -> literals of each of their statements, and which differ from the class's example.
// Always:  values are those of the trace: of the class's example, or of another transaction with the same statements.
//          Variables that the cycle makes equal have the value of the first member that has one. The others are as far
//          as possible unlike those that earlier members have in the same columns, so that no other rows meet: a lock
//          on one of these could keep the story from happening.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/cycles/same_rows.h"
#include "audit/story/story.h"

namespace isolde::audit {

// Transactions of each class that have the same statements, the example first; made once.
class Actors {
 public:
  Actors(const Classes& classes, const TraceLog& log);
  [[nodiscard]] const std::vector<std::uint32_t>& of(ClassId id) const { return actors_[raw(id)]; }

 private:
  std::vector<std::vector<std::uint32_t>> actors_;  // in TraceLog::transactions
};

struct StoryValues {
  std::vector<std::vector<std::vector<LiteralId>>> literals;  // by member, statement
  std::vector<Binding> bindings;
};

[[nodiscard]] StoryValues choose_values(const Classes& classes, const TraceLog& log, const Actors& actors,
                                        SameRows& rows, const Cycle& cycle);

// The statement with these literals; without a trace, what it does to which tables.
[[nodiscard]] std::string statement_text(const Classes& classes, const TraceLog& log, const TransactionClass& one,
                                         std::uint32_t statement, const std::vector<LiteralId>& literals);

}  // namespace isolde::audit
