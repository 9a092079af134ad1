// audit/story/conditions.h: do the conditions of two statements that meet in a row let them meet, with these values?
//
// In, out: a cycle, the literals of its members -> false if some dependency of it is about a row that one of the two
//          statements does not find:
//            - one excludes, by IN, LIKE or =, the value that the other gives or asks for, where the other makes the
//            row
//              and does not give it another value later, or nobody ever changes the column, or (an assumption) the
//              other always writes back what the row has. Of a row that a transaction makes and changes itself, others
//              see only what it has left: 'draft' that becomes 'sent' before the commit was never a draft;
//            - where members are transactions of the trace (were_so), and the trace shows what was in the row before
//              (classes/write_backs.h): what it was and what it became are both excluded by what the other asks for.
//              (Who looks for pages in the trash does not miss that an order is paid, unless the order was a page in
//              the trash.) Only texts without digits count: what 'trash' is to a program, 17 is not. Or the UPDATE
//              wrote back all that the other looks at as it was.
// Cost:    a few comparisons for each dependency.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/cycles/cycle.h"
#include "audit/facts/same_rows.h"

namespace isolde::audit {

// LIKE without regard to case, as MySQL compares; \\ takes the meaning of the next character away.
[[nodiscard]] bool is_like(std::string_view text, std::string_view pattern);

class RowConditions {
 public:
  using Literals = std::vector<std::vector<LiteralId>>;  // by statement

  // Requires: all of them outlive it.
  RowConditions(const Classes& classes, const TraceLog& log, const RowFacts& facts, bool assumptions);

  [[nodiscard]] bool hold(const Cycle& cycle, std::span<const Literals> members) const;
  // `transactions`: of the log, that the members are.
  [[nodiscard]] bool were_so(const Cycle& cycle, std::span<const Literals> members,
                             std::span<const std::uint32_t> transactions) const;

 private:
  // The rows of an operation as its statement names them, and the statement's literals.
  struct NamedRows {
    const Statement* statement = nullptr;
    const RowSet* rows = nullptr;
    const std::vector<LiteralId>* literals = nullptr;
    [[nodiscard]] LiteralId literal(std::uint32_t place) const {
      return place < literals->size() ? (*literals)[place] : kNoLiteral;
    }
    // What an UPDATE sets the column to.
    [[nodiscard]] LiteralId assigned(ColumnId column) const;
    [[nodiscard]] LiteralId value(ColumnId column) const;
  };
  [[nodiscard]] NamedRows named_rows(const Cycle& cycle, std::span<const Literals> members, std::uint32_t member,
                                     std::uint32_t op) const;
  [[nodiscard]] bool is_written_back(ColumnId column) const;
  // `one` names rows, and `asks` for them unless it makes them; `member`, by its operation `op`, makes or changes them.
  [[nodiscard]] bool excludes(const NamedRows& one, bool asks, const Cycle& cycle, std::span<const Literals> members,
                              std::uint32_t member, std::uint32_t op) const;
  [[nodiscard]] std::optional<LiteralId> left_by(const Cycle& cycle, std::span<const Literals> members,
                                                 std::uint32_t member, std::uint32_t op, ColumnId column) const;
  // The value that a column is known to have; kNoLiteral: none is.
  template <typename Known>
  [[nodiscard]] bool refuses(const NamedRows& one, Known&& known, bool equal_too) const;
  [[nodiscard]] bool makes_no_difference(const NamedRows& reader, const NamedRows& writer,
                                         const SeenUpdate& update) const;

  const Classes& classes_;
  const TraceLog& log_;
  const RowFacts& facts_;
  bool assumptions_;
};

}  // namespace isolde::audit
