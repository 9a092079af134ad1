#include "base/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace isolde {
namespace {

constexpr int kDigitBits = 11;
constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;
constexpr int kDigits = 6;  // 6 x 11 >= 64

// Sorts by eleven bits at a time, skipping digits in which no two keys differ (`differing` has no bit there).
template <typename Item, typename KeyOf>
void scatter_by_digits(std::vector<Item>& items, std::uint64_t differing, KeyOf key_of) {
  std::vector<Item> other(items.size());
  std::array<std::size_t, kBuckets> start{};
  for (int digit = 0; digit < kDigits; ++digit) {
    const int shift = digit * kDigitBits;
    if (((differing >> shift) & (kBuckets - 1)) == 0) continue;
    start.fill(0);
    for (const Item& item : items) ++start[(key_of(item) >> shift) & (kBuckets - 1)];
    std::size_t sum = 0;
    for (std::size_t& slot : start) {
      const std::size_t count = slot;
      slot = sum;
      sum += count;
    }
    for (const Item& item : items) other[start[(key_of(item) >> shift) & (kBuckets - 1)]++] = item;
    items.swap(other);
  }
}

}  // namespace

void radix_sort(std::vector<KeyedIndex>& items) {
  if (items.size() < 256) {
    std::stable_sort(items.begin(), items.end(),
                     [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; });
    return;
  }
  std::uint64_t least = items.front().key;
  std::uint64_t most = least;
  bool sorted = true;
  std::uint64_t before = least;
  for (const KeyedIndex& item : items) {
    least = std::min(least, item.key);
    most = std::max(most, item.key);
    sorted = sorted && before <= item.key;
    before = item.key;
  }
  if (sorted) return;
  const std::uint64_t range = most - least;
  const auto bits = std::bit_width(range);
  const std::uint64_t differing = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  if (range >> 32 == 0) {
    // Key and payload fit one word: half the bytes to move.
    std::vector<std::uint64_t> packed(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) packed[i] = ((items[i].key - least) << 32) | items[i].index;
    scatter_by_digits(packed, differing, [](std::uint64_t word) { return word >> 32; });
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i] = {(packed[i] >> 32) + least, static_cast<std::uint32_t>(packed[i])};
    }
    return;
  }
  scatter_by_digits(items, differing, [least](const KeyedIndex& item) { return item.key - least; });
}

}  // namespace isolde
