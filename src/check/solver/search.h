// check/solver/search.h: an order of all nodes of a Problem, or cycles that show that there is none.
//
// In, out: a Problem, hints -> Found.
// How:     guess: a Schedule runs in the order of a hint; if it gets to the end, that is an order. Where it is stuck,
// the
//          cycles are learned as clauses, a SAT solver gives choices that avoid all that were learned, the schedule
//          takes back what they contradict, and goes on from there.
// Always:  ends: each cycle forbids choices that were made. Clauses hold over all orders, so that no choices left is
//          a proof.
// Cost:    one linear pass if a hint is right; else what is taken back, for each dead end.
// Source:  lazy clause generation; Cobra's and PolySI's problem.
#pragma once

#include <optional>

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "check/solver/hints.h"
#include "check/solver/problem.h"

namespace isolde::solver {

struct SearchOptions {
  // Dead ends, beside one for each node that ran; 0: guess, and learn nothing.
  std::uint64_t most_conflicts = ~std::uint64_t{0};
  // Where to start. None: all hints are tried, and the one that led farthest is put here.
  std::optional<Hint> hint = std::nullopt;
};

[[nodiscard]] Found search(const History& history, const Problem& problem, const Limits& limits, SearchStats& stats,
                           SearchOptions& options);

[[nodiscard]] inline Found search(const History& history, const Problem& problem, const Limits& limits,
                                  SearchStats& stats, SearchOptions&& options = {}) {
  return search(history, problem, limits, stats, options);
}

}  // namespace isolde::solver
