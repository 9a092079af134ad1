// hunt/generate/aggregate.h: draws aggregates and window functions over the rows of a query.
//
// Always: of the query's own row sources only, and the same for every order in which the rows come.
#pragma once

#include <string>

#include "hunt/generate/draw.h"

namespace isolde::hunt::generate {

// Null: no column of that type.
[[nodiscard]] sql::NodePtr draw_aggregate(Draw& draw, sql::Type type, const Scope& scope);
// Of whatever type.
[[nodiscard]] sql::NodePtr draw_any_aggregate(Draw& draw, const Scope& scope);
[[nodiscard]] sql::NodePtr draw_window(Draw& draw, const Scope& scope);
[[nodiscard]] std::string draw_direction(Draw& draw);  // of ORDER BY

}  // namespace isolde::hunt::generate
