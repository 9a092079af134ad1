// hunt/generate/domain.h: the few values that rows and literals are drawn from, so that predicates match and rows
// collide.
//
// Always: texts have no capitals and no blanks, so that no collation takes two of them for one.
#pragma once

#include <cstdint>
#include <string>

#include "base/rng.h"
#include "hunt/sql/tree.h"

namespace isolde::hunt::generate {

[[nodiscard]] inline bool percent(Rng& rng, std::uint64_t chances) { return rng.below(100) < chances; }

// A literal as trees have it, the same in every dialect; never NULL.
[[nodiscard]] sql::NodePtr draw_literal(Rng& rng, sql::Type type);
[[nodiscard]] sql::NodePtr draw_pattern(Rng& rng);  // of LIKE
[[nodiscard]] sql::NodePtr integer(std::int64_t value);
[[nodiscard]] sql::NodePtr null_of(sql::Type type);

}  // namespace isolde::hunt::generate
