// hunt/finding/cause.h: a short name for what a reduced finding is about, so that findings of one bug can be told once.
//
// "isolation lost-update: merge", "result: select, window, index": what is wrong, the anomaly, the statement that it
// takes, and the clauses of its queries. After reduction what is left is needed, so findings of one bug mostly leave
// the same; what any other statement could do as well (a SELECT that takes the snapshot, the UPDATE that it conflicts
// with) is not named.
#pragma once

#include <string>

#include "hunt/finding/finding.h"

namespace isolde::hunt {

// The finding's own cause if it has one already.
[[nodiscard]] std::string cause_of(const Finding& reduced);

}  // namespace isolde::hunt
