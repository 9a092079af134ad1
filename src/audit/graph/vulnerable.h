// audit/graph/vulnerable.h: is a read that another transaction overwrites safe, since the two also write one same row?
//
// In, out: rows of a read in class a, rows of a write in class b -> whether both transactions certainly write one row.
// Always:  databases lock whole rows and let the first updater win by rows, so any columns count; as the paper has it
//          the two writes must be of the same column, and rows of one class are the same if the key columns that both
//          name are equal, ranges too. A read that missed the row that the other INSERTs is safe only if
//          its own transaction INSERTs that row too: an UPDATE of what is not there writes nothing.
//          An UPDATE or DELETE of all rows with some values writes every row that a SELECT with these values (and
//          maybe more conditions) could have seen, if no class changes the columns: a range protects like a row. Not
//          from an INSERT.
//          At snapshot isolation two that take the next row of one queue and write it write the same row
//          (facts/queues.h).
// Cost:    once a pair of row sets, not once a pair of operations.
// Source:  IsoDiff, section 3.4; Fekete et al., Making snapshot isolation serializable.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/facts/same_rows.h"
#include "audit/graph/rules.h"

namespace isolde::audit {

class Vulnerability {
 public:
  Vulnerability(const Classes& classes, const ConflictRules& rules, const GraphOptions& options);

  // Requires: `read` reads and `write` writes, as the rules see them. Calls for the same two classes come together.
  [[nodiscard]] bool vulnerable(OperationRef read, OperationRef write);

 private:
  struct Writes {
    std::uint32_t rows;
    ColumnId column;  // kNoColumn: any
    bool inserts;
    auto operator<=>(const Writes&) const = default;
  };
  [[nodiscard]] bool both_write(ClassId a, std::uint32_t rows_a, ClassId b, std::uint32_t rows_b, bool absent);
  [[nodiscard]] bool writes_whole_range(const TransactionClass& one, const ClassRows& looked) const;
  [[nodiscard]] bool both_write_as_paper(ClassId a, std::uint32_t rows_a, ClassId b, std::uint32_t rows_b) const;
  [[nodiscard]] bool same_as_paper(ClassId id, std::uint32_t x, std::uint32_t y) const;

  const Classes& classes_;
  const ConflictRules& rules_;
  bool as_paper_;
  WeakLevel level_;
  RowFacts facts_;
  SameRows same_rows_;
  std::vector<std::vector<Writes>> writes_;  // by class
  ClassId a_{kNone32}, b_{kNone32};          // what known_ is about
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, bool> known_;
};

}  // namespace isolde::audit
