// Every kind of anomaly that `isolde gen` can plant is found by the engines that judge what it breaks, and every
// history without one is accepted; each verdict is proved from the raw history.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "check/choose/engines.h"
#include "gen/generate.h"
#include "gen/plants.h"
#include "proof/prove.h"
#include "tests/support/effort.h"

namespace isolde {
namespace planted_test {

constexpr int kShards = 10;
constexpr std::uint64_t kSeeds = 30;  // a shard

// A small history, other in its parameters with every seed.
GenOptions options_of(std::uint64_t seed) {
  GenOptions options;
  options.seed = seed;
  options.transactions = 60 + seed % 7 * 20;
  options.sessions = static_cast<std::uint32_t>(2 + seed % 9);
  options.ops = static_cast<std::uint32_t>(1 + seed % 8);
  options.keys = static_cast<std::uint32_t>(5 + seed % 50);
  options.distribution = seed % 3 == 0   ? Distribution::kUniform
                         : seed % 3 == 1 ? Distribution::kZipf
                                         : Distribution::kHotspot;
  options.type = seed % 4 == 3 ? DataType::kList : seed % 4 == 2 ? DataType::kRow : DataType::kRegister;
  options.predicate_share = static_cast<double>(seed % 3) / 2;
  options.repeated_values = seed % 5 == 4 && options.type == DataType::kRegister;
  options.abort_share = seed % 2 == 0 ? 0.05 : 0;
  options.level = Level::kStrictSerializable;
  return options;
}

Verdict judge(const History& h, Level level, const std::string& what) {
  const Engine* const engine = engine_named("timeline");
  EXPECT_EQ(engine->lacks(h, level), "") << what;
  Verdict verdict = engine->check(h, level, Limits{});
  const auto proof = prove(h, verdict);
  EXPECT_TRUE(proof) << what << ": " << (proof ? "" : proof.error().message());
  return verdict;
}

// Snapshot and serializable levels, which timestamps decide.
bool is_timeline_level(Level level) {
  return info(level).family == LevelFamily::kSnapshot || info(level).family == LevelFamily::kSerializable;
}

class Planted : public ::testing::TestWithParam<int> {
 protected:
  // Other seeds for each shard.
  static effort::Seeds seeds(std::uint64_t usual) {
    return effort::seeds(1'000'000 * static_cast<std::uint64_t>(GetParam()), usual);
  }
};

TEST_P(Planted, ValidHistoriesAreAccepted) {
  for (const std::uint64_t seed : seeds(kSeeds)) {
    const auto made = generate(options_of(seed));
    ASSERT_TRUE(made) << made.error().message();
    for (const LevelInfo& level : all_levels()) {
      if (!is_timeline_level(level.level)) continue;
      const std::string what = fmt::format("seed {} at {}", seed, level.name);
      EXPECT_EQ(judge(made->history, level.level, what).outcome, Outcome::kSatisfied) << what;
    }
  }
}

TEST_P(Planted, EachKindIsFoundWhereItBreaksTheLevelAndOnlyThere) {
  for (const std::uint64_t seed : seeds(kSeeds)) {
    for (const PlantInfo& plant : all_plants()) {
      GenOptions options = options_of(seed);
      if (plant.rows_only && options.type != DataType::kRow) continue;
      options.plants = {{plant.kind, 0.05}};
      const auto made = generate(options);
      ASSERT_TRUE(made) << made.error().message();
      std::set<std::uint32_t> planted;
      for (const auto& group : made->planted) {
        for (const TxnId t : group.transactions) planted.insert(raw(t));
      }
      const auto check = [&](Level level, Outcome expected) {
        if (!is_timeline_level(level)) return;
        const std::string what = fmt::format("{} with seed {} at {}", plant.name, seed, info(level).name);
        const Verdict verdict = judge(made->history, level, what);
        ASSERT_EQ(verdict.outcome, expected) << what;
        for (const Anomaly& a : verdict.anomalies) {
          EXPECT_TRUE(planted.contains(raw(a.transactions.front())))
              << what << ": blames a transaction that was not planted";
        }
      };
      for (const Level level : plant.breaks) check(level, Outcome::kViolated);
      for (const Level level : plant.keeps) check(level, Outcome::kSatisfied);
    }
  }
}

// Version orders and version sets instead of timestamps: the phantom is what repeatable-read lets through and
// serializable does not, and a row that is missed is found without any clock.
TEST_P(Planted, PredicatesAreJudgedByVersionOrdersAndSets) {
  for (const std::uint64_t seed : seeds(kSeeds / 2)) {
    for (const PlantInfo& plant : all_plants()) {
      if (!plant.rows_only) continue;
      GenOptions options = options_of(seed);
      options.type = DataType::kRow;
      options.repeated_values = false;
      options.evidence = {false, false, false, true, false, seed % 2 == 0};
      options.plants = {{plant.kind, 0.05}};
      const auto made = generate(options);
      ASSERT_TRUE(made) << made.error().message();
      const Engine* const graph = engine_named("graph");
      for (const Level level : {Level::kRepeatableRead, Level::kSerializable}) {
        const Verdict verdict = graph->check(made->history, level, {});
        const std::string what = fmt::format("{} with seed {} at {}", plant.name, seed, info(level).name);
        const Outcome expected = level == Level::kSerializable ? Outcome::kViolated : Outcome::kSatisfied;
        // Without version sets an aggregate may leave it open whether there is no violation.
        if (expected == Outcome::kSatisfied && seed % 2 != 0 && verdict.outcome == Outcome::kUndecided) continue;
        EXPECT_EQ(verdict.outcome, expected) << what << " " << verdict.reason;
        const auto proof = prove(made->history, verdict);
        EXPECT_TRUE(proof) << what << ": " << (proof ? "" : proof.error().message());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, Planted, ::testing::Range(0, kShards));

}  // namespace planted_test
}  // namespace isolde
