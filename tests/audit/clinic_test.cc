// tests/audit/clinic_test.cc: an application of which it is known what is wrong (examples/audit/clinic), recorded on a
// real PostgreSQL through SQLAlchemy. Four of its ten requests are wrong; the others are safe, each by another means.
#include <gtest/gtest.h>

#include <set>

#include "audit/audit.h"
#include "audit/render.h"

namespace isolde::audit {
namespace clinic_test {

const std::string kFolder = ISOLDE_SOURCE_DIR "/examples/audit/clinic/";

std::unique_ptr<Audit> audited(WeakLevel level, bool one_level = false) {
  auto schema = read_schema(kFolder + "clinic.ddl");
  EXPECT_TRUE(schema) << schema.error().message();
  AuditOptions options;
  options.level = level;
  options.classes.levels = !one_level;
  auto audit = audit_trace(kFolder + "clinic.log", *std::move(schema), {}, options);
  EXPECT_TRUE(audit) << audit.error().message();
  return *std::move(audit);
}

std::set<std::string> tables_of(const Audit& audit, const Anomaly& anomaly) {
  std::set<std::string> out;
  for (const CycleEdge& edge : anomaly.cycle.edges) {
    const std::string name = audit.classes.schema.full_name(edge.conflict.column);
    out.insert(name.substr(0, name.find('.')));
  }
  return out;
}

TEST(Clinic, WhatIsWrongComesFirstAndWhatIsSafeIsNotReported) {
  const auto audit = audited(WeakLevel::kReadCommitted);
  const std::string text = audit_text(*audit, {.shown = 10});
  std::set<std::string> first;
  for (std::size_t i = 0; i < audit->anomalies.size(); ++i) {
    for (const std::string& table : tables_of(*audit, audit->anomalies[i])) {
      EXPECT_TRUE(table == "account" || table == "doctor" || table == "appointment") << table << "\n" << text;
      if (i < 5) first.insert(table);
    }
  }
  EXPECT_EQ(first, (std::set<std::string>{"account", "doctor", "appointment"})) << text;
}

TEST(Clinic, ACheckInATransactionOfItsOwnIsReportedAtEveryLevel) {
  for (const WeakLevel level : {WeakLevel::kReadCommitted, WeakLevel::kSnapshotIsolation}) {
    const auto audit = audited(level);
    ASSERT_EQ(audit->scope.size(), 1U);
    // It is set to 1 twice, which is the fault and no saving of an unchanged row.
    EXPECT_FALSE(audit->scope[0].unchanged);
    EXPECT_NE(audit_text(*audit, {.shown = 10}).find("voucher.used is read, and later overwritten"), std::string::npos);
  }
}

TEST(Clinic, ATransactionThatSetsItsLevelIsShownWithIt) {
  const std::string text = audit_text(*audited(WeakLevel::kSnapshotIsolation), {.shown = 10});
  EXPECT_NE(text.find("UPDATE account (2); it sets its own level, read-committed"), std::string::npos) << text;
}

TEST(Clinic, WithSnapshotsThereIsNoLostUpdate) {
  const auto audit = audited(WeakLevel::kSnapshotIsolation, true);
  const std::string text = audit_text(*audit, {.shown = 10});
  std::set<std::string> found;
  for (const Anomaly& anomaly : audit->anomalies) {
    EXPECT_NE(anomaly.name, AnomalyName::kLostUpdate) << text;
    found.merge(tables_of(*audit, anomaly));
  }
  // Both funds that a transfer reads are written by it, so two that share one do not both commit.
  EXPECT_EQ(found, (std::set<std::string>{"doctor", "appointment"})) << text;
}

}  // namespace clinic_test
}  // namespace isolde::audit
