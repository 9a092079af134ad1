// audit/story/row_columns.h: the columns of a row that a transaction knows: those that it names the row by, and those
// that it read there and uses later.
//
//   SELECT c_id, c_balance FROM customer WHERE c_last = 'PRES';                 the row has c_id = 25,
//   SELECT o_id FROM orders WHERE o_c_id = 25 ORDER BY o_id DESC LIMIT 1;       … and this one o_id = 31
//   SELECT * FROM order_line WHERE ol_o_id = 31;
//
// Where two transactions meet in a row, they agree in all that they know of it, and not just in the columns by which
// both name it. What a later statement has from an earlier one's answer is known from two sources: choices
// (facts/choices.h), and references between tables, which are the foreign keys of the schema, what the trace shows
// (facts/lookups.h) and what INSERTs show: a row of `orders` is inserted with the whole key of a row of `customer` that
// the transaction names too.
//
// In, out: classes -> columns and variables of any of their rows.
// Always:  a column that is read and used later is one that no class updates, and its variable has not been used by
//          then.
// Limits:  of several rows that a SELECT finds, the one that is met is thought to be the one that is used. Used to
//          choose values for a story, never to rule one out.
// Cost:    the answer for each row set is found once.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/facts/same_rows.h"

namespace isolde::audit {

class RowColumns {
 public:
  // Requires: both arguments outlive it.
  RowColumns(const Classes& classes, const RowFacts& facts);

  // Sorted by column, each column once.
  [[nodiscard]] const std::vector<ClassRowKey>& of(ClassId id, std::uint16_t rows);

  // A row that the class finds by something else than its key, and whose key it uses later.
  struct Found {
    TableId table;
    std::vector<ClassRowKey> columns;  // that nobody updates, sorted
    std::vector<std::uint32_t> key;    // variables of the primary key, in its order
  };
  [[nodiscard]] const std::vector<Found>& found(ClassId id);

 private:
  void learn(const TransactionClass& one);
  [[nodiscard]] std::vector<ClassRowKey> find(ClassId id, std::uint16_t rows) const;
  void add_used_later(const TransactionClass& one, std::uint16_t read, std::vector<ClassRowKey>& to) const;

  const Classes& classes_;
  const RowFacts& facts_;
  std::vector<TableReference> references_;  // sorted
  std::map<std::pair<ClassId, std::uint16_t>, std::vector<ClassRowKey>> known_;
  std::map<ClassId, std::vector<Found>> found_;
};

}  // namespace isolde::audit
