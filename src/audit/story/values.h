// audit/story/values.h: values for the transactions of a story, so that the rows of its cycle meet and it can happen.
//
// A cycle of classes says which rows are the same. A story needs values: which customer, which order. They are solved
// for, so that what is shown is what can be run:
//   - Each member is a transaction of the trace with its values renamed. Where that transaction has the same value
//     twice, in one column or in a key and a column that refers to it, the member has: an id that was read and then
//     written to stays one id. (Two that read rows 1 and 2 and write one of them never write a third.)
//   - Variables that the cycle makes equal have one value; so have those that stand for one column of a row in which
//     two members meet, even if one has it from an answer (row_columns.h), if any choice of transactions allows it.
//   - All others differ between members, as far as there are other values: rows that need not meet do not. (In tables
//   in
//     which rows of the cycle meet they are left alone at first: who finds a row by one key and changes it by another
//     has found that row.)
//   - A value that is written in the program (facts/constants.h) stays as it is, and an INSERT or a key that a
//     condition of the other (IN, LIKE) excludes is no common row; nor is a row that, where the trace shows what was in
//     it, the other does not ask for (conditions.h).
//   - With these values the rows of the members are known, and with them who has to wait for whom: it must still be
//     possible (cycles/correlation.h). If not, other transactions of the trace are tried.
// If no choice of transactions will do, values are taken that follow the variables of the classes alone; `as_seen` is
// false then: no transaction of the trace has its values so.
//
// In, out: members and dependencies of a cycle -> literals of each of their statements, which of them differ from the
//          class's example, and the dependencies that come with the rows.
// Always:  the same cycle gives the same values.
// Cost:    some microseconds for each choice of transactions; at most kMostChoices of them, twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "audit/classes/column_domains.h"
#include "audit/cycles/correlation.h"
#include "audit/facts/same_rows.h"
#include "audit/story/actors.h"
#include "audit/story/conditions.h"
#include "audit/story/row_columns.h"
#include "audit/story/story.h"

namespace isolde::audit {

inline constexpr std::size_t kMostChoices = 150;

struct StoryValues {
  std::vector<std::vector<std::vector<LiteralId>>> literals;  // by member, statement
  std::vector<Binding> bindings;
  std::vector<CycleEdge> implied;  // what the rows bring with them, with directions that work
  bool as_seen = true;
  // Gives a literal another value, and notes it among the bindings.
  void set(std::uint32_t member, std::uint32_t statement, std::uint32_t literal, LiteralId value);
};

class StoryValueSolver {
 public:
  // Requires: all of them outlive it. New values are added to the log's literals.
  // `assumptions`: a value is only one of those names that its places take (facts/vocabularies.h), and what is always
  // written back as it was never changes (classes/write_backs.h).
  StoryValueSolver(const Classes& classes, TraceLog& log, const CorrelationFacts& facts, Correlation& correlation,
                   bool assumptions)
      : assumptions_(assumptions),
        classes_(classes),
        log_(log),
        facts_(facts),
        correlation_(correlation),
        rows_(classes, facts.rows()),
        row_columns_(classes, facts.rows()),
        conditions_(classes, log, facts.rows(), assumptions),
        actors_(classes, log),
        domains_(classes.schema) {}

  // None: no values make it possible.
  [[nodiscard]] std::optional<StoryValues> solve(const Cycle& cycle);

 private:
  using Literals = RowConditions::Literals;
  // A transaction of the log that plays a member.
  struct Actor {
    Literals literals;
    std::uint32_t transaction;
  };
  // In which tables values of two members are set apart.
  enum class Tables : std::uint8_t { kWhereNoRowsMeet, kAll };
  // Whether what a member has from an answer counts, too, where rows meet. Not the key: of several rows that it found
  // it may have taken another than the one that is met.
  enum class Answers : std::uint8_t { kCount, kNotTheKey, kDoNotCount };
  struct Manner {
    bool as_seen;
    Tables apart;
    Answers answers;
  };
  class Attempt;  // values_attempt.cc
  [[nodiscard]] std::optional<StoryValues> attempt(const Cycle& cycle, const std::vector<Actor>& actors,
                                                   const Manner& manner);
  // Variables of the two members that stand for one column of the row in which they meet, though not both name it so.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> answers_of(const Cycle& cycle,
                                                                                const CycleEdge& edge, Answers answers);

  bool assumptions_;
  const Classes& classes_;
  TraceLog& log_;
  const CorrelationFacts& facts_;
  Correlation& correlation_;
  SameRows rows_;
  RowColumns row_columns_;
  RowConditions conditions_;
  Actors actors_;
  ColumnDomains domains_;
};

}  // namespace isolde::audit
