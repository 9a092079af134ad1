// hunt/generate/expression.h: draws typed expressions and predicates over the row sources in scope.
//
// Always: what is drawn has the type that was asked for, and its value depends on the rows alone. `depth` bounds how
//         deep it nests.
#pragma once

#include <cstdint>
#include <optional>

#include "hunt/generate/draw.h"

namespace isolde::hunt::generate {

// A column of that type, more often one of the scope itself than of the scopes around it. Null: there is none.
[[nodiscard]] sql::NodePtr draw_column(Draw& draw, sql::Type type, const Scope& scope);
[[nodiscard]] sql::NodePtr draw_value(Draw& draw, sql::Type type, std::uint32_t depth, const Scope& scope);
[[nodiscard]] sql::NodePtr draw_predicate(Draw& draw, std::uint32_t depth, const Scope& scope);
// About the pkey of one of the case's hot rows, or of few rows. Requires: `source` is keyed.
[[nodiscard]] sql::NodePtr draw_key_predicate(Draw& draw, const Source& source);
// The type of a column in scope, drawn: so that what is asked for can be had.
[[nodiscard]] sql::Type draw_type(Draw& draw, const Scope& scope);

}  // namespace isolde::hunt::generate
