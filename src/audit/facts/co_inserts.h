// audit/facts/co_inserts.h: rows that come with a row of another table, in one transaction.
//
//   INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (31, 2, 1);
//   INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, …) VALUES (31, 2, 1, 1, …);
//
// If every transaction that inserts into order_line inserts the row of new_order with that key too, then who has found
// the row of new_order does not miss the lines: the transaction that made both has committed. (Another one that makes
// more lines for the same key would have to make the row of new_order again. It can if that was deleted, but then the
// finder depends on the DELETE, and that is searched.) So there is no rw from reads of the lines to the INSERT. This
// holds at read committed too, if the row was found first: later statements see no less.
//
// In, out: TraceLog, classes -> for each two tables, which columns of the second hold the key of the first.
// Always:  every row that the trace inserts into the second table is one INSERT of one row, with its row of the first
//          in the same transaction.
// Limits:  rows that code outside of the trace makes (a loader) are not seen.
// Cost:    one pass over the trace.
#pragma once

#include <cstdint>
#include <vector>

#include "audit/facts/occurrences.h"

namespace isolde::audit {

struct CoInsert {
  TableId first, second;
  std::vector<ColumnId> columns;  // of the second: where it has the first one's primary key, in its order
  std::uint64_t rows = 0;         // of the second table that the trace inserts
};

[[nodiscard]] std::vector<CoInsert> find_co_inserts(const TraceLog& log, const Classes& classes);

}  // namespace isolde::audit
