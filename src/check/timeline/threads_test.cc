// The sweep on several threads finds what it finds on one.
#include <gtest/gtest.h>

#include "check/timeline/timeline.h"
#include "gen/generate.h"
#include "gen/plants.h"

namespace isolde {
namespace threads_test {

TEST(TimelineThreads, FindTheSameInTheSameOrder) {
  GenOptions options;
  options.transactions = 75'000;  // enough operations and keys for the sweep to be shared out
  options.keys = 60'000;
  options.distribution = Distribution::kUniform;
  for (const PlantInfo& plant : all_plants()) {
    if (!plant.rows_only) options.plants.push_back({plant.kind, 0.001});
  }
  const auto made = generate(options);
  ASSERT_TRUE(made) << made.error().message();
  for (const Level level : {Level::kStrongSnapshotIsolation, Level::kSerializable}) {
    Limits limits;
    WorkBudget of_one, of_four;
    limits.work = &of_one;
    const Verdict one = kTimelineEngine.check(made->history, level, limits);
    limits.threads = 4;
    limits.work = &of_four;
    const Verdict four = kTimelineEngine.check(made->history, level, limits);
    EXPECT_GT(of_one.spent(), 0U);
    EXPECT_EQ(of_one.spent(), of_four.spent());
    ASSERT_EQ(one.outcome, Outcome::kViolated);
    ASSERT_EQ(four.outcome, Outcome::kViolated);
    ASSERT_EQ(one.anomalies.size(), four.anomalies.size());
    for (std::size_t i = 0; i < one.anomalies.size(); ++i) {
      EXPECT_EQ(one.anomalies[i].kind, four.anomalies[i].kind);
      EXPECT_EQ(one.anomalies[i].transactions, four.anomalies[i].transactions);
      EXPECT_EQ(one.anomalies[i].op, four.anomalies[i].op);
    }
  }
}

TEST(TimelineThreads, AcceptWithTheSameWitness) {
  GenOptions options;
  options.transactions = 75'000;
  options.keys = 60'000;
  const auto made = generate(options);
  ASSERT_TRUE(made) << made.error().message();
  Limits limits;
  const Verdict one = kTimelineEngine.check(made->history, Level::kSnapshotIsolation, limits);
  limits.threads = 4;
  const Verdict four = kTimelineEngine.check(made->history, Level::kSnapshotIsolation, limits);
  ASSERT_EQ(one.outcome, Outcome::kSatisfied);
  EXPECT_EQ(one.witness.events, four.witness.events);
}

}  // namespace threads_test
}  // namespace isolde
