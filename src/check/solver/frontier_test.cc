#include "check/solver/frontier.h"

#include <gtest/gtest.h>

#include "check/solver/polygraph.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/solver_problem.h"

namespace isolde::solver {
namespace frontier_test {

using Outcome = Found::Outcome;

TEST(Frontier, FindsAnOrderExactlyWhereThePolygraphDoes) {
  std::uint64_t orders = 0, none = 0;
  const std::uint64_t tried = for_random_problems(4, 3000, 12, [&](const SolverProblem& one, Rng& rng) {
    SearchStats stats;
    const Outcome expected = solve_polygraph(one.problem, {}, stats).outcome;
    const FrontierResult found = order_by_frontiers(one.problem, random_ranks(rng, one.problem.nodes), {});
    ASSERT_EQ(!found.order.empty(), expected == Outcome::kOrder) << native_text(one.history);
    if (found.order.empty()) {
      ++none;
      ASSERT_TRUE(found.tried_all);
      return;
    }
    ++orders;
    ASSERT_EQ(found.order.size(), one.problem.nodes);
    ASSERT_EQ(order_fault(one.problem, found.order), "") << native_text(one.history);
  });
  EXPECT_TRUE(effort::reaches(1.0 / 3, orders, tried)) << orders << " of " << tried;
  EXPECT_TRUE(effort::reaches(1.0 / 30, none, tried)) << none << " of " << tried;
}

// Starting again loses nothing: what is remembered leads nowhere.
TEST(Frontier, StartsAgainAndRemembers) {
  std::uint64_t again = 0;
  const std::uint64_t tried = for_random_problems(5, 1500, 12, [&](const SolverProblem& one, Rng& rng) {
    const auto ranks = random_ranks(rng, one.problem.nodes);
    const FrontierResult once = order_by_frontiers(one.problem, ranks, {});
    const FrontierResult often = order_by_frontiers(one.problem, ranks, {}, {.most_states = 4'000'000, .first_run = 3});
    again += once.states > 3 ? 1 : 0;
    ASSERT_EQ(once.order.empty(), often.order.empty()) << native_text(one.history);
    if (!often.order.empty()) {
      ASSERT_EQ(order_fault(one.problem, often.order), "") << native_text(one.history);
    }
  });
  EXPECT_TRUE(effort::reaches(1.0 / 4, again, tried)) << again << " of " << tried;
}

TEST(Frontier, EndsWithItsStates) {
  for_random_problems(6, 500, 12, [&](const SolverProblem& one, Rng& rng) {
    const FrontierResult found =
        order_by_frontiers(one.problem, random_ranks(rng, one.problem.nodes), {}, {.most_states = 4, .first_run = 2});
    ASSERT_LE(found.states, 8U);
    if (!found.order.empty()) {
      ASSERT_EQ(order_fault(one.problem, found.order), "");
    }
  });
}

}  // namespace frontier_test
}  // namespace isolde::solver
