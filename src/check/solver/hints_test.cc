#include "check/solver/hints.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/history_text.h"
#include "tests/support/native_history.h"
#include "tests/support/solver_problem.h"

namespace isolde::solver {
namespace hints_test {

// Transactions in the order of their ranks, by the node where they write.
std::vector<std::string> order_of(const SolverProblem& p, Hint hint) {
  const auto rank = ranks(p.history, p.problem, hint);
  std::vector<std::pair<std::uint32_t, std::string>> all;
  for (std::uint32_t t = 0; t < p.problem.txns; ++t)
    all.emplace_back(rank[p.problem.write_node(TxnId{t})], p.history.txn_text(TxnId{t}));
  std::sort(all.begin(), all.end());
  std::vector<std::string> out;
  for (const auto& [place, name] : all) out.push_back(name);
  return out;
}

std::vector<std::string> order_of(std::string_view text, Hint hint, Level level = Level::kSerializable) {
  const auto p = solver_problem(hist(text), level);
  return p == nullptr ? std::vector<std::string>{} : order_of(*p, hint);
}

using Names = std::vector<std::string>;

TEST(Hints, RanksAreAllDifferentAndBelowTheNumberOfNodes) {
  for_random_problems(1, 400, 12, [](const SolverProblem& p, Rng&) {
    for (const Hint hint : {Hint::kClocks, Hint::kFile, Hint::kSessions, Hint::kDepth}) {
      auto rank = ranks(p.history, p.problem, hint);
      ASSERT_EQ(rank.size(), p.problem.nodes);
      std::sort(rank.begin(), rank.end());
      for (std::uint32_t i = 0; i < rank.size(); ++i) ASSERT_EQ(rank[i], i);
    }
  });
}

TEST(Hints, NoTransactionStartsAfterItsCommit) {
  for_random_problems(2, 400, 12, [](const SolverProblem& p, Rng&) {
    if (!p.problem.has_points() || !known_is_acyclic(p.problem)) return;
    for (const Hint hint : {Hint::kClocks, Hint::kFile, Hint::kSessions, Hint::kDepth}) {
      const auto rank = ranks(p.history, p.problem, hint);
      for (std::uint32_t t = 0; t < p.problem.txns; ++t) ASSERT_LT(rank[2 * t], rank[2 * t + 1]);
    }
  });
}

TEST(Hints, CommitsComeInTheOrderInWhichTheyWereSent) {
  const auto p = solver_problem(native(R"({"id":"A","session":1,"begin":1,"commit":[4,90],"end":90,"ops":[["w","x",1]]}
{"id":"B","session":2,"begin":1,"commit":[60,70],"end":70,"ops":[["w","x",2]]}
{"id":"C","session":3,"begin":1,"end":80,"ops":[["w","x",3]]}
)"),
                                Level::kSerializable);
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(order_of(*p, Hint::kClocks), (Names{"A", "B", "C"}));
}

TEST(Hints, TheExpectedOrderGoesBeforeTimestampsAndTheseBeforeTheClient) {
  EXPECT_EQ(order_of("A 1..6 {1..9} #3: w x1 | B 2..5 {2..8} #2: w x2 | C 3..4 {3..7} #1: w x3", Hint::kClocks),
            (Names{"C", "B", "A"}));
  EXPECT_EQ(order_of("A 1..6 {1..2}: w x1 | B 2..5 {3..4}: w x2 | C 3..4 {5..6}: w x3", Hint::kClocks),
            (Names{"C", "B", "A"}));
  EXPECT_EQ(order_of("A {1..9}: w x1 | B {2..8}: w x2 | C {3..7}: w x3", Hint::kClocks), (Names{"C", "B", "A"}));
}

TEST(Hints, ClocksBeforeTheYearOneAreInOrderToo) {
  EXPECT_EQ(order_of("A {5..6}: w x1 | B {-9..-8}: w x2 | C {-3..0}: w x3", Hint::kClocks), (Names{"B", "C", "A"}));
}

TEST(Hints, TheFileIsAsItStands) {
  EXPECT_EQ(order_of("A {5..6}: w x1 | B {3..4}: w x2 | C {1..2}: w x3", Hint::kFile), (Names{"A", "B", "C"}));
}

TEST(Hints, SessionsGoAtOnePace) {
  EXPECT_EQ(order_of("A@s: w x1 | B@s: w x2 | C@s: w x3 | D@t: w x4", Hint::kSessions), (Names{"A", "B", "D", "C"}));
}

TEST(Hints, WhatReadsComesAfterWhatItReads) {
  EXPECT_EQ(order_of("A: r y2 w z3 | B: r x1 w y2 | C: w x1", Hint::kDepth), (Names{"C", "B", "A"}));
}

TEST(Hints, OnlyThoseAreNamedThatSaySomething) {
  const auto hints = [](std::string_view text) {
    const auto p = solver_problem(hist(text), Level::kSerializable);
    return hints_for(p->history);
  };
  EXPECT_EQ(hints("A: w x1 | B: w x2"), (std::vector{Hint::kFile, Hint::kDepth}));
  EXPECT_EQ(hints("A@s: w x1 | B@s: w x2"), (std::vector{Hint::kFile, Hint::kDepth}));
  EXPECT_EQ(hints("A@s {1..2}: w x1 | B@s: w x2 | C@t: w x3"),
            (std::vector{Hint::kClocks, Hint::kFile, Hint::kSessions, Hint::kDepth}));
}

}  // namespace hints_test
}  // namespace isolde::solver
