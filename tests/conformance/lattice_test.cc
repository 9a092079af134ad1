// The lattice of levels against the oracle, on random histories: no history satisfies a level and breaks a weaker one.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "anomaly/level.h"
#include "tests/oracle/oracle.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace lattice_test {

using Verdicts = std::array<OracleVerdict, kLevelCount>;

Verdicts judge_all(const History& h, OracleEvidence use) {
  Verdicts out{};
  for (const LevelInfo& row : all_levels()) out[static_cast<std::size_t>(row.level)] = oracle(h, row.level, use);
  return out;
}

void expect_lattice(const Verdicts& verdicts, const History& h, bool one_family) {
  for (const LevelInfo& strong : all_levels()) {
    if (verdicts[static_cast<std::size_t>(strong.level)] != OracleVerdict::kSatisfied) continue;
    for (const LevelInfo& weak : all_levels()) {
      if (!implies(strong.level, weak.level) || (one_family && strong.family != weak.family)) continue;
      // What predicates looked at is no read at repeatable-read.
      if (strong.level == Level::kRepeatableRead && !h.columns().predicates.empty()) continue;
      ASSERT_NE(verdicts[static_cast<std::size_t>(weak.level)], OracleVerdict::kViolated)
          << strong.name << " holds but " << weak.name << " does not:\n"
          << native_text(h);
    }
  }
}

class Lattice : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Lattice, WhatSatisfiesALevelSatisfiesTheWeakerOnes) {
  Rng rng(GetParam());
  std::array<int, kLevelCount> satisfied{};
  std::array<int, kLevelCount> violated{};
  int overwritten_in_a_circle = 0;
  constexpr int kHistories = 10000;
  for (int i = 0; i < kHistories && !::testing::Test::HasFatalFailure(); ++i) {
    RandomOptions options;
    options.registers_only = i % 2 == 0;
    const History h = random_history(rng, options);
    const Verdicts bare = judge_all(h, OracleEvidence::kNone);
    expect_lattice(bare, h, false);
    const Verdicts by_versions = judge_all(h, OracleEvidence::kVersions);
    expect_lattice(by_versions, h, false);
    overwritten_in_a_circle += by_versions[0] == OracleVerdict::kViolated ? 1 : 0;
    // Timestamps mean points to one family and places to the other.
    expect_lattice(judge_all(h, OracleEvidence::kTimestamps), h, true);
    for (std::size_t level = 0; level < bare.size(); ++level) {
      satisfied[level] += bare[level] == OracleVerdict::kSatisfied ? 1 : 0;
      violated[level] += bare[level] == OracleVerdict::kViolated ? 1 : 0;
    }
  }
  for (const LevelInfo& row : all_levels()) {
    const auto level = static_cast<std::size_t>(row.level);
    RecordProperty(std::string(row.name), satisfied[level]);
    if (std::getenv("ISOLDE_SHOW_BALANCE") != nullptr) {
      std::printf("%-36s %6d satisfied %6d violated\n", std::string(row.name).c_str(), satisfied[level],
                  violated[level]);
    }
    // Random histories must be worth something: both verdicts occur often.
    EXPECT_GT(satisfied[level], kHistories * 3 / 10) << row.name;
    if (row.level == Level::kReadUncommitted) continue;  // broken only by version orders, see below
    EXPECT_GT(violated[level], kHistories / 12) << row.name;
  }
  EXPECT_GT(overwritten_in_a_circle, kHistories / 1000);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Lattice, ::testing::Values(11, 12, 13, 14));

}  // namespace lattice_test
}  // namespace isolde
