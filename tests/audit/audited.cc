#include "tests/audit/audited.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace isolde::audit {

std::unique_ptr<Audit> audited(std::string_view ddl, const std::string& sql, WeakLevel level,
                               const FactSwitches& switches, const Hints& hints) {
  const std::string path = ::testing::TempDir() + "isolde_audited_" + std::to_string(::getpid()) + ".sql";
  std::ofstream(path) << sql;
  auto schema = read_schema_text(ddl, "schema.sql");
  EXPECT_TRUE(schema);
  AuditOptions options;
  options.level = level;
  options.classes.facts = switches;
  options.search.limits.threads = 1;
  auto audit = audit_trace(path, *std::move(schema), hints, options);
  EXPECT_TRUE(audit) << audit.error().message();
  std::filesystem::remove(path);
  return *std::move(audit);
}

FactSwitches without(FactKind kind) {
  FactSwitches out;
  out.turn_off(kind);
  return out;
}

bool shows(const Audit& audit, FactKind kind) {
  return std::ranges::any_of(audit.classes.facts, [&](const Fact& fact) { return fact.kind == kind; });
}

bool is_about(const Audit& audit, std::string_view table) {
  const Schema& schema = audit.classes.schema;
  return std::ranges::any_of(audit.anomalies, [&](const Anomaly& anomaly) {
    return std::ranges::any_of(anomaly.cycle.edges, [&](const CycleEdge& edge) {
      return schema.table(schema.column(edge.conflict.column).table).name == table;
    });
  });
}

}  // namespace isolde::audit
