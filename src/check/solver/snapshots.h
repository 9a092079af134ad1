// check/solver/snapshots.h: if transactions committed in this order, when did each take its snapshot?
//
// In, out: a place for the commit of every transaction -> for each the last moment up to its commit at which all that
// it
//          read stood there; not before another writer of what it writes had committed. Where there is none: its
//          commit.
// Always:  a hint, and nothing more.
// Cost:    linear in reads and writes, but for sorting; where values repeat, a search among those who wrote them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/solver/problem.h"

namespace isolde::solver {

// `commits`: by transaction, all different. The moment m lies right before the commit at place m.
[[nodiscard]] std::vector<std::uint32_t> snapshot_places(const Problem& problem,
                                                         std::span<const std::uint32_t> commits);

}  // namespace isolde::solver
