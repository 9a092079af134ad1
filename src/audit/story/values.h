// audit/story/values.h: the transactions of a story with their values, set so that the rows of the cycle meet.
//
// In, out: members of a cycle -> literals of each of their statements, and which differ from the class's example.
// Always:  values are those of a transaction of the trace: the class's example, or, for a class that takes part once
//          more, another transaction with the same statements, if there is one. Variables that the cycle makes equal
//          have the value of the first member that has one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/cycles/same_rows.h"
#include "audit/story/story.h"

namespace isolde::audit {

// Other transactions of each class, made once.
class Understudies {
 public:
  Understudies(const Classes& classes, const TraceLog& log);
  // The n-th transaction of the class to take part: the example first. None: again the example.
  [[nodiscard]] std::uint32_t transaction(ClassId id, std::size_t n) const;

 private:
  const Classes& classes_;
  std::vector<std::vector<std::uint32_t>> others_;
};

struct StoryValues {
  std::vector<std::vector<std::vector<LiteralId>>> literals;  // by member, statement
  std::vector<Binding> bindings;
};

[[nodiscard]] StoryValues choose_values(const Classes& classes, const TraceLog& log, const Understudies& understudies,
                                        SameRows& rows, const Cycle& cycle);

// The statement with these literals; without a trace, what it does to which tables.
[[nodiscard]] std::string statement_text(const Classes& classes, const TraceLog& log, const TransactionClass& one,
                                         std::uint32_t statement, const std::vector<LiteralId>& literals);

}  // namespace isolde::audit
