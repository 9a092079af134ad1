// The lattice of levels against the oracle, on random histories: no history satisfies a level and breaks a weaker one.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "anomaly/level.h"
#include "tests/oracle/oracle.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace lattice_test {

using Verdicts = std::array<OracleVerdict, kLevelCount>;

Verdicts judge_all(OracleCase& truth, OracleEvidence use) {
  Verdicts out{};
  for (const LevelInfo& row : all_levels()) out[static_cast<std::size_t>(row.level)] = truth(row.level, use);
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
  const std::uint64_t histories = effort::tries(2'000);
  Rng rng(effort::seed(GetParam()));
  std::array<std::uint64_t, kLevelCount> satisfied{};
  std::array<std::uint64_t, kLevelCount> violated{};
  std::uint64_t overwritten_in_a_cycle = 0;
  for (std::uint64_t i = 0; i < histories && !::testing::Test::HasFatalFailure(); ++i) {
    RandomOptions options;
    options.registers_only = i % 2 == 0;
    const History h = random_history(rng, options);
    OracleCase truth(h);
    const Verdicts bare = judge_all(truth, OracleEvidence::kNone);
    expect_lattice(bare, h, false);
    const Verdicts by_versions = judge_all(truth, OracleEvidence::kVersions);
    expect_lattice(by_versions, h, false);
    overwritten_in_a_cycle += by_versions[0] == OracleVerdict::kViolated ? 1 : 0;
    // Timestamps mean points to one family and places to the other.
    expect_lattice(judge_all(truth, OracleEvidence::kTimestamps), h, true);
    for (std::size_t level = 0; level < bare.size(); ++level) {
      satisfied[level] += bare[level] == OracleVerdict::kSatisfied ? 1 : 0;
      violated[level] += bare[level] == OracleVerdict::kViolated ? 1 : 0;
    }
  }
  for (const LevelInfo& row : all_levels()) {
    const auto level = static_cast<std::size_t>(row.level);
    RecordProperty(std::string(row.name),
                   std::to_string(satisfied[level]) + " satisfied, " + std::to_string(violated[level]) + " violated");
    // Random histories must be worth something: both verdicts occur often.
    EXPECT_TRUE(effort::reaches(0.3, satisfied[level], histories)) << row.name << ": " << satisfied[level];
    if (row.level == Level::kReadUncommitted) continue;  // broken only by version orders, see below
    EXPECT_TRUE(effort::reaches(1.0 / 12, violated[level], histories)) << row.name << ": " << violated[level];
  }
  EXPECT_TRUE(effort::reaches(0.001, overwritten_in_a_cycle, histories)) << overwritten_in_a_cycle;
}

INSTANTIATE_TEST_SUITE_P(Seeds, Lattice, ::testing::Values(11, 12, 13, 14));

}  // namespace lattice_test
}  // namespace isolde
