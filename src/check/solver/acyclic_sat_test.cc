#include "check/solver/acyclic_sat.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/rng.h"
#include "tests/support/effort.h"

namespace isolde::solver {
namespace acyclic_sat_test {

using Edge = AcyclicSolver::Edge;
using Outcome = AcyclicSolver::Outcome;

struct Conditional {
  std::uint32_t literal;
  Edge edge;
};
struct Instance {
  std::uint32_t nodes = 0, variables = 0;
  std::vector<Edge> fixed;
  std::vector<Conditional> edges;
  std::vector<std::vector<std::uint32_t>> clauses;
};

bool holds(std::uint32_t literal, std::uint32_t values) {
  return ((values >> (literal / 2)) & 1) == (literal % 2 == 0);
}

bool has_cycle(std::uint32_t nodes, const std::vector<Edge>& edges) {
  std::vector<std::uint32_t> waits(nodes, 0);
  for (const Edge& e : edges) ++waits[e.to];
  std::vector<std::uint32_t> ready;
  for (std::uint32_t v = 0; v < nodes; ++v) {
    if (waits[v] == 0) ready.push_back(v);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (const Edge& e : edges) {
      if (e.from == ready[i] && --waits[e.to] == 0) ready.push_back(e.to);
    }
  }
  return ready.size() < nodes;
}

bool allowed(const Instance& in, std::uint32_t values) {
  for (const auto& clause : in.clauses) {
    if (std::none_of(clause.begin(), clause.end(), [&](std::uint32_t l) { return holds(l, values); })) return false;
  }
  std::vector<Edge> edges = in.fixed;
  for (const Conditional& c : in.edges) {
    if (holds(c.literal, values)) edges.push_back(c.edge);
  }
  return !has_cycle(in.nodes, edges);
}

Instance random_instance(Rng& rng) {
  Instance in;
  in.nodes = static_cast<std::uint32_t>(3 + rng.below(7));
  in.variables = static_cast<std::uint32_t>(1 + rng.below(8));
  const auto node = [&] { return static_cast<std::uint32_t>(rng.below(in.nodes)); };
  for (std::uint64_t i = rng.below(5); i-- > 0;) {
    const std::uint32_t a = node(), b = node();
    if (a != b) in.fixed.push_back({std::min(a, b), std::max(a, b)});
  }
  for (std::uint64_t i = 2 * in.variables + rng.below(20); i-- > 0;) {
    in.edges.push_back({static_cast<std::uint32_t>(rng.below(2 * in.variables)), {node(), node()}});
  }
  for (std::uint64_t i = rng.below(3); i-- > 0;) {
    std::vector<std::uint32_t>& clause = in.clauses.emplace_back();
    for (std::uint64_t j = 1 + rng.below(3); j-- > 0;) {
      clause.push_back(static_cast<std::uint32_t>(rng.below(2 * in.variables)));
    }
  }
  return in;
}

TEST(AcyclicSat, AgreesWithTryingAllValues) {
  const std::uint64_t rounds = effort::tries(3000);
  Rng rng(effort::seed(7));
  std::uint64_t orders = 0, none = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const Instance in = random_instance(rng);
    std::vector<std::uint32_t> order(in.nodes);
    std::iota(order.begin(), order.end(), 0U);
    AcyclicSolver solver(order, in.fixed);
    for (std::uint32_t v = 0; v < in.variables; ++v) ASSERT_EQ(solver.add_variable(rng.below(2) == 0), v);
    for (const Conditional& c : in.edges) solver.add_edge(c.literal, AcyclicSolver::kNoLiteral, c.edge.from, c.edge.to);
    for (const auto& clause : in.clauses) solver.add_clause(clause);
    const Outcome outcome = solver.solve({});

    if (outcome == Outcome::kOrder) {
      ++orders;
      std::uint32_t values = 0;
      for (std::uint32_t v = 0; v < in.variables; ++v)
        values |= (solver.value(v) == AcyclicSolver::Value::kTrue ? 1U : 0U) << v;
      ASSERT_TRUE(allowed(in, values));
      continue;
    }
    ASSERT_EQ(outcome, Outcome::kNone);
    ++none;
    std::vector<std::vector<std::uint32_t>> cycles;  // their literals
    for (std::size_t i = 0; i < solver.cycles(); ++i) {
      const auto cycle = solver.cycle(i);
      cycles.emplace_back();
      for (std::size_t j = 0; j < cycle.size(); ++j) {
        const auto edge = [&](std::uint32_t e) {
          return e < in.fixed.size() ? in.fixed[e] : in.edges[e - in.fixed.size()].edge;
        };
        ASSERT_EQ(edge(cycle[j]).to, edge(cycle[(j + 1) % cycle.size()]).from);
        if (cycle[j] >= in.fixed.size()) cycles.back().push_back(in.edges[cycle[j] - in.fixed.size()].literal);
      }
    }
    for (std::uint32_t values = 0; values < 1U << in.variables; ++values) {
      ASSERT_FALSE(allowed(in, values));
      const bool breaks_clause = std::any_of(in.clauses.begin(), in.clauses.end(), [&](const auto& clause) {
        return std::none_of(clause.begin(), clause.end(), [&](std::uint32_t l) { return holds(l, values); });
      });
      const bool closes = std::any_of(cycles.begin(), cycles.end(), [&](const auto& cycle) {
        return std::all_of(cycle.begin(), cycle.end(), [&](std::uint32_t l) { return holds(l, values); });
      });
      ASSERT_TRUE(breaks_clause || closes);
    }
  }
  EXPECT_TRUE(effort::reaches(0.1, orders, rounds)) << orders << " of " << rounds;
  EXPECT_TRUE(effort::reaches(0.1, none, rounds)) << none << " of " << rounds;
}

// Pigeons in a line: as many orders to choose as nodes, and a cycle among any three that disagree.
TEST(AcyclicSat, ATournamentIsPutInOrderAgainstAllGuesses) {
  constexpr std::uint32_t kNodes = 60;
  std::vector<std::uint32_t> order(kNodes);
  std::iota(order.begin(), order.end(), 0U);
  AcyclicSolver solver(order, {});
  Rng rng(3);
  for (std::uint32_t a = 0; a < kNodes; ++a) {
    for (std::uint32_t b = a + 1; b < kNodes; ++b) {
      const std::uint32_t v = solver.add_variable(rng.below(2) == 0);
      solver.add_edge(2 * v, AcyclicSolver::kNoLiteral, a, b);
      solver.add_edge(2 * v + 1, AcyclicSolver::kNoLiteral, b, a);
    }
  }
  EXPECT_EQ(solver.solve({}), Outcome::kOrder);
}

TEST(AcyclicSat, StopsWhenTheTimeIsUp) {
  std::vector<std::uint32_t> order(300);
  std::iota(order.begin(), order.end(), 0U);
  AcyclicSolver solver(order, {});
  for (std::uint32_t a = 0; a < 300; ++a) {
    for (std::uint32_t b = a + 1; b < 300; ++b) {
      const std::uint32_t v = solver.add_variable(true);
      solver.add_edge(2 * v, AcyclicSolver::kNoLiteral, a, b);
      solver.add_edge(2 * v + 1, AcyclicSolver::kNoLiteral, b, a);
    }
  }
  Limits limits;
  limits.deadline = std::chrono::steady_clock::now();
  EXPECT_EQ(solver.solve(limits), Outcome::kLimit);
}

}  // namespace acyclic_sat_test
}  // namespace isolde::solver
