#include "check/solver/stuck.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/solver_problem.h"

namespace isolde::solver {
namespace stuck_test {

// Whether what ran, and what is held, is as the choice says.
bool is_made(const Problem& p, const Schedule& schedule, const Held& held, const Choice& c) {
  if (std::find(held.choices.begin(), held.choices.end(), c) != held.choices.end()) return true;
  if (!c.is_order()) return false;
  // The first one ran, or has the lock; the other did not.
  return schedule.is_done(p.overwrite_node(c.first)) && !schedule.is_done(p.write_node(c.second));
}

void expect_cycles(const SolverProblem& one, const Schedule& schedule, const Held& held, CycleFinder& finder,
                   std::size_t& found) {
  const Problem& p = one.problem;
  const auto cycles = finder.find(schedule);
  found += cycles.size();
  ASSERT_TRUE(!cycles.empty() || !schedule.reads_without_value().empty()) << native_text(one.history);
  for (const Cycle& cycle : cycles) {
    ASSERT_EQ(cycle_fault(p, cycle), "") << native_text(one.history);
    for (const Link& link : cycle) ASSERT_FALSE(schedule.is_done(link.from));
    const auto choices = choices_of(p, cycle);
    for (const Choice& c : choices) ASSERT_TRUE(is_made(p, schedule, held, c)) << native_text(one.history);
    ASSERT_TRUE(!choices.empty() || !known_is_acyclic(p)) << native_text(one.history);
  }
}

TEST(Stuck, CyclesCloseAndFollowFromWhatIsKnownAndChosen) {
  std::size_t cycles = 0;
  std::uint64_t stuck = 0;
  const std::uint64_t tried = for_random_problems(1, 2500, 14, [&](const SolverProblem& one, Rng& rng) {
    Schedule schedule(one.problem, random_ranks(rng, one.problem.nodes));
    if (schedule.run({}) == Schedule::End::kAll) return;
    ++stuck;
    CycleFinder finder(one.problem);
    expect_cycles(one, schedule, {}, finder, cycles);
    // It leaves nothing behind that a second look would trip over.
    expect_cycles(one, schedule, {}, finder, cycles);
  });
  EXPECT_TRUE(effort::reaches(0.12, stuck, tried)) << stuck << " of " << tried;
  EXPECT_TRUE(effort::reaches(0.16, cycles, tried)) << cycles << " of " << tried;
}

TEST(Stuck, CyclesNameTheChoicesThatAreHeld) {
  std::size_t cycles = 0;
  const std::uint64_t tried = for_random_problems(2, 2500, 14, [&](const SolverProblem& one, Rng& rng) {
    const Problem& p = one.problem;
    Schedule schedule(p, random_ranks(rng, p.nodes));
    Held held;
    for (int i = 0; i < 6 && p.writers_begin.size() > 1; ++i) {
      const auto writers = p.writers_of(KeyId{static_cast<std::uint32_t>(rng.below(p.writers_begin.size() - 1))});
      if (writers.size() < 2) continue;
      const Choice c{writers[rng.below(writers.size())], writers[rng.below(writers.size())], kNoRead};
      const bool again = std::any_of(held.choices.begin(), held.choices.end(), [&](const Choice& other) {
        return pair_id(other.first, other.second) == pair_id(c.first, c.second);
      });
      if (c.first == c.second || again) continue;
      schedule.hold_order(c.first, c.second);
      held.choices.push_back(c);
    }
    for (std::uint32_t r = 0; r < p.reads.size(); ++r) {
      const TxnId writer = p.candidates_of(p.reads[r])[rng.below(p.reads[r].count)];
      if (p.reads[r].is_fixed() || writer == p.reads[r].txn || rng.chance(0.5)) continue;
      schedule.hold_source(r, writer);
      held.choices.push_back({writer, kNoTxn, r});
    }
    if (schedule.run({}) == Schedule::End::kAll) return;
    CycleFinder finder(p);
    expect_cycles(one, schedule, held, finder, cycles);
  });
  EXPECT_TRUE(effort::reaches(0.16, cycles, tried)) << cycles << " of " << tried;
}

// C read A's x and B's y; both wrote both.
TEST(Stuck, AFracturedReadIsACycleWithOneChoice) {
  const auto one = solver_problem(hist("A: w x1 w y1 | B: w x2 w y2 | C: r x1 r y2"), Level::kSerializable);
  ASSERT_NE(one, nullptr);
  Schedule schedule(one->problem, {0, 1, 2});
  ASSERT_EQ(schedule.run({}), Schedule::End::kStuck);
  CycleFinder finder(one->problem);
  const auto cycles = finder.find(schedule);
  ASSERT_FALSE(cycles.empty());
  EXPECT_EQ(choices_of(one->problem, cycles[0]), (std::vector{Choice{TxnId{0}, TxnId{1}, kNoRead}}));
}

TEST(Stuck, AValueThatNobodyWritesAnyMoreIsNoCycle) {
  // D and E read x1 from A or C, and then overwrite y; E saw what D wrote.
  const auto one = solver_problem(
      hist("A: w x1 | B: w x2 w y1 | C: w x1 | D: r x1 r y1 | E: r x2 r y1 w z1 | F: r z1 r x1"), Level::kSerializable);
  ASSERT_NE(one, nullptr);
  Schedule schedule(one->problem, {0, 2, 1, 3, 4, 5});
  ASSERT_EQ(schedule.run({}), Schedule::End::kStuck);
  CycleFinder finder(one->problem);
  EXPECT_TRUE(finder.find(schedule).empty());
  EXPECT_FALSE(schedule.reads_without_value().empty());
}

}  // namespace stuck_test
}  // namespace isolde::solver
