// tests/audit/mutations_test.cc: TPC-C at snapshot isolation has no anomaly without hints, since its trace shows what
// it takes; a trace of an application that is a little different shows less, and then the anomaly must be there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "audit/audit.h"
#include "audit/render.h"

namespace isolde::audit {
namespace mutations_test {

const std::string kTraces = ISOLDE_SOURCE_DIR "/../shared/traces/tpcc/";

struct Line {
  std::string before;   // up to the session
  std::string session;  // empty: no query
  std::string sql;
};

std::vector<Line> lines_of(const std::string& path) {
  std::vector<Line> out;
  std::ifstream file(path);
  static const std::regex kQuery(R"(^([^\t]*\t+ *)(\d+) Query\t(.*)$)");
  for (std::string text; std::getline(file, text);) {
    std::smatch match;
    if (std::regex_match(text, match, kQuery)) {
      out.push_back({match[1], match[2], match[3]});
    } else {
      out.push_back({text, {}, {}});
    }
  }
  return out;
}

class Mutations : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kTraces)) GTEST_SKIP() << "no shared traces beside the source";
  }

  static std::unique_ptr<Audit> audit(const std::vector<Line>& lines, WeakLevel level) {
    const std::string path = ::testing::TempDir() + "isolde_mutation_" + std::to_string(::getpid()) + ".log";
    {
      std::ofstream file(path);
      for (const Line& line : lines) {
        file << line.before;
        if (!line.session.empty()) file << line.session << " Query\t" << line.sql;
        file << "\n";
      }
    }
    auto schema = read_schema(kTraces + "tpcc_db_info.csv");
    EXPECT_TRUE(schema) << schema.error().message();
    AuditOptions options;
    options.level = level;
    options.fixes = options.scope = false;
    auto done = audit_trace(path, *std::move(schema), {}, options);
    std::filesystem::remove(path);
    EXPECT_TRUE(done) << done.error().message();
    return done ? *std::move(done) : nullptr;
  }

  static std::vector<Line> trace() { return lines_of(kTraces + "tpcc_mariadb_general.log"); }
};

TEST_F(Mutations, AsItIsThereIsNoAnomalyAndWhatIsAssumedIsSetAside) {
  const auto done = audit(trace(), WeakLevel::kSnapshotIsolation);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->finding(), Finding::kNone) << audit_text(*done, {});
  ASSERT_FALSE(done->set_aside.empty());
  std::set<FactKind> kinds;
  for (const SetAside& one : done->set_aside) {
    EXPECT_FALSE(one.facts.empty());
    for (const std::uint32_t fact : one.facts) {
      EXPECT_TRUE(done->classes.facts[fact].assumption);
      EXPECT_GE(done->classes.facts[fact].support, 20U);
      kinds.insert(done->classes.facts[fact].kind);
    }
  }
  EXPECT_TRUE(kinds.contains(FactKind::kQueue));
  EXPECT_TRUE(kinds.contains(FactKind::kProjection));
}

TEST_F(Mutations, TheOtherTracesHaveNoneEither) {
  for (const char* const name : {"tpcc_postgres15_csvlog.csv", "tpcc_benchbase_mariadb_general.log"}) {
    const bool benchbase = std::string_view(name).find("benchbase") != std::string_view::npos;
    auto schema = read_schema(kTraces + (benchbase ? "tpcc_benchbase_db_info.csv" : "tpcc_db_info.csv"));
    ASSERT_TRUE(schema);
    AuditOptions options;
    options.level = WeakLevel::kSnapshotIsolation;
    options.fixes = options.scope = false;
    const auto done = audit_trace(kTraces + name, *std::move(schema), {}, options);
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ((*done)->finding(), Finding::kNone) << name << "\n" << audit_text(**done, {});
  }
}

TEST_F(Mutations, ADeliveryThatFindsADistrictEmptyIsAnAnomaly) {
  std::vector<Line> lines = trace(), mutated;
  std::set<std::string> skipping;
  std::size_t rounds = 0, empty = 0;
  for (Line& line : lines) {
    const bool next = line.sql.starts_with("SELECT NO_O_ID");
    if (next) skipping.erase(line.session);
    if (next && ++rounds % 12 == 0) {
      skipping.insert(line.session);
      ++empty;
    } else if (line.sql == "COMMIT") {
      skipping.erase(line.session);
    } else if (skipping.contains(line.session)) {
      continue;
    }
    mutated.push_back(std::move(line));
  }
  ASSERT_GE(empty, 20U);
  const auto done = audit(mutated, WeakLevel::kSnapshotIsolation);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->finding(), Finding::kAnomalies) << audit_text(*done, {});
}

TEST_F(Mutations, AnotherCustomerOfTheNameAndBalancesFromElsewhereAreAnomalies) {
  // By itself the other customer is set aside with the balances that are not used; so both.
  std::vector<Line> lines = trace();
  static const std::regex kCustomer(R"(C_ID = (\d+))");
  std::set<std::string> by_name;
  std::size_t payments = 0;
  for (Line& line : lines) {
    if (line.sql == "BEGIN") by_name.erase(line.session);
    if (line.sql.find("C_LAST = ") != std::string::npos) by_name.insert(line.session);
    if (!by_name.contains(line.session) || !line.sql.starts_with("UPDATE CUSTOMER SET C_BALANCE")) continue;
    ++payments;
    if (payments % 6 == 0) {
      std::smatch match;
      ASSERT_TRUE(std::regex_search(line.sql, match, kCustomer));
      line.sql.replace(static_cast<std::size_t>(match.position(1)), match[1].str().size(),
                       std::to_string(std::stoi(match[1]) + 1));
    }
    if (payments % 7 == 0)
      line.sql.replace(0, line.sql.find(','),
                       "UPDATE CUSTOMER SET C_BALANCE = " + std::to_string(payments * 9173 % 50000) + ".77e0");
  }
  const auto done = audit(lines, WeakLevel::kSnapshotIsolation);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->finding(), Finding::kAnomalies) << audit_text(*done, {});
}

TEST_F(Mutations, OrderNumbersThatDoNotRiseAreAnAnomaly) {
  std::vector<Line> lines = trace();
  std::size_t orders = 0;
  std::map<std::string, std::string> changed;  // by session: the number that the order had
  const auto replace = [](std::string& sql, const std::string& number) {
    const std::size_t at = sql.find("VALUES (" + number + ",");
    if (at != std::string::npos) sql.replace(at + 8, number.size(), "1");
  };
  for (Line& line : lines) {
    if (line.sql.starts_with("INSERT INTO ORDERS")) {
      changed.erase(line.session);
      if (++orders % 25 == 0) {
        const std::size_t at = line.sql.find("VALUES (") + 8;
        changed[line.session] = line.sql.substr(at, line.sql.find(',', at) - at);
      }
    }
    const auto number = changed.find(line.session);
    if (number != changed.end() && line.sql.starts_with("INSERT INTO")) replace(line.sql, number->second);
    if (line.sql == "COMMIT") changed.erase(line.session);
  }
  const auto done = audit(lines, WeakLevel::kSnapshotIsolation);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->finding(), Finding::kAnomalies) << audit_text(*done, {});
}

TEST_F(Mutations, OrderLinesInATransactionOfTheirOwnAreAnAnomaly) {
  std::vector<Line> lines = trace(), mutated;
  std::size_t inserted = 0;
  for (Line& line : lines) {
    if (line.sql.starts_with("INSERT INTO ORDER_LINE") && ++inserted % 100 == 0) {
      mutated.push_back({line.before, line.session, "COMMIT"});
      mutated.push_back({line.before, line.session, "BEGIN"});
    }
    mutated.push_back(std::move(line));
  }
  const auto done = audit(mutated, WeakLevel::kSnapshotIsolation);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->finding(), Finding::kAnomalies) << audit_text(*done, {});
}

TEST_F(Mutations, AtReadCommittedTheKnownAnomaliesStay) {
  const auto done = audit(trace(), WeakLevel::kReadCommitted);
  ASSERT_TRUE(done);
  std::set<std::string> columns;
  for (const Anomaly& anomaly : done->anomalies) {
    for (const CycleEdge& edge : anomaly.cycle.edges)
      columns.insert(done->classes.schema.full_name(edge.conflict.column));
  }
  for (const Cycle& cycle : done->plan.first_round) {
    for (const CycleEdge& edge : cycle.edges) columns.insert(done->classes.schema.full_name(edge.conflict.column));
  }
  for (const char* column : {"DISTRICT.D_NEXT_O_ID", "STOCK.S_QUANTITY", "CUSTOMER.C_BALANCE", "ORDERS.O_CARRIER_ID"})
    EXPECT_TRUE(columns.contains(column)) << column;
}

TEST_F(Mutations, WhatHappenedInTheTraceComesFirst) {
  const auto done = audit(trace(), WeakLevel::kReadCommitted);
  ASSERT_TRUE(done);
  const auto lost = std::ranges::find_if(done->classes.lost, [&](const LostInTrace& one) {
    return done->classes.schema.full_name(one.column) == "STOCK.S_YTD";
  });
  ASSERT_NE(lost, done->classes.lost.end());
  EXPECT_GE(lost->times, 100U);
  ASSERT_FALSE(done->anomalies.empty());
  EXPECT_NE(done->anomalies[0].lost, kNone32);
}

TEST_F(Mutations, TheFirstThreeStoriesHaveThreeCauses) {
  const auto done = audit(trace(), WeakLevel::kReadCommitted);
  ASSERT_TRUE(done);
  ASSERT_GE(done->anomalies.size(), 3U);
  std::set<Cause> causes;
  for (std::size_t i = 0; i < 3; ++i) causes.insert(done->anomalies[i].cause);
  EXPECT_EQ(causes.size(), 3U);
}

TEST_F(Mutations, ASmallTransactionWithinALargeTraceHasItsStory) {
  // osc2.sql: one transaction among thousands of statements, at the default k and l.
  std::vector<Line> lines = trace();
  const Line like = *std::ranges::find_if(lines, [](const Line& line) { return line.sql == "BEGIN"; });
  for (const char* sql :
       {"BEGIN", "SELECT id, product_id, num_in_stock, num_allocated FROM stockrecord WHERE product_id = 212",
        "UPDATE stockrecord SET product_id = 212, num_in_stock = 100, num_allocated = 19 WHERE id = 204", "COMMIT"})
    lines.push_back({"\t\t   ", "99999", sql});
  for (const WeakLevel level : {WeakLevel::kReadCommitted, WeakLevel::kSnapshotIsolation}) {
    const auto done = audit(lines, level);
    ASSERT_TRUE(done);
    const bool told = std::ranges::any_of(done->anomalies, [&](const Anomaly& anomaly) {
      const ColumnId column = anomaly.cycle.edges[0].conflict.column;
      return done->classes.schema.table(done->classes.schema.column(column).table).name == "stockrecord";
    });
    EXPECT_TRUE(told) << audit_text(*done, {.shown = 99});
  }
}

}  // namespace mutations_test
}  // namespace isolde::audit
