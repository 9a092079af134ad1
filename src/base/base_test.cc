// The small parts of src/base: Column, IdIndex, Rng, Result, Limits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/column.h"
#include "base/count_progress.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/rng.h"

namespace isolde {
namespace base_test {

TEST(Column, HoldsWhatWasPushedAppendedAndExtended) {
  Column<std::uint32_t> column;
  EXPECT_TRUE(column.empty());
  for (std::uint32_t i = 0; i < 1000; ++i) column.push_back(i);
  const std::uint32_t more[] = {1000, 1001, 1002};
  column.append(more, 3);
  column.append(std::span<const std::uint32_t>{});
  std::uint32_t* const room = column.extend(2);
  room[0] = 1003;
  room[1] = 1004;
  ASSERT_EQ(column.size(), 1005U);
  for (std::uint32_t i = 0; i < column.size(); ++i) ASSERT_EQ(column[i], i);
  EXPECT_EQ(column.back(), 1004U);
  EXPECT_EQ(column.view().size(), 1005U);
}

TEST(Column, ResizeFillsOnlyWhatIsNew) {
  Column<int> column;
  column.push_back(1);
  column.resize(200, 7);
  EXPECT_EQ(column[0], 1);
  EXPECT_EQ(column[199], 7);
  column.resize(1, 9);
  ASSERT_EQ(column.size(), 1U);
  column.resize(3, 5);
  EXPECT_EQ(std::vector<int>(column.begin(), column.end()), (std::vector<int>{1, 5, 5}));
}

TEST(Column, MovesAndShrinks) {
  Column<int> a;
  a.reserve(500);
  a.push_back(4);
  a.shrink_to_fit();
  Column<int> b(std::move(a));
  ASSERT_EQ(b.size(), 1U);
  EXPECT_EQ(b[0], 4);
  Column<int> c;
  c.push_back(1);
  c.push_back(2);
  c = std::move(b);
  ASSERT_EQ(c.size(), 1U);
  EXPECT_EQ(c[0], 4);
  c.truncate(0);
  c.shrink_to_fit();
  c.push_back(8);
  EXPECT_EQ(c[0], 8);
  c.clear();
  EXPECT_TRUE(c.empty());
}

TEST(IdIndex, FindsEveryIdThroughManyGrowths) {
  IdIndex index;
  const auto hash_of = [](std::uint32_t id) { return mix64(id); };
  EXPECT_EQ(index.find(hash_of(1), [](std::uint32_t) { return true; }), IdIndex::kAbsent);
  for (std::uint32_t id = 0; id < 20000; ++id) index.insert(hash_of(id), id, hash_of);
  for (std::uint32_t id = 0; id < 20000; ++id) {
    ASSERT_EQ(index.find(hash_of(id), [id](std::uint32_t other) { return other == id; }), id);
  }
  EXPECT_EQ(index.find(hash_of(20001), [](std::uint32_t other) { return other == 20001; }), IdIndex::kAbsent);
}

TEST(IdIndex, TellsContentsOfOneHashApart) {
  IdIndex index;
  const auto same = [](std::uint32_t) { return std::uint64_t{0xffffffffffffffffULL}; };
  for (std::uint32_t id = 0; id < 300; ++id) index.insert(same(id), id, same);
  for (std::uint32_t id = 0; id < 300; ++id) {
    ASSERT_EQ(index.find(same(id), [id](std::uint32_t other) { return other == id; }), id);
  }
}

TEST(Hash, DependsOnBytesSizeAndSeed) {
  EXPECT_EQ(hash_bytes("abc", 3), hash_bytes("abcd", 3));
  EXPECT_NE(hash_bytes("abc", 3), hash_bytes("abc", 2));
  EXPECT_NE(hash_bytes("abc", 3, 1), hash_bytes("abc", 3, 2));
  EXPECT_EQ(hash_bytes(nullptr, 0), hash_bytes("", 0));
  EXPECT_EQ(hash_bytes("abc", 3), 0x78af5f94892f3950ULL) << ".isl files depend on it";
}

TEST(Rng, GivesTheSameOnEveryMachine) {
  Rng zero(0);
  EXPECT_EQ(zero.next(), 0x99ec5f36cb75f2b4ULL);
  EXPECT_EQ(zero.next(), 0xbf6e1f784956452aULL);
  EXPECT_EQ(zero.next(), 0x1a5f849d4933e6e0ULL);
  Rng a(42);
  Rng b(42);
  Rng other(43);
  EXPECT_NE(Rng(42).next(), other.next());
  for (int i = 0; i < 100; ++i) ASSERT_EQ(a.next(), b.next());
}

TEST(Rng, StaysWithinItsBoundsAndReachesThem) {
  Rng rng(7);
  std::unordered_map<std::int64_t, int> seen;
  for (int i = 0; i < 10000; ++i) {
    ASSERT_LT(rng.below(1), 1U);
    ASSERT_LT(rng.below(10), 10U);
    const std::int64_t n = rng.between(-2, 2);
    ASSERT_TRUE(n >= -2 && n <= 2);
    ++seen[n];
    const double unit = rng.unit();
    ASSERT_TRUE(unit >= 0 && unit < 1);
    ASSERT_FALSE(rng.chance(0));
    ASSERT_TRUE(rng.chance(1));
  }
  for (std::int64_t n = -2; n <= 2; ++n) EXPECT_NEAR(seen[n], 2000, 300) << n;
}

TEST(Rng, TheWholeRangeOfIntegersIsARange) {
  Rng rng(8);
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t n = rng.between(INT64_MIN, INT64_MAX);
    negative = negative || n < INT64_MIN / 2;
    positive = positive || n > INT64_MAX / 2;
    ASSERT_GE(rng.between(INT64_MIN, 0), INT64_MIN);
    ASSERT_LE(rng.between(INT64_MIN, 0), 0);
    ASSERT_GE(rng.between(-1, INT64_MAX), -1);
    ASSERT_EQ(rng.between(INT64_MAX, INT64_MAX), INT64_MAX);
  }
  EXPECT_TRUE(negative && positive);
}

TEST(Error, SaysItsPlaceAsFarAsItIsKnown) {
  EXPECT_EQ((Error{"bad"}).message(), "bad");
  EXPECT_EQ((Error{"bad", "f"}).message(), "f: bad");
  EXPECT_EQ((Error{"bad", "f", 3, 4}).message(), "f:3:4: bad");
  EXPECT_EQ((Error{"bad", "f", 3}).message(), "f:3: bad");
  EXPECT_EQ((Error{"bad", "", 3, 4}).message(), "<input>:3:4: bad");
}

TEST(Result, HoldsAValueOrAnError) {
  Result<std::string> good = std::string("x");
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, "x");
  EXPECT_EQ(good->size(), 1U);
  const std::string moved = *std::move(good);
  EXPECT_EQ(moved, "x");
  Result<std::string> bad = Error{"no"};
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().text, "no");
  Result<void> fine;
  EXPECT_TRUE(fine);
  Result<void> wrong = Error{"why"};
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().text, "why");
}

TEST(WorkBudget, RunsOutWhenItsStepsAreSpentAndSaysWhose) {
  WorkBudget budget(10, "the search", "--more lifts it");
  budget.spend(9);
  EXPECT_FALSE(budget.ran_out());
  budget.spend(1);
  EXPECT_TRUE(budget.ran_out());
  EXPECT_EQ(budget.spent(), 10U);
  EXPECT_EQ(budget.reason(), "the search reached its limit of 10 steps (--more lifts it)");
  WorkBudget unlimited;
  unlimited.spend(std::uint64_t{1} << 60);
  EXPECT_FALSE(unlimited.ran_out());
}

TEST(WorkBudget, OneThatIsPartOfAnotherSpendsFromBothAndEndsWithEither) {
  WorkBudget outer(10, "the whole");
  WorkBudget inner(4, "the part", {}, &outer);
  inner.spend(4);
  EXPECT_EQ(outer.spent(), 4U);
  EXPECT_FALSE(outer.ran_out());
  EXPECT_EQ(inner.reason(), "the part reached its limit of 4 steps");
  WorkBudget next(100, "the next part", {}, &outer);
  EXPECT_FALSE(next.ran_out());
  next.spend(6);
  EXPECT_TRUE(next.ran_out());
  EXPECT_EQ(next.reason(), "the whole reached its limit of 10 steps");
}

TEST(Limits, WorkAndTimeRunOutAndTheReasonSaysWhich) {
  Limits limits;
  limits.spend(1'000'000);  // nobody counts
  EXPECT_FALSE(limits.exhausted());
  EXPECT_FALSE(limits.has_deadline());
  WorkBudget budget(5, "the check");
  limits.work = &budget;
  limits.spend(5);
  EXPECT_TRUE(limits.exhausted());
  EXPECT_EQ(limits.exhausted_by(), "the check reached its limit of 5 steps");
  limits = {};
  limits.deadline = std::chrono::steady_clock::now();
  EXPECT_TRUE(limits.exhausted());
  EXPECT_FALSE(limits.out_of_work());
  EXPECT_EQ(limits.exhausted_by(), "the time limit ran out");
}

struct HeardProgress : Progress {
  std::vector<std::string> heard;
  void advance(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
    heard.push_back(fmt::format("{} {} of {}", stage, done, total));
  }
};

TEST(CountProgress, SaysHowFarItIsAndNotOften) {
  HeardProgress progress;
  Limits limits;
  limits.progress = &progress;
  CountProgress tried(limits, "orders tried", 0, 100);
  for (int i = 0; i < 250; ++i) tried.add();
  CountProgress rounds(limits, "rounds", 7, 1);
  rounds.add(3);
  EXPECT_EQ(progress.heard,
            (std::vector<std::string>{"orders tried 100 of 0", "orders tried 200 of 0", "rounds 3 of 7"}));
  limits.progress = nullptr;
  CountProgress(limits, "nobody", 0, 1).add();
}

}  // namespace base_test
}  // namespace isolde
