#include "check/solver/search.h"

#include <gtest/gtest.h>

#include "check/solver/polygraph.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/solver_problem.h"

namespace isolde::solver {
namespace search_test {

using Outcome = Found::Outcome;

TEST(Search, FindsAnOrderExactlyWhereThePolygraphDoes) {
  std::uint64_t orders = 0, none = 0;
  std::uint64_t conflicts = 0;
  const std::uint64_t tried = for_random_problems(1, 3000, 16, [&](const SolverProblem& one, Rng&) {
    SearchStats stats, other;
    const Found found = search(one.history, one.problem, {}, stats);
    ASSERT_EQ(found.outcome, solve_polygraph(one.problem, {}, other).outcome) << found.limit << "\n"
                                                                              << native_text(one.history);
    conflicts += stats.conflicts;
    if (found.outcome == Outcome::kOrder) {
      ++orders;
      ASSERT_EQ(found.order.size(), one.problem.nodes);
      ASSERT_EQ(order_fault(one.problem, found.order), "") << native_text(one.history);
      return;
    }
    ++none;
    for (const Cycle& cycle : found.cycles) ASSERT_EQ(cycle_fault(one.problem, cycle), "");
  });
  EXPECT_TRUE(effort::reaches(1.0 / 3, orders, tried)) << orders << " of " << tried;
  EXPECT_TRUE(effort::reaches(1.0 / 30, none, tried)) << none << " of " << tried;
  if (tried >= 1000) {
    EXPECT_GT(conflicts, tried / 6);
  }
}

TEST(Search, CyclesThatLeaveNoOrderCannotBeAvoided) {
  std::uint64_t none = 0;
  const std::uint64_t tried = for_random_problems(2, 5000, 8, [&](const SolverProblem& one, Rng&) {
    SearchStats stats;
    const Found found = search(one.history, one.problem, {}, stats);
    ASSERT_NE(found.outcome, Outcome::kLimit) << found.limit;
    if (found.outcome == Outcome::kOrder || found.cycles.size() > 12) return;
    ++none;
    ASSERT_FALSE(can_avoid(one.problem, found.cycles)) << native_text(one.history);
  });
  EXPECT_TRUE(effort::reaches(0.01, none, tried)) << none << " of " << tried;
}

TEST(Search, WithoutDeadEndsItIsAGuess) {
  const auto one = solver_problem(hist("A: w x1 w y1 | B: w x2 w y2 | C: r x1 r y2"), Level::kSerializable);
  ASSERT_NE(one, nullptr);
  SearchStats stats;
  EXPECT_EQ(search(one->history, one->problem, {}, stats, {.most_conflicts = 0}).outcome, Outcome::kLimit);
  EXPECT_EQ(stats.conflicts, 0U);
  EXPECT_EQ(search(one->history, one->problem, {}, stats).outcome, Outcome::kNone);
  EXPECT_GT(stats.conflicts, 0U);
}

TEST(Search, NothingHasAnOrder) {
  const auto one = solver_problem(hist("A: r x_"), Level::kSnapshotIsolation);
  ASSERT_NE(one, nullptr);
  SearchStats stats;
  EXPECT_EQ(search(one->history, one->problem, {}, stats).outcome, Outcome::kOrder);
}

TEST(Search, OutOfTimeIsSaid) {
  std::uint64_t late = 0;
  const std::uint64_t tried = for_random_problems(3, 1500, 16, [&](const SolverProblem& one, Rng&) {
    SearchStats stats;
    if (search(one.history, one.problem, {}, stats).outcome == Outcome::kLimit || stats.conflicts < 3) return;
    ++late;
    Limits limits;
    limits.deadline = std::chrono::steady_clock::now();
    const Found found = search(one.history, one.problem, limits, stats);
    ASSERT_EQ(found.outcome, Outcome::kLimit);
    ASSERT_NE(found.limit.find("time limit"), std::string::npos) << found.limit;
  });
  EXPECT_TRUE(effort::reaches(1.0 / 75, late, tried)) << late << " of " << tried;
}

TEST(Search, OutOfStepsIsSaidAndComesAtTheSamePlace) {
  std::uint64_t cut = 0;
  const std::uint64_t tried = for_random_problems(3, 1500, 16, [&](const SolverProblem& one, Rng&) {
    WorkBudget all;
    Limits limits;
    limits.work = &all;
    SearchStats stats;
    if (search(one.history, one.problem, limits, stats).outcome == Outcome::kLimit || stats.conflicts < 3) return;
    std::string first;
    for (int time = 0; time < 2; ++time) {
      WorkBudget half(all.spent() / 2, "the search");
      limits.work = &half;
      SearchStats again;
      const Found found = search(one.history, one.problem, limits, again);
      if (found.outcome != Outcome::kLimit) return;
      ++cut;
      ASSERT_NE(found.limit.find("the search reached its limit"), std::string::npos) << found.limit;
      if (time == 0) first = found.limit;
      ASSERT_EQ(found.limit, first);
    }
  });
  EXPECT_TRUE(effort::reaches(1.0 / 150, cut / 2, tried)) << cut << " of " << tried;
}

}  // namespace search_test
}  // namespace isolde::solver
