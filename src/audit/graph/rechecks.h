// audit/graph/rechecks.h: optimistic locks: an UPDATE or DELETE whose WHERE asks again for what was read.
//
//   SELECT stock, version FROM item WHERE id = 1;           -- 10, 5
//   UPDATE item SET stock = 9, version = 6 WHERE id = 1 AND version = 5;
//
// If the UPDATE finds the row, nobody has changed `version` since it was read: a change would have been seen, and one
// that is not committed yet holds the row, so that the UPDATE waits for it and looks again. From the UPDATE on the row
// is locked. So whoever overwrites `version` comes after the commit, as if the read had locked the row. The same holds
// for every other column that was read of the row, if whoever overwrites that changes `version` by the same statement.
// If the UPDATE finds no row, the application must begin again; that it looks at the number of rows is not in a trace
// and is assumed.
//
// In, out: a read and another transaction's write that may overwrite it -> does the reader ask again?
// Always:  the row is a single one, known to be the same by its whole key; the column that is asked for (by =, and no
//          part of a key) was read before the UPDATE, and the read in question is not older than the last such read.
//          An INSERT is not kept away: what was not there was not read.
// Limits:  that the value asked for is the one that was read is taken from its place, not from results.
// Source:  Kung and Robinson 1981 (validation); as ORMs do it (SQLAlchemy's version_id_col, JPA's @Version).
#pragma once

#include <cstdint>
#include <vector>

#include "audit/classes/classes.h"

namespace isolde::audit {

struct OperationRef {
  ClassId of;
  std::uint32_t place;  // in TransactionClass::operations
};

class Rechecks {
 public:
  // Requires: the classes outlive it.
  explicit Rechecks(const Classes& classes);
  [[nodiscard]] bool holds(OperationRef read, OperationRef write) const;
  // The column of the row is asked for again after this read of it.
  [[nodiscard]] bool asks_again(OperationRef read, ColumnId column) const;
  // In every row that it finds.
  [[nodiscard]] bool certainly_changes(OperationRef write) const;

 private:
  [[nodiscard]] bool changes(OperationRef write, ColumnId checked) const;

  const Classes& classes_;
  // By class and operation: the columns that are asked for again after that read, of its row.
  std::vector<std::vector<std::vector<ColumnId>>> checked_;
};

}  // namespace isolde::audit
