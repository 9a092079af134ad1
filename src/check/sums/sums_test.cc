#include "check/sums/sums.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"
#include "check/choose/choose.h"
#include "check/choose/strongest.h"
#include "proof/prove.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace sums_test {

constexpr Level kSer = Level::kSerializable, kStrict = Level::kStrictSerializable, kRc = Level::kReadCommitted;

// "satisfied", "violated T3" (whose reads), "undecided"; what it says must be proved.
std::string says(const History& h, Level level) {
  EXPECT_EQ(kSumsEngine.lacks(h, level), "");
  const Verdict v = kSumsEngine.check(h, level, Limits{});
  if (v.outcome != Outcome::kUndecided) {
    const auto proved = prove(h, v);
    EXPECT_TRUE(proved) << proved.error().message();
  }
  std::string out(name(v.outcome));
  for (const Anomaly& a : v.anomalies) out += " " + h.txn_text(a.transactions[0]);
  return out;
}

// Transfers between accounts a to d that nobody reads, so that a history is too large for trying everything.
std::string many(int from, int count, int time) {
  std::string out;
  for (int i = from; i < from + count; ++i) {
    const char payer = static_cast<char>('a' + i % 4), payee = static_cast<char>('a' + (i + 1) % 4);
    out += fmt::format(" | M{} {{{}..{}}}: i {}-3 i {}+3", i, time + 10 * i, time + 10 * i + 5, payer, payee);
  }
  return out;
}

const std::string kInit = "init: a10 b20 c30 d40";

TEST(Sums, AReadOfAllAccountsThatShowsAnotherTotalIsWrong) {
  const std::string right = kInit + many(0, 40, 0) + " | R {1..2}: r a10 r b20 r c30 r d40";
  EXPECT_EQ(says(hist(right), kSer), "satisfied");
  const std::string wrong = kInit + many(0, 40, 0) + " | R {1..2}: r a10 r b20 r c30 r d43";
  EXPECT_EQ(says(hist(wrong), kSer), "violated R");
  EXPECT_EQ(says(hist(wrong), Level::kSnapshotIsolation), "violated R");
  EXPECT_EQ(says(hist(wrong), kRc), "undecided") << "each balance by itself can be";
}

TEST(Sums, ABalanceThatNoTransfersMakeIsWrongAtEveryLevel) {
  for (const Level level : {kRc, Level::kCausal, kSer}) {
    EXPECT_EQ(says(hist(kInit + many(0, 40, 0) + " | R: r a11"), level), "violated R") << "no multiple of three away";
    EXPECT_EQ(says(hist(kInit + many(0, 40, 0) + " | R: r a1000"), level), "violated R") << "more than there is";
  }
  EXPECT_EQ(says(hist(kInit + many(0, 40, 0) + " | R: r a11"), Level::kReadUncommitted), "undecided");
}

TEST(Sums, ClocksAndSessionsSayWhoseTransfersAreInIt) {
  const std::string stale = kInit + many(0, 40, 0) + " | R {1000..1001}: r a10 r b20 r c30 r d37";
  EXPECT_EQ(says(hist(stale), kStrict), "violated R");
  const std::string initial = kInit + " | W@s {1..2}: i a+5 i b-5" + many(1, 40, 0) + " | R@s {3..4}: r a10";
  EXPECT_EQ(says(hist(initial), kStrict), "violated R");
  EXPECT_EQ(says(hist(initial), Level::kStrongSessionSerializable), "violated R");
  EXPECT_EQ(says(hist(initial), kSer), "satisfied");
}

TEST(Sums, WhatATransactionAddedItselfIsTakenOff) {
  EXPECT_EQ(says(hist(kInit + " | T {0..1}: i a+5 r a15 i a-5 r a10" + many(1, 40, 0)), kStrict), "satisfied");
  EXPECT_EQ(says(hist(kInit + " | T {0..1}: i a+5 r a10" + many(1, 40, 0)), kSer), "violated T");
}

TEST(Sums, AnUnknownTransferMayHaveTakenPlaceOrNot) {
  const std::string unknown = kInit + " | U? {0..1}: i a+7 i b-7" + many(1, 40, 0);
  EXPECT_EQ(says(hist(unknown + " | R {2..3}: r a17 r b13"), kStrict), "satisfied");
  EXPECT_EQ(says(hist(unknown + " | R {2..3}: r a10 r b20"), kStrict), "satisfied");
  EXPECT_EQ(says(hist(unknown + " | R {2..3}: r a17 r b20"), kStrict), "violated R");
}

TEST(Sums, OtherHistoriesAreNotForIt) {
  for (const char* text : {"T1: w x1", "T1: i x+1 w x3", "T1: a x1", "T1: i x+1 | T2: r x[1]", "T1: r x1",
                           "T1: i x+1 | T2: s x{1}", "T1: i x+9223372036854775807 | T2: i x+1"}) {
    EXPECT_NE(kSumsEngine.lacks(hist(text), kSer), "") << text;
  }
}

// Clients of a bank, each transaction at one moment of its interval; one read may be changed.
History bank(Rng& rng, int count, bool wrong) {
  std::int64_t balance[4] = {100, 100, 100, 100};
  std::string out = "init: a100 b100 c100 d100";
  const int changed = wrong ? static_cast<int>(rng.below(static_cast<std::uint64_t>(count))) : -1;
  for (int i = 0; i < count; ++i) {
    const std::int64_t moment = 100 + 10 * i;
    out += fmt::format(" | T{}@s{} {{{}..{}}}:", i, i % 5, moment - rng.between(0, 20), moment + rng.between(0, 20));
    if (rng.chance(0.6) && i != changed) {
      const std::uint64_t from = rng.below(4), to = (from + 1 + rng.below(3)) % 4;
      const std::int64_t amount = rng.between(1, 5);
      balance[from] -= amount;
      balance[to] += amount;
      out +=
          fmt::format(" i {}-{} i {}+{}", static_cast<char>('a' + from), amount, static_cast<char>('a' + to), amount);
    } else {
      for (int k = 0; k < 4; ++k)
        out += fmt::format(" r {}{}", static_cast<char>('a' + k), balance[k] + (i == changed && k == 2 ? 1 : 0));
    }
  }
  return hist(out);
}

TEST(Sums, ABankOfAnySizeIsDecidedAsAUserAsks) {
  for (const std::uint64_t seed : effort::seeds(1, 60)) {
    Rng rng(seed);
    for (const bool wrong : {false, true}) {
      const History h = bank(rng, 20 + static_cast<int>(rng.below(200)), wrong);
      for (const Level level : {kStrict, kSer, Level::kSnapshotIsolation}) {
        const Choice choice = choose(h, level, {});
        ASSERT_NE(choice.engine, nullptr);
        const Verdict v = LevelChecks(h, {}).check(choice, level, Limits{});
        EXPECT_EQ(v.outcome, wrong ? Outcome::kViolated : Outcome::kSatisfied)
            << seed << " " << info(level).name << " " << v.reason << "\n"
            << native_text(h);
        const auto proved = prove(h, v);
        EXPECT_TRUE(proved) << proved.error().message();
      }
    }
  }
}

}  // namespace sums_test
}  // namespace isolde
