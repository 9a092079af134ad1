#include "stream/pace.h"

#include <gtest/gtest.h>

namespace isolde::stream {
namespace pace_test {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(Pace, LagIsHowLongTheOldestHasWaited) {
  Pace pace;
  pace.came(1 * kSecond, 10);
  pace.came(3 * kSecond, 20);
  pace.judged(5 * kSecond, 0);
  EXPECT_DOUBLE_EQ(pace.lag(), 4);
  pace.judged(6 * kSecond, 10);
  EXPECT_DOUBLE_EQ(pace.lag(), 3);
  pace.judged(7 * kSecond, 20);
  EXPECT_DOUBLE_EQ(pace.lag(), 0);
  EXPECT_DOUBLE_EQ(pace.most_lag(), 4);
}

TEST(Pace, LagDoesNotGrowOnAnIdleStream) {
  Pace pace;
  pace.came(1 * kSecond, 10);
  pace.came(3 * kSecond, 20);
  pace.judged(4 * kSecond, 10, true);
  EXPECT_DOUBLE_EQ(pace.lag(), 0) << "the last one has waited for nothing but another";
  pace.judged(400 * kSecond, 10, true);
  EXPECT_DOUBLE_EQ(pace.lag(), 0);
  EXPECT_DOUBLE_EQ(pace.most_lag(), 0);
}

}  // namespace pace_test
}  // namespace isolde::stream
