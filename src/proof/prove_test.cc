// The proof accepts right verdicts and refuses each of them once it is made wrong.
#include "proof/prove.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "check/timeline/timeline.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace prove_test {

constexpr Level kSi = Level::kSnapshotIsolation;
constexpr Level kSessionSi = Level::kStrongSessionSnapshotIsolation;
constexpr Level kStrongSi = Level::kStrongSnapshotIsolation;
constexpr Level kSer = Level::kSerializable;

struct Case {
  Case(std::string_view text, Level level) : history(hist(text)) {
    verdict = kTimelineEngine.check(history, level, Limits{});
    const auto proof = prove(history, verdict);
    EXPECT_TRUE(proof) << text << ": " << (proof ? "" : proof.error().message());
  }
  // What the proof says to the verdict after the change; "" if it believes it.
  [[nodiscard]] std::string after(const std::function<void(Verdict&)>& change) const {
    Verdict changed = verdict;
    change(changed);
    const auto proof = prove(history, changed);
    return proof ? "" : proof.error().message();
  }
  History history;
  Verdict verdict;
};

void swap_events(Verdict& v, std::size_t i, std::size_t j) { std::swap(v.witness.events[i], v.witness.events[j]); }

TEST(Prove, AWitnessWithoutATransactionIsRefused) {
  const Case c("T1 1..2: w x1 | T2 3..4: r x1 | T3 5..6: r x1", kSi);
  ASSERT_EQ(c.verdict.outcome, Outcome::kSatisfied);
  for (std::uint32_t t = 0; t < 3; ++t) {
    EXPECT_NE(c.after([t](Verdict& v) { std::erase_if(v.witness.events, [t](auto e) { return e / 2 == t; }); }), "");
    EXPECT_NE(c.after([t](Verdict& v) { std::erase(v.witness.events, t * 2); }), "") << "no start";
    EXPECT_NE(c.after([t](Verdict& v) { std::erase(v.witness.events, t * 2 + 1); }), "") << "no commit";
    EXPECT_NE(c.after([t](Verdict& v) { v.witness.events.push_back(t * 2); }), "") << "two starts";
    EXPECT_NE(c.after([t](Verdict& v) { v.witness.events.push_back(t * 2 + 1); }), "") << "two commits";
  }
  EXPECT_NE(c.after([](Verdict& v) { v.witness.events.push_back(600); }), "");
  EXPECT_NE(c.after([](Verdict& v) { v.witness = {}; }), "");
  EXPECT_NE(c.after([](Verdict& v) { v.level = kSer; }), "") << "points are no serial order";
}

TEST(Prove, AWitnessInAnotherOrderIsRefused) {
  const Case points("T1 1..2: w x1 | T2 3..4: r x1 w x2 | T3 5..6: r x2", kSi);
  for (std::size_t i = 0; i + 1 < points.verdict.witness.events.size(); ++i) {
    EXPECT_NE(points.after([i](Verdict& v) { swap_events(v, i, i + 1); }), "") << i;
  }
  const Case serial("T1 1..2: w x1 | T2 3..4: r x1 w x2 | T3 5..6: r x2", kSer);
  ASSERT_EQ(serial.verdict.outcome, Outcome::kSatisfied);
  for (std::size_t i = 0; i + 1 < serial.verdict.witness.events.size(); ++i) {
    EXPECT_NE(serial.after([i](Verdict& v) { swap_events(v, i, i + 1); }), "") << i;
  }
}

TEST(Prove, AWitnessOfAnAbortedTransactionIsRefused) {
  const Case c("T1 1..2: w x1 | T2! 3..4: w y1", kSer);
  EXPECT_NE(c.after([](Verdict& v) { v.witness.events.push_back(1); }), "");
}

TEST(Prove, OverlappingWritersNeedNoWitnessToBeRefused) {
  const Case c("T1 1..3: w x1 | T2 2..4: w x2", kSi);
  ASSERT_EQ(c.verdict.outcome, Outcome::kViolated);
  const auto satisfied = [](Verdict& v) {
    v.outcome = Outcome::kSatisfied;
    v.witness = {Witness::Kind::kPoints, {0, 2, 1, 3}};
  };
  EXPECT_NE(c.after(satisfied), "");
}

TEST(Prove, ASatisfiedVerdictOfAViolatedHistoryIsRefusedWhateverTheOrder) {
  for (const char* text : {"T1 1..2: w x1 | T2 3..4: r x2", "T1 1..2: w x1 | T2 3..4: r x_",
                           "T1! 1..2: w x1 | T2 3..4: r x1", "T1 1..2: a x1 | T2 3..4: r x[1 1]"}) {
    const Case c(text, kSer);
    ASSERT_EQ(c.verdict.outcome, Outcome::kViolated) << text;
    std::vector<std::uint32_t> order;
    for (std::uint32_t t = 0; t < 2; ++t) {
      if (c.history.status(TxnId{t}) == Status::kCommitted) order.push_back(t);
    }
    do {
      const auto refused = [&](std::string_view method) {
        return c.after([&](Verdict& v) {
          v.outcome = Outcome::kSatisfied;
          v.method = method;
          v.witness = {Witness::Kind::kSerialOrder, order};
        });
      };
      EXPECT_NE(refused("timeline"), "") << text;
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(Prove, SessionAndRealTimeOrderAreReplayed) {
  // Each is right at the plain level; at the stronger one the same witness must not do.
  const Case session("T1@s 1..5: w x1 | T2@s 2..3: r x_", kSi);
  ASSERT_EQ(session.verdict.outcome, Outcome::kSatisfied);
  EXPECT_NE(session.after([](Verdict& v) { v.level = kSessionSi; }), "");
  const Case real_time("T1 1..5 {10..20}: w x1 | T2 2..3 {30..40}: r x_", kSi);
  ASSERT_EQ(real_time.verdict.outcome, Outcome::kSatisfied);
  EXPECT_EQ(real_time.after([](Verdict& v) { v.level = kSessionSi; }), "");
  EXPECT_NE(real_time.after([](Verdict& v) { v.level = kStrongSi; }), "");
}

TEST(Prove, AnAnomalyAboutAnotherReadIsRefused) {
  const Case c("T1 1..2: w x1 w y1 | T2 3..4: w x2 | T3 5..6: r y1 r x1", kSi);
  ASSERT_EQ(c.verdict.anomalies.size(), 1U);
  const auto first = [&](auto&& change) { return c.after([&](Verdict& v) { change(v.anomalies[0]); }); };
  EXPECT_EQ(first([](Anomaly&) {}), "");
  EXPECT_NE(first([](Anomaly& a) { a.op = OpId{raw(a.op) - 1}; }), "") << "the read of y, which is right";
  EXPECT_NE(first([](Anomaly& a) { a.op = OpId{0}; }), "") << "a write of another transaction";
  EXPECT_NE(first([](Anomaly& a) { a.op = kNoOp; }), "");
  EXPECT_NE(first([](Anomaly& a) { a.op = OpId{99}; }), "");
  EXPECT_NE(first([&](Anomaly& a) { a.key = KeyId{1 - raw(a.key)}; }), "");
  EXPECT_NE(first([](Anomaly& a) { a.key = kNoKey; }), "");
  EXPECT_NE(first([](Anomaly& a) { a.key = KeyId{77}; }), "");
  EXPECT_NE(first([](Anomaly& a) { a.read = ValueId{2}; }), "") << "it did not read that";
  EXPECT_NE(first([](Anomaly& a) { a.expected = ValueId{1}; }), "") << "the state is another";
  EXPECT_NE(first([](Anomaly& a) { a.source_writer = TxnId{1}; }), "") << "T2 wrote another value";
  EXPECT_NE(first([](Anomaly& a) { a.expected_writer = TxnId{2}; }), "") << "T3 wrote nothing";
  EXPECT_NE(first([](Anomaly& a) { a.transactions[0] = TxnId{0}; }), "");
  EXPECT_NE(first([](Anomaly& a) { a.transactions[0] = TxnId{9}; }), "");
  EXPECT_NE(first([](Anomaly& a) { a.transactions.clear(); }), "");
  EXPECT_NE(first([](Anomaly& a) { a.steps.clear(); }), "");
  EXPECT_NE(first([](Anomaly& a) { a.steps[0].from = TxnId{9}; }), "");
  EXPECT_NE(first([](Anomaly& a) { std::swap(a.steps[0].from, a.steps[0].to); }), "");
  EXPECT_NE(c.after([](Verdict& v) { v.anomalies.clear(); }), "") << "a count is no proof";
}

TEST(Prove, AViolatedVerdictOfARightHistoryIsRefused) {
  const Case wrong("T1 1..2: w x1 | T2 3..4: w x2 | T3 5..6: r x1", kSi);
  const Case right("T1 1..2: w x1 | T2 3..4: w x2 | T3 5..6: r x2", kSi);
  EXPECT_NE(right.after([&](Verdict& v) { v = wrong.verdict; }), "");
  const Case overlap("T1 1..3: w x1 | T2 2..4: w x2", kSi);
  const Case apart("T1 1..2: w x1 | T2 2..4: w x2", kSi);
  EXPECT_NE(apart.after([&](Verdict& v) { v = overlap.verdict; }), "");
  EXPECT_NE(overlap.after([](Verdict& v) { v.level = kSer; }), "") << "serializable lets writers overlap";
  EXPECT_NE(
      overlap.after([](Verdict& v) { std::swap(v.anomalies[0].transactions[0], v.anomalies[0].transactions[1]); }), "");
  EXPECT_NE(overlap.after([](Verdict& v) { v.anomalies[0].transactions[1] = v.anomalies[0].transactions[0]; }), "");
  const Case aborted("T1! 1..3: w x1 | T2 2..4: w x2", kSi);
  ASSERT_EQ(aborted.verdict.outcome, Outcome::kSatisfied);
  EXPECT_NE(aborted.after([&](Verdict& v) { v = overlap.verdict; }), "") << "an aborted writer overlaps nobody";
}

TEST(Prove, AnOrderAnomalyNeedsTwoStepsThatContradictEachOther) {
  const Case session("T1@s 1..5: w x1 | T2@s 2..3: r x_ | T3@s 6..7: r x1", kSessionSi);
  ASSERT_EQ(session.verdict.outcome, Outcome::kViolated);
  const auto first = [&](auto&& change) { return session.after([&](Verdict& v) { change(v.anomalies[0]); }); };
  EXPECT_EQ(first([](Anomaly&) {}), "");
  EXPECT_NE(first([](Anomaly& a) { a.steps.pop_back(); }), "");
  EXPECT_NE(first([](Anomaly& a) { std::swap(a.steps[0], a.steps[1]); }), "");
  EXPECT_NE(first([](Anomaly& a) { a.steps[1] = a.steps[0]; }), "");
  EXPECT_NE(first([](Anomaly& a) { a.steps[0].to = TxnId{2}; }), "");
  EXPECT_NE(first([](Anomaly& a) { a.steps[1].type = StepType::kVisible; }), "");
  EXPECT_NE(first([](Anomaly& a) { a.kind = AnomalyKind::kRealtimeOrder; }), "");
  EXPECT_NE(session.after([](Verdict& v) { v.level = kSi; }), "") << "the plain level has no session order";

  const Case real_time("T1 1..5 {10..20}: w x1 | T2 2..3 {30..40}: r x_", kStrongSi);
  ASSERT_EQ(real_time.verdict.outcome, Outcome::kViolated);
  EXPECT_NE(real_time.after([](Verdict& v) { v.level = kSessionSi; }), "");
  const Case concurrent("T1 1..5 {10..35}: w x1 | T2 2..3 {30..40}: r x_", kStrongSi);
  ASSERT_EQ(concurrent.verdict.outcome, Outcome::kSatisfied);
  EXPECT_NE(concurrent.after([&](Verdict& v) { v = real_time.verdict; }), "");
}

TEST(Prove, UndecidedClaimsNothing) {
  const Case c("T1 1..2: w x1", kSi);
  EXPECT_EQ(c.after([](Verdict& v) { v.outcome = Outcome::kUndecided; }), "");
}

}  // namespace prove_test
}  // namespace isolde
