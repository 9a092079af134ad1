#include "check/solver/choices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "check/solver/core.h"
#include "tests/support/effort.h"
#include "tests/support/solver_problem.h"

namespace isolde::solver {
namespace choices_test {

using Answer = Choices::Answer;

// Some transactions that write one key, and open reads of others with some of these as candidates.
Problem small_problem(Rng& rng, std::uint32_t writers, std::uint32_t readers) {
  Problem p;
  p.txns = p.nodes = p.first_gate = writers + readers;
  p.begin.assign(p.nodes + 1, 0);
  p.keys_begin.push_back(0);
  p.reads_begin.push_back(0);
  for (std::uint32_t t = 0; t < p.txns; ++t) {
    if (t < writers) {
      p.keys.push_back(KeyId{0});
      p.writers.push_back(TxnId{t});
    } else {
      Read read{TxnId{t}, kNoOp, KeyId{0}, static_cast<std::uint32_t>(p.candidates.size()), 0, t - writers};
      std::vector<TxnId> possible{kNoTxn};
      for (std::uint32_t w = 0; w < writers; ++w) possible.push_back(TxnId{w});
      for (std::size_t left = 2 + rng.below(writers - 1); left-- > 0;) {
        const auto at = possible.begin() + static_cast<std::ptrdiff_t>(rng.below(possible.size()));
        p.candidates.push_back(*at);
        possible.erase(at);
      }
      read.count = static_cast<std::uint32_t>(p.candidates.size()) - read.first;
      p.reads.push_back(read);
    }
    p.keys_begin.push_back(static_cast<std::uint32_t>(p.keys.size()));
    p.reads_begin.push_back(static_cast<std::uint32_t>(p.reads.size()));
  }
  p.writers_begin = {0, writers};
  p.values = readers;
  return p;
}

// What was chosen, as it was told.
class Told {
 public:
  explicit Told(const Problem& p) : p_(p) {}

  void hear(const std::vector<Choice>& changed) {
    for (const Choice& c : changed) {
      if (c.is_order()) orders_[pair_id(c.first, c.second)] = c;
      if (!c.is_order()) sources_[c.read] = c.first;
    }
  }
  [[nodiscard]] bool is_made(const Choice& c) const {
    if (!c.is_order()) return sources_.contains(c.read) && sources_.at(c.read) == c.first;
    const auto at = orders_.find(pair_id(c.first, c.second));
    return at != orders_.end() && at->second == c;
  }
  // A cycle of choices as they stand; of what is new, any.
  Cycle random_cycle(Rng& rng, std::size_t size) {
    Cycle out;
    std::map<std::uint64_t, bool> named;
    while (out.size() < size) {
      if (!p_.reads.empty() && rng.chance(0.3)) {
        const auto r = static_cast<std::uint32_t>(rng.below(p_.reads.size()));
        const Read& read = p_.reads[r];
        const auto [at, fresh] = sources_.try_emplace(r, p_.candidates_of(read)[rng.below(read.count)]);
        if (at->second == kNoTxn || rng.chance(0.3)) {
          const TxnId b = p_.writers[rng.below(p_.writers.size())];
          if (at->second == b || (at->second != kNoTxn && before(at->second, b) != Choice{at->second, b, kNoRead}))
            continue;
          out.push_back({Link::Kind::kAnti, p_.read_node(read.txn), p_.write_node(b), at->second, b, r});
        } else {
          out.push_back(
              {Link::Kind::kFrom, p_.write_node(at->second), p_.read_node(read.txn), at->second, read.txn, r});
        }
        continue;
      }
      const TxnId a = p_.writers[rng.below(p_.writers.size())], b = p_.writers[rng.below(p_.writers.size())];
      if (a == b) continue;
      const Choice c = before(a, b);
      out.push_back({Link::Kind::kBefore, p_.write_node(c.first), p_.write_node(c.second), c.first, c.second});
    }
    return out;
  }

 private:
  Choice before(TxnId a, TxnId b) { return orders_.try_emplace(pair_id(a, b), Choice{a, b, kNoRead}).first->second; }

  const Problem& p_;
  std::map<std::uint64_t, Choice> orders_;
  std::map<std::uint32_t, TxnId> sources_;
};

TEST(Choices, AreMadeExactlyIfTheyCanBe) {
  const std::uint64_t rounds = effort::tries(200);
  Rng rng(effort::seed(1));
  std::uint64_t impossible = 0;
  std::size_t most_cycles = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto readers = static_cast<std::uint32_t>(rng.below(3));
    const Problem p = small_problem(rng, static_cast<std::uint32_t>(3 + rng.below(2)), readers);
    Choices choices(p, [&](const Choice& c) { return raw(c.first); });
    Told told(p);
    std::vector<Cycle> cycles;
    for (int step = 0; step < 200; ++step) {
      for (std::uint64_t i = 1 + rng.below(2); i-- > 0;) {
        const Cycle cycle = told.random_cycle(rng, 2 + rng.below(3));
        if (choices.forbid(cycle)) cycles.push_back(cycle);
      }
      const Answer answer = choices.settle({});
      ASSERT_EQ(answer, can_avoid(p, cycles) ? Answer::kChosen : Answer::kImpossible) << "round " << round;
      if (answer == Answer::kImpossible) {
        ++impossible;
        most_cycles = std::max(most_cycles, cycles.size());
        const std::vector<Cycle> core = minimal_core(p, choices.cycles(), {}).value();
        ASSERT_LE(core.size(), cycles.size());
        ASSERT_FALSE(can_avoid(p, core)) << "round " << round;
        for (std::size_t i = 0; i < core.size(); ++i) {
          std::vector<Cycle> less = core;
          less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
          ASSERT_TRUE(can_avoid(p, less)) << "round " << round << ": a cycle of the core can be left out";
        }
        ASSERT_EQ(choices.settle({}), Answer::kImpossible) << "it stays so";
        break;
      }
      told.hear(choices.changed());
      for (const Cycle& cycle : cycles) {
        const auto all = choices_of(p, cycle);
        ASSERT_FALSE(std::all_of(all.begin(), all.end(), [&](const Choice& c) { return told.is_made(c); }))
            << "round " << round << ", step " << step;
      }
    }
  }
  EXPECT_TRUE(effort::reaches(2.0 / 3, impossible, rounds)) << impossible << " of " << rounds;
  if (rounds >= 200) {
    EXPECT_GT(most_cycles, 15U);
  }
}

TEST(Choices, ACycleIsLearnedOnce) {
  Rng rng(1);
  const Problem p = small_problem(rng, 3, 0);
  Choices choices(p, [](const Choice&) { return 0; });
  const Cycle cycle{{Link::Kind::kBefore, 0, 1, TxnId{0}, TxnId{1}}, {Link::Kind::kBefore, 1, 2, TxnId{1}, TxnId{2}}};
  EXPECT_TRUE(choices.forbid(cycle));
  EXPECT_FALSE(choices.forbid(cycle));
  EXPECT_EQ(choices.orders(), 2U);
}

TEST(Choices, WhatOnlyOneChoiceIsLeftOfIsFixed) {
  Rng rng(1);
  const Problem p = small_problem(rng, 3, 0);
  Choices choices(p, [](const Choice&) { return 0; });
  EXPECT_TRUE(choices.forbid({{Link::Kind::kBefore, 0, 1, TxnId{0}, TxnId{1}}}));
  ASSERT_EQ(choices.settle({}), Answer::kChosen);
  ASSERT_EQ(choices.changed().size(), 1U);
  EXPECT_EQ(choices.changed()[0], (Choice{TxnId{1}, TxnId{0}, kNoRead}));
  EXPECT_EQ(choices.fixed(), 1U);
  EXPECT_TRUE(choices.forbid({{Link::Kind::kBefore, 1, 0, TxnId{1}, TxnId{0}}}));
  ASSERT_EQ(choices.settle({}), Answer::kImpossible);
  EXPECT_EQ(minimal_core(p, choices.cycles(), {}).value().size(), 2U);
}

TEST(Choices, ACycleWithoutAChoiceIsTheEnd) {
  Rng rng(1);
  const Problem p = small_problem(rng, 3, 0);
  Choices choices(p, [](const Choice&) { return 0; });
  choices.forbid({{Link::Kind::kBefore, 0, 1, TxnId{0}, TxnId{1}}});
  choices.forbid({{Link::Kind::kKnown, 0, 1}, {Link::Kind::kKnown, 1, 0}});
  ASSERT_EQ(choices.settle({}), Answer::kImpossible);
  const auto core = minimal_core(p, choices.cycles(), {}).value();
  ASSERT_EQ(core.size(), 1U);
  EXPECT_EQ(core[0].size(), 2U);
}

TEST(Choices, AReadThatIsOpenedHasTheWriterThatWasSaid) {
  Rng rng(5);
  const Problem p = small_problem(rng, 3, 1);
  const TxnId last = p.candidates_of(p.reads[0]).back();
  Choices choices(p, [](const Choice&) { return 0; });
  choices.open(0, last);
  ASSERT_EQ(choices.settle({}), Answer::kChosen);
  ASSERT_EQ(choices.changed().size(), 1U);
  EXPECT_EQ(choices.changed()[0], (Choice{last, kNoTxn, 0}));
}

TEST(Choices, AnAntiDependencyRestsOnTheReadAndOnTheOrder) {
  Rng rng(1);
  Problem p = small_problem(rng, 3, 1);
  const TxnId a{1};
  p.candidates[p.reads[0].first] = a;
  const Link link{Link::Kind::kAnti, 3, 0, a, TxnId{0}, 0};
  EXPECT_EQ(choices_in(p, link), 2U);
  p.reads[0].count = 1;
  EXPECT_EQ(choices_in(p, link), 1U);
  EXPECT_EQ(choices_of(p, {link, link}).size(), 1U);
  EXPECT_EQ(choices_in(p, {Link::Kind::kAnti, 3, 0, kNoTxn, TxnId{0}, 0}), 0U);
}

}  // namespace choices_test
}  // namespace isolde::solver
