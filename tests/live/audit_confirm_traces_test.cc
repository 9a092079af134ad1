// Recorded applications through the whole way, from the trace to the proof: what the audit says can go wrong does go
// wrong on a real server at that level, and does not at SERIALIZABLE.
#include <gtest/gtest.h>
#include <strings.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "audit/audit.h"
#include "db/server.h"
#include "db/url.h"
#include "tests/live/shared_server.h"
#include "tests/support/effort.h"

namespace isolde::audit {
namespace audit_confirm_traces_test {

const std::string kTraces = ISOLDE_SOURCE_DIR "/../shared/traces/";

db::Server* server_of(const std::string& kind) {
  return test::shared_server({.kind = kind, .binaries = {}, .settings = {}});
}

std::string text_of(const Run& run) { return run.level + ": " + run.why + "\n"; }

bool is_about(const Audit& audit, const Anomaly& anomaly, const std::string& column) {
  if (column.empty()) return true;
  for (const CycleEdge& edge : anomaly.cycle.edges) {
    const std::string name = audit.classes.schema.full_name(edge.conflict.column);
    if (strcasecmp(name.c_str(), column.c_str()) != 0) return false;
  }
  return true;
}

struct Wanted {
  const char* trace;
  const char* schema;
  WeakLevel level;
  const char* column;  // all edges are about it; empty: any
  AnomalyName name;
  std::size_t among = 1;  // the likeliest of these
};

class AuditTraces : public ::testing::TestWithParam<const char*> {
 protected:
  void expect_confirmed(const Wanted& wanted) {
    const std::string trace = kTraces + wanted.trace, schema_file = kTraces + wanted.schema;
    if (!std::filesystem::exists(trace)) GTEST_SKIP() << "the shared traces are not there";
    auto schema = read_schema(schema_file);
    ASSERT_TRUE(schema) << schema.error().message();
    AuditOptions options;
    options.level = wanted.level;
    options.fixes = false;
    auto audit = audit_trace(trace, *std::move(schema), {}, options);
    ASSERT_TRUE(audit) << audit.error().message();
    db::Server* const server = server_of(GetParam());
    ASSERT_NE(server, nullptr);
    auto database = db::open_database(*db::parse_url(server->url()));
    ASSERT_TRUE(database) << database.error().text;
    ConfirmOptions how;
    how.level = wanted.level;
    std::size_t tried = 0;
    std::string seen;
    for (const Anomaly& anomaly : (*audit)->anomalies) {
      if (anomaly.name != wanted.name || !is_about(**audit, anomaly, wanted.column)) continue;
      if (tried++ == wanted.among) break;
      const auto result = confirm(anomaly, (*audit)->classes, (*audit)->log, **database, how);
      ASSERT_TRUE(result) << result.error().text;
      EXPECT_NE(result->at_serializable.happened, Happened::kYes) << text_of(result->at_serializable);
      if (result->confirmed()) return;
      seen += text_of(result->at_level) + text_of(result->at_serializable);
    }
    ADD_FAILURE() << tried << " of " << (*audit)->anomalies.size() << " anomalies were tried\n" << seen;
  }
};

TEST_P(AuditTraces, TpccNewOrderLosesAQuantityAtReadCommitted) {
  expect_confirmed({"tpcc/tpcc_mariadb_general.log", "tpcc/tpcc_db_info.csv", WeakLevel::kReadCommitted,
                    "stock.s_quantity", AnomalyName::kLostUpdate});
}

// Two new orders that read the same D_NEXT_O_ID insert the same O_ID, as the trace shows, and the primary key of ORDERS
// turns the second away. (With different O_IDs, which no application would send, the lost update once was "confirmed".)
TEST_P(AuditTraces, TpccNewOrdersWithOneNumberDoNotBothCommit) {
  const std::string trace = kTraces + "tpcc/tpcc_mariadb_general.log";
  if (!std::filesystem::exists(trace)) GTEST_SKIP() << "the shared traces are not there";
  auto schema = read_schema(kTraces + "tpcc/tpcc_db_info.csv");
  ASSERT_TRUE(schema) << schema.error().message();
  AuditOptions options;
  options.fixes = false;
  auto audit = audit_trace(trace, *std::move(schema), {}, options);
  ASSERT_TRUE(audit) << audit.error().message();
  const auto aside = std::ranges::find_if((*audit)->set_aside, [&](const SetAside& one) {
    return one.anomaly.name == AnomalyName::kLostUpdate && is_about(**audit, one.anomaly, "district.d_next_o_id");
  });
  ASSERT_NE(aside, (*audit)->set_aside.end());
  db::Server* const server = server_of(GetParam());
  ASSERT_NE(server, nullptr);
  auto database = db::open_database(*db::parse_url(server->url()));
  ASSERT_TRUE(database) << database.error().text;
  const auto result = confirm(aside->anomaly, (*audit)->classes, (*audit)->log, **database, {});
  ASSERT_TRUE(result) << result.error().text;
  EXPECT_NE(result->at_level.happened, Happened::kYes) << text_of(result->at_level);
}

TEST_P(AuditTraces, SmallBankHasAWriteSkewUnderSnapshots) {
  expect_confirmed({"smallbank/smallbank_mariadb_general.log", "smallbank/smallbank_db_info.csv",
                    WeakLevel::kSnapshotIsolation, "", AnomalyName::kWriteSkew});
}

TEST_P(AuditTraces, TracesOfPostgresqlAreConfirmedToo) {
  expect_confirmed({"smallbank/smallbank_postgres15_csvlog.csv", "smallbank/smallbank_db_info.csv",
                    WeakLevel::kSnapshotIsolation, "", AnomalyName::kWriteSkew});
  expect_confirmed({"tpcc/tpcc_postgres15_csvlog.csv", "tpcc/tpcc_db_info.csv", WeakLevel::kReadCommitted,
                    "stock.s_quantity", AnomalyName::kLostUpdate});
}

TEST_P(AuditTraces, ShoppeLosesUpdatesOfAnOrder) {
  expect_confirmed({"acidrain/shoppe.log", "acidrain/schema/shoppe_db_info.csv", WeakLevel::kReadCommitted, "",
                    AnomalyName::kLostUpdate});
}

TEST_P(AuditTraces, ShopizerLosesUpdatesOfACart) {
  expect_confirmed({"acidrain/shopizer.log", "acidrain/schema/shopizer_db_info.csv", WeakLevel::kReadCommitted, "",
                    AnomalyName::kLostUpdate});
}

// (Its lost updates were all of rows that the transaction had just inserted itself: they cannot happen.)
TEST_P(AuditTraces, WooCommerceDeletesAnOptionThatAnotherHasJustChanged) {
  expect_confirmed({"acidrain/woocommerce.log", "acidrain/schema/woocommerce_db_info.csv", WeakLevel::kReadCommitted,
                    "", AnomalyName::kStaleRead});
}

// Each of the first ten stories happens, or every order of its statements was tried.
TEST_P(AuditTraces, TheLikeliestStoriesAreConfirmedOrImpossible) {
  struct Trace {
    const char *trace, *schema;
    WeakLevel level;
  };
  const Trace traces[] = {
      {"tpcc/tpcc_mariadb_general.log", "tpcc/tpcc_db_info.csv", WeakLevel::kReadCommitted},
      {"smallbank/smallbank_mariadb_general.log", "smallbank/smallbank_db_info.csv", WeakLevel::kSnapshotIsolation},
      {"acidrain/shoppe.log", "acidrain/schema/shoppe_db_info.csv", WeakLevel::kReadCommitted},
      {"acidrain/opencart.log", "acidrain/schema/opencart_db_info.csv", WeakLevel::kReadCommitted},
  };
  std::uint64_t place = 0;
  for (const Trace& one : traces) {
    if (!effort::takes(place++)) continue;
    if (!std::filesystem::exists(kTraces + one.trace)) GTEST_SKIP() << "the shared traces are not there";
    auto schema = read_schema(kTraces + one.schema);
    ASSERT_TRUE(schema) << schema.error().message();
    AuditOptions options;
    options.level = one.level;
    options.fixes = false;
    auto audit = audit_trace(kTraces + one.trace, *std::move(schema), {}, options);
    ASSERT_TRUE(audit) << audit.error().message();
    db::Server* const server = server_of(GetParam());
    ASSERT_NE(server, nullptr);
    auto database = db::open_database(*db::parse_url(server->url()));
    ASSERT_TRUE(database) << database.error().text;
    const std::size_t count = std::min<std::size_t>((*audit)->anomalies.size(), 10);
    const auto all = confirm_all(std::span((*audit)->anomalies).first(count), (*audit)->classes, (*audit)->log,
                                 **database, {.level = one.level, .threads = 2});
    ASSERT_TRUE(all) << all.error().text;
    for (std::size_t i = 0; i < count; ++i) {
      const Outcome outcome = (*all)[i].outcome();
      EXPECT_TRUE(outcome == Outcome::kConfirmed || outcome == Outcome::kImpossible)
          << one.trace << " " << i + 1 << "\n"
          << text_of((*all)[i].at_level) << text_of((*all)[i].at_serializable);
    }
  }
}

TEST(AuditClinic, EveryAnomalyOfTheClinicHappensOnPostgres) {
  const std::string folder = ISOLDE_SOURCE_DIR "/examples/audit/clinic/";
  auto schema = read_schema(folder + "clinic.ddl");
  ASSERT_TRUE(schema) << schema.error().message();
  auto audit = audit_trace(folder + "clinic.log", *std::move(schema), {}, {});
  ASSERT_TRUE(audit) << audit.error().message();
  db::Server* const server = server_of("postgres");
  ASSERT_NE(server, nullptr);
  auto database = db::open_database(*db::parse_url(server->url()));
  ASSERT_TRUE(database) << database.error().text;
  ASSERT_FALSE((*audit)->anomalies.empty());
  for (std::size_t i = 0; i < std::min<std::size_t>((*audit)->anomalies.size(), 10); ++i) {
    const auto result = confirm((*audit)->anomalies[i], (*audit)->classes, (*audit)->log, **database, {});
    ASSERT_TRUE(result) << result.error().text;
    EXPECT_TRUE(result->confirmed()) << i << "\n" << text_of(result->at_level) << text_of(result->at_serializable);
  }
}

INSTANTIATE_TEST_SUITE_P(Servers, AuditTraces, ::testing::Values("postgres", "mariadb"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace audit_confirm_traces_test
}  // namespace isolde::audit
