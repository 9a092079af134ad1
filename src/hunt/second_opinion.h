// hunt/second_opinion.h: the same statements alone, asked of a second plan or of a second server.
//
// A fault that shows in a transaction and alone alike (an index that is not kept up to date) passes every comparison of
// the two. So some cases are also run alone on tables without their indexes, where the server has to find the rows in
// another way; and, if there is a second server, on that one.
//
// In, out: a case and an order of its statements -> what differs; none: nothing, or a statement was refused somewhere.
// Always:  statements depend on nothing but rows (docs/hunt-sql.md; tests/live/hunt_plan_test.cc runs them with and
//          without indexes), so both must answer the same. Unique indexes stay, because they refuse rows.
// Cost:    two runs alone, and for the second plan two schemas made.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "hunt/judge/compare.h"
#include "hunt/run/arena.h"

namespace isolde::hunt {

// The schema without the indexes that only make it faster.
[[nodiscard]] Schema without_indexes(const Schema& schema);

// The errors are the arena's. Ensures: the arena has the case's schema again.
[[nodiscard]] Result<std::optional<Difference>> other_plan(Arena& arena, const Case& test,
                                                           const std::vector<Place>& order, std::uint64_t& rounds);
// `other` is given the case's schema.
[[nodiscard]] Result<std::optional<Difference>> other_server(Arena& arena, Arena& other, const Case& test,
                                                             const std::vector<Place>& order, std::uint64_t& rounds);

// The statements of those transactions that commit, one transaction after the other: what both are asked.
[[nodiscard]] std::vector<Place> one_after_the_other(const Case& test);

}  // namespace isolde::hunt
