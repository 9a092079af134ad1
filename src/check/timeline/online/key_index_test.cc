#include "check/timeline/online/key_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/rng.h"

namespace isolde::timeline {
namespace key_index_test {

Entry entry_at(std::int64_t time, std::uint32_t txn, bool write) {
  return {time,
          txn,
          0,
          write ? txn : 0,
          txn,
          write ? kCommitOrder : kStartRead,
          write ? EntryKind::kWrite : EntryKind::kRead,
          StateKind::kPlain,
          kLastWrite};
}

std::vector<std::uint32_t> transactions(const KeyTimeline& key) {
  std::vector<std::uint32_t> all;
  for (Block* block = key.head; block != nullptr; block = block->next) {
    EXPECT_GT(block->count, 0);
    for (std::uint32_t i = 0; i < block->count; ++i) all.push_back(block->entries()[i].txn);
  }
  std::vector<std::uint32_t> back;
  for (Block* block = key.tail; block != nullptr; block = block->prev) {
    for (std::uint32_t i = block->count; i-- > 0;) back.push_back(block->entries()[i].txn);
  }
  std::reverse(back.begin(), back.end());
  EXPECT_EQ(all, back);
  return all;
}

auto place_of(const Entry& e) { return std::tuple(e.time, e.order, e.writer, e.txn); }

// As arrivals of a stream, each up to `displaced` too late; now and then what is old is dropped, so that long lists
// grow and go again.
void compare(std::uint64_t seed, std::int64_t displaced, std::uint32_t held, std::int64_t step) {
  Rng rng(seed);
  KeyIndex index;
  KeyTimeline& key = index.at(index.find_or_add(Fingerprint{5}));
  std::vector<Entry> expected;
  std::uint32_t first = 0;
  for (std::uint32_t txn = 0; txn < 3000; ++txn) {
    const std::int64_t time = txn / 2 * step + displaced - rng.between(0, displaced);
    const Entry e = entry_at(time, txn, rng.below(2) == 0);
    index.prepare(key, first);
    // Those at the front that are old may be gone now.
    std::size_t count = 0;
    for (const Block* block = key.head; block != nullptr; block = block->next) count += block->count;
    expected.erase(expected.begin(), expected.end() - static_cast<std::ptrdiff_t>(count));
    if (!key.is_past(e.time, e.order)) {
      const Place at = index.insert(key, e);
      ASSERT_EQ(at.entry().txn, txn);
      expected.insert(std::upper_bound(expected.begin(), expected.end(), e,
                                       [](const Entry& a, const Entry& b) { return place_of(a) < place_of(b); }),
                      e);
    }
    if (txn > held && rng.below(300) == 0) {
      first = txn - held;
      index.trim(key, first);
    }
    if (txn % 97 != 0 && txn + 1 != 3000) continue;
    const std::vector<std::uint32_t> left = transactions(key);
    expected.erase(expected.begin(), expected.end() - static_cast<std::ptrdiff_t>(left.size()));
    for (std::size_t i = 0; i < left.size(); ++i) ASSERT_EQ(left[i], expected[i].txn) << "seed " << seed;
    for (int i = 0; i < 20 && !expected.empty(); ++i) {
      const Entry& wanted = expected[rng.below(expected.size())];
      const Place found = KeyIndex::find_entry(key, wanted.time, wanted.order, wanted.txn);
      ASSERT_TRUE(found.valid());
      EXPECT_EQ(found.entry().txn, wanted.txn);
      EXPECT_FALSE(KeyIndex::find_entry(key, wanted.time, wanted.order, txn + 1).valid());
      const std::int64_t moment = wanted.time + rng.between(-1, 1);
      const auto beyond = std::partition_point(expected.begin(), expected.end(), [&](const Entry& e2) {
        return std::pair(e2.time, e2.order) < std::pair(moment, kCommitOrder);
      });
      const Place before = KeyIndex::last_before(key, moment, kCommitOrder);
      ASSERT_EQ(before.valid(), beyond != expected.begin());
      if (before.valid()) {
        EXPECT_EQ(before.entry().txn, (beyond - 1)->txn);
      }
    }
  }
  const std::size_t used = index.bytes_used();
  index.trim(key, 3000);
  EXPECT_EQ(key.head, nullptr);
  EXPECT_EQ(key.tail, nullptr);
  EXPECT_LE(index.bytes_used(), used);
}

TEST(KeyIndex, EntriesAreInTheOrderOfTheirTimesHoweverLateTheyCome) {
  std::uint64_t seed = 0;
  for (const std::int64_t displaced : {0, 3, 50, 2000, 100'000}) {
    for (const std::uint32_t held : {10U, 500U, 2500U}) {
      for (const std::int64_t step : {0, 1, 7}) compare(++seed, displaced, held, step);
    }
  }
}

TEST(KeyIndex, AListThatGrowsBackwardsStaysInOrder) {
  KeyIndex index;
  KeyTimeline& key = index.at(index.find_or_add(Fingerprint{5}));
  for (std::uint32_t txn = 0; txn < 3000; ++txn) (void)index.insert(key, entry_at(-std::int64_t{txn}, txn, true));
  std::vector<std::uint32_t> expected;
  for (std::uint32_t txn = 3000; txn-- > 0;) expected.push_back(txn);
  EXPECT_EQ(transactions(key), expected);
}

}  // namespace key_index_test
}  // namespace isolde::timeline
