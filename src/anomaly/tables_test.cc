// Looks at the tables as tables: names, order, lattice. What the examples break is judged in tests/conformance.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "anomaly/anomaly.h"
#include "anomaly/level.h"
#include "anomaly/verdict.h"
#include "base/text.h"

namespace isolde {
namespace tables_test {

TEST(LevelTable, EveryNameAndAliasFindsItsOwnRowInAnySpelling) {
  std::set<std::string> seen;
  for (const LevelInfo& row : all_levels()) {
    EXPECT_EQ(&info(row.level), &row);
    EXPECT_EQ(level_named(row.name), row.level);
    EXPECT_TRUE(seen.insert(folded(row.name)).second) << row.name;
    for (const std::string_view alias : row.aliases) {
      EXPECT_EQ(level_named(alias), row.level) << alias;
      EXPECT_TRUE(seen.insert(folded(alias)).second) << alias;
    }
  }
  EXPECT_EQ(level_named("READ_committed"), Level::kReadCommitted);
  EXPECT_EQ(level_named("PL-2"), Level::kReadCommitted);
  EXPECT_EQ(level_named("be-rc"), Level::kStrongSessionMonotonicAtomicView);
  EXPECT_EQ(level_named("axiomatic read committed"), Level::kStrongSessionMonotonicAtomicView);
  EXPECT_EQ(level_named("Strict Serializable"), Level::kStrictSerializable);
  EXPECT_EQ(level_named("PL-2.99"), Level::kRepeatableRead);
  EXPECT_EQ(level_named(""), std::nullopt);
  EXPECT_EQ(level_named("serial"), std::nullopt);
}

TEST(LevelTable, TheLatticeHasNoCycleAndStrictSerializableIsAtItsTop) {
  for (const LevelInfo& a : all_levels()) {
    EXPECT_TRUE(implies(Level::kStrictSerializable, a.level)) << a.name;
    EXPECT_TRUE(implies(a.level, Level::kReadUncommitted)) << a.name;
    EXPECT_TRUE(implies(a.level, a.level));
    for (const LevelInfo& b : all_levels()) {
      EXPECT_FALSE(a.level != b.level && implies(a.level, b.level) && implies(b.level, a.level)) << a.name << b.name;
    }
  }
}

TEST(LevelTable, ReadCommittedIsBelowEveryLevelThatReadsOnlyWhatWasCommitted) {
  for (const LevelInfo& level : all_levels()) {
    EXPECT_EQ(implies(level.level, Level::kReadCommitted), level.level != Level::kReadUncommitted) << level.name;
    EXPECT_EQ(implies(Level::kReadCommitted, level.level),
              level.level == Level::kReadUncommitted || level.level == Level::kReadCommitted)
        << level.name;
  }
  EXPECT_FALSE(implies(Level::kMonotonicAtomicView, Level::kStrongSessionMonotonicAtomicView));
  EXPECT_FALSE(implies(Level::kCursorStability, Level::kMonotonicAtomicView));
  EXPECT_TRUE(implies(Level::kReadAtomic, Level::kStrongSessionMonotonicAtomicView));
}

TEST(LevelTable, PlainLevelsDoNotImplyWhatNeedsSessionOrder) {
  for (const Level plain : {Level::kSerializable, Level::kSnapshotIsolation, Level::kRepeatableRead}) {
    for (const Level sessions :
         {Level::kStrongSessionMonotonicAtomicView, Level::kReadAtomic, Level::kCausal, Level::kPrefix}) {
      EXPECT_FALSE(implies(plain, sessions)) << info(plain).name << " " << info(sessions).name;
    }
  }
  EXPECT_TRUE(implies(Level::kStrongSessionSnapshotIsolation, Level::kStrongSessionMonotonicAtomicView));
  EXPECT_FALSE(implies(Level::kStrongSnapshotIsolation, Level::kSerializable));
}

TEST(AnomalyTable, EveryNameFindsItsOwnRowWithAndWithoutAnEnding) {
  std::set<std::string> seen;
  for (const AnomalyInfo& row : all_anomalies()) {
    EXPECT_EQ(&info(row.kind), &row);
    EXPECT_EQ(anomaly_named(row.name), row.kind);
    EXPECT_EQ(anomaly_named(std::string(row.name) + "-realtime"), row.kind);
    EXPECT_EQ(anomaly_named(std::string(row.name) + "-process"), row.kind);
    EXPECT_EQ(anomaly_named(std::string(row.name) + "_SESSION"), row.kind);
    EXPECT_TRUE(seen.insert(folded(row.name)).second) << row.name;
    EXPECT_FALSE(level_named(row.name).has_value()) << "`explain` takes both: " << row.name;
    EXPECT_FALSE(row.summary.empty() || row.definition.empty() || row.example.empty() || row.example_says.empty());
    EXPECT_FALSE(row.weakest.empty());
    for (const Level level : row.weakest) {
      EXPECT_TRUE(proscribes(level, row.kind)) << row.name << " " << info(level).name;
    }
    EXPECT_EQ(levels_against(row.kind).size() + levels_allowing(row.kind).size(), all_levels().size()) << row.name;
  }
  EXPECT_EQ(anomaly_named("g single"), AnomalyKind::kGSingle);
  EXPECT_EQ(anomaly_named("G-SIa"), AnomalyKind::kGSIa);
  EXPECT_EQ(anomaly_named("realtime"), std::nullopt);
  EXPECT_EQ(anomaly_named("nonsense"), std::nullopt);
}

TEST(AnomalyTable, TheFullNameSaysWhichOrderTheCycleNeeds) {
  const auto named = [](AnomalyKind kind, Variant variant) {
    Anomaly anomaly;
    anomaly.kind = kind;
    anomaly.variant = variant;
    return full_name(anomaly);
  };
  EXPECT_EQ(named(AnomalyKind::kG2Item, Variant::kPlain), "G2-item");
  EXPECT_EQ(named(AnomalyKind::kGSingle, Variant::kRealtime), "G-single-realtime");
  EXPECT_EQ(named(AnomalyKind::kG0, Variant::kSession), "G0-session");
}

TEST(VerdictNames, AreThoseOfTheReport) {
  EXPECT_EQ(name(Outcome::kSatisfied), "satisfied");
  EXPECT_EQ(name(Outcome::kViolated), "violated");
  EXPECT_EQ(name(Outcome::kUndecided), "undecided");
  EXPECT_EQ(name(StepType::kRw), "rw");
  EXPECT_EQ(name(StepType::kProgram), "program");
}

}  // namespace tables_test
}  // namespace isolde
