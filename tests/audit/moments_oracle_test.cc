// What can_happen says against all that a tiny database does: every set of dependencies that comes to pass must be
// allowed, and every set that is allowed, with a direction for each two operations on one row, must come to pass.
#include <gtest/gtest.h>

#include <algorithm>

#include "audit/cycles/moments.h"
#include "audit/cycles/row_conflicts.h"
#include "tests/audit/toy_levels.h"
#include "tests/support/effort.h"
#include "tests/support/small_classes.h"

namespace isolde::audit {
namespace moments_oracle_test {

using testing::ToyCase;
using testing::ToyPair;

constexpr std::size_t kMostPairs = 9;  // so that all directions can be tried

struct Question {
  Question(const ToyCase& one, std::vector<ToyPair> all, WeakLevel at)
      : classes(testing::small_classes(one.text())), pairs(std::move(all)), level(at) {
    for (std::uint32_t i = 0; i < one.members.size(); ++i) members.push_back(ClassId(i));
  }
  [[nodiscard]] CycleEdge edge(const ToyPair& pair, bool b_first) const {
    const auto access = [&](std::uint32_t member, std::uint32_t operation) -> const Access& {
      return classes.classes[member].operations[operation].access;
    };
    const Access &a = access(pair.member_a, pair.a), &b = access(pair.member_b, pair.b);
    if (b_first) {
      return {pair.member_b, pair.member_a, {pair.b, pair.a, b.column, conflict_on_row(b, a, level).value(), false}};
    }
    return {pair.member_a, pair.member_b, {pair.a, pair.b, a.column, conflict_on_row(a, b, level).value(), false}};
  }
  [[nodiscard]] bool can(std::uint64_t outcome) const {
    std::vector<CycleEdge> edges;
    for (std::size_t i = 0; i < pairs.size(); ++i) edges.push_back(edge(pairs[i], (outcome >> i & 1) != 0));
    return can_happen(classes, members, edges, level, TimingRule::kMoments);
  }
  Classes classes;
  std::vector<ToyPair> pairs;
  std::vector<ClassId> members;
  WeakLevel level;
};

class MomentsOracle : public ::testing::TestWithParam<WeakLevel> {};

TEST_P(MomentsOracle, WhatComesToPassIsAllowedAndWhatIsAllowedComesToPass) {
  const std::uint64_t wanted = effort::tries(1'500);
  Rng rng(effort::seed(20260 + static_cast<std::uint64_t>(GetParam())));
  std::uint64_t cases = 0, outcomes = 0, forbidden = 0;
  while (cases < wanted && !HasFailure()) {
    const ToyCase one = testing::random_case(rng);
    const std::vector<ToyPair> all = testing::pairs_of(one, GetParam());
    if (all.size() < 2 || all.size() > kMostPairs) continue;
    ++cases;
    {
      const Question question(one, all, GetParam());
      for (const std::uint64_t outcome : testing::all_outcomes(one, all, GetParam())) {
        ++outcomes;
        EXPECT_TRUE(question.can(outcome)) << one.text() << "outcome " << outcome;
      }
    }
    // MySQL's rr: what a read of a row that the reader itself changed sees is what its change saw. The read by itself
    // says less, so that only the change is asked about.
    std::vector<ToyPair> exact = all;
    if (GetParam() == WeakLevel::kMysqlRepeatableRead) std::erase_if(exact, &ToyPair::reads_own_row);
    const Question question(one, exact, GetParam());
    const std::vector<std::uint64_t> seen = testing::all_outcomes(one, exact, GetParam());
    for (std::uint64_t outcome = 0; outcome < std::uint64_t{1} << exact.size(); ++outcome) {
      if (!question.can(outcome)) {
        ++forbidden;
      } else {
        EXPECT_TRUE(std::ranges::binary_search(seen, outcome)) << one.text() << "outcome " << outcome;
      }
    }
  }
  RecordProperty("outcomes", std::to_string(outcomes));
  RecordProperty("forbidden", std::to_string(forbidden));
  if (cases < 100) return;
  EXPECT_GT(outcomes, cases);
  EXPECT_GT(forbidden, cases);
}

std::string level_name(const ::testing::TestParamInfo<WeakLevel>& level) {
  constexpr std::string_view kNames[] = {"ReadCommitted", "MysqlRepeatableRead", "Snapshot"};
  return std::string(kNames[static_cast<std::size_t>(level.param)]);
}

INSTANTIATE_TEST_SUITE_P(Levels, MomentsOracle,
                         ::testing::Values(WeakLevel::kReadCommitted, WeakLevel::kMysqlRepeatableRead,
                                           WeakLevel::kSnapshotIsolation),
                         level_name);

}  // namespace moments_oracle_test
}  // namespace isolde::audit
