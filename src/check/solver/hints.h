// check/solver/hints.h: what is no evidence, and still hints at the order in which things happened.
//
// In, out: a History and its Problem -> a place for every node, all different.
// Always:  a hint decides nothing: an order that it leads to is a witness by itself, and one that it misses is
//          searched.
// Cost:    linear (radix sort).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/solver/problem.h"

namespace isolde::solver {

enum class Hint : std::uint8_t {
  kClocks,    // the expected order, else database timestamps, else the client's clock
  kFile,      // the order of lines
  kSessions,  // all sessions at one pace
  kDepth,     // how many must come before, by what is known
};

// Those that say something about this history, the most telling first.
[[nodiscard]] std::vector<Hint> hints_for(const History& history);
[[nodiscard]] std::vector<std::uint32_t> ranks(const History& history, const Problem& problem, Hint hint);

}  // namespace isolde::solver
