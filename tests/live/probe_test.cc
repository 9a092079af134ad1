// tests/live/probe_test.cc: `isolde probe` finds in every cell what the servers are known to do (tests/probe/*.txt).
#include "probe/probe.h"

#include <gtest/gtest.h>

#include "db/server.h"
#include "probe/render.h"
#include "probe/summary.h"
#include "tests/support/expected_table.h"

namespace isolde::probe {
namespace probe_test {

class ProbeLive : public ::testing::Test {
 protected:
  void start(const db::ServerOptions& options) {
    auto server = db::start_server(options);
    ASSERT_TRUE(server) << server.error().message();
    server_ = *std::move(server);
    auto database = db::open_database(*db::parse_url(server_->url()));
    ASSERT_TRUE(database) << database.error().message();
    database_ = *std::move(database);
    auto scenarios = built_in_scenarios();
    ASSERT_TRUE(scenarios) << scenarios.error().message();
    scenarios_ = *std::move(scenarios);
  }
  // Who waits is told by the server; the limit is only for a machine that is too busy to answer.
  static ProbeOptions options() {
    ProbeOptions options;
    options.patience = std::chrono::seconds(30);
    return options;
  }
  // `broken`: the levels that do not keep what they claim.
  void probe_all(const std::string& expected, const std::string& broken) {
    const auto findings = probe(*database_, scenarios_, options());
    ASSERT_TRUE(findings) << findings.error().message();
    EXPECT_EQ(test::differences(expected, *findings, scenarios_), "");
    std::string not_kept;
    for (const LevelFindings& level : findings->levels) {
      if (!summary_of(level, scenarios_).keeps_its_claim()) not_kept += level.level->name;
    }
    EXPECT_EQ(not_kept, broken);
    nothing_is_left();
  }
  void nothing_is_left() {
    auto connection = database_->connect(database_->levels().front());
    ASSERT_TRUE(connection) << connection.error().message();
    const auto left =
        (*connection)->run("select table_name from information_schema.tables where table_name like 'isolde_probe%'");
    ASSERT_TRUE(left) << left.error().message();
    EXPECT_EQ(rows_text(*left), "nothing");
  }
  std::unique_ptr<db::Server> server_;
  std::unique_ptr<db::Database> database_;
  std::vector<Scenario> scenarios_;
};

TEST_F(ProbeLive, PostgresDoesWhatItIsKnownToDo) {
  ASSERT_NO_FATAL_FAILURE(start({"postgres", "", {}}));
  probe_all("postgres.txt", "repeatable read");  // X9
}

TEST_F(ProbeLive, MariadbDoesWhatItIsKnownToDo) {
  ASSERT_NO_FATAL_FAILURE(start({"mariadb", "", {}}));
  probe_all("mariadb_snapshot_off.txt", "repeatable read");
}

TEST_F(ProbeLive, MariadbWithSnapshotIsolationDoesWhatItIsKnownToDo) {
  ASSERT_NO_FATAL_FAILURE(start({"mariadb", "", {{"innodb_snapshot_isolation", "ON"}}}));
  probe_all("mariadb_snapshot_on.txt", "");
}

// All that is left waits, until PostgreSQL looks for a deadlock.
TEST_F(ProbeLive, ADeadlockIsWaitedFor) {
  ASSERT_NO_FATAL_FAILURE(start({"postgres", "", {{"deadlock_timeout", "200ms"}}}));
  const auto scenario = parse_scenario(R"(scenario deadlock
title two rows locked in opposite orders
breaks read-uncommitted
table test (id int primary key, value int)
  1, 10
  2, 20
run
  T1: update test set value = 11 where id = 1
  T2: update test set value = 22 where id = 2
  T1: update test set value = 21 where id = 2
  T2: update test set value = 12 where id = 1
  T1: commit
  T2: commit
happened if T1 committed and T2 committed
)",
                                       "deadlock.scenario");
  ASSERT_TRUE(scenario) << scenario.error().message();
  const auto findings = probe(*database_, {&*scenario, 1}, options());
  ASSERT_TRUE(findings) << findings.error().message();
  for (const LevelFindings& level : findings->levels) {
    const Finding& finding = level.findings.front();
    EXPECT_EQ(mark_of(finding), "✓ 40P01") << transcript_text(finding.steps, finding.transcript);
  }
  nothing_is_left();
}

}  // namespace probe_test
}  // namespace isolde::probe
