// tests/support/solver_problem.h: the Problem that the engine `solver` makes of a history, and what must hold of its
// parts.
//
// In, out: a History, a level -> its Problem and what that is made from; nothing where the engine is done before it.
// Always:  the checks are straight from the definitions in check/solver/problem.h and use no code of the search.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/rng.h"
#include "check/cycles/dependencies.h"
#include "check/cycles/version_order.h"
#include "check/solver/choices.h"
#include "check/solver/problem.h"
#include "tests/support/order_levels.h"

namespace isolde::solver {

struct SolverProblem {
  SolverProblem(History from, Level level);

  History history;
  const graph::LevelRow& row;
  graph::Trace trace;
  graph::VersionOrders orders;
  graph::Dependencies graph;
  Problem problem;
  bool left_out = false;  // some of unknown outcome: a refutation is none
  bool is_open = false;   // neither a fault nor a cycle of what is known decided it

  [[nodiscard]] Source source() const { return {history, trace, orders, graph, row}; }
};

// Null: the engine would not get to its search.
[[nodiscard]] std::unique_ptr<SolverProblem> solver_problem(const History& history, Level level);

// Calls f until `usual` problems of random histories were had (tests/support/effort.h), at all levels in turn, or an
// assertion failed. Returns how many.
std::uint64_t for_random_problems(std::uint64_t usual_seed, std::uint64_t usual, int max_txns,
                                  const std::function<void(const SolverProblem&, Rng&)>& f);

// All numbers below `size`, mixed.
[[nodiscard]] std::vector<std::uint32_t> random_ranks(Rng& rng, std::uint32_t size);

// A set of choices that somebody made.
struct Held {
  std::vector<Choice> choices;
};

[[nodiscard]] bool known_is_acyclic(const Problem& p);
// What is wrong; empty if nothing. An order may end early: then it must be right as far as it goes.
[[nodiscard]] std::string order_fault(const Problem& p, std::span<const Node> order, const Held& held = {});
[[nodiscard]] std::string cycle_fault(const Problem& p, const Cycle& cycle);
// Whether some way to make all choices that the cycles name closes none. Tries all; requires: at most 24 of them.
[[nodiscard]] bool can_avoid(const Problem& p, std::span<const Cycle> cycles);

}  // namespace isolde::solver
