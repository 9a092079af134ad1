#include "check/solver/explain.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "check/solver/polygraph.h"
#include "check/solver/search.h"
#include "proof/prove.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/native_history.h"
#include "tests/support/solver_problem.h"

namespace isolde::solver {
namespace explain_test {

std::string proof_fault(const History& h, Level level, const Anomaly& anomaly) {
  Verdict verdict;
  verdict.outcome = Outcome::kViolated;
  verdict.level = level;
  verdict.method = "solver";
  verdict.anomalies.push_back(anomaly);
  verdict.count(anomaly.kind);
  const auto proof = prove(h, verdict);
  return proof ? "" : proof.error().message();
}

// As the search tells it; the polygraph's refutation must be proved as well.
Anomaly refuted(const History& h, Level level) {
  const auto one = solver_problem(h, level);
  if (one == nullptr) {
    ADD_FAILURE() << "there is nothing left to search";
    return {};
  }
  SearchStats stats;
  const Found by_search = search(one->history, one->problem, {}, stats);
  const Found by_polygraph = solve_polygraph(one->problem, {}, stats);
  Anomaly out{};
  for (const Found* found : {&by_polygraph, &by_search}) {
    EXPECT_EQ(found->outcome, Found::Outcome::kNone);
    if (found->outcome != Found::Outcome::kNone) return {};
    out = explain_refutation(one->source(), one->problem, found->cycles);
    EXPECT_EQ(proof_fault(h, level, out), "") << full_name(out);
  }
  return out;
}
Anomaly refuted(std::string_view text, Level level) { return refuted(hist(text), level); }

bool has_step(const Anomaly& a, StepType type) {
  const auto in = [type](const std::vector<Step>& steps) {
    return std::any_of(steps.begin(), steps.end(), [type](const Step& s) { return s.type == type; });
  };
  return in(a.steps) || std::any_of(a.cases.begin(), a.cases.end(), [&](const Case& c) { return in(c.steps); });
}

std::size_t assumed(const Case& one) {
  return static_cast<std::size_t>(
      std::count_if(one.steps.begin(), one.steps.end(), [](const Step& s) { return s.ground == Ground::kAssumed; }));
}

TEST(SolverExplain, TheTablesExampleIsToldInTwoCases) {
  const Anomaly a = refuted(native(info(AnomalyKind::kNoOrder).example), Level::kSerializable);
  EXPECT_EQ(a.kind, AnomalyKind::kNoOrder);
  EXPECT_EQ(a.variant, Variant::kPlain);
  ASSERT_EQ(a.cases.size(), 2U);
  for (const Case& one : a.cases) {
    EXPECT_EQ(assumed(one), 1U);
    for (std::size_t i = 0; i < one.steps.size(); ++i)
      EXPECT_EQ(one.steps[i].to, one.steps[(i + 1) % one.steps.size()].from);
  }
  EXPECT_EQ(a.transactions.size(), 5U);
}

// x1 is A's or C's; whichever it is, D saw something of its past and not of what came before that.
TEST(SolverExplain, AReadWithSeveralWritersHasACaseForEach) {
  const Anomaly a = refuted("A: w x1 w y1 | B: w x1 w z1 | C: r x1 r y_ r z_", Level::kSerializable);
  EXPECT_EQ(a.kind, AnomalyKind::kNoOrder);
  EXPECT_EQ(a.cases.size(), 2U);
  EXPECT_TRUE(has_step(a, StepType::kWr));
  for (const Case& one : a.cases) EXPECT_GE(assumed(one), 1U);
}

TEST(SolverExplain, AReadOfTheInitialStateIsACaseToo) {
  // x_ is the state at first, or what B left: D saw A's x before, and nothing of B.
  const Anomaly a =
      refuted("init: x0 | A@s: w x1 w y1 | B: w x0 w z1 | C@s: r x0 r z_ r y1", Level::kStrongSessionSerializable);
  EXPECT_EQ(a.kind, AnomalyKind::kNoOrder);
  EXPECT_GE(a.cases.size(), 2U);
}

// The initial state's readers come before all writers, over a gate.
TEST(SolverExplain, APrefixIsToldThroughAGate) {
  const Anomaly a =
      refuted("A: w x1 | B: w x2 | P: w p1 | Q: w q1 | C: r x1 r q1 | D: r x2 r q_ | E: r x1 r p_ | F: r x2 r p1",
              Level::kPrefix);
  EXPECT_EQ(a.kind, AnomalyKind::kNoOrder);
  ASSERT_EQ(a.cases.size(), 2U);
  for (const Case& one : a.cases) {
    EXPECT_EQ(assumed(one), 1U);
    EXPECT_TRUE(std::any_of(one.steps.begin(), one.steps.end(),
                            [](const Step& s) { return s.type == StepType::kRw && s.ground == Ground::kReads; }));
  }
}

TEST(SolverExplain, RealTimeIsNamedInTheVariant) {
  // A and B wrote x, at once; C saw A's after D saw B's, and F the other way round.
  const Anomaly a = refuted("A {1..10}: w x1 | B {1..10}: w x2 | C {20..30}: r x1 | D {1..15}: r x2 | E {40..50}: r x2",
                            Level::kStrictSerializable);
  EXPECT_EQ(a.kind, AnomalyKind::kNoOrder);
  EXPECT_EQ(a.variant, Variant::kRealtime);
  EXPECT_TRUE(has_step(a, StepType::kRealtime));
}

TEST(SolverExplain, SessionsAreNamedInTheVariant) {
  const Anomaly a = refuted("A: w x1 | B: w x2 | C@s: r x1 | D@s: r x2 | E@s: r x1", Level::kStrongSessionSerializable);
  EXPECT_EQ(a.kind, AnomalyKind::kNoOrder);
  EXPECT_EQ(a.variant, Variant::kSession);
  EXPECT_TRUE(has_step(a, StepType::kSession));
}

TEST(SolverExplain, EveryRefutationOfARandomHistoryIsProved) {
  std::uint64_t refuted_ones = 0, cases = 0;
  const std::uint64_t tried = for_random_problems(1, 5000, 10, [&](const SolverProblem& one, Rng&) {
    SearchStats stats;
    const Found by_search = search(one.history, one.problem, {}, stats);
    const Found by_polygraph = solve_polygraph(one.problem, {}, stats);
    ASSERT_EQ(by_search.outcome, by_polygraph.outcome) << native_text(one.history);
    if (by_search.outcome != Found::Outcome::kNone || one.left_out) return;
    ++refuted_ones;
    for (const Found* found : {&by_polygraph, &by_search}) {
      const Anomaly a = explain_refutation(one.source(), one.problem, found->cycles);
      ASSERT_EQ(proof_fault(one.history, one.row.level, a), "") << native_text(one.history);
      cases += a.kind == AnomalyKind::kNoOrder ? 1 : 0;
      // Nobody is told who takes no part.
      for (const TxnId t : a.transactions) ASSERT_LT(raw(t), one.history.txn_count());
    }
  });
  EXPECT_TRUE(effort::reaches(1.0 / 75, refuted_ones, tried)) << refuted_ones << " of " << tried;
  EXPECT_TRUE(effort::reaches(1.0 / 75, cases, tried)) << cases << " of " << tried;
}

}  // namespace explain_test
}  // namespace isolde::solver
