// Every shared trace, with its schema and without one: how much of it is understood.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "audit/sql/statement.h"
#include "audit/trace/log.h"

namespace isolde::audit {
namespace statement_trace_test {

struct TraceFile {
  std::string_view trace, schema;
};
constexpr TraceFile kTraces[] = {
    {"acidrain/broadleaf.log", "acidrain/schema/broadleaf_db_info.csv"},
    {"acidrain/lfs.log", "acidrain/schema/lfs_db_info.csv"},
    {"acidrain/opencart.log", "acidrain/schema/opencart_db_info.csv"},
    {"acidrain/prestashop.log", "acidrain/schema/prestashop_db_info.csv"},
    {"acidrain/shopizer.log", "acidrain/schema/shopizer_db_info.csv"},
    {"acidrain/shoppe.log", "acidrain/schema/shoppe_db_info.csv"},
    {"acidrain/woocommerce.log", "acidrain/schema/woocommerce_db_info.csv"},
    {"frontaccounting/frontaccounting_mariadb_general.log", "frontaccounting/frontaccounting_db_info.csv"},
    {"tpcc/tpcc_mariadb_general.log", "tpcc/tpcc_db_info.csv"},
    {"tpcc/tpcc_benchbase_mariadb_general.log", "tpcc/tpcc_benchbase_db_info.csv"},
    {"tpcc/tpcc_postgres15_csvlog.csv", "tpcc/tpcc_db_info.csv"},
    {"tpcc/tpcc_sqlite_trace.sql", "tpcc/tpcc_db_info.csv"},
    {"smallbank/smallbank_mariadb_general.log", "smallbank/smallbank_db_info.csv"},
    {"smallbank/smallbank_postgres15_csvlog.csv", "smallbank/smallbank_db_info.csv"},
    {"smallbank/smallbank_sqlite_trace.sql", "smallbank/smallbank_db_info.csv"},
};

const std::string& folder() {
  static const std::string path = ISOLDE_SOURCE_DIR "/../shared/traces/";
  return path;
}

class StatementTrace : public ::testing::TestWithParam<TraceFile> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder())) GTEST_SKIP() << "needs the shared traces: " << folder();
  }
};

struct Counts {
  std::uint64_t all = 0, understood = 0, learned_columns = 0;
  std::string why;
};

Counts count(const TraceLog& log, Schema schema) {
  Counts counts;
  const std::size_t before = schema.columns();
  learn_schema(log.shapes, schema);
  counts.learned_columns = schema.columns() - before;
  std::vector<bool> understood(log.shapes.size());
  for (std::uint32_t i = 0; i < log.shapes.size(); ++i) {
    const std::string_view sql = log.shapes.example(ShapeId(i));
    const Statement statement = understand(sql, log.shapes.dialect(), schema);
    understood[i] = statement.kind != StatementKind::kNotUnderstood;
    if (!understood[i]) counts.why += fmt::format("{}\n    {}\n", statement.why_not, sql.substr(0, 600));
  }
  for (const TraceStatement& statement : log.statements) {
    ++counts.all;
    counts.understood += understood[raw(statement.shape)] ? 1 : 0;
  }
  return counts;
}

TEST_P(StatementTrace, NearlyEveryStatementIsUnderstood) {
  const auto log = load_trace(folder() + std::string(GetParam().trace), {});
  ASSERT_TRUE(log) << log.error().text;
  auto schema = read_schema(folder() + std::string(GetParam().schema));
  ASSERT_TRUE(schema) << schema.error().text;
  const Counts given = count(*log, *schema);
  const Counts inferred = count(*log, Schema{});
  for (const Counts& counts : {given, inferred}) {
    EXPECT_GT(counts.all, 100U);
    EXPECT_GE(static_cast<double>(counts.understood), 0.995 * static_cast<double>(counts.all)) << counts.why;
  }
  EXPECT_EQ(given.learned_columns, 0U) << "a column was taken for another table's";
}

INSTANTIATE_TEST_SUITE_P(Shared, StatementTrace, ::testing::ValuesIn(kTraces), [](const auto& one) {
  std::string name = std::filesystem::path(one.param.trace).stem().string();
  return name;
});

}  // namespace statement_trace_test
}  // namespace isolde::audit
