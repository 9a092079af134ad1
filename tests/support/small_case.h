// tests/support/small_case.h: cases of two tables, written by hand: "1: update a set …" a line.
//
// Tables: parent a(pkey, vkey, x, s), child b(pkey, vkey, x, up -> a on delete cascade, twice (generated)).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hunt/case/case.h"

namespace isolde::hunt::testing {

// Rows (1, 0, 10, 'one'), (2, 0, 20, null), (3, 0, 30, 'NULL') in a; (1, 0, 5, 1), (2, 0, null, 2) in b.
[[nodiscard]] Schema small_schema(std::string_view dialect);

// Whose step and what: "commit", "rollback", else a statement. What it reads and writes is seen from the names of the
// tables in it (" a", " b"); a delete of a writes b, too.
struct Line {
  std::uint32_t who;  // from 1
  std::string what;
};
[[nodiscard]] Case small_case(std::string_view dialect, const std::vector<Line>& lines);

}  // namespace isolde::hunt::testing
