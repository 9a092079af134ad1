#include "gen/plants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gen/generate.h"
#include "tests/support/effort.h"
#include "tests/support/replayer.h"

namespace isolde {
namespace plants_test {

std::set<Level> as_set(std::span<const Level> levels) { return {levels.begin(), levels.end()}; }
std::set<Level> keys_of(const replayer::Broken& broken) {
  std::set<Level> levels;
  for (const auto& [level, why] : broken) levels.insert(level);
  return levels;
}
std::string text(const replayer::Broken& broken) {
  std::string out;
  for (const auto& [level, why] : broken) out += std::to_string(static_cast<int>(level)) + ": " + why + "; ";
  return out;
}

TEST(Plants, EveryRowSpeaksAboutEveryLevelOnce) {
  for (const PlantInfo& plant : all_plants()) {
    std::set<Level> all = as_set(plant.breaks);
    for (const Level level : plant.keeps) EXPECT_TRUE(all.insert(level).second) << plant.name;
    EXPECT_EQ(all, as_set(kPlantLevels)) << plant.name;
    // Timestamps are more evidence: what breaks without them breaks with them.
    for (const Level level : plant.breaks_by_values) EXPECT_TRUE(as_set(plant.breaks).contains(level)) << plant.name;
  }
}

TEST(Plants, ScriptsStartAndCommitEveryRoleOnce) {
  for (const PlantInfo& plant : all_plants()) {
    std::vector<int> stage(plant.roles.size(), 0);
    for (const ScriptEvent& event : plant.events) {
      if (event.what == ScriptEvent::What::kStart) {
        EXPECT_EQ(stage.at(event.role)++, 0) << plant.name;
      }
      if (event.what == ScriptEvent::What::kCommit) {
        EXPECT_EQ(stage.at(event.role)++, 1) << plant.name;
      }
    }
    for (const int s : stage) EXPECT_EQ(s, 2) << plant.name;
    for (const ScriptRole& role : plant.roles) {
      EXPECT_LT(role.session, plant.sessions);
      for (const ScriptOp& op : role.ops) {
        if (op.what == ScriptOp::What::kScan) continue;
        EXPECT_LT(op.key, plant.keys);
        EXPECT_TRUE(op.value >= 1 && op.value <= plant.values);
      }
    }
  }
}

TEST(Plants, NamesAreFoundWhateverTheirCase) {
  for (const PlantInfo& plant : all_plants()) EXPECT_EQ(plant_named(plant.name), plant.kind);
  EXPECT_EQ(plant_named("LOST_update"), PlantKind::kLostUpdate);
  EXPECT_EQ(plant_named("g1A"), PlantKind::kG1a);
  EXPECT_FALSE(plant_named("g9"));
}

// That it read or wrote, or that its predicates found.
std::vector<KeyId> keys_used(const History& h, TxnId t) {
  std::vector<KeyId> keys;
  for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
    if (!is_predicate(h.op(i).kind())) {
      keys.push_back(h.op(i).key());
      continue;
    }
    for (const Item& item : h.items(h.predicate(h.op(i).predicate()))) keys.push_back(item.key);
  }
  return keys;
}

struct Mix {
  DataType type;
  Level level;
  bool repeated;
};
class EveryPlant : public ::testing::TestWithParam<Mix> {
 protected:
  static bool plantable(const PlantInfo& plant) { return !plant.rows_only || GetParam().type == DataType::kRow; }
  static GenOptions options(PlantKind kind, std::uint64_t seed) {
    GenOptions o;
    o.transactions = 600;
    o.sessions = 6;
    o.ops = 5;
    o.keys = 30;
    o.type = GetParam().type;
    o.level = GetParam().level;
    o.repeated_values = GetParam().repeated;
    o.seed = seed;
    o.evidence.op_intervals = true;
    o.evidence.versions = true;
    o.plants = {{kind, 0.05}};
    return o;
  }
};

TEST_P(EveryPlant, BreaksExactlyWhatTheTableSays) {
  for (const PlantInfo& plant : all_plants()) {
    if (!plantable(plant)) continue;
    const Result<Generated> made = generate(options(plant.kind, 3));
    ASSERT_TRUE(made) << made.error().message();
    ASSERT_EQ(made->planted.size(), planted_groups({plant.kind, 0.05}, 600));
    for (const PlantedGroup& group : made->planted) {
      ASSERT_EQ(group.kind, plant.kind);
      const replayer::Broken broken = replayer::broken_by_timestamps(made->history, group.transactions);
      EXPECT_EQ(keys_of(broken), as_set(plant.breaks)) << plant.name << ": " << text(broken);
    }
  }
}

TEST_P(EveryPlant, BreaksByValuesExactlyWhatTheTableSays) {
  for (const PlantInfo& plant : all_plants()) {
    if (!plantable(plant)) continue;
    const Result<Generated> made = generate(options(plant.kind, 4));
    ASSERT_TRUE(made);
    ASSERT_FALSE(made->planted.empty());
    const replayer::Broken broken = replayer::broken_by_values(made->history, made->planted[0].transactions);
    EXPECT_EQ(keys_of(broken), as_set(plant.breaks_by_values)) << plant.name << ": " << text(broken);
  }
}

TEST_P(EveryPlant, LeavesTheRestOfTheHistoryAlone) {
  for (const PlantInfo& plant : all_plants()) {
    if (!plantable(plant)) continue;
    for (std::uint64_t seed = 1; seed <= effort::size(5); ++seed) {
      const Result<Generated> made = generate(options(plant.kind, seed));
      ASSERT_TRUE(made);
      EXPECT_EQ(made->history.txn_count(), 600U);
      EXPECT_EQ(defect_of(made->history.columns()), "");
      const std::set<Level> broken = keys_of(replayer::broken_by_timestamps(made->history));
      // The whole history breaks what the group breaks, besides serializability in a snapshot-isolated one.
      for (const Level level : kPlantLevels) {
        if (level <= Level::kCausal) continue;
        const bool open = level >= Level::kSerializable && !generated_serializable(GetParam().level);
        if (!open) {
          EXPECT_EQ(broken.contains(level), as_set(plant.breaks).contains(level)) << plant.name;
        }
      }
      // Its keys are just above the others, and nobody else touches them.
      std::set<TxnId> planted;
      std::set<KeyId> keys;
      for (const PlantedGroup& group : made->planted)
        planted.insert(group.transactions.begin(), group.transactions.end());
      const History& h = made->history;
      for (const TxnId t : planted) {
        for (const KeyId key : keys_used(h, t)) keys.insert(key);
      }
      for (const KeyId key : keys) EXPECT_GE(raw(h.columns().key_name[raw(key)]), 30U);
      for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
        if (planted.contains(TxnId{t})) continue;
        for (const KeyId key : keys_used(h, TxnId{t})) ASSERT_FALSE(keys.contains(key));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mixes, EveryPlant,
                         ::testing::Values(Mix{DataType::kRegister, Level::kSnapshotIsolation, false},
                                           Mix{DataType::kRegister, Level::kStrictSerializable, false},
                                           Mix{DataType::kList, Level::kStrongSnapshotIsolation, false},
                                           Mix{DataType::kList, Level::kSerializable, false},
                                           Mix{DataType::kRegister, Level::kSerializable, true},
                                           Mix{DataType::kRow, Level::kSnapshotIsolation, false},
                                           Mix{DataType::kRow, Level::kStrictSerializable, false}));

TEST(Plants, SeveralKindsStandInOneHistory) {
  GenOptions o;
  o.transactions = 3000;
  o.type = DataType::kRow;
  for (const PlantInfo& plant : all_plants()) o.plants.push_back({plant.kind, 0.02});
  const Result<Generated> made = generate(o);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->history.txn_count(), 3000U);
  for (const PlantInfo& plant : all_plants()) {
    EXPECT_EQ(std::ranges::count(made->planted, plant.kind, &PlantedGroup::kind), 60 / plant.roles.size())
        << plant.name;
  }
}

TEST(Plants, ATinyRatePlantsOneGroup) {
  GenOptions o;
  o.transactions = 5;
  o.sessions = 2;
  o.plants = {{PlantKind::kLongFork, 1e-6}};
  const Result<Generated> made = generate(o);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->history.txn_count(), 5U);
  EXPECT_EQ(made->planted.size(), 1U);
}

TEST(Plants, ASpreadGroupLiesApartAndBreaksTheSame) {
  for (const PlantKind kind : {PlantKind::kLostUpdate, PlantKind::kWriteSkew, PlantKind::kLongFork}) {
    GenOptions o;
    o.transactions = 20'000;
    o.ops = 5;
    o.level = Level::kSerializable;
    o.plants = {{kind, 0, 1}};
    o.spread = 0.6;
    const Result<Generated> made = generate(o);
    ASSERT_TRUE(made);
    ASSERT_EQ(made->planted.size(), 1U);
    const std::vector<TxnId>& who = made->planted[0].transactions;
    const auto [first, last] = std::ranges::minmax(who);
    EXPECT_GT(raw(last) - raw(first), 5'000U) << info(kind).name;
    EXPECT_LT(raw(last) - raw(first), 16'000U) << info(kind).name;
    const replayer::Broken broken = replayer::broken_by_timestamps(made->history);
    for (const Level level : info(kind).breaks) EXPECT_TRUE(broken.contains(level)) << info(level).name;
    for (const Level level : info(kind).keeps) EXPECT_FALSE(broken.contains(level)) << info(level).name;
  }
}

TEST(Plants, TooFewSessionsOrTransactionsAreRefused) {
  GenOptions o;
  o.transactions = 4;
  o.plants = {{PlantKind::kLongFork, 1e-6}};
  EXPECT_FALSE(generate(o));
  o.transactions = 100;
  o.sessions = 1;
  EXPECT_FALSE(generate(o));
  o.plants = {{PlantKind::kNonMonotonicSession, 0.5}};
  EXPECT_TRUE(generate(o));
}

}  // namespace plants_test
}  // namespace isolde
