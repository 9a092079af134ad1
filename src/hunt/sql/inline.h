// hunt/sql/inline.h: a query that stands in FROM, put into the query around it: a step of reduction.
//
// The statement may come to mean something else (the inner WHERE goes): the caller runs it.
#pragma once

#include <vector>

#include "hunt/sql/tree.h"

namespace isolde::hunt::sql {

// For each derived table of `select` that only picks and computes columns: `select` with what it reads in its place.
[[nodiscard]] std::vector<NodePtr> without_derived(const Node& select);
// For each common table expression that is used once, and not by itself: the WITH, or its query, with a derived table
// there.
[[nodiscard]] std::vector<NodePtr> without_common(const Node& with);

}  // namespace isolde::hunt::sql
