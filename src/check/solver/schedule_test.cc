#include "check/solver/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "check/solver/search.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/solver_problem.h"

namespace isolde::solver {
namespace schedule_test {

using End = Schedule::End;

std::vector<Node> order_of(const Schedule& schedule) { return {schedule.order().begin(), schedule.order().end()}; }

// The end is what it says: all ran, or each of the others waits for one that did not, or for a value.
void expect_end(const Problem& p, const Schedule& schedule, End end) {
  ASSERT_NE(end, End::kLimit);
  ASSERT_EQ(end == End::kAll, schedule.order().size() == p.nodes);
  const auto without = schedule.reads_without_value();
  for (Node v = 0; v < p.nodes; ++v) {
    if (schedule.is_done(v)) {
      ASSERT_EQ(schedule.order()[schedule.place(v)], v);
      continue;
    }
    bool waits =
        std::any_of(without.begin(), without.end(), [&](std::uint32_t r) { return p.read_node(p.reads[r].txn) == v; });
    schedule.for_each_wait(v, [&](const Link& link) {
      waits = true;
      EXPECT_EQ(link.to, v);
      EXPECT_FALSE(schedule.is_done(link.from));
    });
    ASSERT_TRUE(waits) << "node " << v << " could run";
  }
}

// Holds and drops as a search does: what contradicts a choice is taken back first.
class Holder {
 public:
  Holder(const Problem& p, Schedule& schedule) : p_(p), s_(schedule) {}

  void change(Rng& rng) {
    std::vector<Choice> drop, take;
    keep_ = static_cast<std::uint32_t>(s_.order().size());
    for (std::uint64_t i = 1 + rng.below(3); i-- > 0;)
      rng.chance(0.5) ? an_order(rng, drop, take) : a_source(rng, drop, take);
    if (rng.chance(0.2)) keep_ = std::min(keep_, static_cast<std::uint32_t>(rng.below(s_.order().size() + 1)));
    s_.rewind(keep_);
    for (const Choice& c : drop) c.is_order() ? s_.drop_order(c.first, c.second) : s_.drop_source(c.read);
    for (const Choice& c : take) hold(s_, c);
  }

  static void hold(Schedule& schedule, const Choice& c) {
    c.is_order() ? schedule.hold_order(c.first, c.second) : schedule.hold_source(c.read, c.first);
  }
  [[nodiscard]] Held held() const {
    Held out;
    for (const auto& [id, choice] : orders_) out.choices.push_back(choice);
    for (const auto& [read, choice] : sources_) out.choices.push_back(choice);
    return out;
  }

 private:
  void back_to(Node node) {
    if (s_.is_done(node)) keep_ = std::min(keep_, s_.place(node));
  }

  void an_order(Rng& rng, std::vector<Choice>& drop, std::vector<Choice>& take) {
    if (p_.writers_begin.size() < 2) return;
    const auto writers = p_.writers_of(KeyId{static_cast<std::uint32_t>(rng.below(p_.writers_begin.size() - 1))});
    if (writers.size() < 2) return;
    const Choice choice{writers[rng.below(writers.size())], writers[rng.below(writers.size())], kNoRead};
    const std::uint64_t id = pair_id(choice.first, choice.second);
    if (choice.first == choice.second || !once(take, choice)) return;
    if (const auto had = orders_.find(id); had != orders_.end()) {
      drop.push_back(had->second);
      orders_.erase(had);
      if (rng.chance(0.5)) return;
    }
    const Node a = p_.write_node(choice.first), b = p_.overwrite_node(choice.second);
    if (s_.is_done(b) && (!s_.is_done(a) || s_.place(a) > s_.place(b))) back_to(b);
    orders_[id] = choice;
    take.push_back(choice);
  }

  void a_source(Rng& rng, std::vector<Choice>& drop, std::vector<Choice>& take) {
    if (p_.reads.empty()) return;
    const auto r = static_cast<std::uint32_t>(rng.below(p_.reads.size()));
    const Read& read = p_.reads[r];
    const Choice choice{p_.candidates_of(read)[rng.below(read.count)], kNoTxn, r};
    if (read.is_fixed() || choice.first == read.txn || !once(take, choice)) return;
    back_to(p_.read_node(read.txn));
    if (const auto had = sources_.find(r); had != sources_.end()) {
      drop.push_back(had->second);
      sources_.erase(had);
      if (rng.chance(0.5)) return;
    }
    const bool from_start = choice.first == kNoTxn;
    if (from_start || s_.is_done(p_.write_node(choice.first))) {
      for (const TxnId other : p_.writers_of(read.key)) {
        const Node node = p_.write_node(other);
        if (other != choice.first && s_.is_done(node) &&
            (from_start || s_.place(node) > s_.place(p_.write_node(choice.first))))
          back_to(node);
      }
    }
    sources_[r] = choice;
    take.push_back(choice);
  }

  // Of one choice not twice in one change.
  bool once(const std::vector<Choice>& take, const Choice& choice) {
    return std::none_of(take.begin(), take.end(), [&](const Choice& c) {
      if (c.is_order() != choice.is_order()) return false;
      return c.is_order() ? pair_id(c.first, c.second) == pair_id(choice.first, choice.second) : c.read == choice.read;
    });
  }

  const Problem& p_;
  Schedule& s_;
  std::uint32_t keep_ = 0;
  std::map<std::uint64_t, Choice> orders_;
  std::map<std::uint32_t, Choice> sources_;
};

TEST(Schedule, ARankThatIsAnOrderIsGivenBack) {
  std::uint64_t found = 0;
  const std::uint64_t tried = for_random_problems(1, 1000, 14, [&](const SolverProblem& one, Rng&) {
    SearchStats stats;
    const Found order = search(one.history, one.problem, {}, stats, {.most_conflicts = 200});
    if (order.outcome != Found::Outcome::kOrder) return;
    ++found;
    std::vector<std::uint32_t> rank(one.problem.nodes);
    for (std::uint32_t i = 0; i < order.order.size(); ++i) rank[order.order[i]] = i;
    Schedule schedule(one.problem, std::move(rank));
    ASSERT_EQ(schedule.run({}), End::kAll);
    ASSERT_EQ(order_of(schedule), order.order);
  });
  EXPECT_TRUE(effort::reaches(0.3, found, tried)) << found << " of " << tried;
}

TEST(Schedule, WhatRanBreaksNothingWhateverTheRanks) {
  std::uint64_t all = 0, stuck = 0;
  const std::uint64_t tried = for_random_problems(2, 2000, 14, [&](const SolverProblem& one, Rng& rng) {
    Schedule schedule(one.problem, random_ranks(rng, one.problem.nodes));
    const End end = schedule.run({});
    expect_end(one.problem, schedule, end);
    ASSERT_EQ(order_fault(one.problem, schedule.order()), "");
    ++(end == End::kAll ? all : stuck);
  });
  EXPECT_TRUE(effort::reaches(0.1, all, tried)) << all << " of " << tried;
  EXPECT_TRUE(effort::reaches(0.1, stuck, tried)) << stuck << " of " << tried;
}

TEST(Schedule, WhatWasTakenBackRunsAgainAsItDid) {
  for_random_problems(3, 2000, 14, [](const SolverProblem& one, Rng& rng) {
    Schedule schedule(one.problem, random_ranks(rng, one.problem.nodes));
    const End end = schedule.run({});
    const std::vector<Node> first = order_of(schedule);
    // From the start it is the same; from elsewhere what was about to be hurried may come in another order.
    schedule.rewind(0);
    ASSERT_TRUE(schedule.order().empty());
    ASSERT_EQ(schedule.run({}), end);
    ASSERT_EQ(order_of(schedule), first);
    for (int i = 0; i < 3; ++i) {
      const auto keep = static_cast<std::uint32_t>(rng.below(first.size() + 1));
      const std::vector<Node> before = order_of(schedule);
      schedule.rewind(std::min(keep, static_cast<std::uint32_t>(before.size())));
      const std::size_t kept = schedule.order().size();
      const End again = schedule.run({});
      expect_end(one.problem, schedule, again);
      ASSERT_EQ(order_fault(one.problem, schedule.order()), "");
      ASSERT_TRUE(
          std::equal(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(kept), schedule.order().begin()));
    }
    schedule.rewind(0);
    ASSERT_EQ(schedule.run({}), end);
    ASSERT_EQ(order_of(schedule), first);
  });
}

TEST(Schedule, AfterAnyHoldsAndDropsItIsAsOneThatNeverHadOthers) {
  std::uint64_t sources = 0, orders = 0;
  const std::uint64_t tried = for_random_problems(4, 1500, 14, [&](const SolverProblem& one, Rng& rng) {
    const auto rank = random_ranks(rng, one.problem.nodes);
    Schedule schedule(one.problem, rank);
    Holder holder(one.problem, schedule);
    if (rng.chance(0.8)) expect_end(one.problem, schedule, schedule.run({}));
    for (int i = 0; i < 8; ++i) {
      holder.change(rng);
      if (rng.chance(0.2)) continue;
      expect_end(one.problem, schedule, schedule.run({}));
      ASSERT_EQ(order_fault(one.problem, schedule.order(), holder.held()), "");
      if (::testing::Test::HasFatalFailure()) return;
    }
    schedule.rewind(0);
    const End end = schedule.run({});
    Schedule fresh(one.problem, rank);
    for (const Choice& choice : holder.held().choices) {
      Holder::hold(fresh, choice);
      ++(choice.is_order() ? orders : sources);
    }
    ASSERT_EQ(fresh.run({}), end);
    ASSERT_EQ(order_of(fresh), order_of(schedule)) << native_text(one.history);
  });
  if (tried < 500) return;
  EXPECT_GT(orders, tried / 3);
  EXPECT_GT(sources, tried / 5);
}

TEST(Schedule, AWriterWaitsForThoseWhoReadWhatItOverwrites) {
  const auto one = solver_problem(hist("A: w x1 | B: w x2 | C: r x1"), Level::kSerializable);
  ASSERT_NE(one, nullptr);
  Schedule schedule(one->problem, {0, 1, 2});
  ASSERT_EQ(schedule.run({}), End::kAll);
  EXPECT_EQ(order_of(schedule), (std::vector<Node>{0, 2, 1}));
}

TEST(Schedule, AHeldOrderGoesBeforeTheRanks) {
  const auto one = solver_problem(hist("A: w x1 | B: w x2 | C: r x1"), Level::kSerializable);
  ASSERT_NE(one, nullptr);
  Schedule schedule(one->problem, {0, 1, 2});
  schedule.hold_order(TxnId{1}, TxnId{0});
  ASSERT_EQ(schedule.run({}), End::kAll);
  EXPECT_EQ(order_of(schedule), (std::vector<Node>{1, 0, 2}));
  schedule.rewind(0);
  schedule.drop_order(TxnId{1}, TxnId{0});
  ASSERT_EQ(schedule.run({}), End::kAll);
  EXPECT_EQ(order_of(schedule), (std::vector<Node>{0, 2, 1}));
}

TEST(Schedule, AReadWithSeveralWritersTakesAnyUnlessOneIsHeld) {
  const auto one = solver_problem(hist("A: w x1 | B: w x2 | C: w x1 | D: r x1"), Level::kSerializable);
  ASSERT_NE(one, nullptr);
  Schedule schedule(one->problem, {0, 2, 3, 1});
  ASSERT_EQ(schedule.run({}), End::kAll);
  EXPECT_EQ(order_of(schedule), (std::vector<Node>{0, 3, 1, 2}));
  schedule.rewind(0);
  EXPECT_FALSE(schedule.has_source(0));
  schedule.hold_source(0, TxnId{2});
  EXPECT_TRUE(schedule.has_source(0));
  ASSERT_EQ(schedule.run({}), End::kAll);
  EXPECT_EQ(order_of(schedule), (std::vector<Node>{0, 1, 2, 3}));
}

TEST(Schedule, AValueThatIsGoneIsWaitedFor) {
  // B's x1 needs y2, which comes after; A's is overwritten by then.
  const auto one = solver_problem(hist("A: w x1 | B: w x2 | C: w x1 | D: r x1"), Level::kSerializable);
  ASSERT_NE(one, nullptr);
  Schedule schedule(one->problem, {0, 1, 2, 3});
  schedule.hold_order(TxnId{1}, TxnId{2});
  ASSERT_EQ(schedule.run({}), End::kAll);
  EXPECT_EQ(order_of(schedule), (std::vector<Node>{0, 1, 2, 3}));
}

TEST(Schedule, WritersOfAKeyDoNotOverlapUnderSnapshots) {
  const auto one = solver_problem(hist("A: w x1 | B: w x2"), Level::kSnapshotIsolation);
  ASSERT_NE(one, nullptr);
  // Both start, then both commit; not with these.
  Schedule schedule(one->problem, {0, 2, 1, 3});
  ASSERT_EQ(schedule.run({}), End::kAll);
  EXPECT_EQ(order_of(schedule), (std::vector<Node>{0, 1, 2, 3}));
}

TEST(Schedule, WritersOfAKeyMayOverlapUnderPrefix) {
  const auto one = solver_problem(hist("A: w x1 | B: w x2"), Level::kPrefix);
  ASSERT_NE(one, nullptr);
  Schedule schedule(one->problem, {0, 2, 1, 3});
  ASSERT_EQ(schedule.run({}), End::kAll);
  EXPECT_EQ(order_of(schedule), (std::vector<Node>{0, 2, 1, 3}));
}

}  // namespace schedule_test
}  // namespace isolde::solver
