#include "hunt/trial.h"

#include <gtest/gtest.h>

#include <map>

#include "hunt/applicability.h"
#include "tests/hunt/toy_arena.h"

namespace isolde::hunt {
namespace {

using toy::Fault;
using toy::ToyArena;

struct Hunted {
  TrialCounts counts;
  std::map<std::string, int> found;
  std::optional<Finding> first;
};

Hunted hunt(Level level, Fault fault, std::uint64_t cases, std::uint32_t transactions = 3) {
  Hunted hunted;
  TrialOptions options;
  options.level = level;
  ToyArena arena(level, fault);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
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
    const Hunted hunted = hunt(level, Fault::kNone, 500);
    EXPECT_TRUE(hunted.found.empty()) << info(level).name << " " << hunted.found.begin()->first << ": "
                                      << hunted.first->expected << " / " << hunted.first->actual;
    EXPECT_EQ(hunted.counts.cases, 500U);
    EXPECT_EQ(hunted.counts.unsteady, 0U);
    EXPECT_EQ(hunted.counts.no_oracle, 0U);
    EXPECT_EQ(hunted.counts.unproved, 0U);
    EXPECT_LT(hunted.counts.given_up, 25U);
    EXPECT_GT(hunted.counts.rounds, 700U);
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
  for (const Planted& planted : kPlanted) {
    const Hunted hunted = hunt(planted.level, planted.fault, 200);
    EXPECT_FALSE(hunted.found.empty()) << info(planted.level).name << " fault " << static_cast<int>(planted.fault);
  }
}

TEST(Trial, AFindingIsSeenAgainAndOnACorrectServerItIsNot) {
  for (const Fault fault : {Fault::kLostUpdate, Fault::kStaleRead, Fault::kMissesOwnWrites, Fault::kLostRollback}) {
    const Hunted hunted = hunt(Level::kSnapshotIsolation, fault, 100);
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
  const Hunted first = hunt(Level::kSnapshotIsolation, Fault::kStaleRead, 60);
  const Hunted second = hunt(Level::kSnapshotIsolation, Fault::kStaleRead, 60);
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

}  // namespace
}  // namespace isolde::hunt
