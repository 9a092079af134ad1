// The real traces of the project: what is read of them agrees with what their index says.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "audit/trace/log.h"

namespace isolde::audit {
namespace shared_traces_test {

namespace fs = std::filesystem;
const fs::path kTraces = fs::path(ISOLDE_SOURCE_DIR) / ".." / "shared" / "traces";

struct Counts {
  std::size_t transactions = 0, committed = 0, autocommit = 0, undone = 0, statements = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};

std::ostream& operator<<(std::ostream& out, const Counts& c) {
  return out << c.transactions << " txns (" << c.committed << " explicit committed, " << c.autocommit << " autocommit, "
             << c.undone << " rolled back/open), " << c.statements << " statements";
}

Counts counts_of(const TraceLog& log) {
  Counts counts;
  counts.transactions = log.transactions.size();
  counts.statements = log.statements.size();
  for (const TraceTransaction& txn : log.transactions) {
    ++(txn.outcome != TxnOutcome::kCommitted ? counts.undone : txn.autocommit ? counts.autocommit : counts.committed);
  }
  return counts;
}

std::string index_line(const std::string& file) {
  std::ifstream index(kTraces / "INDEX.tsv");
  for (std::string line; std::getline(index, line);) {
    if (line.starts_with(file + "\t")) return line;
  }
  return {};
}

std::size_t number(const std::string& line, const char* pattern) {
  std::smatch match;
  return std::regex_search(line, match, std::regex(pattern)) ? std::stoul(match[1]) : 0;
}

TraceLog load(const std::string& file) {
  auto log = load_trace((kTraces / file).string(), {});
  EXPECT_TRUE(log) << (log ? "" : log.error().message());
  TraceLog none;
  return log ? std::move(*log) : std::move(none);
}

class SharedTraces : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!fs::exists(kTraces / "INDEX.tsv")) GTEST_SKIP() << "no shared traces beside the project";
  }
};

class MysqlTraces : public SharedTraces {};

TEST_P(MysqlTraces, CountsAreThoseOfTheIndex) {
  const std::string line = index_line(GetParam());
  ASSERT_FALSE(line.empty());
  Counts expected{number(line, "(\\d+) txns"), number(line, "(\\d+) explicit committed"),
                  number(line, "(\\d+) autocommit"), number(line, "(\\d+) rolled back"),
                  number(line, "(\\d+) statements")};
  if (GetParam() == std::string_view("acidrain/broadleaf.log")) {
    // The index does not count `/* mysql-connector-java-5.1.26 … */SELECT @@session.auto_increment_increment`.
    ++expected.transactions;
    ++expected.autocommit;
    ++expected.statements;
  }
  const TraceLog log = load(GetParam());
  EXPECT_EQ(log.facts.format, TraceFormat::kMysqlLog);
  EXPECT_EQ(log.unread_count, 0U);
  EXPECT_EQ(counts_of(log), expected);
}

INSTANTIATE_TEST_SUITE_P(All, MysqlTraces,
                         ::testing::Values("acidrain/broadleaf.log", "acidrain/lfs.log", "acidrain/opencart.log",
                                           "acidrain/prestashop.log", "acidrain/shopizer.log", "acidrain/shoppe.log",
                                           "acidrain/woocommerce.log", "tpcc/tpcc_mariadb_general.log",
                                           "tpcc/tpcc_benchbase_mariadb_general.log",
                                           "smallbank/smallbank_mariadb_general.log",
                                           "frontaccounting/frontaccounting_mariadb_general.log"));

class OtherTraces : public SharedTraces {};

TEST_P(OtherTraces, CountsAreThoseOfTheIndex) {
  const std::string line = index_line(GetParam());
  const TraceLog log = load(GetParam());
  const Counts counts = counts_of(log);
  // One row of this file has lost all but its first line: the DETAIL of a deadlock.
  EXPECT_EQ(log.unread_count, GetParam() == std::string_view("tpcc/tpcc_postgres15_csvlog.csv") ? 1U : 0U);
  EXPECT_EQ(counts.transactions, number(line, "(\\d+) txns"));
  EXPECT_EQ(counts.committed, number(line, "(\\d+) committed"));
  // The index counts those that failed; the log leaves them out.
  EXPECT_EQ(counts.statements + log.failed_statements, number(line, "(\\d+) statements"));
}

INSTANTIATE_TEST_SUITE_P(All, OtherTraces,
                         ::testing::Values("tpcc/tpcc_postgres15_csvlog.csv",
                                           "smallbank/smallbank_postgres15_csvlog.csv", "tpcc/tpcc_sqlite_trace.sql",
                                           "smallbank/smallbank_sqlite_trace.sql"));

}  // namespace shared_traces_test
}  // namespace isolde::audit
