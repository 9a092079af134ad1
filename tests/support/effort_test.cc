#include "tests/support/effort.h"

#include <gtest/gtest.h>

namespace isolde {
namespace effort_test {

TEST(Effort, ThereIsAlwaysACaseToTryAndItIsCounted) {
  EXPECT_GE(effort::tries(1), 1U);
  const effort::Seeds seeds = effort::seeds(7, 20);
  EXPECT_EQ(*seeds.begin(), effort::seed(7));
  EXPECT_GE(seeds.size(), 1U);
}

TEST(Effort, DifferentSeedsStayDifferentAndFarFromTheEndOfTheNumbers) {
  EXPECT_EQ(effort::seed(8), effort::seed(7) + 1);
  EXPECT_LT(effort::seed(0), std::uint64_t{1} << 48);
}

TEST(Effort, AShareIsReachedUnlessItIsMissedByMoreThanChance) {
  EXPECT_TRUE(effort::reaches(0.1, 100, 1000));
  EXPECT_TRUE(effort::reaches(0.1, 60, 1000));
  EXPECT_FALSE(effort::reaches(0.1, 50, 1000));
  EXPECT_FALSE(effort::reaches(0.1, 9'000, 100'000));
  EXPECT_TRUE(effort::reaches(0.1, 0, 20)) << "of few cases nothing can be said";
  EXPECT_TRUE(effort::reaches(0, 0, 1000));
  EXPECT_FALSE(effort::reaches(1, 999, 1000));
}

}  // namespace effort_test
}  // namespace isolde
