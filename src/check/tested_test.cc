#include "check/tested.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"
#include "check/choose/choose.h"
#include "check/choose/strongest.h"
#include "proof/prove.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace tested_test {

using enum Level;

Verdict judged(std::string_view text, Level level) {
  const History h = hist(text);
  const Verdict verdict = LevelChecks(h, {}).check(choose(h, level, {}), level, {});
  const auto proof = prove(h, verdict);
  EXPECT_TRUE(proof) << (proof ? "" : proof.error().message());
  return verdict;
}

// "satisfied", "violated", or what holds of what is undecided.
std::string said(std::string_view text, Level level) {
  const Verdict v = judged(text, level);
  return v.holds ? "only " + std::string(info(*v.holds).name) : std::string(name(v.outcome));
}

TEST(Tested, WithoutAClockNothingIsSaidAboutRealTime) {
  constexpr std::string_view kSerial = "T1@s: w x1 | T2@s: r x1 w x2 | T3: r x2";
  EXPECT_EQ(said(kSerial, kStrictSerializable), "only strong-session-serializable");
  EXPECT_EQ(said(kSerial, kStrongSnapshotIsolation), "only strong-session-snapshot-isolation");
  EXPECT_EQ(said(kSerial, kStrongSessionSerializable), "satisfied");
  EXPECT_EQ(said(kSerial, kSerializable), "satisfied");
  EXPECT_EQ(judged(kSerial, kStrictSerializable).reason,
            "no clocks: strong-session-serializable holds, but without begin and end of transactions real time cannot "
            "be tested");
}

TEST(Tested, WithoutASessionOfTwoNothingIsSaidAboutSessions) {
  constexpr std::string_view kSerial = "T1: w x1 | T2: r x1 w x2 | T3: r x2";
  EXPECT_EQ(said(kSerial, kStrictSerializable), "only serializable");
  EXPECT_EQ(said(kSerial, kStrongSessionSerializable), "only serializable");
  EXPECT_EQ(said(kSerial, kStrongSessionSnapshotIsolation), "only snapshot-isolation");
  EXPECT_EQ(judged(kSerial, kStrongSessionSerializable).reason,
            "no session has two transactions: serializable holds, but there is no session order to test");
  // Session order is part of the model of these.
  for (const Level level : {kStrongSessionMonotonicAtomicView, kReadAtomic, kCausal, kPrefix})
    EXPECT_EQ(said(kSerial, level), "satisfied") << info(level).name;
  EXPECT_EQ(said("T1@s: w x1 | T2!@s: w x2 | T3: r x1", kStrongSessionSerializable), "only serializable");
  EXPECT_EQ(said("T1@s: w x1 | T2?@s: w x2 | T3: r x2", kStrongSessionSerializable), "satisfied");
}

TEST(Tested, AViolationOfWhatWasTestedIsOne) {
  EXPECT_EQ(said("T1: r x_ w x1 | T2: r x_ w x2", kStrictSerializable), "violated");
  EXPECT_EQ(said("T1: r x_ w x1 | T2: r x_ w x2", kStrongSnapshotIsolation), "violated");
  EXPECT_EQ(said("T1@s: w x1 | T2@s: r x_", kStrictSerializable), "violated");
}

TEST(Tested, ItTakesTheEndOfOneTransactionAndTheBeginOfAnother) {
  EXPECT_EQ(said("T1{1..2}: w x1 | T2{3..4}: r x1", kStrictSerializable), "satisfied");
  EXPECT_EQ(said("T1{1..2}: w x1 | T2: r x1", kStrictSerializable), "only serializable");
  EXPECT_EQ(said("T1{1..}: w x1 | T2{3..}: r x1", kStrictSerializable), "only serializable");
  EXPECT_EQ(said("T1{..2}: w x1 | T2{3..}: r x1", kStrictSerializable), "satisfied");
  EXPECT_EQ(said("T1!{1..2}: w x7 | T2{3..4}: w x1 | T3: r x1", kStrictSerializable), "only serializable");
  // An unknown one has no end, whatever the client wrote down.
  EXPECT_EQ(said("T1?{1..2}: w x1 | T2{3..}: r x1", kStrictSerializable), "only serializable");
}

TEST(Tested, RealTimeThatHoldsImpliesSessionOrder) {
  EXPECT_EQ(said("T1{1..2}: w x1 | T2{3..4}: r x1", kStrongSessionSerializable), "satisfied");
  EXPECT_EQ(said("T1{1..2}: w x1 | T2{3..4}: r x1", kStrongSessionSnapshotIsolation), "satisfied");
  EXPECT_EQ(said("T1{1..2}: w x1 | T2{3..4}: r x_", kStrongSessionSerializable), "only serializable");
}

TEST(Tested, NotesCountWhatHasNoClock) {
  const Verdict some = judged("T1{1..2}: w x1 | T2{3..4}: r x1 | T3: r x_", kStrictSerializable);
  ASSERT_EQ(some.outcome, Outcome::kSatisfied);
  ASSERT_EQ(some.notes.size(), 1U);
  EXPECT_EQ(some.notes[0], "1 of 3 transactions have no clock: real time says nothing about them");
  const Verdict overlap = judged("T1{1..9}: w x1 | T2{2..8}: r x_", kStrictSerializable);
  ASSERT_EQ(overlap.outcome, Outcome::kSatisfied);
  ASSERT_EQ(overlap.notes.size(), 1U);
  EXPECT_NE(overlap.notes[0].find("no transaction ended before another began"), std::string::npos);
  EXPECT_TRUE(judged("T1{1..2}: w x1 | T2{3..4}: r x1", kStrictSerializable).notes.empty());
}

TEST(Tested, AtTheDatabasesTimestampsLikewise) {
  EXPECT_EQ(said("T1 1..2: w x1 | T2 3..3: r x1", kSnapshotIsolation), "satisfied");
  EXPECT_EQ(said("T1 1..2: w x1 | T2 3..3: r x1", kStrongSnapshotIsolation), "only snapshot-isolation");
  EXPECT_EQ(said("T1@s 1..2: w x1 | T2@s 3..3: r x1", kStrongSnapshotIsolation),
            "only strong-session-snapshot-isolation");
}

// A level is not left open where a stronger one is decided: on random histories whose values repeat, with and without
// predicates.
TEST(Tested, WhatAStrongerLevelShowsIsNotLeftOpen) {
  Rng rng(effort::seed(19));
  const std::uint64_t histories = effort::tries(400);
  std::uint64_t shown = 0;
  for (std::uint64_t i = 0; i < histories; ++i) {
    RandomOptions options;
    options.registers_only = true;
    options.rows_only = i % 2 == 0;
    const History h = random_history(rng, options);
    LevelChecks checks(h, {});
    const auto holds = [&](Level level) {
      const Verdict verdict = checks.check(choose(h, level, {}), level, {});
      return (verdict.outcome == Outcome::kSatisfied || verdict.holds) && verdict.given == Given::kVersionOrders;
    };
    std::vector<Level> below;
    if (holds(kSerializable)) below = {kReadCommitted, kCursorStability, kMonotonicAtomicView, kRepeatableRead};
    // Without sessions the weaker ones are judged all the same.
    if (holds(kStrongSessionSerializable))
      below.insert(below.end(), {kStrongSessionMonotonicAtomicView, kReadAtomic, kCausal, kPrefix});
    for (const Level level : below) {
      const Verdict verdict = checks.check(choose(h, level, {}), level, {});
      EXPECT_EQ(name(verdict.outcome), "satisfied") << info(level).name << ": " << verdict.reason << "\n"
                                                    << native_text(h);
      const auto proof = prove(h, verdict);
      EXPECT_TRUE(proof) << (proof ? "" : proof.error().message());
      ++shown;
    }
  }
  EXPECT_GT(shown, histories / 4);
}

}  // namespace tested_test
}  // namespace isolde
