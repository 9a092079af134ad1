// audit/classes/made_ids.h: ids that the database makes, and who had them first.
//
// An INSERT that leaves a table's id to the database (AUTO_INCREMENT, serial, identity) makes an id that nobody else
// can know before its transaction commits. A trace has no results, but it shows the id as soon as the transaction uses
// it.
//
// In, out: TraceLog, what each shape does -> which columns hold ids of which table, and whether an id was made by an
//          INSERT: it is used nowhere in the trace before that statement, and it is larger than every id of the table
//          that was used before.
// Always:  a literal anywhere in a statement that names the table, or a table with a column of its ids, counts as a
// use.
//          Which columns hold ids of a table: column_domains.h.
// Limits:  an application that guesses the next id, uses it and then inserts its row looks the same.
// Cost:    linear in the literals of the trace.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "audit/sql/statement.h"
#include "audit/trace/log.h"

namespace isolde::audit {

class MadeIds {
 public:
  // Requires: the shapes of the log are below statements.size(); the log outlives it.
  MadeIds(const TraceLog& log, const Schema& schema, std::span<const Statement> statements);

  // The column whose value the table makes; kNoColumn: none.
  [[nodiscard]] ColumnId made_by(TableId table) const { return made_by_[raw(table)]; }
  // The table whose ids the column holds; kNoTable: none.
  [[nodiscard]] TableId ids_of(ColumnId column) const { return ids_of_[raw(column)]; }
  // `insert`: in TraceLog::statements.
  [[nodiscard]] bool made_after(TableId table, LiteralId id, std::uint32_t insert) const;
  // Only that it is larger than every id of the table that named a row before.
  [[nodiscard]] bool rises_at(TableId table, LiteralId id, std::uint32_t insert) const;

 private:
  struct Largest {
    std::uint64_t when;
    std::int64_t id;
  };
  struct OfTable {
    std::unordered_map<LiteralId, std::uint64_t> first_use;
    std::vector<Largest> largest;  // each larger than the one before, in the order of the trace
  };
  // The order of statements in the trace: by line, those of one line as their transaction has them.
  [[nodiscard]] std::uint64_t when(std::uint32_t statement) const;
  void find_columns(const Schema& schema);
  void find_uses(std::span<const Statement> statements);

  const TraceLog& log_;
  std::vector<ColumnId> made_by_;                      // by table
  std::vector<TableId> ids_of_;                        // by column
  std::vector<std::vector<TableId>> tables_with_ids_;  // by table: the tables whose ids it or its columns hold
  std::vector<OfTable> of_table_;
};

}  // namespace isolde::audit
