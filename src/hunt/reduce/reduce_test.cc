#include "hunt/reduce/reduce.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/rng.h"
#include "hunt/finding/finding_file.h"
#include "hunt/reduce/session.h"
#include "tests/support/effort.h"

namespace isolde::hunt {
namespace reduce_test {

std::vector<Place> places_of(const Case& test) {
  std::vector<Place> places;
  for (std::uint32_t t = 0; t < test.transactions.size(); ++t)
    for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s) places.push_back({t, s});
  return places;
}

std::vector<std::uint32_t> drawn_order(const Case& test, Rng& rng) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t t = 0; t < test.transactions.size(); ++t)
    order.insert(order.end(), test.transactions[t].statements.size() + 1, t);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  return order;
}

// `transactions` of `statements` each, called "A1", "A2", … "B1", …; `tables` of ten rows with the pkeys 1 to 10.
Finding big_finding(std::uint32_t transactions, std::uint32_t statements, std::uint32_t tables, Rng& rng) {
  Finding finding;
  finding.wrong = Wrong::kContents;
  finding.dialect = "postgres";
  finding.server = "none";
  finding.level = "serializable";
  for (std::uint32_t i = 0; i < tables; ++i) {
    Table table{.name = fmt::format("t{}", i),
                .columns = {"pkey", "vkey", "c0", "c1"},
                .create = fmt::format("create table t{} (pkey int primary key, vkey int, c0 text, c1 int)", i),
                .rows = {},
                .inserted = {"pkey", "vkey", "c0", "c1"},
                .foreign_keys = {}};
    for (int r = 1; r <= 10; ++r) table.rows.push_back({std::to_string(r), "1", "'xyz'", "77"});
    finding.test.schema.tables.push_back(std::move(table));
    finding.test.schema.more.push_back(fmt::format("create index i{} on t{} (c0)", i, i));
    finding.test.schema.drops.push_back(fmt::format("drop table if exists t{}", i));
  }
  for (std::uint32_t t = 0; t < transactions; ++t) {
    Transaction& transaction = finding.test.transactions.emplace_back();
    for (std::uint32_t s = 0; s < statements; ++s)
      transaction.statements.push_back({.kind = StatementKind::kUpdate,
                                        .sql = fmt::format("{}{}", static_cast<char>('A' + t), s + 1),
                                        .reads = {"t0"},
                                        .writes = {"t0"},
                                        .version = 1001 + t * 100 + s,
                                        .before = {},
                                        .tree = nullptr});
  }
  finding.test.order = drawn_order(finding.test, rng);
  finding.alone = places_of(finding.test);
  for (std::size_t i = finding.alone.size(); i > 1; --i) std::swap(finding.alone[i - 1], finding.alone[rng.below(i)]);
  return finding;
}

// "A1 B2 A3 A. B.": as it runs.
std::string run_text(const Case& test) {
  std::string out;
  std::vector<std::size_t> turn(test.transactions.size(), 0);
  for (const std::uint32_t t : test.order) {
    const auto& statements = test.transactions[t].statements;
    const std::size_t s = turn[t]++;
    if (!out.empty()) out += ' ';
    out += s < statements.size() ? statements[s].sql : std::string(1, statements[0].sql[0]) + ".";
  }
  return out;
}
std::string alone_text(const Finding& finding) {
  std::string out;
  for (const Place place : finding.alone) out += (out.empty() ? "" : " ") + at(finding.test, place).sql;
  return out;
}
bool has_statement(const Case& test, std::string_view sql) {
  for (const Place place : places_of(test))
    if (at(test, place).sql == sql) return true;
  return false;
}
bool has_row(const Case& test, std::string_view table, std::string_view pkey) {
  for (const Table& t : test.schema.tables)
    for (const auto& row : t.rows)
      if (t.name == table && row[0] == pkey) return true;
  return false;
}
std::size_t rows_of(const Case& test) {
  std::size_t rows = 0;
  for (const Table& table : test.schema.tables) rows += table.rows.size();
  return rows;
}
// Does `first` come before `second` as the case runs? Both are there.
bool comes_before(const Case& test, std::string_view first, std::string_view second) {
  const std::string text = " " + run_text(test) + " ";
  const std::size_t a = text.find(fmt::format(" {} ", first)), b = text.find(fmt::format(" {} ", second));
  return a != std::string::npos && b != std::string::npos && a < b;
}

// A server whose failure is a predicate. It counts, and remembers what it has shown.
struct FakeServer {
  std::function<bool(const Case&)> fails;
  std::uint64_t runs = 0;
  std::set<std::string> seen;
  Finding original;

  TryAgain judge() {
    return [this](const Finding& f) -> Result<std::optional<Finding>> {
      ++runs;
      check(f);
      if (!fails(f.test)) return std::optional<Finding>();
      seen.insert(what_ran(f));
      Finding again = f;
      again.expected = "this";
      again.actual = fmt::format("that, in run {}", runs);
      return std::optional<Finding>(std::move(again));
    };
  }
  static std::string what_ran(Finding f) {
    f.expected.clear();
    f.actual.clear();
    f.cause.clear();
    return finding_text(f);
  }
  // Whatever is asked for can be run.
  void check(const Finding& f) const {
    std::vector<std::size_t> turns(f.test.transactions.size(), 0);
    for (const std::uint32_t t : f.test.order) {
      ASSERT_LT(t, turns.size());
      ++turns[t];
    }
    for (std::size_t t = 0; t < turns.size(); ++t) {
      EXPECT_EQ(turns[t], f.test.transactions[t].statements.size() + 1);
      EXPECT_GT(f.test.transactions[t].statements.size(), 0U);
    }
    std::vector<std::string> left;
    for (const Place place : original.alone)
      if (has_statement(f.test, at(original.test, place).sql)) left.push_back(at(original.test, place).sql);
    EXPECT_EQ(alone_text(f), fmt::format("{}", fmt::join(left, " ")));
    EXPECT_LT(f.where.transaction, f.test.transactions.size());
    EXPECT_LT(f.where.statement, f.test.transactions[f.where.transaction].statements.size());
  }
};

TEST(Reduce, NothingIsLeftThatTheFailureDoesNotNeed) {
  for (const std::uint64_t seed : effort::seeds(0, 20)) {
    Rng rng(seed);
    const Finding finding = big_finding(5, 6, 3, rng);
    FakeServer server{.fails =
                          [](const Case& test) {
                            return has_statement(test, "A2") && has_statement(test, "B1") && has_row(test, "t0", "7");
                          },
                      .seen = {},
                      .original = finding};
    const auto small = reduce(finding, server.judge(), {});
    ASSERT_TRUE(small);
    const Case& test = small->test;
    EXPECT_EQ(test.transactions.size(), 2U);
    EXPECT_EQ(statements_of(test), 2U);
    EXPECT_EQ(rows_of(test), 1U);
    ASSERT_EQ(test.schema.tables.size(), 1U);
    EXPECT_EQ(test.schema.tables[0].create, "create table t0 (pkey int primary key, vkey int)");
    EXPECT_EQ(test.schema.tables[0].rows, (std::vector<std::vector<std::string>>{{"7", "1"}}));
    EXPECT_TRUE(test.schema.more.empty());
    EXPECT_EQ(test.schema.drops, (std::vector<std::string>{"drop table if exists t0"}));
    EXPECT_EQ(small->alone.size(), 2U);
    EXPECT_EQ(small->expected, "this");
    EXPECT_TRUE(small->actual.starts_with("that, in run"));
    EXPECT_LT(server.runs, 150U);
    EXPECT_TRUE(server.seen.contains(FakeServer::what_ran(*small)));
  }
}

TEST(Reduce, TheInterleavingBecomesAsSerialAsTheFailureAllows) {
  for (const std::uint64_t seed : effort::seeds(0, 50)) {
    Rng rng(seed);
    Finding finding = big_finding(3, 4, 1, rng);
    const auto fails = [](const Case& test) {
      return comes_before(test, "A1", "B1") && comes_before(test, "B.", "A3");
    };
    while (!fails(finding.test)) finding.test.order = drawn_order(finding.test, rng);
    FakeServer server{.fails = fails, .seen = {}, .original = finding};
    const auto small = reduce(finding, server.judge(), {});
    ASSERT_TRUE(small);
    EXPECT_EQ(run_text(small->test), "A1 B1 B. A3 A.");
  }
}

TEST(Reduce, ACaseThatFailsInAnyOrderIsRunOneTransactionAfterTheOther) {
  Rng rng(1);
  const Finding finding = big_finding(3, 3, 1, rng);
  FakeServer server{.fails =
                        [](const Case& test) {
                          return has_statement(test, "A1") && has_statement(test, "A2") && has_statement(test, "C3");
                        },
                    .seen = {},
                    .original = finding};
  const auto small = reduce(finding, server.judge(), {});
  ASSERT_TRUE(small);
  const std::string text = run_text(small->test);
  EXPECT_TRUE(text == "A1 A2 A. C3 C." || text == "C3 C. A1 A2 A.") << text;
}

TEST(Reduce, TransactionsAreNumberedAsTheyBegin) {
  Rng rng(1);
  Finding finding = big_finding(3, 2, 1, rng);
  const auto fails = [](const Case& test) { return comes_before(test, "C1", "A1"); };
  while (!fails(finding.test)) finding.test.order = drawn_order(finding.test, rng);
  FakeServer server{.fails = fails, .seen = {}, .original = finding};
  const auto small = reduce(finding, server.judge(), {});
  ASSERT_TRUE(small);
  EXPECT_EQ(small->test.transactions[0].statements[0].sql, "C1");
  EXPECT_EQ(run_text(small->test), "C1 C. A1 A.");
}

TEST(Reduce, WhateverTheFailureNeedsTheAnswerWasSeen) {
  for (const std::uint64_t seed : effort::seeds(0, 300)) {
    Rng rng(seed);
    const Finding finding = big_finding(4, 4, 2, rng);
    // Some statements, some rows, any of several ways to fail.
    struct Way {
      std::vector<std::string> statements;
      std::string row;
    };
    std::vector<Way> ways(1 + rng.below(3));
    for (Way& way : ways) {
      for (std::uint64_t n = 1 + rng.below(3); n > 0; --n)
        way.statements.push_back(fmt::format("{}{}", static_cast<char>('A' + rng.below(4)), 1 + rng.below(4)));
      way.row = std::to_string(1 + rng.below(10));
    }
    const std::uint64_t noise = rng.below(4);  // some cases fail for no reason that can be told
    const auto fails = [&](const Case& test) {
      if (noise == 0 && hash_bytes(test.order.data(), test.order.size() * 4) % 5 == 0) return false;
      return std::any_of(ways.begin(), ways.end(), [&](const Way& way) {
        return has_row(test, "t1", way.row) && std::all_of(way.statements.begin(), way.statements.end(),
                                                           [&](const auto& sql) { return has_statement(test, sql); });
      });
    };
    FakeServer server{.fails = fails, .seen = {}, .original = finding};
    ReduceOptions options;
    options.most_runs = rng.chance(0.3) ? rng.below(60) : 4000;
    const auto small = reduce(finding, server.judge(), options);
    ASSERT_TRUE(small);
    EXPECT_LE(server.runs, options.most_runs);
    const std::string ran = FakeServer::what_ran(*small);
    EXPECT_TRUE(server.seen.contains(ran) || ran == FakeServer::what_ran(finding)) << seed;
    EXPECT_TRUE(fails(small->test) || fails(finding.test) == false);
  }
}

TEST(Reduce, AnotherFailureIsNotTakenForTheSame) {
  Rng rng(1);
  Finding finding = big_finding(3, 3, 1, rng);
  finding.wrong = Wrong::kIsolation;
  finding.anomaly = "lost-update";
  std::uint64_t runs = 0;
  // With A1 it is the one that was found; without, it is another.
  const TryAgain again = [&](const Finding& f) -> Result<std::optional<Finding>> {
    Finding seen = f;
    if (!has_statement(f.test, "A1")) (++runs % 2 == 0 ? seen.anomaly : seen.server) = "G-single";
    if (!has_statement(f.test, "A1") && seen.anomaly == "lost-update") seen.wrong = Wrong::kContents;
    return std::optional<Finding>(std::move(seen));
  };
  const auto small = reduce(finding, again, {});
  ASSERT_TRUE(small);
  EXPECT_EQ(run_text(small->test), "A1 A.");
  EXPECT_EQ(small->anomaly, "lost-update");
  EXPECT_EQ(small->wrong, Wrong::kIsolation);
}

TEST(Reduce, AStepThatPassedByAccidentIsTakenBack) {
  for (const std::uint64_t seed : effort::seeds(0, 30)) {
    Rng rng(seed);
    const Finding finding = big_finding(4, 4, 1, rng);
    const auto needs = [](const Case& test) { return has_statement(test, "A2") && has_statement(test, "B1"); };
    std::uint64_t runs = 0;
    const std::uint64_t accident = 1 + rng.below(20);
    const TryAgain again = [&](const Finding& f) -> Result<std::optional<Finding>> {
      if (++runs == accident || needs(f.test)) return std::optional<Finding>(f);
      return std::optional<Finding>();
    };
    const auto small = reduce(finding, again, {});
    ASSERT_TRUE(small);
    EXPECT_TRUE(needs(small->test)) << seed;
  }
}

TEST(Reduce, RunsAndStopAreRespected) {
  Rng rng(1);
  const Finding finding = big_finding(5, 6, 3, rng);
  FakeServer server{.fails = [](const Case&) { return true; }, .seen = {}, .original = finding};
  ReduceOptions options;
  options.most_runs = 1;
  ASSERT_TRUE(reduce(finding, server.judge(), options));
  EXPECT_LE(server.runs, 1U);
  const std::atomic<bool> stop = true;
  options = {};
  options.stop = &stop;
  server.runs = 0;
  ASSERT_TRUE(reduce(finding, server.judge(), options));
  EXPECT_EQ(server.runs, 0U);
  options = {};
  options.most_runs = 0;
  const auto same = reduce(finding, server.judge(), options);
  ASSERT_TRUE(same);
  EXPECT_EQ(FakeServer::what_ran(*same), FakeServer::what_ran(finding));
}

TEST(Reduce, ProgressIsTold) {
  Rng rng(1);
  const Finding finding = big_finding(3, 3, 1, rng);
  FakeServer server{
      .fails = [](const Case& test) { return has_statement(test, "B2"); }, .seen = {}, .original = finding};
  std::size_t statements = 9, rows = 10;
  ReduceOptions options;
  options.progress = [&](std::uint64_t, std::size_t now, std::size_t rows_now) {
    EXPECT_LE(now, statements);
    EXPECT_LE(rows_now, rows);
    statements = now;
    rows = rows_now;
  };
  ASSERT_TRUE(reduce(finding, server.judge(), options));
  EXPECT_EQ(statements, 1U);
  EXPECT_EQ(rows, 0U);
}

TEST(Reduce, AServerThatIsGoneIsAnErrorAtFirstAndAnEndLater) {
  Rng rng(1);
  const Finding finding = big_finding(3, 3, 1, rng);
  const TryAgain gone = [](const Finding&) -> Result<std::optional<Finding>> { return Error{"no server", {}, 0, 0}; };
  const auto none = reduce(finding, gone, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text, "no server");
  std::uint64_t runs = 0;
  const TryAgain later = [&](const Finding& f) -> Result<std::optional<Finding>> {
    if (++runs > 3) return Error{"no server", {}, 0, 0};
    return std::optional<Finding>(f);
  };
  const auto some = reduce(finding, later, {});
  ASSERT_TRUE(some);
  EXPECT_LT(statements_of(some->test), statements_of(finding.test));
  EXPECT_LT(runs, 30U);
}

TEST(Reduce, StatementsThatFailInUnknownWaysEndNothing) {
  Rng rng(1);
  const Finding finding = big_finding(4, 5, 1, rng);
  const TryAgain again = [&](const Finding& f) -> Result<std::optional<Finding>> {
    if (!has_statement(f.test, "A5")) return Error{"no such error is known", {}, 0, 0};
    return std::optional<Finding>(f);
  };
  const auto small = reduce(finding, again, {});
  ASSERT_TRUE(small);
  EXPECT_EQ(run_text(small->test), "A5 A.");
}

TEST(Reduce, AnIndexLosesWhatIsNotNeeded) {
  Rng rng(1);
  Finding finding = big_finding(2, 2, 1, rng);
  finding.test.schema.more = {"create unique index i on t0 (c1, c0, vkey)", "create index j on t0 (c1)"};
  FakeServer server{.fails =
                        [](const Case& test) {
                          return std::any_of(
                              test.schema.more.begin(), test.schema.more.end(),
                              [](const std::string& sql) { return sql.find("c0") != std::string::npos; });
                        },
                    .seen = {},
                    .original = finding};
  const auto small = reduce(finding, server.judge(), {});
  ASSERT_TRUE(small);
  EXPECT_EQ(small->test.schema.more, (std::vector<std::string>{"create index i on t0 (c0)"}));
}

TEST(SendingOrder, StepsOfATransactionThatWaitsComeAfterTheOneThatLetsItGo) {
  Rng rng(1);
  Case test = big_finding(2, 1, 1, rng).test;
  test.order = {0, 1, 1, 0};
  // B1 waits for A's end.
  EXPECT_EQ(sending_order(test, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}), (std::vector<std::uint32_t>{0, 1, 0, 1}));
  // Nothing waits.
  EXPECT_EQ(sending_order(test, {{0, 0}, {1, 0}, {1, 1}, {0, 1}}), test.order);
  // Some never came up.
  EXPECT_EQ(sending_order(test, {{0, 0}}), (std::vector<std::uint32_t>{0, 1, 0, 1}));
  EXPECT_EQ(sending_order(test, {}), (std::vector<std::uint32_t>{0, 1, 1, 0}));
}

}  // namespace reduce_test
}  // namespace isolde::hunt
