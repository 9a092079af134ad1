// audit/confirm/rows.h: the rows that a play needs, so that its statements find what they look for.
//
// In, out: Play -> rows of its tables.
// Always:  no two rows have the same key, and none has that of a row that the play inserts. Rows that the cycle says
//          are the same are one row. Columns that are compared with each other are equal; those compared with a
//          literal have a value that satisfies it, as far as one row can satisfy all; all others have the first value
//          of their type, so that joins over columns that nobody names find each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/confirm/play.h"

namespace isolde::audit {

struct InitialRow {
  TableId table;
  std::vector<std::optional<std::string>> cells;  // as Table::columns; none: NULL
};

// `extra`: rows that each table is given besides.
[[nodiscard]] std::vector<InitialRow> make_rows(const Play& play, const Variation& variation, std::uint32_t extra);

}  // namespace isolde::audit
