// Evidence on and off: which level is then judged, on what history, and that verdicts are about nothing else.
#include "check/choose/evidence_use.h"

#include <gtest/gtest.h>

#include "check/choose/strongest.h"
#include "check/graph/graph.h"
#include "proof/prove.h"
#include "tests/oracle/oracle.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace evidence_use_test {

EvidenceUse of(std::string_view use, std::string_view ignore) {
  const auto parsed = parse_evidence_use(use, ignore);
  EXPECT_TRUE(parsed) << parsed.error().text;
  return parsed ? *parsed : EvidenceUse{};
}

// The name of the level that is judged, or what is wrong.
std::string judged(std::string_view level, std::string_view use, std::string_view ignore) {
  const auto out = judged_level(*level_named(level), of(use, ignore));
  return out ? std::string(info(*out).name) : "error: " + out.error().text;
}

TEST(EvidenceUse, ListsAreParsed) {
  EXPECT_TRUE(of("", "").empty());
  EXPECT_TRUE(of("session,timestamps", "versions").uses(EvidenceKind::kTimestamps));
  EXPECT_FALSE(of("session,timestamps", "versions").uses(EvidenceKind::kVersions));
  EXPECT_TRUE(of("session", "versions,realtime").ignores(EvidenceKind::kRealTime));
  for (const char* bad : {"sessions", "session,", ",session", "session,,versions", " session"}) {
    EXPECT_FALSE(parse_evidence_use(bad, "")) << bad;
    EXPECT_FALSE(parse_evidence_use("", bad)) << bad;
  }
  EXPECT_EQ(parse_evidence_use("session,versions", "versions,realtime").error().text,
            "versions cannot be in both --use and --ignore");
}

TEST(EvidenceUse, SessionsAndRealTimeNameTheLevel) {
  EXPECT_EQ(judged("strong-session-serializable", "", "session"), "serializable");
  EXPECT_EQ(judged("strict-serializable", "", "realtime"), "strong-session-serializable");
  EXPECT_EQ(judged("strict-serializable", "", "session,realtime"), "serializable");
  EXPECT_EQ(judged("serializable", "session", ""), "strong-session-serializable");
  EXPECT_EQ(judged("serializable", "realtime", ""), "strict-serializable");
  EXPECT_EQ(judged("serializable", "session,realtime", ""), "strict-serializable");
  EXPECT_EQ(judged("serializable", "session", "realtime"), "strong-session-serializable");
  EXPECT_EQ(judged("serializable", "", "session,realtime"), "serializable");
  EXPECT_EQ(judged("strict-serializable", "session", ""), "strict-serializable");
  EXPECT_EQ(judged("strong-session-snapshot-isolation", "", "session"), "snapshot-isolation");
  EXPECT_EQ(judged("strong-snapshot-isolation", "", "realtime"), "strong-session-snapshot-isolation");
  EXPECT_EQ(judged("snapshot-isolation", "realtime", ""), "strong-snapshot-isolation");
  EXPECT_EQ(judged("snapshot-isolation", "versions,timestamps", ""), "snapshot-isolation");
  EXPECT_EQ(judged("monotonic-atomic-view", "session", ""), "strong-session-monotonic-atomic-view");
  EXPECT_EQ(judged("monotonic-atomic-view", "", "session,realtime"), "monotonic-atomic-view");
  EXPECT_EQ(judged("strong-session-monotonic-atomic-view", "", "session"), "monotonic-atomic-view");
  EXPECT_TRUE(
      judged("monotonic-atomic-view", "realtime", "").starts_with("error: there is no monotonic-atomic-view with"));
}

TEST(EvidenceUse, WhatIsPartOfALevelCannotBeTakenAway) {
  for (const char* level : {"read-atomic", "causal", "prefix"}) {
    EXPECT_TRUE(judged(level, "", "session").starts_with("error: session order is part")) << level;
    EXPECT_EQ(judged(level, "session", "realtime,versions"), level);
    EXPECT_TRUE(judged(level, "realtime", "").starts_with("error: ")) << level;
  }
  for (const char* level : {"read-uncommitted", "read-committed", "cursor-stability", "repeatable-read"}) {
    EXPECT_EQ(judged(level, "", "session,realtime"), level);
    EXPECT_TRUE(judged(level, "session", "").starts_with("error: ")) << level;
  }
  EXPECT_TRUE(judged("strict-serializable", "", "session").starts_with("error: real time includes session order"));
  EXPECT_TRUE(judged("serializable", "realtime", "session").starts_with("error: real time includes session order"));
}

TEST(EvidenceUse, WhatIsIgnoredIsNotInTheHistoryThatIsJudged) {
  const History whole =
      hist("T1@s 1..2 {1..2} #1: w x1 | T2@s 3..4 {3..4} #2: w x2 | T3@s 5..5 {5..6} #3: r x1 | versions: x[1 2]");
  const History left = judged_history(whole, of("", "versions,timestamps,realtime"));
  EXPECT_TRUE(left.columns().version_orders.empty());
  EXPECT_EQ(left.start_ts(TxnId{0}), kNoTime);
  EXPECT_EQ(left.commit_ts(TxnId{0}), kNoTime);
  EXPECT_EQ(left.begin(TxnId{0}), kNoTime);
  EXPECT_EQ(left.order(TxnId{2}), whole.order(TxnId{2}));
  EXPECT_EQ(left.txn_text(TxnId{2}), whole.txn_text(TxnId{2}));
  EXPECT_FALSE(whole.columns().version_orders.empty());
  EXPECT_FALSE(whole.has_flag(kVersionsByCommitTs));
  EXPECT_TRUE(judged_history(whole, of("timestamps", "")).has_flag(kVersionsByCommitTs));
}

TEST(EvidenceUse, AHistoryOutlivesTheOneThatItSharesColumnsWith) {
  std::optional<History> left;
  {
    const History whole = hist("T1 1..2: w x1 | T2 3..4: r x1");
    left = judged_history(judged_history(whole, of("", "timestamps")), of("timestamps", "versions"));
  }
  EXPECT_EQ(left->txn_text(TxnId{1}), "T2");
  EXPECT_EQ(left->value_text(left->op_value(0)), "1");
  EXPECT_TRUE(left->has_flag(kVersionsByCommitTs));
}

TEST(EvidenceUse, NotesSayWhatWasAskedAndWhatIsNotThere) {
  const History bare = hist("T1: w x1");
  const auto notes =
      evidence_notes(bare, Level::kSerializable, Level::kStrictSerializable, of("realtime,versions,timestamps", ""));
  ASSERT_EQ(notes.size(), 4U);
  EXPECT_EQ(notes[0], "--level serializable with --use versions,realtime,timestamps is strict-serializable");
  EXPECT_NE(notes[1].find("no version orders"), std::string::npos);
  EXPECT_TRUE(evidence_notes(bare, Level::kCausal, Level::kCausal, of("", "versions,timestamps")).empty());
}

Outcome outcome(const History& h, Level level, const EvidenceUse& evidence) {
  const History left = judged_history(h, evidence);
  const ChooseOptions options{.method = {}, .order_by_commit = false, .evidence = evidence};
  LevelChecks checks(left, options);
  return checks.check(choose(left, level, options), level, {}).outcome;
}

// By values alone either of T1 and T2 may be the first; the timestamps say that T1 is, and T3 saw it the other way.
TEST(EvidenceUse, TimestampsInUseAreTheOrderOfVersions) {
  const History h = hist("T1 1..2: w x1 w y1 | T2 3..4: w x2 w y2 | T3 5..5: r x1 | T4 6..6: r y1");
  EXPECT_EQ(outcome(h, Level::kSerializable, {}), Outcome::kSatisfied);
  EXPECT_EQ(outcome(h, Level::kStrictSerializable, {}), Outcome::kUndecided) << "there is no clock";
  const History known = hist("T1@s 1..2: w x1 | T2@s 3..4: w x2 | T3@s 5..5: r x1");
  EXPECT_EQ(outcome(known, Level::kSerializable, {}), Outcome::kSatisfied);
  EXPECT_EQ(outcome(known, Level::kStrongSessionSerializable, of("timestamps", "")), Outcome::kViolated);
}

TEST(EvidenceUse, LevelsAboutWhatIsIgnoredAreNotLookedAt) {
  const History h = hist("T1@s: w x1 | T2@s: r x1");
  const ChooseOptions options{.method = {}, .order_by_commit = false, .evidence = of("", "session")};
  LevelChecks checks(h, options);
  const Verdict first = checks.check(choose(h, Level::kSerializable, options), Level::kSerializable, {});
  const Strongest s = checks.strongest(first, {});
  EXPECT_EQ(s.at(Level::kStrictSerializable), std::nullopt);
  EXPECT_EQ(s.at(Level::kCausal), std::nullopt);
  ASSERT_EQ(s.holds.size(), 1U);
  EXPECT_EQ(s.holds[0], Level::kSerializable);
}

// Every subset of evidence, at every level that is left: a verdict is what the definition says of what is left, and its
// proof holds of that.
TEST(EvidenceUse, VerdictsAreAboutWhatIsLeft) {
  const std::uint64_t histories = effort::tries(2500);
  Rng rng(effort::seed(11));
  std::uint64_t decided = 0, by_timestamps = 0;
  for (std::uint64_t i = 0; i < histories; ++i) {
    RandomOptions random;
    random.registers_only = i % 3 != 0;
    random.blind = i % 2 == 0;
    random.snapshots = 0;
    const History h = random_history(rng, random);
    if (!h.columns().order.empty()) continue;
    for (std::uint8_t set = 0; set < 16; ++set) {
      const bool in_use = i % 2 == 0 && set < 8 && !h.columns().commit_ts.empty();
      const EvidenceUse evidence{.use = in_use ? EvidenceUse::bit(EvidenceKind::kTimestamps) : std::uint8_t{0},
                                 .ignore = set};
      const Level asked = all_levels()[rng.below(kLevelCount)].level;
      const auto level = judged_level(asked, evidence);
      if (!level) continue;
      const History left = judged_history(h, evidence);
      const ChooseOptions options{.method = {}, .order_by_commit = false, .evidence = evidence};
      const Choice choice = choose(left, *level, options);
      if (choice.engine->name == "timeline") continue;  // the conformance suite's
      const bool points = info(*level).family == LevelFamily::kSnapshot && !left.columns().start_ts.empty();
      if (points) continue;  // likewise
      LevelChecks checks(left, options);
      const Verdict verdict = checks.check(choice, *level, {});
      if (verdict.outcome == Outcome::kUndecided) continue;
      const auto proof = prove(left, verdict);
      ASSERT_TRUE(proof) << proof.error().text << "\n" << native_text(left);
      const bool by_database = std::any_of(verdict.anomalies.begin(), verdict.anomalies.end(), [](const Anomaly& a) {
        return std::any_of(a.steps.begin(), a.steps.end(),
                           [](const Step& s) { return s.ground == Ground::kTimestamps; });
      });
      ++decided;
      by_timestamps += by_database && in_use ? 1 : 0;
      const bool asks_for_an_order = *level >= Level::kPrefix;  // the others know none
      const bool with_commits = by_database || (in_use && asks_for_an_order);
      const OracleVerdict truth =
          oracle(left, *level,
                 with_commits ? OracleEvidence::kVersions | OracleEvidence::kCommitOrder : OracleEvidence::kVersions);
      ASSERT_NE(truth, verdict.outcome == Outcome::kSatisfied ? OracleVerdict::kViolated : OracleVerdict::kSatisfied)
          << info(asked).name << " is judged as " << info(*level).name << ", " << int{set} << "\n"
          << native_text(left);
    }
  }
  if (histories < 1000) return;
  EXPECT_GT(decided, 4 * histories);
  EXPECT_TRUE(effort::reaches(0.004, by_timestamps, histories)) << by_timestamps << " of " << histories;
}

std::string fates(const std::vector<MethodCase>& cases) {
  std::string text;
  for (const MethodCase& c : cases) {
    EXPECT_FALSE(c.why.empty()) << c.name;
    text += std::string(text.empty() ? "" : " ") + std::string(c.name) + ":" + std::string(name(c.fate));
  }
  return text;
}

TEST(ExplainChoice, OneMethodIsTakenAndEachHasAReason) {
  const History h = hist("T1 1..2 #1: w x1 | T2 3..4 #2: r x1");
  for (const LevelInfo& row : all_levels()) {
    const Choice choice = choose(h, row.level, {});
    int taken = 0;
    for (const MethodCase& c : explain_choice(h, row.level, {})) {
      if (c.fate != MethodCase::Fate::kTaken) continue;
      ++taken;
      EXPECT_EQ(c.name, choice.engine->name);
      EXPECT_EQ(c.why, choice.why);
    }
    EXPECT_EQ(taken, 1) << row.name;
  }
  EXPECT_TRUE(fates(explain_choice(h, Level::kSerializable, {})).starts_with("replay:taken timeline:could"));
  EXPECT_TRUE(fates(explain_choice(h, Level::kSnapshotIsolation, {})).starts_with("replay:cannot timeline:taken"));
  EXPECT_NE(fates(explain_choice(h, Level::kSerializable, {.method = "graph"})).find("graph:taken"), std::string::npos);
}

TEST(ExplainChoice, ListsAndWholeVersionOrdersTellTheOrderOfVersions) {
  EXPECT_TRUE(version_orders_are_told(hist("T1: a x1 | T2: r x[1] a x2")));
  EXPECT_TRUE(version_orders_are_told(hist("T1: w x1 | T2: w x2 | versions: x[1 2]")));
  EXPECT_FALSE(version_orders_are_told(hist("T1: w x1 w y1 | T2: w x2 | versions: x[1 2]")));
  EXPECT_FALSE(version_orders_are_told(hist("T1: a x1 w y1")));
}

}  // namespace evidence_use_test
}  // namespace isolde
