// hunt/trial/serial.h: whether some order of the transactions, one after the other, explains a run at a serializable
// level.
//
// In, out: a run without extra reads (they take locks of their own, which can hide a fault) -> undecided, or the
//          difference to every order; the statements are run alone, transaction by transaction.
// Always:  a serializable server has such an order; so if there is none, the level is broken.
// Cost:    one run of the statements in most cases (the order of the commits), at most as many as there are orders.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "hunt/case/case.h"
#include "hunt/judge/compare.h"
#include "hunt/run/arena.h"

namespace isolde::hunt {

// Whether this can be told of a case at all: few transactions, and no row of PostgreSQL that one transaction inserts
// and another deletes (a key that was freed since the snapshot can be taken).
[[nodiscard]] bool can_be_ordered(const Case& test, std::string_view dialect);

// `rounds` is increased by each run of the statements. The error is the arena's.
[[nodiscard]] Result<Compared> compare_with_serial(Arena& arena, const Case& test, const Execution& execution,
                                                   std::uint64_t& rounds);

}  // namespace isolde::hunt
