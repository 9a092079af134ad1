// `isolde hunt` finds what is planted in a real database, makes it small, and sees it again from its file; where
// nothing is planted it reports nothing.
#include <gtest/gtest.h>

#include "hunt/finding/finding_file.h"
#include "hunt/replay.h"
#include "tests/hunt/hunting.h"
#include "tests/support/faulty_database.h"

namespace isolde::test {
namespace planted_test {

using hunt::Wrong;

std::unique_ptr<FaultyDatabase> faulty_sqlite(PlantedFault planted) {
  auto real = db::open_database(*db::parse_url("sqlite:"));
  if (!real) return nullptr;
  return std::make_unique<FaultyDatabase>(*std::move(real), std::move(planted));
}

struct Expected {
  PlantedFault planted;
  std::uint64_t within;         // cases
  std::vector<Wrong> as;        // one of these
  std::size_t most_statements;  // after reduction
};

class PlantedOnSqlite : public ::testing::TestWithParam<Expected> {};

TEST_P(PlantedOnSqlite, IsFoundMadeSmallAndSeenAgain) {
  const Expected& expected = GetParam();
  const auto database = faulty_sqlite(expected.planted);
  ASSERT_NE(database, nullptr);
  const auto level = db::level_named(*database, "wal deferred");
  ASSERT_TRUE(level) << level.error().message();
  auto options = hunt_options(1, expected.within);
  // What is slow because the machine is busy is not to look like a hang: then it is no smaller case.
  if (expected.planted.fault == Fault::kHang) {
    options.arena.statement_limit = std::chrono::milliseconds(1000);
    options.reduce.most_runs = 20;
  }
  const auto result = hunt::hunt(*database, **level, options, {}, {});
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_EQ(result->findings.size(), 1U) << told(result->counts) << "\nplanted " << database->times() << " times; "
                                         << result->first_fault;
  const hunt::Finding& finding = result->findings.front();
  EXPECT_NE(std::find(expected.as.begin(), expected.as.end(), finding.wrong), expected.as.end()) << told({finding});
  EXPECT_LE(statements_of(finding.test), expected.most_statements) << told({finding});
  RecordProperty("cases", static_cast<int>(result->counts.cases));

  // From its file: on the faulty database it is seen, on a sound one it is not.
  const auto read = hunt::parse_finding(hunt::finding_text(finding), "it.finding");
  ASSERT_TRUE(read) << read.error().message();
  const auto again = hunt::replay(*database, **level, *read, {.arena = options.arena, .trial = {}});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->what, hunt::ReplayOutcome::What::kSeen) << told({finding});
  const auto sound = faulty_sqlite({});
  const auto there = hunt::replay(*sound, **level, *read, {});
  ASSERT_TRUE(there) << there.error().message();
  EXPECT_NE(there->what, hunt::ReplayOutcome::What::kSeen) << told({finding});
}

const Expected kExpected[] = {
    {{Fault::kLostRollback, "delete"}, 400, {Wrong::kRolledBack, Wrong::kContents, Wrong::kIsolation}, 3},
    {{Fault::kStaleRead, " join "}, 400, {Wrong::kResult, Wrong::kRerun, Wrong::kIsolation}, 4},
    {{Fault::kMissesOwnWrites, " where "}, 400, {Wrong::kResult, Wrong::kPredicate, Wrong::kIsolation}, 4},
    {{Fault::kDirtyRead, " group by "}, 400, {Wrong::kResult, Wrong::kIsolation}, 4},
    {{Fault::kWrongCount, " in ("}, 400, {Wrong::kCount, Wrong::kOwnWrites, Wrong::kIsolation}, 2},
    {{Fault::kError, " order by ", "SQLITE_ERROR"}, 400, {Wrong::kError}, 2},
    {{Fault::kHang, " union ", {}}, 400, {Wrong::kHang}, 2},
    {{Fault::kWrongIndex, "select distinct"}, 4000, {Wrong::kPlan}, 1},
    {{Fault::kDeleteLeaves, ""}, 5, {Wrong::kPredicate}, 1},
    {{Fault::kWrongInside, " join "}, 400, {Wrong::kResult}, 1},
    {{Fault::kWrongInside, "sum("}, 400, {Wrong::kResult}, 1},
    {{Fault::kCrash, " order by "}, 400, {Wrong::kCrash}, 2},
};
std::string name_of(const ::testing::TestParamInfo<Expected>& one) {
  constexpr const char* kNames[] = {"Nothing",          "LostRollback", "StaleRead",   "MissesOwnWrites",
                                    "DirtyRead",        "WrongCount",   "ErrorInside", "Hang",
                                    "LostWrite",        "PassedOver",   "WrongIndex",  "WrongQuery",
                                    "DeleteLeavesRows", "WrongInside",  "Crash"};
  std::string name = kNames[static_cast<std::size_t>(one.param.planted.fault)];
  if (one.param.planted.fault == Fault::kWrongInside)
    name += one.param.planted.feature == " join " ? "AJoin" : "AnAggregate";
  return name;
}
INSTANTIATE_TEST_SUITE_P(Faults, PlantedOnSqlite, ::testing::ValuesIn(kExpected), name_of);

// An internal error is nobody's but the server's, whatever it was asked for.
TEST(HuntOnSqlite, AnInternalErrorIsAFinding) {
  const auto database = faulty_sqlite({Fault::kError, "update ", "SQLITE_CORRUPT"});
  ASSERT_NE(database, nullptr);
  const auto level = db::level_named(*database, "wal deferred");
  ASSERT_TRUE(level);
  const auto result = hunt::hunt(*database, **level, hunt_options(1, 200), {}, {});
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_EQ(result->findings.size(), 1U) << told(result->counts);
  EXPECT_EQ(result->findings.front().wrong, Wrong::kError);
  EXPECT_EQ(result->findings.front().anomaly, "SQLITE_CORRUPT");
}

// What concurrency may cause is not.
TEST(HuntOnSqlite, AnErrorThatConcurrencyMayCauseIsNoFinding) {
  for (const char* const code : {"SQLITE_BUSY_SNAPSHOT", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_IOERR"}) {
    const auto database = faulty_sqlite({Fault::kError, "update ", code});
    ASSERT_NE(database, nullptr);
    const auto level = db::level_named(*database, "wal deferred");
    ASSERT_TRUE(level);
    const auto result = hunt::hunt(*database, **level, hunt_options(1, 60), {}, {});
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(told(result->findings), "") << code;
    EXPECT_GT(database->times(), 0U);
  }
}

// What is wrong with and without transactions and indexes is seen by another server alone.
TEST(HuntOnSqlite, ASecondServerAnswersOtherwise) {
  const auto database = faulty_sqlite({Fault::kWrongQuery, "select distinct"});
  const auto sound = faulty_sqlite({});
  ASSERT_TRUE(database && sound);
  const auto level = db::level_named(*database, "wal deferred");
  ASSERT_TRUE(level);
  auto options = hunt_options(1, 4000);
  options.against = sound.get();
  options.against_level = *level;
  const auto result = hunt::hunt(*database, **level, options, {}, {});
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_EQ(result->findings.size(), 1U) << told(result->counts);
  EXPECT_EQ(result->findings.front().wrong, Wrong::kAgainst) << told(result->findings);
  EXPECT_LE(statements_of(result->findings.front().test), 1U) << told(result->findings);

  // Of two that are sound nothing is reported.
  const auto other = faulty_sqlite({});
  options = hunt_options(1, 200);
  options.against = other.get();
  options.against_level = *level;
  const auto nothing = hunt::hunt(*sound, **level, options, {}, {});
  ASSERT_TRUE(nothing) << nothing.error().message();
  EXPECT_EQ(told(nothing->findings), "");
  EXPECT_EQ(nothing->first_fault, "");
}

// One lost write in fifty: seen once, then looked for until it comes again, and told with its rate.
TEST(HuntOnSqlite, AFaultThatComesNowAndThenIsFoundWithItsRate) {
  const auto database = faulty_sqlite({Fault::kLostWrite, "", {}, 50});
  ASSERT_NE(database, nullptr);
  const auto level = db::level_named(*database, "wal deferred");
  ASSERT_TRUE(level);
  const auto result = hunt::hunt(*database, **level, hunt_options(1, 400), {}, {});
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_EQ(result->findings.size(), 1U) << told(result->counts);
  const hunt::Finding& finding = result->findings.front();
  EXPECT_TRUE(finding.rate.is_rare()) << told({finding});
  EXPECT_GE(finding.rate.seen, 2U);
  EXPECT_LT(finding.rate.seen * 4, finding.rate.runs) << told({finding});
  EXPECT_TRUE(finding.cause.starts_with("intermittent ")) << finding.cause;

  const auto read = hunt::parse_finding(hunt::finding_text(finding), "it.finding");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->rate.runs, finding.rate.runs);
  const auto again = hunt::replay(*database, **level, *read, {});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->what, hunt::ReplayOutcome::What::kSeen) << told({finding});
}

TEST(HuntOnSqlite, WhereNothingIsPlantedNothingIsReported) {
  const auto database = faulty_sqlite({});
  ASSERT_NE(database, nullptr);
  const auto level = db::level_named(*database, "wal deferred");
  ASSERT_TRUE(level);
  const auto result = hunt::hunt(*database, **level, hunt_options(1, 200), {}, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(told(result->findings), "");
  EXPECT_GT(result->counts.rounds, 0U) << told(result->counts);
  EXPECT_EQ(result->first_fault, "");
}

TEST(HuntOnSqlite, TheSameSeedGivesTheSameTwice) {
  std::string first;
  for (int i = 0; i < 2; ++i) {
    const auto database = faulty_sqlite({Fault::kMissesOwnWrites, " between "});
    ASSERT_NE(database, nullptr);
    const auto level = db::level_named(*database, "wal deferred");
    ASSERT_TRUE(level);
    auto options = hunt_options(7, 100);
    options.most_findings = 100;
    const auto result = hunt::hunt(*database, **level, options, {}, {});
    ASSERT_TRUE(result) << result.error().message();
    const std::string all = told(result->counts) + "\n" + told(result->findings);
    if (i == 0) {
      first = all;
    } else {
      EXPECT_EQ(all, first);
    }
  }
}

}  // namespace planted_test
}  // namespace isolde::test
