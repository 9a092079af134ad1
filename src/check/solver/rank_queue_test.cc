#include "check/solver/rank_queue.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "tests/support/effort.h"

namespace isolde::solver {
namespace rank_queue_test {

void compare_with_a_set(std::uint32_t size, std::uint64_t seed) {
  Rng rng(effort::seed(seed));
  RankQueue queue(size);
  std::set<std::uint32_t> truth;
  for (int step = 0; step < 3000; ++step) {
    // Ends and edges of words as often as anything else.
    const std::uint32_t near =
        64 * static_cast<std::uint32_t>(rng.below(size / 64 + 1)) + static_cast<std::uint32_t>(rng.below(3));
    const std::uint32_t n = rng.chance(0.3)   ? std::min(near, size - 1)
                            : rng.chance(0.1) ? size - 1
                                              : static_cast<std::uint32_t>(rng.below(size));
    switch (rng.below(4)) {
      case 0:
      case 1:
        queue.insert(n);
        truth.insert(n);
        break;
      case 2:
        queue.erase(n);
        truth.erase(n);
        break;
      default:
        if (truth.empty()) break;
        queue.erase(*truth.begin());
        truth.erase(truth.begin());
        break;
    }
    ASSERT_EQ(queue.empty(), truth.empty()) << "size " << size << ", step " << step;
    if (!truth.empty()) {
      ASSERT_EQ(queue.smallest(), *truth.begin()) << "size " << size << ", step " << step;
    }
  }
  while (!truth.empty()) {
    ASSERT_EQ(queue.smallest(), *truth.begin());
    queue.erase(queue.smallest());
    truth.erase(truth.begin());
  }
  EXPECT_TRUE(queue.empty());
}

TEST(RankQueue, IsASetWhateverItsSize) {
  for (const std::uint32_t around : {64U, 4096U, 262'144U}) {
    for (std::uint32_t size = around - 2; size <= around + 2; ++size) compare_with_a_set(size, size);
  }
  for (const std::uint32_t size : {1U, 2U, 63U, 1000U, 20'000'000U}) compare_with_a_set(size, size);
}

TEST(RankQueue, OfNothingIsEmpty) { EXPECT_TRUE(RankQueue(0).empty()); }

TEST(RankQueue, ErasingWhatIsNotThereChangesNothing) {
  RankQueue queue(5000);
  queue.insert(4999);
  queue.erase(4998);
  queue.erase(0);
  EXPECT_EQ(queue.smallest(), 4999U);
  queue.insert(4999);
  queue.erase(4999);
  EXPECT_TRUE(queue.empty());
}

}  // namespace rank_queue_test
}  // namespace isolde::solver
