#include "hunt/trial/trial.h"

#include <gtest/gtest.h>

#include <map>

#include "hunt/trial/applicability.h"
#include "hunt/trial/serial.h"
#include "hunt/trial/turns.h"
#include "tests/hunt/toy_arena.h"
#include "tests/support/effort.h"

namespace isolde::hunt {
namespace trial_test {

using toy::Fault;
using toy::ToyArena;

struct Hunted {
  TrialCounts counts;
  std::map<std::string, int> found;
  std::optional<Finding> first;
};

// Those that every planted fault shows in.
effort::Seeds first_seeds(std::uint64_t cases) { return {0, cases}; }

Hunted hunt(Level level, Fault fault, effort::Seeds seeds, std::uint32_t transactions = 3) {
  Hunted hunted;
  TrialOptions options;
  options.level = level;
  ToyArena arena(level, fault);
  for (const std::uint64_t seed : seeds) {
    Rng rng(seed);
    const Case test = toy::random_case(rng, transactions, 4);
    EXPECT_TRUE(arena.prepare(test.schema).has_value());
    const Trial trial = try_case(arena, test, options, rng, hunted.counts);
    EXPECT_FALSE(trial.fault.has_value()) << trial.fault->text;
    if (!trial.finding) continue;
    ++hunted.found[std::string(name(trial.finding->wrong))];
    if (!hunted.first) hunted.first = trial.finding;
  }
  return hunted;
}

TEST(Trial, ACorrectServerIsNeverAccused) {
  for (const Level level : {Level::kReadCommitted, Level::kSnapshotIsolation, Level::kSerializable}) {
    const effort::Seeds seeds = effort::seeds(0, 500);
    const Hunted hunted = hunt(level, Fault::kNone, seeds);
    EXPECT_TRUE(hunted.found.empty()) << info(level).name << " " << hunted.found.begin()->first << ": "
                                      << hunted.first->expected << " / " << hunted.first->actual;
    EXPECT_EQ(hunted.counts.cases, seeds.size());
    EXPECT_EQ(hunted.counts.unsteady, 0U);
    EXPECT_EQ(hunted.counts.no_oracle, 0U);
    EXPECT_EQ(hunted.counts.unproved, 0U);
    EXPECT_TRUE(effort::reaches(0.95, seeds.size() - hunted.counts.given_up, seeds.size())) << hunted.counts.given_up;
    if (seeds.size() >= 100) {
      EXPECT_GT(hunted.counts.rounds, seeds.size() * 7 / 5);
    }
  }
}

TEST(Trial, EveryPlantedFaultIsFound) {
  struct Planted {
    Level level;
    Fault fault;
  };
  constexpr Planted kPlanted[] = {
      {Level::kSnapshotIsolation, Fault::kLostUpdate}, {Level::kReadCommitted, Fault::kStaleRead},
      {Level::kSnapshotIsolation, Fault::kStaleRead},  {Level::kSerializable, Fault::kStaleSnapshot},
      {Level::kReadCommitted, Fault::kDirtyRead},      {Level::kSnapshotIsolation, Fault::kDirtyRead},
      {Level::kReadCommitted, Fault::kLostRollback},   {Level::kSerializable, Fault::kLostRollback},
      {Level::kReadCommitted, Fault::kLostCommit},     {Level::kSnapshotIsolation, Fault::kMissesOwnWrites},
      {Level::kReadCommitted, Fault::kWrongCount},     {Level::kSerializable, Fault::kWriteSkew},
  };
  for (std::size_t i = 0; i < std::size(kPlanted); ++i) {
    if (!effort::takes(i)) continue;
    const Planted& planted = kPlanted[i];
    const Hunted hunted = hunt(planted.level, planted.fault, first_seeds(200));
    EXPECT_FALSE(hunted.found.empty()) << info(planted.level).name << " fault " << static_cast<int>(planted.fault);
  }
}

TEST(Trial, AFindingIsSeenAgainAndOnACorrectServerItIsNot) {
  for (const Fault fault : {Fault::kLostUpdate, Fault::kStaleRead, Fault::kMissesOwnWrites, Fault::kLostRollback}) {
    const Hunted hunted = hunt(Level::kSnapshotIsolation, fault, first_seeds(100));
    ASSERT_TRUE(hunted.first.has_value());
    TrialOptions options;
    options.level = Level::kSnapshotIsolation;
    ToyArena faulty(Level::kSnapshotIsolation, fault), correct(Level::kSnapshotIsolation);
    ASSERT_TRUE(faulty.prepare(hunted.first->test.schema).has_value());
    ASSERT_TRUE(correct.prepare(hunted.first->test.schema).has_value());
    const auto again = try_again(faulty, *hunted.first, options);
    ASSERT_TRUE(again.has_value());
    ASSERT_TRUE(again->has_value());
    EXPECT_EQ((*again)->wrong, hunted.first->wrong);
    EXPECT_EQ((*again)->actual, hunted.first->actual);
    EXPECT_FALSE(try_again(correct, *hunted.first, options)->has_value());
  }
}

TEST(Trial, TheSameSeedGivesTheSameVerdicts) {
  const Hunted first = hunt(Level::kSnapshotIsolation, Fault::kStaleRead, first_seeds(60));
  const Hunted second = hunt(Level::kSnapshotIsolation, Fault::kStaleRead, first_seeds(60));
  EXPECT_EQ(first.found, second.found);
  EXPECT_EQ(first.counts.runs, second.counts.runs);
  EXPECT_EQ(first.counts.rounds, second.counts.rounds);
}

TEST(Trial, AFindingWithATornOrderIsNotSeen) {
  Finding finding;
  finding.test = toy::test_case("add t = 1 5", "1 1 1");
  ToyArena arena(Level::kReadCommitted);
  ASSERT_TRUE(arena.prepare(finding.test.schema).has_value());
  EXPECT_FALSE(try_again(arena, finding, {})->has_value());
}

TEST(Trial, OnALevelWithAKnownCauseThatCauseIsToldAndNothingElseOfTheLevel) {
  TrialOptions options;
  options.level = Level::kRepeatableRead;
  ToyArena arena(Level::kSnapshotIsolation, Fault::kLostUpdate);
  arena.pose_as("mariadb", "repeatable read", "MariaDB 10.11.19, innodb_snapshot_isolation=OFF");
  const auto found = [&](const Case& test) {
    EXPECT_TRUE(arena.prepare(test.schema).has_value());
    Rng rng(1);
    TrialCounts counts;
    const Trial trial = try_case(arena, test, options, rng, counts);
    return trial.finding ? trial.finding->cause : "nothing";
  };
  EXPECT_EQ(found(toy::test_case("sum t; add t = 1 5 / add t = 1 7", "1 2 2 1 1")), "innodb-repeatable-read");
  EXPECT_EQ(found(toy::test_case("sum t; add u = 10 1 / sum u; add t = 1 1", "1 2 1 2 1 2")), "nothing");  // write skew
}

TEST(Serial, SomeOrderExplainsWhatASerializableServerDid) {
  for (const std::uint64_t seed : effort::seeds(0, 150)) {
    Rng rng(seed);
    const Case test = toy::random_case(rng, 3, 3);
    ToyArena arena(Level::kSerializable);
    ASSERT_TRUE(arena.prepare(test.schema).has_value());
    const Execution execution = arena.run(test, false);
    std::uint64_t rounds = 0;
    const auto compared = compare_with_serial(arena, test, execution, rounds);
    ASSERT_TRUE(compared.has_value());
    EXPECT_FALSE(compared->difference.has_value()) << seed << " " << compared->difference->actual;
  }
}

TEST(Serial, WriteSkewHasNoOrder) {
  const Case skew = toy::test_case("sum t; add u = 10 1 / sum u; add t = 1 1", "1 2 1 2 1 2");
  ToyArena arena(Level::kSerializable, Fault::kWriteSkew);
  ASSERT_TRUE(arena.prepare(skew.schema).has_value());
  std::uint64_t rounds = 0;
  const Execution execution = arena.run(skew, false);
  const auto compared = compare_with_serial(arena, skew, execution, rounds);
  ASSERT_TRUE(compared.has_value() && compared->difference.has_value());
  EXPECT_EQ(compared->difference->anomaly, kNoSerialOrder);
  EXPECT_EQ(rounds, 2U);
}

TEST(Serial, KeysThatMayBeFreedAreNotJudgedOnPostgres) {
  const Case test = toy::test_case("delete t = 1 / sum t; upsert t 1 5", "1 2 1 2 2");
  EXPECT_FALSE(can_be_ordered(test, "postgres"));
  EXPECT_TRUE(can_be_ordered(test, "mariadb"));
  EXPECT_TRUE(can_be_ordered(toy::test_case("delete u = 1 / upsert t 1 5", "1 2 1 2"), "postgres"));
}

TEST(Turns, StepsAreOrderedAsTheyWereAnswered) {
  const Case test = toy::test_case("add t = 1 5 / add t = 1 1; sum u", "1 2 2 1 2");
  ToyArena arena(Level::kReadCommitted);
  ASSERT_TRUE(arena.prepare(test.schema).has_value());
  const Execution execution = arena.run(test, true);
  EXPECT_EQ(answered_order(test, execution), (std::vector<std::uint32_t>{0, 0, 1, 1, 1}));
  Case serial = test;
  serial.order = answered_order(test, execution);
  EXPECT_EQ(serial_order(serial), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(serial_order(test), std::nullopt);
  EXPECT_TRUE(has_all_turns(test));
  serial.order.push_back(7);
  EXPECT_FALSE(has_all_turns(serial));
}

TEST(Applicability, LevelsThatBreakTheAssumptionAreNamed) {
  EXPECT_FALSE(why_not("postgres", "read committed", "PostgreSQL 15.19").has_value());
  EXPECT_FALSE(why_not("postgres", "read uncommitted", "PostgreSQL 15.19").has_value());
  EXPECT_FALSE(why_not("mariadb", "serializable", "MariaDB 10.11.19, innodb_snapshot_isolation=OFF").has_value());
  EXPECT_FALSE(why_not("mariadb", "repeatable read", "MariaDB 10.11.19, innodb_snapshot_isolation=ON").has_value());
  EXPECT_FALSE(why_not("sqlite", "wal deferred", "SQLite 3.40.1").has_value());
  const auto off = why_not("mariadb", "repeatable read", "MariaDB 10.11.19, innodb_snapshot_isolation=OFF");
  ASSERT_TRUE(off.has_value());
  EXPECT_TRUE(off->recognisable);
  EXPECT_EQ(off->cause, "innodb-repeatable-read");
  EXPECT_TRUE(why_not("mariadb", "repeatable read", "MySQL 8.0.36")->recognisable);
  EXPECT_FALSE(why_not("mariadb", "READ-UNCOMMITTED", "MariaDB 10.11.19")->recognisable);
  EXPECT_FALSE(why_not("sqlite", "shared-cache read_uncommitted deferred", "SQLite 3.40.1")->recognisable);
}

}  // namespace trial_test
}  // namespace isolde::hunt
