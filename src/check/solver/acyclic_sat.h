// check/solver/acyclic_sat.h: choices that must leave a graph without a cycle, by a SAT solver that knows about
// graphs.
//
// In, out: nodes, edges that stand, edges that stand if literals are true, clauses -> an order of the nodes, or the
//          cycles that no values avoid.
// Always:  kNone: the cycles found, as clauses, and the clauses given have no solution together.
// Cost:    an edge that fits the order at hand is free; else the nodes between its ends are put in order anew. A guide
//          makes variables only where the order at hand is wrong, so that most choices are never made.
// Source:  MiniSat; Pearce and Kelly (order of a growing graph); MonoSAT (graphs inside the solver).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/limits.h"
#include "check/solver/reachability.h"

namespace isolde::solver {

class AcyclicSolver {
 public:
  using Node = std::uint32_t;
  using Literal = std::uint32_t;  // 2 * variable, one more if it must be false
  using Edge = Reachability::Edge;
  static constexpr Literal kNoLiteral = kNone32;
  enum class Outcome : std::uint8_t { kOrder, kNone, kLimit };
  enum class Value : std::uint8_t { kOpen, kTrue, kFalse };

  // Says what is to be chosen next.
  class Guide {
   public:
    virtual ~Guide() = default;
    enum class Step : std::uint8_t { kTry, kAgain, kDone };
    // Asked when all that is true has had its consequences. May make variables, clauses and edges.
    // kTry: `literal`, which is open, is tried; kAgain: edges were made or insisted on whose literals are true;
    // kDone: the order at hand is good as it is.
    virtual Step next(Literal& literal) = 0;
    // Nodes at this place and after it may be others now.
    virtual void moved(std::uint32_t place) = 0;
  };

  // Requires: `order` has every node, and each fixed edge goes forward in it.
  AcyclicSolver(std::span<const Node> order, std::span<const Edge> fixed);
  ~AcyclicSolver();
  AcyclicSolver(const AcyclicSolver&) = delete;
  AcyclicSolver& operator=(const AcyclicSolver&) = delete;

  // `guess` is the value that is tried first where no guide chooses.
  [[nodiscard]] std::uint32_t add_variable(bool guess);
  // Stands if the literal is true, or both are. Edges are numbered: the fixed ones first, then these.
  std::uint32_t add_edge(Literal literal, Literal second, Node from, Node to);
  // Requires, while solving: two of its literals at least are open.
  void add_clause(std::span<const Literal> clause);
  // Sees to it that an edge whose literals are true is in the graph. (ArrivalReader back later choices may have removed
  // it.)
  void insist(std::uint32_t edge);

  // Without a guide every variable is given a value.
  [[nodiscard]] Outcome solve(const Limits& limits, Guide* guide = nullptr);

  [[nodiscard]] Value value(std::uint32_t variable) const;
  // What the variable was last, or else the guess.
  [[nodiscard]] bool last_value(std::uint32_t variable) const;
  // The order at hand; after kOrder the one that was found.
  [[nodiscard]] Node node_at(std::uint32_t place) const;
  [[nodiscard]] std::uint32_t place_of(Node node) const;
  [[nodiscard]] std::uint64_t conflicts() const;
  // The edges of each cycle that was found on the way, one after the other.
  [[nodiscard]] std::size_t cycles() const;
  [[nodiscard]] std::span<const std::uint32_t> cycle(std::size_t index) const;

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace isolde::solver
