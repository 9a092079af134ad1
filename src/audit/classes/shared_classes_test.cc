// The classes of the project's real traces: how many there are, and that what is said of them is true of each of their
// transactions.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "audit/classes/classes.h"
#include "audit/facts/find_classes.h"
#include "tests/support/small_classes.h"

namespace isolde::audit {
namespace shared_classes_test {

namespace fs = std::filesystem;
const fs::path kTraces = fs::path(ISOLDE_SOURCE_DIR) / ".." / "shared" / "traces";

struct Shared {
  std::string trace, schema;
  std::size_t classes;  // as found here: a change of it should be looked at
  std::string paper;    // what IsoDiff's Table 1 says; its classes are not published, so why ours differ is not known
};

void PrintTo(const Shared& shared, std::ostream* out) { *out << shared.trace; }

struct Found {
  TraceLog log;
  Classes classes;
};

void find(const Shared& shared, Found& out, const ClassOptions& options = {}) {
  Result<TraceLog> log = load_trace((kTraces / shared.trace).string(), {});
  ASSERT_TRUE(log.has_value()) << log.error().text;
  Schema schema;
  if (!shared.schema.empty()) {
    Result<Schema> read = read_schema((kTraces / shared.schema).string());
    ASSERT_TRUE(read.has_value()) << read.error().text;
    schema = std::move(*read);
  }
  out.log = std::move(*log);
  out.classes = find_classes(out.log, std::move(schema), options);
}

class SharedClasses : public ::testing::TestWithParam<Shared> {
 protected:
  void SetUp() override {
    if (!fs::exists(kTraces / GetParam().trace)) GTEST_SKIP() << "no shared traces here";
  }
};

TEST_P(SharedClasses, AreAsManyAsExpected) {
  Found found;
  ASSERT_NO_FATAL_FAILURE(find(GetParam(), found));
  EXPECT_EQ(found.classes.classes.size(), GetParam().classes) << GetParam().paper;
  EXPECT_EQ(found.classes.not_understood_statements, 0);
  EXPECT_EQ(found.classes.data_statements + found.classes.no_data_statements, found.log.statements.size());
}

TEST_P(SharedClasses, SayWhatTheirStatementsDo) {
  Found found;
  ASSERT_NO_FATAL_FAILURE(find(GetParam(), found));
  std::set<std::string> names;
  std::uint64_t transactions = 0;
  for (const TransactionClass& one : found.classes.classes) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    transactions += one.transactions;
    ASSERT_EQ(one.statements.size(), one.example_statements.size());
    ASSERT_EQ(one.example_values.size(), one.variables);
    std::size_t operation = 0;
    for (std::uint32_t s = 0; s < one.statements.size(); ++s) {
      ASSERT_EQ(found.log.statements[one.example_statements[s]].shape, one.statements[s]);
      for (const Access& access : found.classes.statements[raw(one.statements[s])].accesses) {
        ASSERT_LT(operation, one.operations.size());
        const Operation& mine = one.operations[operation++];
        ASSERT_EQ(mine.statement, s);
        ASSERT_EQ(mine.access.column, access.column);
        ASSERT_EQ(mine.access.action, access.action);
        ASSERT_EQ(mine.access.lock, access.lock);
        ASSERT_LT(mine.access.row_set, one.rows.size());
        ASSERT_EQ(one.rows[mine.access.row_set].table, found.classes.schema.column(access.column).table);
      }
    }
    ASSERT_EQ(operation, one.operations.size());
  }
  for (const std::uint32_t number : found.classes.class_of) transactions -= number != kNone32 ? 1 : 0;
  EXPECT_EQ(transactions, 0);
}

// With all rounds kept, statement s of the class is the s-th of each transaction that touches data.
TEST_P(SharedClasses, HaveVariablesThatAreEqualInEveryTransaction) {
  Found found;
  ASSERT_NO_FATAL_FAILURE(find(GetParam(), found, {.rounds = 0}));
  for (std::size_t i = 0; i < found.log.transactions.size(); ++i) {
    if (found.classes.class_of[i] == kNone32) continue;
    const TransactionClass& one = found.classes.classes[found.classes.class_of[i]];
    std::map<std::uint32_t, LiteralId> values;
    std::size_t operation = 0;
    for (const TraceStatement& statement : found.log.of(found.log.transactions[i])) {
      const Statement& meaning = found.classes.statements[raw(statement.shape)];
      for (const Access& access : meaning.accesses) {
        ASSERT_LT(operation, one.operations.size());
        const ClassRows& rows = one.rows[one.operations[operation++].access.row_set];
        const RowSet& its = meaning.row_sets[access.row_set];
        ASSERT_TRUE(its.single || !rows.single);
        for (const ClassRowKey& key : rows.keys) {
          const auto place = std::ranges::find(its.keys, key.column, &RowKey::column);
          ASSERT_NE(place, its.keys.end());
          const LiteralId value = found.log.literals_of(statement)[place->literal];
          ASSERT_EQ(values.try_emplace(key.variable, value).first->second, value);
          if (i == one.example) {
            ASSERT_EQ(one.example_values[key.variable], value);
          }
        }
      }
    }
    ASSERT_EQ(operation, one.operations.size());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Traces, SharedClasses,
    ::testing::Values(Shared{"acidrain/shoppe.log", "acidrain/schema/shoppe_db_info.csv", 28, "28"},
                      Shared{"acidrain/lfs.log", "acidrain/schema/lfs_db_info.csv", 75, "77"},
                      Shared{"acidrain/opencart.log", "acidrain/schema/opencart_db_info.csv", 76, "75"},
                      Shared{"acidrain/prestashop.log", "acidrain/schema/prestashop_db_info.csv", 211, "210"},
                      Shared{"acidrain/woocommerce.log", "acidrain/schema/woocommerce_db_info.csv", 57, "55"},
                      Shared{"acidrain/broadleaf.log", "acidrain/schema/broadleaf_db_info.csv", 80, ""},
                      Shared{"acidrain/shopizer.log", "acidrain/schema/shopizer_db_info.csv", 28, ""},
                      Shared{"tpcc/tpcc_mariadb_general.log", "tpcc/tpcc_db_info.csv", 9, "10"},
                      Shared{"tpcc/tpcc_benchbase_mariadb_general.log", "tpcc/tpcc_benchbase_db_info.csv", 9, ""},
                      Shared{"tpcc/tpcc_postgres15_csvlog.csv", "tpcc/tpcc_db_info.csv", 9, ""},
                      Shared{"tpcc/tpcc_sqlite_trace.sql", "tpcc/tpcc_db_info.csv", 9, ""},
                      Shared{"smallbank/smallbank_mariadb_general.log", "smallbank/smallbank_db_info.csv", 6, ""},
                      Shared{"smallbank/smallbank_postgres15_csvlog.csv", "smallbank/smallbank_db_info.csv", 6, ""},
                      Shared{"frontaccounting/frontaccounting_mariadb_general.log",
                             "frontaccounting/frontaccounting_db_info.csv", 283, ""}));

TEST(SharedClassesOfTpcc, NewOrderHasTwoLoopsAndOneDistrict) {
  if (!fs::exists(kTraces)) GTEST_SKIP() << "no shared traces here";
  Found found;
  ASSERT_NO_FATAL_FAILURE(find({"tpcc/tpcc_mariadb_general.log", "tpcc/tpcc_db_info.csv", 9, ""}, found));
  const TransactionClass& one = found.classes.classes[raw(
      testing::class_named(found.classes, "UPDATE DISTRICT, INSERT ORDERS, INSERT NEW_ORDER and 2 more"))];
  ASSERT_EQ(one.statements.size(), 14);  // 2 items; warehouse, district, customer, district, order, new order; 2 * 3
  // Every row of the district, the order and its lines is of the same warehouse and district; the stock is of the two
  // items, which are different.
  std::map<std::string, std::set<std::uint32_t>> variables;
  for (const ClassRows& rows : one.rows) {
    for (const ClassRowKey& key : rows.keys) {
      variables[found.classes.schema.column(key.column).name].insert(key.variable);
    }
  }
  EXPECT_EQ(variables["D_ID"].size(), 1);
  for (const std::string name : {"O_D_ID", "NO_D_ID", "OL_D_ID", "C_D_ID"})
    EXPECT_EQ(variables[name], variables["D_ID"]) << name;
  for (const std::string name : {"D_W_ID", "O_W_ID", "NO_W_ID", "OL_W_ID", "C_W_ID"}) {
    EXPECT_EQ(variables[name], variables["W_ID"]) << name;
  }
  EXPECT_EQ(variables["I_ID"].size(), 2);
  EXPECT_EQ(variables["S_I_ID"], variables["I_ID"]);
  EXPECT_EQ(variables["OL_I_ID"], variables["I_ID"]);
  EXPECT_EQ(variables["NO_O_ID"], variables["O_ID"]);
}

TEST(ClassesOfSql, TheExampleOfThePaper) {
  const Result<TraceLog> log = load_trace_text(R"(BEGIN;
SELECT total FROM cart WHERE id = 3;
UPDATE cart SET total = 7 WHERE id = 3;
COMMIT;
BEGIN;
SELECT total FROM cart WHERE id = 4;
UPDATE cart SET total = 9 WHERE id = 4;
COMMIT;
BEGIN;
SELECT total FROM cart WHERE id = 4;
ROLLBACK;
)",
                                               "figure1.sql", {});
  ASSERT_TRUE(log.has_value()) << log.error().text;
  const Classes classes = find_classes(*log, Schema(), {});
  ASSERT_EQ(classes.classes.size(), 1);
  const TransactionClass& one = classes.classes[0];
  EXPECT_EQ(one.name, "UPDATE cart");
  EXPECT_EQ(testing::text_of(classes, one),
            "rw(cart.id) r(cart.total) @ cart.id=0; rxwo(cart.id) w(cart.total) @ cart.id=0");
  EXPECT_EQ(one.transactions, 2);
}

}  // namespace shared_classes_test
}  // namespace isolde::audit
