// audit/classes/position.h: one place of a class's skeleton: what all the statements that stand there have in common.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "audit/sql/statement.h"

namespace isolde::audit {

class Position {
 public:
  // Requires: it does the same operations as those that were added before.
  void add(ShapeId shape, const Statement& statement);

  // Rows of the same table that no statement tells apart.
  struct Rows {
    TableId table;
    bool single = true;
    std::vector<ColumnId> columns;  // sorted; of keys that every statement has
    std::vector<ColumnId> unlike;   // sorted; of RowSet::unlike that every statement has
  };
  // Once, when all are added.
  void finish(std::span<const Statement> statements);

  [[nodiscard]] const std::vector<Access>& accesses() const { return accesses_; }  // row_set: of rows()
  [[nodiscard]] const std::vector<Rows>& rows() const { return rows_; }
  // Where the statement has the value of a key: its literal.
  [[nodiscard]] std::uint32_t literal(const Statement& statement, std::size_t rows, ColumnId column) const;
  // The same of RowSet::unlike: the first of that column.
  [[nodiscard]] std::uint32_t unlike_literal(const Statement& statement, std::size_t rows, ColumnId column) const;
  // Columns that every statement changes (Statement::changes).
  [[nodiscard]] const std::vector<ColumnId>& changes() const { return changes_; }

 private:
  [[nodiscard]] const RowSet& rows_in(const Statement& statement, std::size_t rows) const {
    return statement.row_sets[statement.accesses[first_access_[rows]].row_set];
  }

  std::vector<ShapeId> shapes_;
  std::vector<Access> accesses_;
  std::vector<Rows> rows_;
  std::vector<std::uint32_t> first_access_;  // by rows
  std::vector<ColumnId> changes_;
};

}  // namespace isolde::audit
