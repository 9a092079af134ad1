// A cluster in one thread. What it reports must be what one engine reports of the same transactions, each once.
#include <gtest/gtest.h>

#include "cluster/simulation_testing.h"
#include "tests/support/effort.h"

namespace isolde::cluster {

using namespace simulation_test;

// A stream so small that what was checked has to be dropped for the next to come. (Much smaller, and what is sent again
// can fill it: repetitions are dropped only with a later batch.)
constexpr std::uint64_t kSmall = 40 << 10;

TEST(ClusterSimulation, AValidStreamIsSatisfied) {
  for (const std::uint64_t seed : effort::seeds(100, 6)) {
    const Generated g = made(seed, false);
    const Outcome out = Simulation(g.history, plan_of(5), {}, seed).run();
    ASSERT_TRUE(out.ended) << seed;
    EXPECT_EQ(out.summary.outcome, isolde::Outcome::kSatisfied) << seed << ": " << out.summary.reason;
    EXPECT_EQ(out.reported, 0U);
  }
}

TEST(ClusterSimulation, PlantedViolationsAreFoundOnceWhateverIsKilled) {
  for (const std::uint64_t seed : effort::seeds(200, 20)) {
    const Generated g = made(seed, true);
    const Outcome out = Simulation(g.history, plan_of(5), {0.03, 0.2, 0.3, 0.05}, seed).run();
    ASSERT_TRUE(out.ended) << seed << " after " << out.kills << " kills; partitions over: " << out.coverage.over << "\n"
                           << out.state;
    EXPECT_EQ(out.summary.outcome, isolde::Outcome::kViolated) << seed;
    EXPECT_EQ(out.found, by_one_engine(g.history, Level::kSnapshotIsolation)) << seed;
    EXPECT_EQ(out.reported, out.found.size()) << seed << ": something was reported under two names";
    EXPECT_EQ(out.coverage.missing, 0U) << seed;
    EXPECT_EQ(out.coverage.refused, 0U) << seed << ": " << out.coverage.first_fault;
  }
}

TEST(ClusterSimulation, NothingIsReportedOnAValidStreamWhateverIsKilled) {
  for (const std::uint64_t seed : effort::seeds(300, 12)) {
    const Generated g = made(seed, false, Level::kStrictSerializable);
    const Outcome out =
        Simulation(g.history, plan_of(4, Level::kStrictSerializable), {0.03, 0.2, 0.3, 0.05}, seed).run();
    ASSERT_TRUE(out.ended) << seed;
    EXPECT_EQ(out.reported, 0U) << seed << ": " << (out.found.empty() ? "" : *out.found.begin());
    EXPECT_EQ(out.summary.outcome, isolde::Outcome::kSatisfied) << seed << ": " << out.summary.reason;
  }
}

TEST(ClusterSimulation, ViolationsAreFoundOnceThoughEverythingIsKilledAtAnyQuestion) {
  std::uint64_t deaths = 0, tried = 0;
  for (const std::uint64_t seed : effort::seeds(500, 30)) {
    const Generated g = made(seed, true);
    const Chaos chaos{
        .fails = 0.03, .slow = 0.2, .skips = 0.2, .kills = 0.02, .max_bytes = kSmall, .stale = 0.1, .deaths = 50};
    const Outcome out = Simulation(g.history, plan_of(5), chaos, seed).run();
    ASSERT_TRUE(out.ended) << seed << " after " << out.deaths << " deaths\n" << out.state;
    deaths += out.deaths;
    ++tried;
    EXPECT_EQ(out.found, by_one_engine(g.history, Level::kSnapshotIsolation)) << seed;
    EXPECT_EQ(out.reported, out.found.size()) << seed;
    EXPECT_EQ(out.coverage.missing, 0U) << seed << ": " << out.coverage.first_fault;
    EXPECT_EQ(out.coverage.refused, 0U) << seed << ": " << out.coverage.first_fault;
  }
  EXPECT_GT(deaths, tried);
}

TEST(ClusterSimulation, NothingIsLostThoughEveryLastCheckpointIsForgotten) {
  std::uint64_t forgotten = 0, tried = 0;
  for (const std::uint64_t seed : effort::seeds(600, 40)) {
    const Generated g = made(seed, true);
    const Chaos chaos{
        .fails = 0.02, .slow = 0.2, .max_bytes = kSmall, .stale = 0.1, .deaths = 60, .forgets = Chaos::kStates};
    const Outcome out = Simulation(g.history, plan_of(3), chaos, seed).run();
    ASSERT_TRUE(out.ended) << seed << " after " << out.deaths << " deaths\n" << out.state;
    EXPECT_EQ(out.found, by_one_engine(g.history, Level::kSnapshotIsolation)) << seed;
    EXPECT_EQ(out.coverage.missing, 0U) << seed << ": " << out.coverage.first_fault;
    forgotten += out.forgotten;
    ++tried;
  }
  EXPECT_TRUE(tried < 10 || forgotten > 0);
}

// What a broker lost for good may leave something open, but never makes a verdict wrong.
TEST(ClusterSimulation, NoVerdictIsWrongThoughTheBrokerForgetsAnything) {
  std::uint64_t ended = 0, tried = 0;
  for (const std::uint64_t seed : effort::seeds(700, 24)) {
    const bool planted = seed % 2 == 0;
    const Generated g = made(seed, planted);
    const Chaos chaos{.fails = 0.02,
                      .slow = 0.2,
                      .most_rounds = 6000,
                      .max_bytes = 40 << 10,
                      .stale = 0.1,
                      .deaths = 150,
                      .most_deaths = 6,
                      .forgets = Chaos::kAll};
    ClusterPlan plan = plan_of(3);
    plan.silence = 60;
    const Outcome out = Simulation(g.history, plan, chaos, seed).run();
    const std::set<std::string> expected = by_one_engine(g.history, Level::kSnapshotIsolation);
    EXPECT_TRUE(std::includes(expected.begin(), expected.end(), out.found.begin(), out.found.end())) << seed;
    ++tried;
    ended += out.ended ? 1 : 0;
    if (!out.ended) continue;
    if (planted) {
      EXPECT_NE(out.summary.outcome, isolde::Outcome::kSatisfied) << seed;
    } else {
      EXPECT_NE(out.summary.outcome, isolde::Outcome::kViolated) << seed;
    }
  }
  EXPECT_TRUE(effort::reaches(0.7, ended, tried)) << "files that are sent again repair a stream";
}

}  // namespace isolde::cluster
