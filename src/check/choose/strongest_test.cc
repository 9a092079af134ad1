// The strongest level that holds: the search says what a check at each level says, and runs few of them.
#include "check/choose/strongest.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "check/choose/engines.h"
#include "tests/oracle/oracle.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace strongest_test {

Strongest search(const History& h, Level level, const ChooseOptions& options = {}) {
  LevelChecks checks(h, options);
  const Choice choice = choose(h, level, options);
  EXPECT_NE(choice.engine, nullptr) << choice.why;
  return checks.strongest(checks.check(choice, level, {}), {});
}

std::string names(const std::vector<Level>& levels) {
  std::string text;
  for (const Level level : levels) text += (text.empty() ? "" : " ") + std::string(info(level).name);
  return text;
}

TEST(Strongest, AHistoryWithoutFaultSatisfiesTheStrongest) {
  const Strongest s = search(hist("T1{1..2}: a x1 | T2{3..4}: r x[1] a x2 | T3{5..6}: r x[1 2]"), Level::kSerializable);
  EXPECT_EQ(names(s.holds), "strict-serializable");
  EXPECT_EQ(s.checks, 1);
  for (const LevelInfo& row : all_levels()) EXPECT_EQ(s.at(row.level), Outcome::kSatisfied) << row.name;
}

TEST(Strongest, WhatWasNotThereToBeTestedIsNotSaidToHold) {
  const Strongest s = search(hist("T1: a x1 | T2: r x[1] a x2 | T3: r x[1 2]"), Level::kSerializable);
  EXPECT_EQ(names(s.holds), "serializable prefix");
  EXPECT_EQ(names(s.untested), "strict-serializable");
  EXPECT_EQ(names(s.undecided), "");
  EXPECT_EQ(s.checks, 1);
  for (const LevelInfo& row : all_levels()) {
    const bool added = row.level == Level::kStrongSessionSnapshotIsolation ||
                       row.level == Level::kStrongSnapshotIsolation || row.level == Level::kStrongSessionSerializable ||
                       row.level == Level::kStrictSerializable;
    EXPECT_EQ(s.is_untested(row.level), added) << row.name;
    EXPECT_EQ(s.at(row.level), added ? Outcome::kUndecided : Outcome::kSatisfied) << row.name;
  }
  // The same from a level that was not tested, and with sessions.
  EXPECT_EQ(names(search(hist("T1: a x1 | T2: r x[1] a x2"), Level::kStrictSerializable).holds), "serializable prefix");
  const Strongest sessions = search(hist("T1@s: a x1 | T2@s: r x[1] a x2"), Level::kSerializable);
  EXPECT_EQ(names(sessions.holds), "strong-session-serializable");
  EXPECT_EQ(names(sessions.untested), "strict-serializable");
}

TEST(Strongest, WhatIsBrokenWithoutClocksIsBroken) {
  const Strongest s = search(hist("T1: r x_ a y1 | T2: r y_ a x1 | T3: r x[1] r y[1]"), Level::kStrictSerializable);
  EXPECT_EQ(s.at(Level::kStrictSerializable), Outcome::kViolated);
  EXPECT_EQ(names(s.holds), "snapshot-isolation prefix");
  EXPECT_EQ(names(s.untested), "strong-snapshot-isolation");
}

TEST(Strongest, WriteSkewLeavesTheSnapshotFamily) {
  const History h = hist("T1{1..9}: r x_ a y1 | T2{2..8}: r y_ a x1 | T3{10..12}: r x[1] r y[1]");
  const Strongest s = search(h, Level::kSerializable);
  EXPECT_EQ(names(s.holds), "strong-snapshot-isolation");
  EXPECT_EQ(s.at(Level::kRepeatableRead), Outcome::kViolated);
  EXPECT_EQ(s.at(Level::kStrictSerializable), Outcome::kViolated);
  EXPECT_EQ(s.at(Level::kReadCommitted), Outcome::kSatisfied);
  EXPECT_EQ(s.checks, 1);
}

TEST(Strongest, AnAbortedReadLeavesReadUncommitted) {
  const Strongest s = search(hist("T1!: w x1 | T2: r x1"), Level::kSerializable);
  EXPECT_EQ(names(s.holds), "read-uncommitted");
  EXPECT_EQ(names(s.undecided), "");
  EXPECT_EQ(s.checks, 1);
}

TEST(Strongest, NothingMayHold) {
  const Strongest s = search(hist("T1: w x1 w y1 | T2: w x2 w y2 | versions: x[1 2] y[2 1]"), Level::kReadUncommitted);
  EXPECT_EQ(names(s.holds), "");
  EXPECT_EQ(s.checks, 0);
}

// The timestamps of T2 say that it should have seen T1; by the values alone T2 came first.
TEST(Strongest, WhatBreaksByTimestampsIsNotSaidToBreakByValues) {
  const History h = hist("T1 1..2: w x1 | T2 3..3: r x_");
  const Strongest s = search(h, Level::kSnapshotIsolation);
  EXPECT_EQ(s.at(Level::kSnapshotIsolation), Outcome::kViolated);
  EXPECT_EQ(s.at(Level::kStrongSnapshotIsolation), Outcome::kViolated);
  EXPECT_EQ(s.at(Level::kSerializable), std::nullopt);  // `check` would say satisfied; nobody needs to know
  EXPECT_EQ(s.at(Level::kRepeatableRead), Outcome::kSatisfied);
  for (const Level level : s.holds) EXPECT_FALSE(implies(level, Level::kSnapshotIsolation)) << info(level).name;
}

TEST(Strongest, AForcedMethodIsUsedWhereItCanJudge) {
  const History h = hist("T1 1..2: w x1 | T2 3..3: r x_");
  const Strongest s = search(h, Level::kSerializable, {.method = "timeline"});
  EXPECT_EQ(s.at(Level::kSerializable), Outcome::kViolated);  // by the order of commits
  EXPECT_EQ(s.at(Level::kRepeatableRead), Outcome::kSatisfied);
}

std::string other_order(const History& h) {
  LevelChecks checks(h, {});
  const Choice choice = choose(h, Level::kSerializable, {});
  return checks.other_order(checks.check(choice, Level::kSerializable, {}), {});
}

TEST(Strongest, AnExpectedOrderThatFailsIsComparedWithAllOthers) {
  EXPECT_EQ(other_order(hist("T1 #1: r x1 | T2 #2: w x1")),
            "another order explains the history: serializable itself holds, and only the promised order is violated");
  EXPECT_EQ(other_order(hist("T1 #1: r x_ w x1 | T2 #2: r x_ w x2")), "no other order explains the history either");
  EXPECT_EQ(other_order(hist("T1 #1: w x1 | T2 #2: r x1")), "");
}

TEST(Strongest, WithoutTimeAllThatIsNotKnownIsUndecided) {
  const History h = hist("T1: r x_ a y1 | T2: r y_ a x1 | T3: r x[1] r y[1]");
  LevelChecks checks(h, {});
  const Verdict first = checks.check(choose(h, Level::kSerializable, {}), Level::kSerializable, {});
  Limits none;
  none.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const Strongest s = checks.strongest(first, none);
  EXPECT_EQ(s.stop, Strongest::Stop::kTime);
  EXPECT_EQ(s.checks, 0);
  EXPECT_TRUE(s.holds.empty());
  EXPECT_EQ(s.at(Level::kSnapshotIsolation), Outcome::kUndecided);
  EXPECT_EQ(s.at(Level::kSerializable), Outcome::kViolated);
}

TEST(Strongest, WithoutStepsAllThatIsNotKnownIsUndecided) {
  const History h = hist("T1: r x_ a y1 | T2: r y_ a x1 | T3: r x[1] r y[1]");
  LevelChecks checks(h, {});
  const Verdict first = checks.check(choose(h, Level::kSerializable, {}), Level::kSerializable, {});
  WorkBudget nothing(0);
  Limits none;
  none.work = &nothing;
  const Strongest s = checks.strongest(first, none);
  EXPECT_EQ(s.stop, Strongest::Stop::kWork);
  EXPECT_EQ(s.checks, 0);
  EXPECT_TRUE(s.holds.empty());
  EXPECT_EQ(s.at(Level::kSnapshotIsolation), Outcome::kUndecided);
  EXPECT_EQ(s.at(Level::kSerializable), Outcome::kViolated);
}

struct CountedSearch {
  Strongest found;
  Verdict first;
  std::uint64_t check_steps, search_steps;
};

CountedSearch counted_search(const History& h, std::uint64_t most_steps) {
  LevelChecks checks(h, {});
  WorkBudget check, search(most_steps);
  Limits limits;
  limits.work = &check;
  CountedSearch out{{}, checks.check(choose(h, Level::kSerializable, {}), Level::kSerializable, limits), 0, 0};
  limits.work = &search;
  out.found = checks.strongest(out.first, limits);
  out.check_steps = check.spent();
  out.search_steps = search.spent();
  return out;
}

// However fast the machine is: the same steps, and the same end of the search. Whatever the limit, no answer is another
// than that without one.
TEST(Strongest, ALimitOfStepsEndsTheSearchAtTheSamePlaceEveryTime) {
  Rng rng(7);
  RandomOptions options;
  options.max_txns = 9;
  std::uint64_t stopped = 0, whole = 0;
  for (std::uint64_t i = 0, cases = effort::tries(150); i < cases; ++i) {
    const History h = random_draft(rng, options).build();
    const CountedSearch all = counted_search(h, WorkBudget::kUnlimited);
    EXPECT_EQ(all.found.stop, Strongest::Stop::kNone);
    for (const std::uint64_t share : {1, 2, 4, 8}) {
      const std::uint64_t most = all.search_steps / share + 1;
      const CountedSearch one = counted_search(h, most), again = counted_search(h, most);
      EXPECT_EQ(one.check_steps, again.check_steps);
      EXPECT_EQ(one.search_steps, again.search_steps);
      EXPECT_EQ(one.found.levels, again.found.levels);
      EXPECT_EQ(one.found.holds, again.found.holds);
      EXPECT_EQ(one.found.checks, again.found.checks);
      EXPECT_EQ(one.found.stop, again.found.stop);
      one.found.stop == Strongest::Stop::kWork ? ++stopped : ++whole;
      for (const LevelInfo& row : all_levels()) {
        const auto answer = one.found.at(row.level), without_limit = all.found.at(row.level);
        if (answer == Outcome::kUndecided || !answer || !without_limit || without_limit == Outcome::kUndecided)
          continue;
        EXPECT_EQ(answer, without_limit) << row.name << "\n" << native_text(h);
      }
    }
  }
  EXPECT_TRUE(effort::reaches(0.2, stopped, stopped + whole)) << stopped << " of " << stopped + whole;
  EXPECT_TRUE(effort::reaches(0.2, whole, stopped + whole)) << whole << " of " << stopped + whole;
}

TEST(Strongest, EveryEngineCountsItsStepsAndEndsUndecidedWithTheReason) {
  Rng rng(11);
  RandomOptions options;
  options.max_txns = 9;
  std::map<std::string_view, std::uint64_t> limited;
  const std::uint64_t tries = effort::tries(200);
  for (std::uint64_t i = 0; i < tries; ++i) {
    const History h = random_draft(rng, options).build();
    for (const LevelInfo& row : all_levels()) {
      for (const Engine& engine : engines()) {
        if (engine.given == Given::kProfile || !engine.lacks(h, row.level).empty()) continue;
        WorkBudget whole, none(1, "the check", "try more");
        Limits limits;
        limits.work = &whole;
        const Verdict full = engine.check(h, row.level, limits);
        // What is too large for an engine, or has what it cannot judge, costs nothing.
        const bool asks = (row.level != Level::kReadUncommitted || engine.name != "rules") &&
                          (engine.name != "exhaustive" || full.outcome != Outcome::kUndecided);
        if (asks && h.op_count() > 0) {
          EXPECT_GT(whole.spent(), 0U) << engine.name << " " << row.name;
        }
        limits.work = &none;
        const Verdict cut = engine.check(h, row.level, limits);
        if (cut.outcome != Outcome::kUndecided) {
          EXPECT_EQ(cut.outcome, full.outcome) << engine.name << " " << row.name;
        } else if (full.outcome != Outcome::kUndecided) {
          EXPECT_NE(cut.reason.find("the check reached its limit of 1 steps (try more)"), std::string::npos)
              << engine.name << " " << row.name << ": " << cut.reason;
          ++limited[engine.name];
        }
      }
    }
  }
  for (const std::string_view engine : {"graph", "weak", "solver"}) EXPECT_GT(limited[engine] * 4, tries) << engine;
}

// The evidence that a check at this level is about.
OracleEvidence evidence_of(std::string_view engine) {
  if (engine == "timeline") return OracleEvidence::kTimestamps;
  if (engine == "replay") return OracleEvidence::kOrder;
  return OracleEvidence::kVersions;
}

class StrongestAgrees : public ::testing::TestWithParam<std::uint64_t> {};

// From every level, on histories with every mix of evidence: what is inferred is never what a check contradicts, and is
// known where a check knows it.
TEST_P(StrongestAgrees, WithTheCheckAtEachLevel) {
  const std::uint64_t histories = effort::tries(2000);
  Rng rng(effort::seed(GetParam()));
  std::uint64_t inferred = 0, strongest = 0;
  for (std::uint64_t i = 0; i < histories; ++i) {
    RandomOptions random;
    random.registers_only = i % 2 == 0;
    const History h = random_history(rng, random);
    ChooseOptions options;
    options.order_by_commit = i % 5 == 0;
    std::array<Outcome, kLevelCount> direct{};
    std::array<bool, kLevelCount> by_database{};  // violated, given the database's order of versions
    for (const LevelInfo& row : all_levels()) {
      const Verdict verdict = choose(h, row.level, options).engine->check(h, row.level, {});
      direct[static_cast<std::size_t>(row.level)] = verdict.outcome;
      by_database[static_cast<std::size_t>(row.level)] = rests_on_the_database(verdict);
    }
    const Level from = all_levels()[rng.below(kLevelCount)].level;
    const Strongest s = search(h, from, options);
    for (const LevelInfo& row : all_levels()) {
      const Outcome truth = direct[static_cast<std::size_t>(row.level)];
      const auto said = s.at(row.level);
      const std::string_view engine = choose(h, row.level, options).engine->name;
      if (!said) continue;
      if (*said == truth || *said == Outcome::kUndecided) {
        // Nor is a level of an order that nobody has violated by the database's word alone.
        const bool by_word = by_database[static_cast<std::size_t>(row.level)] && row.order == AddedOrder::kRealTime;
        const bool not_tested = s.is_untested(row.level) && truth != Outcome::kViolated;
        EXPECT_TRUE(*said == truth || not_tested || by_word || engine == "rules")
            << row.name << " is " << name(truth) << "\n"
            << native_text(h);
      } else if (truth == Outcome::kUndecided || by_database[static_cast<std::size_t>(row.level)]) {
        ++inferred;
        const bool holds = *said == Outcome::kSatisfied;
        ASSERT_NE(oracle(h, row.level, evidence_of(engine)),
                  holds ? OracleVerdict::kViolated : OracleVerdict::kSatisfied)
            << row.name << ", from " << info(from).name << ", is said to be " << name(*said) << "\n"
            << native_text(h);
      } else {
        FAIL() << row.name << " is " << name(truth) << ", but from " << info(from).name << " it is said to be "
               << name(*said) << "\n"
               << native_text(h);
      }
    }
    for (const Level level : s.holds) {
      ++strongest;
      for (const LevelInfo& weak : all_levels()) {
        if (implies(level, weak.level) && !by_database[static_cast<std::size_t>(weak.level)]) {
          ASSERT_NE(direct[static_cast<std::size_t>(weak.level)], Outcome::kViolated)
              << info(level).name << " holds, " << weak.name << " does not\n"
              << native_text(h);
        }
      }
    }
  }
  if (histories < 1000) return;
  EXPECT_GT(inferred, histories / 30);
  EXPECT_GT(strongest, histories);
}

INSTANTIATE_TEST_SUITE_P(Seeds, StrongestAgrees, ::testing::Values(1, 2, 3, 4));

}  // namespace strongest_test
}  // namespace isolde
