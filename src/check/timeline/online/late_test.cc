// What comes when others that it has to do with have been judged, or are not held any more.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/scratch_folder.h"
#include "check/timeline/online/online_testing.h"
#include "tests/support/effort.h"
#include "tests/support/online_steps.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace late_test {

using online_testing::batch_of;
using online_testing::delayed;
using online_testing::SpillFolder;
using online_testing::spilling;
using online_testing::Stream;
using online_testing::Timed;
using online_testing::Told;
using online_testing::with_deadline;

// Many transactions that end the lives of all before them, so that their keys are trimmed.
void let_time_pass(Stream& s, std::int64_t now) {
  s.advance(now);
  for (int i = 0; i < 200; ++i) s.take(fmt::format("P{} {}..{}: w p{}", now + i, 100'000 + i, 100'000 + i, i));
}

// ../shared/cases/online/late_conflict.jsonl
TEST(TimelineOnline, AWriterThatIsLateAndOverlapsWithOneThatIsLetGoIsNotCertified) {
  for (const bool trimmed : {false, true}) {
    Stream s(with_deadline(100));
    s.advance(0);
    s.take("T3 5..10: w y3");
    s.advance(300);
    if (trimmed) let_time_pass(s, 400);
    s.take("T5 6..7: w y1");
    s.advance(1000);
    s.engine->finish();
    EXPECT_EQ(s.engine->counts().late, 1U);
    EXPECT_EQ(s.engine->counts().unchecked, 1U) << "nobody can say whether they overlap";
    EXPECT_EQ(s.told.names(), "");
  }
}

TEST(TimelineOnline, WithASpillTheLateWriterIsCompared) {
  for (const bool trimmed : {false, true}) {
    const SpillFolder folder;
    Stream s(spilling(100, folder.path));
    s.advance(0);
    s.take("T3 5..10: w y3");
    s.advance(300);
    if (trimmed) let_time_pass(s, 400);
    s.take("T5 6..7: w y1");
    s.take("T6 1..3: w y4");  // overlaps with nobody
    EXPECT_EQ(s.told.names(), "GSIa T3 T5");
    s.engine->finish();
    EXPECT_EQ(s.told.names(), "GSIa T3 T5");
    EXPECT_EQ(s.engine->counts().late, 2U);
    EXPECT_EQ(s.engine->counts().unchecked, 0U);
    EXPECT_EQ(steps_text(s.told.violations[0]), "T5 -ww \"y\"-> T3, T3 -invisible-> T5");
  }
}

TEST(TimelineOnline, ALateWriterOverlapsWithTheOneBeforeItToo) {
  const SpillFolder folder;
  Stream s(spilling(100, folder.path));
  s.advance(0);
  s.take("T1 1..4: w y1 | T3 8..10: w y3");
  s.advance(300);
  let_time_pass(s, 400);
  s.take("T2 3..7: w y2");
  EXPECT_EQ(s.told.names(), "GSIa T2 T1");
}

TEST(TimelineOnline, AReadThatALateWriterBreaksIsToldWhenThatOnesDeadlineIsOver) {
  for (const std::int64_t when : {150, 300}) {  // judged; released
    Stream s(with_deadline(100));
    s.advance(0);
    s.take("T1 1..2: w x1 | R 6..6: r x1");
    s.advance(when);
    EXPECT_EQ(s.told.names(), "");
    s.take("W 3..4: w x2");
    s.advance(when + 99);
    EXPECT_EQ(s.told.names(), "") << "another late one may explain it";
    s.advance(when + 100);
    EXPECT_EQ(s.told.names(), "GSIb R W") << when;
    s.engine->finish();
    EXPECT_EQ(s.told.violations.size(), 1U);
    EXPECT_EQ(s.engine->counts().late, 1U);
    EXPECT_EQ(s.told.violations[0].expected, "2");
  }
}

TEST(TimelineOnline, AnotherLateWriterMayExplainWhatTheFirstBroke) {
  Stream s(with_deadline(100));
  s.advance(0);
  s.take("T1 1..2: w x1 | R 6..6: r x1");
  s.advance(300);
  s.take("W 3..4: w x2");
  s.advance(350);
  s.take("V 4..5: w x1");
  s.advance(1000);
  s.engine->finish();
  EXPECT_EQ(s.told.names(), "");
}

TEST(TimelineOnline, AReadThatIsGoneIsFoundInTheSpillOrCountedWithoutOne) {
  for (const bool spills : {false, true}) {
    const SpillFolder folder;
    Stream s(spills ? spilling(100, folder.path) : with_deadline(100));
    s.advance(0);
    s.take("T1 1..2: w x1 | R 6..6: r x1 | Q 9..9: r x1 | T2 7..8: w z1");
    s.advance(300);
    for (int i = 0; i < 64; ++i) s.take(fmt::format("P{} {}..{}: w q{}", i, 1000 + i, 1000 + i, i));
    s.advance(600);
    for (int i = 64; i < 200; ++i) s.take(fmt::format("P{} {}..{}: w q{}", i, 1000 + i, 1000 + i, i));
    s.take("W 6..7: w x2");
    s.advance(2000);
    s.engine->finish();
    EXPECT_EQ(s.told.names(), spills ? "GSIb Q W" : "");
    EXPECT_EQ(s.engine->counts().unchecked, spills ? 0U : 1U);
    EXPECT_EQ(s.engine->counts().late, 1U);
  }
}

TEST(TimelineOnline, WritersInTimeAreNotTakenForLate) {
  const SpillFolder folder;
  for (const bool spills : {false, true}) {
    Stream s(spills ? spilling(100, folder.path) : with_deadline(100));
    for (int i = 0; i < 2000; ++i) {
      s.advance(i * 10);
      s.take(
          fmt::format("T{} {}..{}: r x{} w x{}", i, 10 * i + 1, 10 * i + 2, i == 0 ? "_" : std::to_string(i - 1), i));
    }
    s.engine->finish();
    EXPECT_EQ(s.told.names(), "");
    EXPECT_EQ(s.engine->counts().late, 0U);
    EXPECT_EQ(s.engine->counts().unchecked, 0U);
  }
}

// Two that commit at one moment: which of them is first nobody knows.
TEST(TimelineOnline, ALateWriterOfTheSameMomentBreaksNothing) {
  for (const bool spills : {false, true}) {
    const SpillFolder folder;
    timeline::OnlineOptions options = spills ? spilling(100, folder.path) : with_deadline(100);
    options.level = Level::kSerializable;
    Stream s(options);
    s.advance(0);
    s.take("T1 1..4: w x1 | R 6..6: r x1");
    s.advance(300);
    s.take("W 2..4: w x2");
    s.advance(1000);
    s.engine->finish();
    EXPECT_EQ(s.told.names(), "") << spills;
  }
}

TEST(TimelineOnline, WhatALateWriterBrokeOutlivesARestart) {
  Stream before(with_deadline(100));
  before.advance(0);
  before.take("T1 1..2: w x1 | R 6..6: r x1");
  before.advance(300);
  before.take("W 3..4: w x2");
  StateWriter out;
  before.engine->save(out);
  Stream after(with_deadline(100));
  StateReader in(out.bytes());
  ASSERT_TRUE(after.engine->load(in));
  after.advance(400);
  EXPECT_EQ(after.told.violations.size(), 1U);
}

// Whatever comes too late: an engine that found nothing and says that it could check everything is right.
// `least`: the share of them that must be certified.
void late_random(std::uint64_t first_seed, std::uint64_t usual, const RandomOptions& random, double least) {
  const std::string folder = make_scratch_folder("online-test");
  const std::uint64_t histories = effort::tries(usual);
  std::uint64_t late = 0, certified = 0;
  for (std::uint64_t i = 0; i < histories && !::testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = effort::seed(first_seed) + i;
    Rng rng(seed);
    const History h = random_history(rng, random);
    const auto chunk = std::make_shared<const Chunk>(h);
    for (const Level level : {Level::kSnapshotIsolation, Level::kSerializable}) {
      if (!kTimelineEngine.lacks(h, level).empty()) continue;
      const auto arrivals = delayed(h, rng, rng.between(0, 200), info(level).family == LevelFamily::kSerializable);
      if (arrivals.empty()) continue;
      Told told;
      timeline::OnlineOptions options = with_deadline(rng.between(1, 40), level, batch_of(rng));
      if (rng.chance(0.5)) options.spill_folder = folder;
      const auto engine = timeline::make_online(options, told);
      engine->begin(*chunk);
      for (const Timed& t : arrivals) {
        engine->advance({t.at, kNoTime, true});
        engine->take({chunk, t.txn});
      }
      engine->finish();
      const OnlineCounts counts = engine->counts();
      late += counts.late > 0 ? 1 : 0;
      for (const OnlineViolation& v : told.violations)
        EXPECT_EQ(steps_fault(h, v), "") << v.text << "\n" << native_text(h);
      if (!told.violations.empty() || !told.suspicions.empty() || counts.unchecked > 0) continue;
      const Verdict offline = kTimelineEngine.check(h, level, Limits{});
      ++certified;
      EXPECT_NE(offline.outcome, Outcome::kViolated)
          << "seed " << seed << " " << info(level).name << " deadline " << options.deadline << " late " << counts.late
          << (options.spill_folder.empty() ? "" : " spill") << "\n"
          << native_text(h);
    }
  }
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(effort::reaches(0.1, late, histories)) << late << " of " << histories;
  EXPECT_TRUE(effort::reaches(least, certified, histories)) << certified << " of " << histories;
}

TEST(TimelineOnline, WhatIsCertifiedWithLateArrivalsHolds) {
  RandomOptions random;
  random.timestamps = RandomOptions::Timestamps::kCompleteAndDistinct;
  random.max_txns = 24;
  random.unknown = 0;
  late_random(1, 3000, random, 0.1);
}

TEST(TimelineOnline, WhatIsCertifiedWithLateArrivalsAndUnsurePlacesHolds) {
  RandomOptions random;
  random.max_txns = 24;
  late_random(1'000'000, 3000, random, 0.02);
}

}  // namespace late_test
}  // namespace isolde
