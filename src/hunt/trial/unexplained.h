// hunt/trial/unexplained.h: statements that failed, or took for ever, inside a transaction and have no excuse.
//
// An error is excused by what concurrency may cause (run/refusals.h), or by the statement itself: it is run alone on
// the rows that its transaction saw right before it, and fails there, too. A hang is judged the same way: a statement
// that the server stopped although no other transaction was open any more, or that took a hundred times longer than
// alone on the same rows.
//
// In, out: an instrumented run -> the first such statement. The arena's tables have other rows afterwards.
// Always:  a statement that waited, or whose extra reads failed, is excused of all but internal errors: it is not known
//          what it saw. Where the run alone says nothing (a limit, the machine), nothing is said here.
// Cost:    nothing where no statement fails; else a run alone for each that did.
#pragma once

#include <optional>

#include "base/result.h"
#include "hunt/judge/compare.h"
#include "hunt/run/arena.h"

namespace isolde::hunt {

// The error is the arena's. `rounds` is increased by each run alone.
[[nodiscard]] Result<std::optional<Difference>> unexplained_error(Arena& arena, const Case& test,
                                                                  const Execution& execution, std::uint64_t& rounds);
[[nodiscard]] Result<std::optional<Difference>> unexplained_hang(Arena& arena, const Case& test,
                                                                 const Execution& execution, std::uint64_t& rounds);

}  // namespace isolde::hunt
