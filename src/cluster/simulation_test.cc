// A cluster in one thread. What it reports must be what one engine reports of the same transactions, each once.
#include <gtest/gtest.h>

#include "cluster/simulation_testing.h"
#include "tests/support/effort.h"

namespace isolde::cluster {

using namespace simulation_test;

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

}  // namespace isolde::cluster
