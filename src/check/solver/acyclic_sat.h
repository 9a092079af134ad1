// check/solver/acyclic_sat.h: choices that must leave a graph without a circle, by a SAT solver that knows about
// graphs.
//
// In, out: nodes, edges that stand, edges that stand if a literal is true, clauses -> values and an order of the nodes,
//          or the circles that no values avoid.
// Always:  kNone: the circles found, as clauses, and the clauses given have no solution together.
// Cost:    an edge that fits the order at hand is free; else the nodes between its ends are put in order anew.
// Source:  MiniSat; Pearce and Kelly (order of a growing graph); MonoSAT (graphs inside the solver).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/limits.h"
#include "check/solver/reachability.h"

namespace isolde::solver {

class AcyclicSolver {
 public:
  using Node = std::uint32_t;
  using Literal = std::uint32_t;  // 2 * variable, one more if it must be false
  using Edge = Reachability::Edge;
  enum class Outcome : std::uint8_t { kOrder, kNone, kLimit };

  // Requires: `order` has every node, and each fixed edge goes forward in it.
  AcyclicSolver(std::span<const Node> order, std::span<const Edge> fixed);
  ~AcyclicSolver();
  AcyclicSolver(const AcyclicSolver&) = delete;
  AcyclicSolver& operator=(const AcyclicSolver&) = delete;

  // `guess` is the value that is tried first; those added first are chosen first.
  [[nodiscard]] std::uint32_t add_variable(bool guess);
  // Edges are numbered: the fixed ones first, then these.
  void add_edge(Literal literal, Node from, Node to);
  void add_clause(std::span<const Literal> clause);

  [[nodiscard]] Outcome solve(const Limits& limits);

  [[nodiscard]] bool value(std::uint32_t variable) const;  // after kOrder
  [[nodiscard]] std::uint64_t conflicts() const;
  // The edges of each circle that was found on the way, one after the other.
  [[nodiscard]] std::size_t circles() const;
  [[nodiscard]] std::span<const std::uint32_t> circle(std::size_t index) const;

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace isolde::solver
