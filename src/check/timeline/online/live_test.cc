// Streams with deadlines: what is final is told once and only if it is true, what is old is let go.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/scratch_folder.h"
#include "check/timeline/online/online_testing.h"
#include "history/history_builder.h"
#include "tests/support/effort.h"
#include "tests/support/online_steps.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace live_test {

using online_testing::batch_of;
using online_testing::delayed;
using online_testing::Stream;
using online_testing::time_of;
using online_testing::Timed;
using online_testing::Told;
using online_testing::with_deadline;

TEST(TimelineOnline, AWriteThatComesWithinTheDeadlineExplainsTheRead) {
  Stream s(with_deadline(100));
  s.advance(0);
  s.take("T2 3..4: r x1");
  EXPECT_EQ(s.engine->counts().flips, 0U);
  s.advance(50);
  s.take("T1 1..2: w x1");
  EXPECT_EQ(s.engine->counts().flips, 1U);
  EXPECT_EQ(s.engine->counts().flipped_txns, 1U);
  s.advance(1000);
  s.engine->finish();
  EXPECT_EQ(s.told.names(), "");
  EXPECT_EQ(s.engine->counts().unchecked, 0U);
}

TEST(TimelineOnline, AWrongReadIsToldWhenItsDeadlineIsOverAndOnce) {
  Stream s(with_deadline(100));
  s.advance(0);
  s.take("T1 1..2: w x1 | T2 3..4: w x2");
  s.advance(10);
  s.take("T3 5..6: r x1");
  s.advance(109);
  EXPECT_EQ(s.told.names(), "");
  EXPECT_EQ(s.engine->counts().pending, 1U);
  s.advance(110);
  EXPECT_EQ(s.told.names(), "GSIb T3 T2");
  s.engine->finish();
  EXPECT_EQ(s.told.names(), "GSIb T3 T2");
  const OnlineViolation& v = s.told.violations[0];
  EXPECT_EQ(v.key, "\"x\"");
  EXPECT_EQ(v.read, "1");
  EXPECT_EQ(v.expected, "2");
  EXPECT_EQ(v.rule, "EXT");
  EXPECT_EQ(steps_text(v), "T2 -visible-> T3, T3 -rw \"x\"-> T2");
}

TEST(TimelineOnline, OverlappingWritersAndInternalReadsAreToldAtOnce) {
  Stream s(with_deadline(100));
  s.advance(0);
  s.take("T1 1..5: w x1");
  s.take("T2 2..6: r x_ w x2");
  EXPECT_EQ(s.told.names(), "lost-update T2 T1");
  EXPECT_EQ(steps_text(s.told.violations[0]), "T1 -ww \"x\"-> T2, T2 -invisible-> T1");
  s.take("T3 7..8: w x3 r x4");
  EXPECT_EQ(s.told.names(), "lost-update T2 T1, internal T3");
}

TEST(TimelineOnline, AGapInTheNumbersOfASessionIsToldAtOnce) {
  Stream s(with_deadline(100, Level::kStrongSessionSnapshotIsolation));
  s.advance(0);
  s.take("T1@s %0 1..2: w x1 | T2!@s %1: w x7 | T3@t %5 3..4: r x1");
  s.take("T4@s %2 3..4: r x1 | T5@t 5..6: r x1 | T6@t %9 7..8: r x1");
  EXPECT_EQ(s.told.names(), "");
  s.take("T7@s %4 5..6: r x1");
  ASSERT_EQ(s.told.names(), "session-gap T7 T4");
  const OnlineViolation& v = s.told.violations[0];
  EXPECT_EQ(v.rule, "SESSION");
  EXPECT_EQ(v.text, "T7 is number 4 of its session and comes right after T4, which is number 2.");
  EXPECT_EQ(steps_text(v), "T4 -session-> T7");
  Stream plain(with_deadline(100));
  plain.advance(0);
  plain.take("T1@s %0 1..2: w x1 | T2@s %3 3..4: r x1");
  plain.engine->finish();
  EXPECT_EQ(plain.told.names(), "");
}

TEST(TimelineOnline, WhatArrivesTogetherIsPutInOrderBeforeItIsLookedAt) {
  Stream s(with_deadline(100, Level::kSnapshotIsolation, 64));
  s.advance(0);
  s.take("T2 3..4: r x1 | T3 2..6: r x_ w x3");
  s.advance(20);
  s.take("T1 1..2: w x1 | T4 5..7: w x4");
  EXPECT_EQ(s.told.names(), "");
  s.advance(25);  // a quarter of the deadline
  EXPECT_EQ(s.told.names(), "GSIa T4 T3");
  s.advance(99);
  s.take("T0 1..1: w y1");  // waits when the others are judged
  s.advance(100);
  EXPECT_EQ(s.engine->counts().checked, 0U);  // the last one may matter to them
  s.advance(124);
  EXPECT_EQ(s.told.names(), "GSIa T4 T3, GSIb T3 T1");
  EXPECT_EQ(s.engine->counts().flips, 0U);
  s.engine->finish();
  EXPECT_EQ(s.told.names(), "GSIa T4 T3, GSIb T3 T1");
}

// The guilty one has gone when the other arrives; a restart does not know its name any more.
TEST(TimelineOnline, AViolationHasTheSameIdentityWhetherItsNamesAreHeldOrNot) {
  std::vector<std::uint64_t> identities[2];
  for (const bool restart : {false, true}) {
    const auto options = with_deadline(10, Level::kStrongSnapshotIsolation);
    Told told;
    auto engine = timeline::make_online(options, told);
    const auto take = [&](std::int64_t now, std::string_view text, std::int64_t begin, std::int64_t end) {
      HistoryBuilder b;
      b.begin_txn(b.session(now));
      b.set_id(b.values().string(text));
      b.set_begin(begin);
      b.set_end(end);
      b.set_start_ts(now);
      b.set_commit_ts(now);
      b.write(b.key(now), b.values().integer(now));
      b.end_txn();
      engine->advance({now * 100, kNoTime, true});
      engine->take({std::make_shared<const Chunk>(*b.finish()), TxnId{0}});
    };
    take(1, "guilty", 500, 600);  // began after "late" had ended
    take(2, "other", 600, 601);
    if (restart) {
      engine->advance({1000, kNoTime, true});  // released
      StateWriter out;
      engine->save(out);
      engine = timeline::make_online(options, told);
      StateReader in(out.bytes());
      ASSERT_TRUE(engine->load(in));
    }
    take(9, "late", 100, 200);
    engine->finish();
    ASSERT_FALSE(told.violations.empty());
    identities[restart ? 1 : 0] = {told.violations[0].identity};
    EXPECT_EQ(told.violations[0].rule, "REALTIME");
  }
  EXPECT_EQ(identities[0], identities[1]);
}

TEST(TimelineOnline, ALateWriteRechecksTheReadsUpToTheNextVersionOnly) {
  Stream s(with_deadline(100));
  s.take("T1 1..2: w x1 | T4 10..11: w x4 | R1 3..3: r x1 | R2 7..7: r x1 | R3 12..12: r x4");
  s.take("T2 4..5: w x2");
  EXPECT_EQ(s.engine->counts().flips, 1U);
  s.take("T3 6..6: w x1");  // a repeated value
  EXPECT_EQ(s.engine->counts().flips, 2U);
  s.engine->finish();
  EXPECT_EQ(s.told.names(), "");
}

TEST(TimelineOnline, ALateAppendReachesTheReadsBehindLaterAppends) {
  Stream s(with_deadline(100));
  s.take("T2 3..4: a x2 | R 5..5: r x[1 2] | C1 1..1: i c+5 | C3 6..6: i c+1 | RC 7..7: r c9");
  s.take("T1 1..2: a x1 | C2 2..3: i c+3");
  EXPECT_EQ(s.engine->counts().flips, 2U);
  s.engine->finish();
  EXPECT_EQ(s.told.names(), "");
}

TEST(TimelineOnline, AnArrivalLaterThanAllThatIsHeldIsUncheckedWithoutSpillAndJudgedWithIt) {
  const std::string folder = make_scratch_folder("online-test");
  for (const bool spill : {false, true}) {
    timeline::OnlineOptions options = with_deadline(10);
    if (spill) options.spill_folder = folder;
    Stream s(options);
    for (int i = 0; i < 200; ++i) {
      s.advance(i * 10);
      s.take(fmt::format("T{} {}..{}: w x{} w y{}", i, i * 10 + 1, i * 10 + 2, i, i));
    }
    s.take("L1 505..505: r x50 r y50");  // right
    s.take("L2 506..506: r x49 r y50");  // wrong
    s.advance(10'000);
    s.engine->finish();
    const OnlineCounts counts = s.engine->counts();
    EXPECT_EQ(counts.late, 2U);
    EXPECT_EQ(counts.unchecked, spill ? 0U : 4U);
    EXPECT_EQ(s.told.names(), spill ? "GSIb L2 T50" : "");
  }
  std::filesystem::remove_all(folder);
}

TEST(TimelineOnline, MemoryStaysUnderTheLimit) {
  timeline::OnlineOptions options = with_deadline(1'000'000'000);
  options.memory_limit = std::size_t{4} << 20;
  Stream s(options);
  std::size_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    s.advance(i);
    std::string text;
    for (int j = 0; j < 50; ++j) {
      const int t = i * 50 + j;
      text += fmt::format("{}T{}@s {}..{}: w x{} r y_", j == 0 ? "" : " | ", t, t * 2, t * 2 + 1, t);
    }
    s.take(text);
    most = std::max<std::size_t>(most, s.engine->counts().bytes);
  }
  EXPECT_LT(most, options.memory_limit + (options.memory_limit >> 2));
  s.engine->finish();
  EXPECT_EQ(s.told.names(), "");
}

TEST(TimelineOnline, TransactionsOfUnknownOutcomeNowAndThenDoNotHoldUpTheRest) {
  Stream s(with_deadline(100));
  std::size_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    s.advance(i * 10);
    // Every tenth loses its answer; every other of these took effect and is seen by the next.
    const bool unknown = i % 10 == 5;
    const int seen = i % 10 == 6 && i % 20 == 6 ? i - 1 : i % 10 == 6 ? i - 2 : i - 1;
    if (unknown) {
      s.take(fmt::format("T{}? {}..: w x{}", i, i * 10 + 1, i));
    } else if (i == 0) {
      s.take("T0 1..2: w x0");
    } else {
      s.take(fmt::format("T{} {}..{}: r x{} w x{}", i, i * 10 + 1, i * 10 + 2, seen, i));
    }
    most = std::max<std::size_t>(most, s.engine->counts().bytes);
  }
  s.advance(100'000);
  s.engine->finish();
  EXPECT_EQ(s.told.names(), "");
  EXPECT_EQ(s.engine->counts().unchecked, 0U);
  EXPECT_LT(most, std::size_t{3} << 20);
}

TEST(TimelineOnline, AnUnknownAppendThatWasSeenIsPartOfTheListFromThenOn) {
  Stream s(with_deadline(100));
  s.advance(0);
  s.take("T1 1..2: a x1 | U? 3..: a x2 | R1 5..5: r x[1 2]");
  for (int i = 1; i < 20; ++i) {
    s.advance(i * 100);
    s.take(fmt::format("R{} {}..{}: r x[1 2]", i + 1, i * 10, i * 10));
  }
  s.take("T2 300..301: a x3 | R 302..302: r x[1 2 3]");
  s.advance(10'000);
  s.engine->finish();
  EXPECT_EQ(s.told.names(), "");
  EXPECT_EQ(s.engine->counts().unchecked, 0U);
}

enum class Expect : std::uint8_t { kSame, kNoneFalse };

void stream_random(std::uint64_t first_seed, std::uint64_t usual, RandomOptions random, Expect expect) {
  const std::string folder = expect == Expect::kSame ? make_scratch_folder("online-test") : "";
  const std::uint64_t histories = effort::tries(usual);
  std::uint64_t judged = 0, found = 0;
  for (std::uint64_t i = 0; i < histories && !::testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = effort::seed(first_seed) + i;
    Rng rng(seed);
    const History h = random_history(rng, random);
    const auto chunk = std::make_shared<const Chunk>(h);
    const auto status = h.columns().status;
    const bool unknown = std::find(status.begin(), status.end(), Status::kUnknown) != status.end();
    if (expect == Expect::kSame && unknown) continue;  // offline it may explain what was judged long before it
    for (const Level level :
         {Level::kSnapshotIsolation, Level::kStrongSessionSnapshotIsolation, Level::kSerializable,
          expect == Expect::kSame ? Level::kStrongSessionSerializable : Level::kStrictSerializable}) {
      if (!kTimelineEngine.lacks(h, level).empty()) continue;
      const Verdict offline = kTimelineEngine.check(h, level, Limits{});
      const std::int64_t delay = rng.between(0, 60);
      const auto arrivals = delayed(h, rng, delay, info(level).family == LevelFamily::kSerializable);
      if (arrivals.empty()) continue;
      // Sessions in order may hold some back longer than the delay.
      std::int64_t behind = 0;
      for (const Timed& t : arrivals) {
        const std::int64_t own = time_of(h, t.txn);
        behind = std::max(behind, t.at - own * 10);
      }
      Told told;
      timeline::OnlineOptions options = with_deadline(behind + 1, level, batch_of(rng));
      options.spill_folder = folder;
      const auto engine = timeline::make_online(options, told);
      engine->begin(*chunk);
      for (const Timed& t : arrivals) {
        engine->advance({t.at, kNoTime, true});
        engine->take({chunk, t.txn});
      }
      engine->finish();
      judged += engine->counts().unchecked == 0 ? 1 : 0;
      std::set<std::string> got;
      for (const OnlineViolation& v : told.violations) got.insert(fmt::format("{} {}", v.transactions[0], v.key));
      std::set<std::uint64_t> identities;
      for (const OnlineViolation& v : told.violations) {
        identities.insert(v.identity);
        EXPECT_EQ(steps_fault(h, v), "") << v.text << "\n" << native_text(h);
      }
      EXPECT_EQ(identities.size(), told.violations.size());
      // Undecided may well be violated: what the offline engine leaves open may have come after the deadline here.
      if (offline.outcome == Outcome::kSatisfied) {
        EXPECT_TRUE(told.violations.empty())
            << "seed " << seed << " " << info(level).name << ": " << told.violations[0].text << " " << told.names()
            << " deadline " << behind + 1 << "\n"
            << native_text(h);
      } else if (!told.violations.empty()) {
        ++found;
      }
      if (expect == Expect::kSame && engine->counts().unchecked == 0) {
        std::set<std::string> expected;
        for (const Anomaly& a : offline.anomalies) {
          const std::string key = a.key == kNoKey ? "" : h.value_text(h.columns().key_name[raw(a.key)]);
          expected.insert(fmt::format("{} {}", h.txn_text(a.transactions[0]), key));
        }
        EXPECT_EQ(fmt::format("{}", fmt::join(got, ", ")), fmt::format("{}", fmt::join(expected, ", ")))
            << "seed " << seed << " " << info(level).name << " deadline " << behind + 1 << "\n"
            << native_text(h);
      }
    }
  }
  if (!folder.empty()) std::filesystem::remove_all(folder);
  EXPECT_TRUE(effort::reaches(1.0 / 8, judged, histories)) << judged << " of " << histories;
  EXPECT_TRUE(effort::reaches(1.0 / 20, found, histories)) << found << " of " << histories;
}

// Saves and loads the engine at every arrival.
TEST(TimelineOnline, AStreamGoesOnAfterEveryCheckpointAsIfNothingHadHappened) {
  const std::string folder = make_scratch_folder("online-test");
  std::uint64_t found = 0;
  const std::uint64_t histories = effort::tries(200), first = effort::seed(1);
  for (std::uint64_t seed = first; seed < first + histories; ++seed) {
    Rng rng(seed);
    RandomOptions random;
    random.max_txns = 16;
    const History h = random_history(rng, random);
    const auto chunk = std::make_shared<const Chunk>(h);
    for (const Level level : {Level::kSnapshotIsolation, Level::kStrictSerializable}) {
      if (!kTimelineEngine.lacks(h, level).empty()) continue;
      const auto arrivals = delayed(h, rng, 60, false);
      timeline::OnlineOptions options = with_deadline(rng.between(1, 200), level, batch_of(rng));
      if (rng.chance(0.5)) options.spill_folder = folder;
      Told whole;
      Told parts;
      auto straight = timeline::make_online(options, whole);
      if (!options.spill_folder.empty()) options.spill_folder += "/restarted";
      auto restarted = timeline::make_online(options, parts);
      straight->begin(*chunk);
      restarted->begin(*chunk);
      for (const Timed& t : arrivals) {
        StateWriter out;
        restarted->save(out);
        restarted = timeline::make_online(options, parts);
        StateReader in(out.bytes());
        ASSERT_TRUE(restarted->load(in));
        EXPECT_TRUE(in.at_end());
        for (const auto* engine : {&straight, &restarted}) {
          (*engine)->advance({t.at, kNoTime, true});
          (*engine)->take({chunk, t.txn});
        }
      }
      straight->finish();
      restarted->finish();
      ASSERT_EQ(parts.names(), whole.names()) << "seed " << seed << "\n" << native_text(h);
      EXPECT_EQ(parts.identities(), whole.identities());
      EXPECT_EQ(restarted->counts().unchecked, straight->counts().unchecked);
      EXPECT_EQ(restarted->counts().flips, straight->counts().flips);
      EXPECT_EQ(restarted->counts().checked, straight->counts().checked);
      found += whole.violations.empty() ? 0 : 1;
    }
  }
  EXPECT_TRUE(effort::reaches(0.125, found, histories)) << found << " of " << histories;
  std::filesystem::remove_all(folder);
}

TEST(TimelineOnline, AStateOfOtherSettingsOrCutShortIsRefused) {
  Stream s(with_deadline(100));
  s.take("T1 1..2: w x1 | T2 3..4: r x2");
  StateWriter out;
  s.engine->save(out);
  Told told;
  StateReader other(out.bytes());
  EXPECT_FALSE(timeline::make_online(with_deadline(100, Level::kSerializable), told)->load(other));
  for (std::size_t size = 0; size < out.bytes().size(); size += 7) {
    StateReader part(out.bytes().substr(0, size));
    EXPECT_FALSE(timeline::make_online(with_deadline(100), told)->load(part)) << size;
  }
}

TEST(TimelineOnline, AStreamWithDeadlinesTellsWhatTheOfflineEngineFinds) {
  RandomOptions random;
  random.timestamps = RandomOptions::Timestamps::kCompleteAndDistinct;
  random.max_txns = 24;
  random.unknown = 0;
  stream_random(1, 750, random, Expect::kSame);
}

TEST(TimelineOnline, AStreamWithDeadlinesTellsNothingOfASatisfiedHistory) {
  RandomOptions random;
  random.max_txns = 24;
  random.change = 0.1;
  stream_random(1'000'000, 1500, random, Expect::kNoneFalse);
}

}  // namespace live_test
}  // namespace isolde
