#include "audit/fixes/set_cover.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "tests/support/effort.h"

namespace isolde::audit {
namespace set_cover_test {

using Sets = std::vector<std::vector<std::uint32_t>>;

std::vector<std::uint32_t> in_order(std::size_t n) {
  std::vector<std::uint32_t> out(n);
  std::iota(out.begin(), out.end(), 0U);
  return out;
}

TEST(GreedyCover, TakesTheSetWithMostElementsFirst) {
  EXPECT_EQ(greedy_cover(Sets{{0, 1}, {1}, {1, 2}, {2}}, in_order(3)), (std::vector<std::uint32_t>{1, 2}));
}

TEST(GreedyCover, EqualsAreTakenInTheGivenOrder) {
  const std::vector<std::uint32_t> order{2, 0, 1};
  EXPECT_EQ(greedy_cover(Sets{{0, 1, 2}}, order), (std::vector<std::uint32_t>{1}));
}

TEST(GreedyCover, ElementsOfNoSetAreLeft) {
  EXPECT_EQ(greedy_cover(Sets{{}, {0}}, in_order(1)), (std::vector<std::uint32_t>{0}));
  EXPECT_TRUE(greedy_cover(Sets{{}, {}}, in_order(4)).empty());
}

TEST(GreedyCover, CoversEverythingWithinTheKnownBound) {
  const std::uint64_t rounds = effort::tries(300);
  Rng rng(effort::seed(17));
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::size_t sets = 1 + rng.below(9);
    Sets sets_of(1 + rng.below(12));
    std::vector<std::uint32_t> masks;
    for (auto& of : sets_of) {
      std::uint32_t mask = 0;
      for (std::uint32_t set = 0; set < sets; ++set) {
        if (rng.chance(0.3)) mask |= 1U << set;
      }
      if (mask == 0) mask = 1U << rng.below(sets);
      for (std::uint32_t set = 0; set < sets; ++set) {
        if ((mask >> set & 1) != 0) of.push_back(set);
      }
      masks.push_back(mask);
    }
    int fewest = 100;
    for (std::uint32_t chosen = 0; chosen < 1U << sets; ++chosen) {
      bool covers = true;
      for (const std::uint32_t mask : masks) covers = covers && (mask & chosen) != 0;
      if (covers) fewest = std::min(fewest, std::popcount(chosen));
    }
    std::uint32_t greedy = 0;
    for (const std::uint32_t set : greedy_cover(sets_of, in_order(sets))) greedy |= 1U << set;
    for (const std::uint32_t mask : masks) EXPECT_NE(mask & greedy, 0);
    EXPECT_LE(std::popcount(greedy), std::ceil(fewest * (std::log(static_cast<double>(masks.size())) + 1)));
  }
}

}  // namespace set_cover_test
}  // namespace isolde::audit
