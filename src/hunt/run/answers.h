// hunt/run/answers.h: whether two answers of one server to the same statement say the same.
//
// Always: rows are compared as a multiset, cells by value and type as the driver gave them (NULL is equal to NULL, and
//         1 is not '1'); of what writes, the number of rows changed, too. Names of columns do not count.
// Cost:   O(n log n) texts of rows.
#pragma once

#include <string>
#include <vector>

#include "db/connection.h"
#include "hunt/run/execution.h"

namespace isolde::hunt {

// "(1, 'a', null)" a row, sorted.
[[nodiscard]] std::vector<std::string> sorted_rows(const db::Reply& reply);
// Both carried out, with the same rows and counts; or both refused, with the same code.
[[nodiscard]] bool same_answer(const db::Reply& a, const db::Reply& b);
// "3 rows: (1, 'a'), …", "2 rows changed", "refused: 23505: duplicate key …".
[[nodiscard]] std::string answer_text(const db::Reply& reply);

// Whether everything that a client could see is the same: answers, ends, the order of the answers, final contents, and
// what the extra reads showed. None: it is; else the first difference, in words.
[[nodiscard]] std::optional<std::string> difference(const Execution& a, const Execution& b);

}  // namespace isolde::hunt
