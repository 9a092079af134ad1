// hunt/generate/row_source.h: draws what stands in a FROM clause: tables, views, common table expressions, derived
// tables, and their joins.
#pragma once

#include <cstdint>

#include "hunt/generate/draw.h"
#include "hunt/generate/query.h"

namespace isolde::hunt::generate {

// One to three row sources, joined; they are put into `scope`. Null: none may be named any more.
[[nodiscard]] sql::NodePtr draw_from(Draw& draw, std::uint32_t depth, Scope& scope);
// Of the last source in scope with one before it; mostly an equality.
[[nodiscard]] sql::NodePtr draw_join_condition(Draw& draw, const Scope& scope);
// A table that may be read here. Null: none.
[[nodiscard]] const Relation* draw_table(Draw& draw);
// The query of a derived table; of one that refers to the sources that it is joined to.
[[nodiscard]] Query draw_lateral(Draw& draw, std::uint32_t depth, const Scope& beside);
[[nodiscard]] Query draw_derived(Draw& draw, std::uint32_t depth);

}  // namespace isolde::hunt::generate
