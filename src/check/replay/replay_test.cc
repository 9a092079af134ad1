#include "check/replay/replay.h"

#include <gtest/gtest.h>

#include "check/choose/choose.h"
#include "proof/prove.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace replay_test {

std::string says(std::string_view text, Level level = Level::kSerializable) {
  const History h = hist(text);
  EXPECT_EQ(kReplayEngine.lacks(h, level), "");
  const Verdict verdict = kReplayEngine.check(h, level, Limits{});
  const auto proof = prove(h, verdict);
  EXPECT_TRUE(proof) << (proof ? "" : proof.error().message());
  if (verdict.outcome != Outcome::kViolated) return std::string(name(verdict.outcome));
  std::string names;
  for (const Anomaly& a : verdict.anomalies) names += (names.empty() ? "" : " ") + full_name(a);
  return names;
}

TEST(Replay, TheExpectedOrderExplainsTheReads) {
  EXPECT_EQ(says("T1 #2: r x1 | T2 #1: w x1"), "satisfied");
  EXPECT_EQ(says("T1 #1: r x1 | T2 #2: w x1"), "GSIa");
  EXPECT_EQ(says("T1 #1: a x1 | T2 #2: a x2 | T3 #3: r x[1 2]"), "satisfied");
  EXPECT_EQ(says("T1 #1: a x1 | T2 #2: a x2 | T3 #3: r x[2 1]"), "GSIb");
}

TEST(Replay, EveryDivergenceIsCounted) { EXPECT_EQ(says("T1 #1: w x1 | T2 #2: r x_ | T3 #3: r x_"), "GSIb GSIb"); }

TEST(Replay, TimestampsDoNotMatter) { EXPECT_EQ(says("T1 #2 1..2: r x1 | T2 #1 3..4: w x1"), "satisfied"); }

TEST(Replay, SessionAndRealTimeCountWhereAsked) {
  constexpr std::string_view kBack = "T1@s #2: w x1 | T2@s #1: r x_";
  EXPECT_EQ(says(kBack), "satisfied");
  EXPECT_EQ(says(kBack, Level::kStrongSessionSerializable), "session-order");
  EXPECT_EQ(says("T1 #2 {1..2}: w x1 | T2 #1 {3..4}: r x_", Level::kStrictSerializable), "realtime-order");
}

TEST(Replay, IsChosenForTheSerializableLevelsWhereThereIsAnOrder) {
  const History h = hist("T1 #1 1..2: w x1 | T2 #2 3..4: r x1");
  EXPECT_EQ(choose(h, Level::kSerializable, {}).engine->name, "replay");
  EXPECT_EQ(choose(h, Level::kSnapshotIsolation, {}).engine->name, "timeline");
}

TEST(Replay, WithoutAnOrderItSaysWhatItLacks) {
  EXPECT_NE(kReplayEngine.lacks(hist("T1: w x1"), Level::kSerializable), "");
  EXPECT_NE(kReplayEngine.lacks(hist("T1 #1: w x1"), Level::kSnapshotIsolation), "");
}

}  // namespace replay_test
}  // namespace isolde
