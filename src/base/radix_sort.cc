#include "base/radix_sort.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace isolde {
namespace {

constexpr int kDigitBits = 11;
constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;
constexpr int kDigits = 6;  // 6 x 11 >= 64

}  // namespace

void radix_sort(std::vector<KeyedIndex>& items) {
  if (items.size() < 256) {
    std::stable_sort(items.begin(), items.end(),
                     [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; });
    return;
  }
  std::uint64_t least = items.front().key;
  std::uint64_t differing = 0;
  bool sorted = true;
  std::uint64_t before = least;
  for (const KeyedIndex& item : items) {
    least = std::min(least, item.key);
    sorted = sorted && before <= item.key;
    before = item.key;
  }
  if (sorted) return;
  for (const KeyedIndex& item : items) differing |= item.key - least;

  std::vector<KeyedIndex> other(items.size());
  std::array<std::size_t, kBuckets> start{};
  for (int digit = 0; digit < kDigits; ++digit) {
    const int shift = digit * kDigitBits;
    if (((differing >> shift) & (kBuckets - 1)) == 0) continue;
    start.fill(0);
    for (const KeyedIndex& item : items) ++start[((item.key - least) >> shift) & (kBuckets - 1)];
    std::size_t sum = 0;
    for (std::size_t& slot : start) {
      const std::size_t count = slot;
      slot = sum;
      sum += count;
    }
    for (const KeyedIndex& item : items) other[start[((item.key - least) >> shift) & (kBuckets - 1)]++] = item;
    items.swap(other);
  }
}

}  // namespace isolde
