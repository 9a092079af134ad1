// DuckDB in this process: every cell of the probe, recordings that every engine judges, and a short hunt. Skipped where
// its library is not there (tests/support/duckdb_library.h).
#include <gtest/gtest.h>

#include "hunt/hunt.h"
#include "hunt/replay.h"
#include "probe/probe.h"
#include "probe/summary.h"
#include "tests/hunt/hunting.h"
#include "tests/support/duckdb_library.h"
#include "tests/support/expected_table.h"
#include "tests/support/mirrored.h"
#include "tests/support/recorded_run.h"

namespace isolde::test {
namespace duckdb_live_test {

class DuckdbLive : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_duckdb()) GTEST_SKIP() << kNoDuckdb;
    place_ = record::place(duckdb_url(), "snapshot isolation");
  }
  record::Place place_;
};

// X9: a key that another has deleted can be inserted, and the transaction then sees both rows.
TEST_F(DuckdbLive, EveryCellOfTheProbeIsAsKnown) {
  const auto scenarios = probe::built_in_scenarios();
  ASSERT_TRUE(scenarios) << scenarios.error().message();
  probe::ProbeOptions options;
  options.patience = std::chrono::seconds(30);
  const auto findings = probe::probe(*place_.database, *scenarios, options);
  ASSERT_TRUE(findings) << findings.error().message();
  EXPECT_EQ(differences("duckdb.txt", *findings, *scenarios), "");
  ASSERT_EQ(findings->levels.size(), 1U);
  EXPECT_FALSE(probe::summary_of(findings->levels[0], *scenarios).keeps_its_claim());
}

TEST_F(DuckdbLive, RecordingsKeepSnapshotIsolation) {
  for (const std::string_view workload : {"list-append", "list-append-array", "register", "bank"}) {
    const auto recorded = record::record_on(place_, workload, {}, record::transactions(300, 4));
    ASSERT_TRUE(recorded) << workload;
    EXPECT_GT(recorded->summary.committed, 100U) << workload;
    EXPECT_NE(record::judged(recorded->history, Level::kSnapshotIsolation), Outcome::kViolated) << workload;
  }
}

TEST_F(DuckdbLive, TheProfileRaisesNoAlarm) {
  for (const std::string_view workload : {"smallbank", "ycsb-a", "blindw-rw+"}) {
    const auto recorded = record::record_on(place_, workload, {}, record::transactions(500, 8));
    ASSERT_TRUE(recorded) << workload;
    const auto violations = record::mirrored(recorded->history, "duckdb:snapshot-isolation");
    EXPECT_TRUE(violations.empty()) << workload << ": " << violations.front().text;
  }
}

// docs/found/duckdb-update-and-delete.md: an UPDATE and a DELETE of one row both commit.
TEST_F(DuckdbLive, AHuntFindsTheUpdateThatIsLost) {
  const auto result = hunt::hunt(*place_.database, *place_.level, hunt_options(1, 200), {}, {});
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_EQ(result->findings.size(), 1U) << told(result->counts);
  const hunt::Finding& finding = result->findings.front();
  EXPECT_EQ(finding.anomaly, "lost-update") << told(result->findings);
  EXPECT_EQ(finding.dialect, "duckdb");
  const auto again = hunt::replay(*place_.database, *place_.level, finding, {});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->what, hunt::ReplayOutcome::What::kSeen) << again->reason;
}

}  // namespace duckdb_live_test
}  // namespace isolde::test
