#include "stream/arrival_clock.h"

#include <gtest/gtest.h>

namespace isolde::stream {
namespace arrival_clock_test {

using std::chrono::milliseconds;

struct Watched {
  ArrivalClock clock;
  static ArrivalClock::Time at(int time) { return ArrivalClock::Time(milliseconds(time)); }
  void found_nothing(int time) { clock.found_nothing(at(time)); }
  void found_something(int time, bool much = false) { clock.found_something(at(time), much); }
  void has_read(int time) { clock.has_read(at(time)); }
  [[nodiscard]] auto came() const { return clock.came() / milliseconds(1); }
  [[nodiscard]] auto drained() const { return clock.drained() / milliseconds(1); }
};

TEST(ArrivalClock, TimeInWhichNothingComesCounts) {
  Watched w;
  w.found_nothing(100);
  w.found_nothing(150);
  w.found_nothing(900);
  EXPECT_EQ(w.drained(), 800);
}

TEST(ArrivalClock, WhatIsFoundHadArrivedByThenAndIsDrainedWhenNothingIsLeft) {
  Watched w;
  w.found_nothing(0);
  w.found_something(50);
  EXPECT_EQ(w.came(), 50);
  EXPECT_EQ(w.drained(), 0) << "what was found is not read yet";
  w.has_read(60);
  EXPECT_EQ(w.drained(), 0) << "there may be more";
  w.found_nothing(90);
  EXPECT_EQ(w.drained(), 80) << "reading does not count, the time since then does";
}

TEST(ArrivalClock, ASenderThatMayHaveBeenHeldUpLosesNoTime) {
  Watched w;
  w.found_nothing(0);
  w.found_something(5'000, true);  // stopped for five seconds, and the pipe is full
  w.has_read(5'001);
  w.found_something(5'002, true);
  w.has_read(5'500);
  EXPECT_EQ(w.came(), 0);
  w.found_nothing(5'510);
  EXPECT_EQ(w.drained(), 10);
}

TEST(ArrivalClock, AnInputThatIsNeverEmptyHasNoTime) {
  Watched w;
  for (int i = 0; i < 1000; ++i) {
    w.found_something(10 * i);
    w.has_read(10 * i + 5);
  }
  EXPECT_EQ(w.came(), 0);
  EXPECT_EQ(w.drained(), 0);
}

}  // namespace arrival_clock_test
}  // namespace isolde::stream
