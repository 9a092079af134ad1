#include "stream/pipeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <tuple>

#include "base/rng.h"
#include "tests/support/effort.h"

namespace isolde::stream {
namespace pipeline_test {

constexpr std::int64_t kSecond = 1'000'000'000;

using Numbers = Pipeline<int>;

std::vector<Numbers::Entry> batch(std::initializer_list<int> times) {
  std::vector<Numbers::Entry> entries;
  for (const int time : times) entries.push_back({time, time});
  return entries;
}

void push(Numbers::Producer& to, std::initializer_list<int> times, std::int64_t now = 0) {
  auto entries = batch(times);
  ASSERT_EQ(to.push(entries, now), Pushed::kTaken);
}

// "1 2 late:1 3"
std::string dispatched(Numbers& pipeline, bool pressed = false) {
  std::string text;
  pipeline.dispatch(
      [&](int item, bool late) { text += fmt::format("{}{}{}", text.empty() ? "" : " ", late ? "late:" : "", item); },
      [&] { return pressed; });
  return text;
}

TEST(Pipeline, ThePapersFigure4) {
  Numbers pipeline;
  auto a = pipeline.open(Fingerprint{1}, 0);
  auto b = pipeline.open(Fingerprint{2}, 0);
  push(a, {1, 2});
  push(b, {5, 6});
  EXPECT_EQ(dispatched(pipeline), "1 2");
  push(a, {3, 4});
  push(b, {7, 8});
  EXPECT_EQ(dispatched(pipeline), "3 4");
  EXPECT_EQ(pipeline.watermark(), 4);
  push(a, {9, 10});
  push(b, {11, 12});
  EXPECT_EQ(dispatched(pipeline), "5 6 7 8 9 10");
  a.close();
  b.close();
  EXPECT_EQ(dispatched(pipeline), "11 12");
  EXPECT_TRUE(pipeline.complete());
  EXPECT_EQ(pipeline.held(), 0);
}

TEST(Pipeline, ThePapersFigure14ConsecutiveItemsGoOutAtOnce) {
  Numbers pipeline;
  auto a = pipeline.open(Fingerprint{1}, 0);
  auto b = pipeline.open(Fingerprint{2}, 0);
  push(a, {1, 2, 3, 4});
  push(a, {9, 10, 13, 14});
  push(a, {17, 18, 19, 20});
  push(b, {5, 6, 7, 8});
  push(b, {11, 12, 15, 16});
  push(b, {21, 22, 23, 24});
  EXPECT_EQ(dispatched(pipeline), "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20");
  // <1 2 3 4> <5 6 7 8> <9 10> <11 12> <13 14> <15 16> <17 18 19 20>
  EXPECT_EQ(pipeline.counts().runs, 7);
}

TEST(Pipeline, EqualTimesGoByPrintWhoeverCameFirst) {
  for (const bool swapped : {false, true}) {
    Pipeline<std::string> pipeline;
    auto a = pipeline.open(Fingerprint{1}, 0);
    auto b = pipeline.open(Fingerprint{2}, 0);
    std::string out;
    const auto take = [&](const std::string& item, bool late) { out += late ? "late:" + item : item; };
    std::vector<Timed<std::string>> of_a{{5, "a1"}, {5, "a2"}}, of_b{{5, "b1"}, {6, "b2"}};
    EXPECT_EQ((swapped ? b : a).push(swapped ? of_b : of_a, 0), Pushed::kTaken);
    pipeline.dispatch(take);
    EXPECT_EQ((swapped ? a : b).push(swapped ? of_a : of_b, 0), Pushed::kTaken);
    pipeline.dispatch(take);
    EXPECT_EQ(out, "a1a2");  // a may still give another 5
    a.heartbeat(6, 0);
    pipeline.dispatch(take);
    EXPECT_EQ(out, "a1a2b1");
    a.close();
    pipeline.dispatch(take);
    EXPECT_EQ(out, "a1a2b1b2");
  }
}

TEST(Pipeline, AHeartbeatRaisesAPromise) {
  Numbers pipeline;
  auto a = pipeline.open(Fingerprint{1}, 0);
  auto b = pipeline.open(Fingerprint{2}, 0, 10);
  push(a, {5, 9, 10, 11, 20});
  EXPECT_EQ(dispatched(pipeline), "5 9 10");
  b.heartbeat(15, 0);
  EXPECT_EQ(dispatched(pipeline), "11");
  EXPECT_EQ(pipeline.watermark(), 15);
  b.heartbeat(3, 0);  // says nothing new
  EXPECT_EQ(dispatched(pipeline), "");
  push(b, {16});
  EXPECT_EQ(dispatched(pipeline), "16");
  b.heartbeat(kEver, 0);
  EXPECT_EQ(dispatched(pipeline), "20");
  EXPECT_EQ(pipeline.watermark(), 20);
}

TEST(Pipeline, ASilentProducerIsGivenUpAfterItsTimeAndCountsAgainWhenItHasCaughtUp) {
  Numbers pipeline({.silence = 10 * kSecond});
  auto a = pipeline.open(Fingerprint{1}, 0);
  auto b = pipeline.open(Fingerprint{2}, 0);
  push(a, {1, 5, 10}, 0);
  push(b, {2, 3}, 0);
  pipeline.advance(0);
  EXPECT_EQ(dispatched(pipeline), "1 2 3");
  push(a, {20, 25}, 5 * kSecond);
  pipeline.advance(9 * kSecond);
  EXPECT_EQ(dispatched(pipeline), "");
  EXPECT_TRUE(pipeline.complete());
  pipeline.advance(10 * kSecond);
  EXPECT_EQ(dispatched(pipeline), "5 10 20 25");
  EXPECT_FALSE(pipeline.complete());
  EXPECT_EQ(pipeline.missing(), std::set<std::uint64_t>{2});
  EXPECT_EQ(pipeline.watermark(), 25);
  const auto events = pipeline.take_events();
  ASSERT_EQ(events.size(), 1);
  EXPECT_EQ(events[0].what, PipelineEvent::What::kSilent);

  // Back, but behind: what it sends is late, and it is given time to catch up.
  push(b, {4, 7}, 11 * kSecond);
  push(a, {30}, 11 * kSecond);
  EXPECT_EQ(dispatched(pipeline), "late:4 late:7");
  EXPECT_FALSE(pipeline.complete());
  push(b, {25, 26, 40}, 12 * kSecond);
  EXPECT_EQ(dispatched(pipeline), "25 26 30");
  EXPECT_TRUE(pipeline.complete());
  EXPECT_EQ(pipeline.counts().returned, 1);
  push(a, {41}, 12 * kSecond);
  EXPECT_EQ(dispatched(pipeline), "40");
  EXPECT_EQ(pipeline.counts().late, 2);
  EXPECT_EQ(pipeline.counts().silent, 1);
}

TEST(Pipeline, WhoNeverCatchesUpHoldsTheOthersBackForTheTimeLimitOnly) {
  Numbers pipeline({.silence = 10 * kSecond});
  auto a = pipeline.open(Fingerprint{1}, 0);
  push(a, {100}, 0);
  pipeline.advance(0);
  EXPECT_EQ(dispatched(pipeline), "100");
  auto b = pipeline.open(Fingerprint{2}, 0, 0);
  push(b, {1}, 0);
  push(a, {101}, 0);
  EXPECT_EQ(dispatched(pipeline), "late:1");  // 101 waits for b, which may be in order from now on
  push(b, {2}, 9 * kSecond);
  pipeline.advance(9 * kSecond);
  EXPECT_EQ(dispatched(pipeline), "late:2");
  pipeline.advance(10 * kSecond);
  EXPECT_EQ(dispatched(pipeline), "101");
  push(b, {3}, 11 * kSecond);
  push(a, {110}, 11 * kSecond);
  pipeline.advance(11 * kSecond);
  EXPECT_EQ(dispatched(pipeline), "late:3 110");
  EXPECT_FALSE(pipeline.complete());
  b.heartbeat(120, 12 * kSecond);
  EXPECT_EQ(dispatched(pipeline), "");
  EXPECT_TRUE(pipeline.complete());
}

TEST(Pipeline, WhatIsBehindAnAnnouncedWatermarkIsLate) {
  Numbers pipeline;
  auto a = pipeline.open(Fingerprint{1}, 0);
  a.heartbeat(50, 0);
  EXPECT_EQ(dispatched(pipeline), "");
  EXPECT_EQ(pipeline.watermark(), 50);
  auto b = pipeline.open(Fingerprint{2}, 0, 49);
  push(b, {49, 50, 51});
  EXPECT_EQ(dispatched(pipeline), "late:49");  // 50: a, whose fingerprint is smaller, may give one
  a.heartbeat(51, 0);
  EXPECT_EQ(dispatched(pipeline), "50");
}

TEST(Pipeline, AnItemThatGoesBackInItsOwnOrderIsLateAndStaysInThatOrder) {
  Numbers pipeline;
  auto a = pipeline.open(Fingerprint{1}, 0);
  auto b = pipeline.open(Fingerprint{2}, 0, 100);
  push(a, {10, 8, 12});
  EXPECT_EQ(dispatched(pipeline), "10 late:8 12");
  b.close();
}

TEST(Pipeline, AnItemWithoutATimeFollowsTheOneBefore) {
  Numbers pipeline;
  auto a = pipeline.open(Fingerprint{1}, 0);
  auto b = pipeline.open(Fingerprint{2}, 0);
  std::vector<Numbers::Entry> entries{{10, 1}, {kNoTime, 2}, {kNoTime, 3}};
  ASSERT_EQ(a.push(entries, 0), Pushed::kTaken);
  EXPECT_EQ(dispatched(pipeline), "");
  push(b, {20});
  EXPECT_EQ(dispatched(pipeline), "1 2 3 20");  // nobody can wait for a's next
  entries = {{kNoTime, 4}};
  ASSERT_EQ(a.push(entries, 0), Pushed::kTaken);
  EXPECT_EQ(dispatched(pipeline), "4");
  EXPECT_EQ(pipeline.counts().late, 0);
  EXPECT_TRUE(pipeline.complete());
}

TEST(Pipeline, WhoEndedHoldsNothingBackAndMayComeBack) {
  Numbers pipeline;
  auto a = pipeline.open(Fingerprint{1}, 0);
  auto b = pipeline.open(Fingerprint{2}, 0);
  push(a, {1, 10});
  push(b, {2});
  b.close();
  EXPECT_EQ(dispatched(pipeline), "1 2 10");
  EXPECT_TRUE(b.ended());
  push(b, {3, 12});
  EXPECT_FALSE(b.ended());
  EXPECT_EQ(dispatched(pipeline), "late:3");
  push(a, {11, 13});
  EXPECT_EQ(dispatched(pipeline), "11 12");
}

TEST(Pipeline, AFullBufferRefusesAndTakesAgainWhenItWasFetched) {
  Numbers pipeline({.local_items = 4});
  auto a = pipeline.open(Fingerprint{1}, 0);
  auto b = pipeline.open(Fingerprint{2}, 0, 0);
  push(a, {1, 2, 3});
  auto more = batch({4, 5});
  EXPECT_EQ(a.push(more, 0), Pushed::kFull);
  EXPECT_EQ(more.size(), 2);
  EXPECT_EQ(dispatched(pipeline), "");
  EXPECT_EQ(pipeline.held(), 3);  // fetched, so there is room for as many again
  EXPECT_EQ(a.push(more, 0), Pushed::kTaken);
  more = batch({6, 7, 8});
  EXPECT_EQ(a.push(more, 0), Pushed::kFull);
  b.close();
  EXPECT_EQ(dispatched(pipeline), "1 2 3 4 5");
  EXPECT_EQ(a.push(more, 0), Pushed::kTaken);
}

TEST(Pipeline, BeyondTheLimitOfAllOnlyAnEmptyBufferTakesABatch) {
  Numbers pipeline({.total_items = 4});
  auto a = pipeline.open(Fingerprint{1}, 0);
  auto b = pipeline.open(Fingerprint{2}, 0, 0);
  push(a, {1, 2, 3, 4});
  auto more = batch({5});
  EXPECT_EQ(a.push(more, 0), Pushed::kFull);
  push(b, {1, 2, 3});  // who holds all others back is let in
  EXPECT_EQ(dispatched(pipeline), "1 1 2 2 3 3");
  EXPECT_EQ(a.push(more, 0), Pushed::kTaken);
}

TEST(Pipeline, WhoHoldsTooMuchBackAndSaysNothingIsGivenUpEarly) {
  Numbers pipeline({.silence = 10 * kSecond});
  auto a = pipeline.open(Fingerprint{1}, 0);
  auto b = pipeline.open(Fingerprint{2}, 0);
  auto c = pipeline.open(Fingerprint{3}, 0);
  push(a, {1}, 0);
  push(b, {2}, 0);
  push(c, {3}, 0);
  pipeline.advance(0);
  EXPECT_EQ(dispatched(pipeline), "1");
  push(b, {10}, 1);
  push(c, {11}, 1);
  EXPECT_EQ(dispatched(pipeline), "");
  EXPECT_EQ(dispatched(pipeline, true), "2 3 10 11");
  EXPECT_EQ(pipeline.counts().for_room, 2);  // then b, which holds 11 back
  EXPECT_EQ(pipeline.take_events()[0].what, PipelineEvent::What::kGivenUpForRoom);
  EXPECT_FALSE(pipeline.complete());
}

TEST(Pipeline, WhatIsFarAheadOfEveryoneGoesOutAloneWhenThereIsNoRoom) {
  Numbers pipeline({.silence = 10 * kSecond});
  auto a = pipeline.open(Fingerprint{1}, 0);
  auto b = pipeline.open(Fingerprint{2}, 0);
  push(a, {1}, 0);
  push(b, {1000000}, 0);  // its clock is wrong
  EXPECT_EQ(dispatched(pipeline), "1");
  push(a, {2, 3}, 1);
  EXPECT_EQ(dispatched(pipeline, true), "2 3 late:1000000");
  push(a, {4}, 2);
  EXPECT_EQ(dispatched(pipeline), "4");
  EXPECT_TRUE(pipeline.complete());
  EXPECT_EQ(pipeline.counts().ahead, 1);
}

TEST(Pipeline, ItemsAreKeptForAWhileForThoseWhoAppearLater) {
  Numbers pipeline({.hold = 100});
  auto a = pipeline.open(Fingerprint{1}, 0);
  push(a, {1, 2}, 0);
  pipeline.advance(50);
  EXPECT_EQ(dispatched(pipeline), "");
  auto b = pipeline.open(Fingerprint{2}, 60, 0);
  push(b, {0, 3}, 60);
  pipeline.advance(100);
  EXPECT_EQ(dispatched(pipeline), "");  // 0 is young
  pipeline.advance(160);
  EXPECT_EQ(dispatched(pipeline), "0 1 2");
}

// ---- properties -----------------------------------------------------------------------------------------------------

struct Item {
  std::size_t producer;
  std::size_t place;
  std::int64_t time;
};

// Producers in order, at random speed: everything goes out in order and as soon as it can, however it is cut.
TEST(PipelineProperty, WithoutSilenceEverythingIsInOrderAndGoesOutAsSoonAsItMay) {
  for (const std::uint64_t seed : effort::seeds(0, 2'000)) {
    Rng rng(seed);
    Pipeline<Item> pipeline({.local_items = 1 + rng.below(20), .silence = 0});
    const std::size_t n = 1 + rng.below(8);
    struct Source {
      Pipeline<Item>::Producer end;
      std::uint64_t fingerprint;
      std::vector<std::int64_t> times;
      std::size_t pushed = 0, out = 0;
      std::int64_t promise = kNoTime;
      bool closed = false;
    };
    std::vector<Source> sources(n);
    const std::int64_t range = rng.chance(0.5) ? 20 : 1000;
    for (std::size_t i = 0; i < n; ++i) {
      sources[i].fingerprint = i * 7919 % 16;
      sources[i].end = pipeline.open(Fingerprint{sources[i].fingerprint}, 0);
      sources[i].times.resize(rng.below(40));
      for (std::int64_t& time : sources[i].times) time = rng.between(0, range);
      std::sort(sources[i].times.begin(), sources[i].times.end());
    }
    std::vector<Item> out;
    const auto take = [&](const Item& item, bool late) {
      ASSERT_FALSE(late) << "seed " << seed;
      ASSERT_EQ(item.place, sources[item.producer].out++) << "seed " << seed;
      if (!out.empty()) {
        ASSERT_LE(std::tuple(out.back().time, sources[out.back().producer].fingerprint),
                  std::tuple(item.time, sources[item.producer].fingerprint))
            << "seed " << seed;
      }
      out.push_back(item);
    };
    std::size_t open = n;
    for (std::size_t step = 0; open > 0; ++step) {
      ASSERT_LT(step, 100000) << "seed " << seed;
      Source& source = sources[rng.below(n)];
      const std::size_t left = source.times.size() - source.pushed;
      if (rng.chance(0.3)) {
        pipeline.dispatch(take);
        // Nothing is left that could have gone: the smallest pending one waits for somebody.
        for (std::size_t i = 0; i < n; ++i) {
          if (sources[i].out == sources[i].pushed) continue;
          const std::tuple next(sources[i].times[sources[i].out], sources[i].fingerprint);
          const bool waits = std::any_of(sources.begin(), sources.end(), [&](const Source& other) {
            if (&other == &sources[i]) return false;
            if (other.out < other.pushed) return std::tuple(other.times[other.out], other.fingerprint) < next;
            return !other.closed && std::tuple(other.promise, other.fingerprint) < next;
          });
          ASSERT_TRUE(waits) << "seed " << seed << " step " << step;
        }
      } else if (source.closed) {
        continue;
      } else if (left == 0) {
        source.end.close();
        source.closed = true;
        --open;
      } else if (rng.chance(0.2)) {
        source.promise = std::max(source.promise, rng.between(0, source.times[source.pushed]));
        source.end.heartbeat(source.promise, 0);
      } else {
        std::vector<Timed<Item>> some;
        const std::size_t count = 1 + rng.below(std::min<std::size_t>(left, 6));
        for (std::size_t k = 0; k < count; ++k) {
          const std::size_t place = source.pushed + k;
          some.push_back(
              {source.times[place], {static_cast<std::size_t>(&source - sources.data()), place, source.times[place]}});
        }
        if (source.end.push(some, 0) == Pushed::kTaken) {
          source.pushed += count;
          source.promise = std::max(source.promise, source.times[source.pushed - 1]);
        } else {
          pipeline.dispatch(take);
        }
      }
    }
    pipeline.dispatch(take);
    std::size_t all = 0;
    for (const Source& source : sources) all += source.times.size();
    ASSERT_EQ(out.size(), all) << "seed " << seed;
    ASSERT_EQ(pipeline.held(), 0);
  }
}

// Silence, steps back, newcomers, ends and lack of room: nothing is lost, each producer's order stays, what is said to
// be in order is, and what is late is behind something.
TEST(PipelineProperty, WhateverHappensNothingIsLostAndOnlyWhatIsBehindIsLate) {
  for (const std::uint64_t seed : effort::seeds(0, 2'000)) {
    Rng rng(seed);
    std::vector<std::tuple<std::size_t, std::size_t, bool>> runs[2];
    for (auto& run : runs) {
      rng = Rng(seed);
      Pipeline<Item> pipeline({.silence = rng.between(1, 30), .hold = rng.chance(0.3) ? rng.between(1, 10) : 0});
      struct Source {
        Pipeline<Item>::Producer end;
        std::int64_t clock = 0, latest = kNoTime;
        std::size_t pushed = 0, out = 0;
      };
      std::vector<Source> sources;
      std::int64_t now = 0, floor = kNoTime;
      std::size_t ahead = 0;
      const auto take = [&](const Item& item, bool late) {
        Source& source = sources[item.producer];
        ASSERT_EQ(item.place, source.out++) << "seed " << seed;
        if (!late) {
          ASSERT_GE(item.time, floor) << "seed " << seed;
          floor = item.time;
        } else if (pipeline.counts().ahead == ahead) {
          ASSERT_LT(item.time, std::max(floor, source.latest)) << "seed " << seed;
        }
        source.latest = std::max(source.latest, item.time);
        ahead = pipeline.counts().ahead;
        run.emplace_back(item.producer, item.place, late);
      };
      for (int step = 0; step < 300; ++step) {
        now += rng.between(0, 3);
        pipeline.advance(now);
        if (sources.empty() || rng.chance(0.02)) {
          sources.push_back(
              {pipeline.open(Fingerprint{1 + sources.size() * 7 % 31}, now, rng.chance(0.5) ? now : kNoTime)});
          sources.back().clock = now - rng.between(0, 5);
        }
        Source& source = sources[rng.below(sources.size())];
        const auto number = static_cast<std::size_t>(&source - sources.data());
        const double what = rng.unit();
        if (what < 0.5 && number % 5 != static_cast<std::size_t>(step / 60)) {  // each fifth is silent for a while
          std::vector<Timed<Item>> some;
          for (std::uint64_t k = 1 + rng.below(4); k > 0; --k) {
            source.clock = std::max(source.clock, rng.chance(0.8) ? now - 10 : source.clock) + rng.between(0, 3);
            const std::int64_t time = rng.chance(0.05) ? source.clock - rng.between(1, 20) : source.clock;
            some.push_back({time, {number, source.pushed++, time}});
          }
          ASSERT_EQ(source.end.push(some, now), Pushed::kTaken);
        } else if (what < 0.55) {
          source.clock = std::max(source.clock, now - 5);
          source.end.heartbeat(source.clock, now);
        } else if (what < 0.57) {
          source.end.close();
        } else if (what < 0.9) {
          const bool pressed = rng.chance(0.05);
          pipeline.dispatch(take, [&] { return pressed && pipeline.held() > 5; });
          if (rng.chance(0.5)) {
            const std::int64_t mark = pipeline.watermark();
            ASSERT_GE(mark, floor) << "seed " << seed;
            floor = mark;
          }
        }
        ASSERT_EQ(pipeline.complete(), pipeline.missing().empty());
      }
      for (Source& source : sources) source.end.close();
      pipeline.advance(now + 1000);
      pipeline.dispatch(take);
      for (const Source& source : sources) ASSERT_EQ(source.out, source.pushed) << "seed " << seed;
      ASSERT_TRUE(pipeline.complete());
      ASSERT_EQ(pipeline.held(), 0);
      ASSERT_LE(ahead, pipeline.counts().late);
    }
    ASSERT_EQ(runs[0], runs[1]) << "seed " << seed;
  }
}

TEST(PipelineThreads, ManyThreadsGiveAndOneTakesInOrder) {
  constexpr std::size_t kThreads = 6, kItems = 8000;
  Pipeline<Item> pipeline({.local_items = 256, .total_items = 1000, .silence = 0});
  std::vector<Pipeline<Item>::Producer> ends;
  for (std::size_t i = 0; i < kThreads; ++i) ends.push_back(pipeline.open(Fingerprint{i + 1}, 0));
  std::atomic<std::int64_t> clock{0};
  std::atomic<std::size_t> running{kThreads};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Rng rng(i);
      std::vector<Timed<Item>> some;
      for (std::size_t k = 0; k < kItems;) {
        const std::size_t count = std::min<std::size_t>(1 + rng.below(64), kItems - k);
        for (std::size_t j = 0; j < count; ++j, ++k) {
          const std::int64_t time = clock.fetch_add(1) / 2;
          some.push_back({time, {i, k, time}});
        }
        if (rng.chance(0.5)) {
          while (ends[i].push(some, 0) == Pushed::kFull) std::this_thread::yield();
        } else {
          ends[i].push_wait(some, 0);
        }
        some.clear();
        if (rng.chance(0.1)) ends[i].heartbeat(clock.load() / 2 - 1, 0);
      }
      ends[i].close();
      --running;
    });
  }
  std::vector<std::size_t> next(kThreads, 0);
  std::size_t out = 0, most = 0;
  std::tuple<std::int64_t, std::size_t> last{kNoTime, 0};
  const auto take = [&](const Item& item, bool late) {
    EXPECT_FALSE(late);
    EXPECT_EQ(item.place, next[item.producer]++);
    const std::tuple<std::int64_t, std::size_t> now(item.time, item.producer);
    EXPECT_LE(last, now);
    last = now;
    ++out;
  };
  while (running > 0) {
    most = std::max(most, pipeline.held());
    if (pipeline.dispatch(take) == 0) std::this_thread::yield();
  }
  pipeline.dispatch(take);
  for (std::thread& thread : threads) thread.join();
  pipeline.dispatch(take);
  EXPECT_EQ(out, kThreads * kItems);
  EXPECT_LE(most, 1000 + kThreads * 64);
}

TEST(PipelineThreads, ProducersComeAndGoAndFallSilentWhileOthersGoOn) {
  constexpr std::size_t kThreads = 4, kLives = 30, kItems = 50;
  Pipeline<Item> pipeline({.local_items = 64, .silence = 20});
  std::atomic<std::int64_t> clock{0};
  std::atomic<std::size_t> running{kThreads};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Rng rng(i);
      for (std::size_t life = 0; life < kLives; ++life) {
        auto end = pipeline.open(Fingerprint{1 + i * kLives + life}, clock.load(), clock.load());
        for (std::size_t k = 0; k < kItems; ++k) {
          const std::int64_t time = clock.fetch_add(1);
          std::vector<Timed<Item>> one{{time, {i * kLives + life, k, time}}};
          if (rng.chance(0.02)) std::this_thread::yield();
          end.push_wait(one, clock.load());
        }
        if (rng.chance(0.7)) end.close();
      }
      --running;
    });
  }
  std::vector<std::size_t> next(kThreads * kLives, 0);
  std::int64_t floor = kNoTime;
  std::size_t out = 0;
  const auto take = [&](const Item& item, bool late) {
    EXPECT_EQ(item.place, next[item.producer]++);
    if (!late) {
      EXPECT_LE(floor, item.time);
      floor = item.time;
    }
    ++out;
  };
  while (running > 0) {
    pipeline.advance(clock.load());
    if (pipeline.dispatch(take) == 0) std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  pipeline.advance(clock.load() + 100);
  pipeline.dispatch(take);
  EXPECT_EQ(out, kThreads * kLives * kItems);
}

}  // namespace pipeline_test
}  // namespace isolde::stream
