#include "base/radix_sort.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace isolde {
namespace radix_sort_test {

std::vector<KeyedIndex> numbered(const std::vector<std::uint64_t>& keys) {
  std::vector<KeyedIndex> items;
  for (std::uint32_t i = 0; i < keys.size(); ++i) items.push_back({keys[i], i});
  return items;
}

// By key, and equal keys in the order that they had.
void expect_sorted(const std::vector<std::uint64_t>& keys, const std::string& what) {
  std::vector<KeyedIndex> items = numbered(keys);
  radix_sort(items);
  ASSERT_EQ(items.size(), keys.size()) << what;
  for (std::size_t i = 0; i < items.size(); ++i) {
    ASSERT_EQ(items[i].key, keys[items[i].index]) << what << " at " << i;
    if (i == 0) continue;
    ASSERT_LE(items[i - 1].key, items[i].key) << what << " at " << i;
    ASSERT_TRUE(items[i - 1].key != items[i].key || items[i - 1].index < items[i].index) << what << ", not stable";
  }
}

TEST(RadixSort, SortsEverySizeAroundTheChangeOfMethod) {
  Rng rng(1);
  for (const std::size_t size : {0, 1, 2, 3, 17, 254, 255, 256, 257, 258, 511, 512, 1000, 5000}) {
    std::vector<std::uint64_t> keys(size);
    for (auto& key : keys) key = rng.next();
    expect_sorted(keys, std::to_string(size));
  }
}

TEST(RadixSort, KeepsTheOrderOfEqualKeys) {
  Rng rng(2);
  for (const std::uint64_t different : {1, 2, 5, 100}) {
    std::vector<std::uint64_t> keys(1000);
    for (auto& key : keys) key = rng.below(different) << 40;
    expect_sorted(keys, std::to_string(different) + " different keys");
  }
}

TEST(RadixSort, LooksAtEveryDigit) {
  for (int bit = 0; bit < 64; ++bit) {
    std::vector<std::uint64_t> keys(300, 0);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i % 2 == 0 ? std::uint64_t{1} << bit : 0;
    expect_sorted(keys, "bit " + std::to_string(bit));
  }
}

TEST(RadixSort, SortsWhatIsSortedReversedOrFarFromZero) {
  std::vector<std::uint64_t> up;
  for (std::uint64_t i = 0; i < 3000; ++i) up.push_back(UINT64_MAX - 3000 + i);
  expect_sorted(up, "up");
  std::reverse(up.begin(), up.end());
  expect_sorted(up, "down");
  std::vector<std::uint64_t> wide(400, 0);
  for (std::size_t i = 0; i < wide.size(); i += 2) wide[i] = UINT64_MAX - i;
  expect_sorted(wide, "0 and the largest");
}

TEST(RadixSort, NegativeNumbersComeFirstByOrderPreserving) {
  const std::int64_t all[] = {INT64_MIN, INT64_MIN + 1, -5, -1, 0, 1, 7, INT64_MAX - 1, INT64_MAX};
  for (std::size_t i = 1; i < std::size(all); ++i) EXPECT_LT(order_preserving(all[i - 1]), order_preserving(all[i]));

  Rng rng(3);
  std::vector<std::int64_t> signed_keys(2000);
  std::vector<std::uint64_t> keys;
  for (auto& key : signed_keys) {
    key = static_cast<std::int64_t>(rng.next());
    keys.push_back(order_preserving(key));
  }
  std::vector<KeyedIndex> items = numbered(keys);
  radix_sort(items);
  for (std::size_t i = 1; i < items.size(); ++i) {
    ASSERT_LE(signed_keys[items[i - 1].index], signed_keys[items[i].index]);
  }
}

}  // namespace radix_sort_test
}  // namespace isolde
