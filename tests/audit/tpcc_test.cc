// tests/audit/tpcc_test.cc: what is known of TPC-C comes out of its recorded traces.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "audit/audit.h"
#include "audit/render.h"

namespace isolde::audit {
namespace tpcc_test {

const std::string kTraces = ISOLDE_SOURCE_DIR "/../shared/traces/tpcc/";
const std::string kExamples = ISOLDE_SOURCE_DIR "/examples/audit/";
using Names = std::set<std::string>;

class Tpcc : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no shared traces beside the source";
  }

  static std::unique_ptr<Audit> audit(const std::string& trace, WeakLevel level, const std::string& hints = {},
                                      const std::vector<std::string>& without = {}, bool as_paper = false) {
    AuditOptions options;
    options.level = level;
    if (as_paper) {
      options.graph.as_paper = options.classes.one_value_is_enough = true;
      options.search.timing = TimingRule::kOperations;
    }
    Hints read;
    if (!hints.empty()) {
      auto from_file = read_hints(kExamples + hints);
      EXPECT_TRUE(from_file) << from_file.error().message();
      if (from_file) read = *std::move(from_file);
    }
    for (const std::string& column : without) read.removed.push_back({.column = column, .kind = {}});
    auto schema = read_schema(kTraces + "tpcc_db_info.csv");
    EXPECT_TRUE(schema) << schema.error().message();
    auto done = audit_trace(kTraces + trace, *std::move(schema), std::move(read), options);
    EXPECT_TRUE(done) << done.error().message();
    return done ? *std::move(done) : nullptr;
  }

  static Names targets(const Audit& audit) {
    Names out;
    for (const TargetColumn& target : audit.plan.targets) out.insert(audit.classes.schema.full_name(target.column));
    return out;
  }
};

// Read by a client, changed by it and written back, or read together with others that are changed together.
const std::vector<std::string> kTrueProblems = {
    "DISTRICT.D_NEXT_O_ID",   "STOCK.S_QUANTITY",         "STOCK.S_YTD",        "STOCK.S_ORDER_CNT",
    "STOCK.S_REMOTE_CNT",     "CUSTOMER.C_BALANCE",       "CUSTOMER.C_DATA",    "CUSTOMER.C_YTD_PAYMENT",
    "CUSTOMER.C_PAYMENT_CNT", "ORDER_LINE.OL_DELIVERY_D", "ORDERS.O_CARRIER_ID"};

TEST_F(Tpcc, EveryStatementOfEveryTraceIsUnderstood) {
  for (const char* trace : {"tpcc_mariadb_general.log", "tpcc_postgres15_csvlog.csv", "tpcc_sqlite_trace.sql"}) {
    const auto done = audit(trace, WeakLevel::kReadCommitted);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->classes.not_understood_statements, 0u) << trace;
    EXPECT_EQ(done->classes.classes.size(), 9u) << trace;
  }
}

TEST_F(Tpcc, AtReadCommittedWithoutForUpdateTheKnownColumnsAreTargets) {
  const auto done = audit("tpcc_mariadb_general.log", WeakLevel::kReadCommitted);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->finding(), Finding::kAnomalies);
  const Names found = targets(*done);
  for (const char* column : {"DISTRICT.D_NEXT_O_ID", "STOCK.S_QUANTITY", "CUSTOMER.C_BALANCE"})
    EXPECT_TRUE(found.contains(column)) << column;
  // Order-status reads O_CARRIER_ID from before a delivery and OL_DELIVERY_D from after it: a story of its own. Which
  // of the two columns is the target depends on how many other cycles each of them covers.
  const bool skew = std::any_of(done->anomalies.begin(), done->anomalies.end(), [&](const Anomaly& a) {
    return a.name == AnomalyName::kReadSkew && a.cycle.members.size() == 2 &&
           std::any_of(a.cycle.edges.begin(), a.cycle.edges.end(), [&](const CycleEdge& edge) {
             return edge.conflict.kind == EdgeKind::kRw &&
                    done->classes.schema.full_name(edge.conflict.column) == "ORDERS.O_CARRIER_ID";
           });
  });
  EXPECT_TRUE(skew) << "order-status sees half of a delivery";
  EXPECT_TRUE(found.contains("ORDERS.O_CARRIER_ID") || found.contains("ORDER_LINE.OL_DELIVERY_D"));
}

bool loses_next_order_number(const Audit& audit, const Anomaly& a) {
  return a.name == AnomalyName::kLostUpdate && a.cycle.members.size() == 2 &&
         audit.classes.schema.full_name(a.cycle.edges[0].conflict.column) == "DISTRICT.D_NEXT_O_ID";
}

// Two new orders that read the same D_NEXT_O_ID have the same O_ID, and the primary key of ORDERS turns the second
// away: no update is lost. (This test once expected the lost update.) Order-status and stock-level, which only read,
// may still see D_NEXT_O_ID too early.
TEST_F(Tpcc, TwoNewOrdersWithOneNumberDoNotBothCommit) {
  for (const char* trace : {"tpcc_mariadb_general.log", "tpcc_postgres15_csvlog.csv", "tpcc_sqlite_trace.sql"}) {
    const auto done = audit(trace, WeakLevel::kReadCommitted);
    ASSERT_TRUE(done);
    EXPECT_TRUE(std::ranges::none_of(done->anomalies, [&](const Anomaly& a) {
      return loses_next_order_number(*done, a);
    })) << trace;
    const auto aside = std::ranges::find_if(
        done->set_aside, [&](const SetAside& one) { return loses_next_order_number(*done, one.anomaly); });
    ASSERT_NE(aside, done->set_aside.end()) << trace;
    ASSERT_EQ(aside->facts.size(), 1U);
    const Fact& fact = done->classes.facts[aside->facts[0]];
    EXPECT_EQ(fact.kind, FactKind::kFlow);
    EXPECT_GE(fact.support, 20U);
  }
}

TEST_F(Tpcc, WithTheFiveHintsOnlyTheTrueProblemsRemain) {
  const auto done = audit("tpcc_mariadb_general.log", WeakLevel::kReadCommitted, "tpcc_hints.toml");
  ASSERT_TRUE(done);
  const Names found = targets(*done);
  for (const char* column : {"STOCK.S_QUANTITY", "CUSTOMER.C_BALANCE"}) EXPECT_TRUE(found.contains(column)) << column;
  // Stock-level, which reads D_NEXT_O_ID too early, is ignored by the hints; new orders do not lose it (above).
  EXPECT_FALSE(found.contains("DISTRICT.D_NEXT_O_ID"));
  // Every cycle goes through a true problem: without these columns there is none.
  const auto rest = audit("tpcc_mariadb_general.log", WeakLevel::kReadCommitted, "tpcc_hints.toml", kTrueProblems);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->finding(), Finding::kNone) << audit_text(*rest, {});
}

TEST_F(Tpcc, AtSnapshotIsolationThePaperFindsNoDangerousPath) {
  for (const char* trace : {"tpcc_mariadb_general.log", "tpcc_postgres15_csvlog.csv", "tpcc_sqlite_trace.sql"}) {
    const auto done = audit(trace, WeakLevel::kSnapshotIsolation, {}, {}, true);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->graph.stats().dangerous_paths, 0u) << trace;
  }
}

TEST_F(Tpcc, AtSnapshotIsolationHintsLeaveNothing) {
  const auto done = audit("tpcc_mariadb_general.log", WeakLevel::kSnapshotIsolation, "tpcc_si_hints.toml");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->finding(), Finding::kNone) << audit_text(*done, {});
}

}  // namespace tpcc_test
}  // namespace isolde::audit
