// Predicates of streams that are longer than what is held.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/rng.h"
#include "check/timeline/online/online.h"
#include "tests/support/effort.h"
#include "tests/support/native_history.h"

namespace isolde {
namespace online_predicates_test {

struct Told : OnlineSink {
  std::vector<OnlineViolation> violations;
  std::vector<std::string> suspicions;
  void violated(const OnlineViolation& v) override { violations.push_back(v); }
  void suspected(const OnlineViolation& v, std::string_view) override { suspicions.push_back(v.text); }
};

// Rows that come, change and go, and scans and counts of them, as they are at each transaction's start; some are wrong.
class Rows {
 public:
  Rows(std::uint64_t seed, int keys) : rng_(seed), keys_(keys) {}

  // The next transaction as a line; `wrong`: its result lacks a row or has another count.
  std::string line(bool wrong) {
    const int n = next_++;
    const std::int64_t start = n * 10 + 1, commit = n * 10 + 5;
    std::string ops;
    const int low = static_cast<int>(rng_.between(0, 90));
    const std::string where = fmt::format("a between {} and {}", low, low + 20);
    std::string rows;
    int count = 0;
    for (const auto& [key, a] : state_) {
      if (a < low || a > low + 20) continue;
      if (wrong && count++ == 0) continue;
      if (!wrong) ++count;
      rows += fmt::format(R"j({}["k{}",{{"a":{}}}])j", rows.empty() ? "" : ",", key, a);
    }
    was_wrong_ = wrong && count > 0;
    if (rng_.chance(0.3)) {
      ops += fmt::format(R"j(["agg","count(*)","{}",{}])j", where, was_wrong_ ? count + 1 : count);
    } else {
      ops += fmt::format(R"j(["scan","{}",[{}]])j", where, rows);
    }
    const int key = static_cast<int>(rng_.below(static_cast<std::uint64_t>(keys_)));
    if (rng_.chance(0.2) && state_.contains(key)) {
      ops += fmt::format(R"j(,["w","k{}",null])j", key);
      state_.erase(key);
    } else {
      state_[key] = static_cast<int>(rng_.between(0, 110));
      ops += fmt::format(R"j(,["w","k{}",{{"a":{}}}])j", key, state_[key]);
    }
    return fmt::format(R"j({{"id":{},"session":{},"start_ts":{},"commit_ts":{},"ops":[{}]}})j", n, n % 4, start, commit,
                       ops) +
           "\n";
  }
  [[nodiscard]] bool was_wrong() const { return was_wrong_; }

 private:
  Rng rng_;
  int keys_, next_ = 1;
  std::map<int, int> state_;
  bool was_wrong_ = false;
};

struct Result {
  std::uint64_t planted = 0, told = 0, unchecked = 0, most_bytes = 0, suspected = 0;
};

Result run(std::uint64_t seed, int keys, int txns, std::size_t memory, bool restarts) {
  timeline::OnlineOptions options;
  options.deadline = 100;
  options.memory_limit = memory;
  Told told;
  auto engine = timeline::make_online(options, told);
  Rows rows(seed, keys);
  Rng rng(seed + 1);
  Result result;
  for (int n = 0; n < txns; ++n) {
    const std::string line = rows.line(rng.chance(0.01));
    result.planted += rows.was_wrong() ? 1 : 0;
    const auto chunk = std::make_shared<const Chunk>(native(line));
    engine->advance({n * 10, kNoTime, true});
    engine->take({chunk, TxnId{0}});
    result.most_bytes = std::max(result.most_bytes, engine->counts().bytes);
    if (restarts && rng.chance(0.005)) {
      StateWriter out;
      engine->save(out);
      StateReader in(out.bytes());
      engine = timeline::make_online(options, told);
      EXPECT_TRUE(engine->load(in));
      EXPECT_TRUE(in.at_end());
    }
  }
  engine->finish();
  for (const OnlineViolation& v : told.violations) {
    EXPECT_EQ(v.kind, AnomalyKind::kResultSetMismatch) << v.text;
  }
  // One that lacks a row is told of once, with that row.
  result.told = told.violations.size();
  result.suspected = told.suspicions.size();
  result.unchecked = engine->counts().unchecked;
  return result;
}

TEST(OnlinePredicates, AStreamLongerThanMemoryIsJudgedInPieces) {
  std::uint64_t planted = 0;
  for (const std::uint64_t seed : effort::seeds(1, 3)) {
    const Result r = run(seed, 40, 4000, std::size_t{4} << 20, seed % 2 == 0);
    EXPECT_EQ(r.told, r.planted) << "seed " << seed;
    EXPECT_EQ(r.suspected, 0U);
    EXPECT_EQ(r.unchecked, 0U) << "seed " << seed;
    EXPECT_LT(r.most_bytes, std::uint64_t{4} << 20);
    planted += r.planted;
  }
  EXPECT_GT(planted, 0U);
}

TEST(OnlinePredicates, WhatDoesNotFitIsCountedAndNothingFalseIsTold) {
  for (const std::uint64_t seed : effort::seeds(1, 2)) {
    const Result r = run(seed, 3000, 6000, std::size_t{1} << 20, false);
    EXPECT_LE(r.told, r.planted) << "seed " << seed;
    EXPECT_GT(r.unchecked, 0U) << "seed " << seed;
  }
}

// "7" in the header is the key 7 or the key "7".
TEST(OnlinePredicates, ANameInTheHeaderIsOneKey) {
  for (const char* key : {"7", "\"7\""}) {
    Told told;
    const auto engine = timeline::make_online({}, told);
    const auto chunk = std::make_shared<Chunk>(native(fmt::format(
        R"j({{"isolde":1,"initial_of":[["7",{{"a":5}}],[7,{{"a":5}}]]}}
{{"id":1,"session":1,"start_ts":1,"commit_ts":2,"ops":[["scan","a > 3",[[{},{{"a":5}}]]]]}}
)j",
        key)));
    engine->begin(*chunk);
    engine->take({chunk, TxnId{0}});
    engine->finish();
    EXPECT_TRUE(told.violations.empty()) << told.violations.front().text;
    EXPECT_EQ(engine->counts().unchecked, 0U);
  }
}

}  // namespace online_predicates_test
}  // namespace isolde
