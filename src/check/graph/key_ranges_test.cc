// Ranges of the key go by an index: the verdict is that of the same condition in a form that no index serves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "base/rng.h"
#include "check/choose/engines.h"
#include "proof/prove.h"
#include "tests/support/effort.h"
#include "tests/support/native_history.h"

namespace isolde {
namespace key_ranges_test {

using State = std::map<int, int>;

std::string rows_of(const State& state, int low, int high, int missed) {
  std::string rows;
  for (const auto& [key, value] : state) {
    if (key < low || key > high || key == missed) continue;
    rows += fmt::format("{}[{},{}]", rows.empty() ? "" : ",", key, value);
  }
  return "[" + rows + "]";
}

// Transactions one after the other; now and then a scan sees an older state, or misses a row.
std::string random_history(std::uint64_t seed, std::string_view form) {
  Rng rng(seed);
  constexpr int kKeys = 16;
  const bool all_there = rng.chance(0.5);
  std::vector<State> states(1);
  std::string initial;
  for (int key = 0; key < kKeys; ++key) {
    if (!all_there && rng.chance(0.5)) continue;
    states[0][key] = -key - 1;
    initial += fmt::format("{}[{},{}]", initial.empty() ? "" : ",", key, -key - 1);
  }
  std::string lines;
  std::map<int, std::string> order;
  for (int t = 0, unique = 1; t < 8; ++t) {
    State now = states.back();
    std::string ops;
    std::set<int> written;
    for (int i = 0; i < 3; ++i) {
      const int key = static_cast<int>(rng.below(kKeys));
      if (!ops.empty()) ops += ",";
      if (rng.chance(0.4)) {
        const bool deletes = !all_there && rng.chance(0.3);
        ops += deletes ? fmt::format(R"(["w",{},null])", key) : fmt::format(R"(["w",{},{}])", key, unique);
        written.insert(key);
        now[key] = unique++;
        if (deletes) now.erase(key);
      } else {
        const int high = key + static_cast<int>(rng.below(4));
        const State& seen = rng.chance(0.5) ? now : states[rng.below(states.size())];
        const int missed = rng.chance(0.1) ? key : -1;
        ops += fmt::format(R"(["scan","{}",{}])", fmt::format(fmt::runtime(form), key, high),
                           rows_of(seen, key, high, missed));
      }
    }
    lines += fmt::format(R"({{"id":{},"session":{},"ops":[{}]}})"
                         "\n",
                         t, t % 3, ops);
    for (const int key : written) order[key] += fmt::format("{}{}", order[key].empty() ? "" : ",", t);
    states.push_back(now);
  }
  if (rng.chance(0.7)) {  // else the order of versions is open
    for (const auto& [key, txns] : order) {
      lines += fmt::format(R"({{"version_order_by_txn":{{"{}":[{}]}}}})"
                           "\n",
                           key, txns);
    }
  }
  return fmt::format(R"({{"isolde":1,"initial_of":[{}]}})"
                     "\n{}",
                     initial, lines);
}

TEST(KeyRanges, AreJudgedAsTheSameConditionWithoutAnIndex) {
  std::map<Outcome, std::uint64_t> seen;
  const std::uint64_t histories = effort::tries(200), first = effort::seed(0);
  for (std::uint64_t seed = first; seed < first + histories; ++seed) {
    const History plain = native(random_history(seed, "key between {} and {}"));
    const History hidden = native(random_history(seed, "key between {} and {} or 1 = 0"));
    for (const Level level :
         {Level::kReadCommitted, Level::kStrongSessionMonotonicAtomicView, Level::kReadAtomic, Level::kCausal,
          Level::kMonotonicAtomicView, Level::kCursorStability, Level::kRepeatableRead, Level::kPrefix,
          Level::kSnapshotIsolation, Level::kSerializable, Level::kStrongSessionSerializable}) {
      for (const Engine& engine : engines()) {
        if (!engine.lacks(plain, level).empty()) continue;
        const Verdict a = engine.check(plain, level, {});
        const Verdict b = engine.check(hidden, level, {});
        ++seen[a.outcome];
        const auto proved = prove(plain, a);
        ASSERT_TRUE(proved) << seed << " " << engine.name << ": " << proved.error().message();
        // An index may tell that a choice makes no difference; it never tells otherwise.
        const bool only_one_tells = a.outcome == Outcome::kSatisfied && b.outcome == Outcome::kUndecided;
        ASSERT_TRUE(a.outcome == b.outcome || only_one_tells)
            << engine.name << " " << info(level).name << " seed " << seed << "\n"
            << random_history(seed, "key between {} and {}") << a.reason << "\n"
            << b.reason;
      }
    }
  }
  if (histories < 100) return;
  for (const Outcome outcome : {Outcome::kSatisfied, Outcome::kViolated}) EXPECT_GT(seen[outcome], histories);
}

// At read-committed only a scan that returned every key which any version matches is as good as reads of these keys.
TEST(KeyRanges, ThatReturnedAllTheirKeysAreReadsAtReadCommitted) {
  std::string keys = "[0,0]";
  for (int key = 1; key < 30; ++key) keys += fmt::format(",[{},0]", key);
  const std::string text = R"({"isolde":1,"initial_of":[)" + keys + R"(]}
{"id":0,"session":0,"ops":[["w",1,10],["w",2,20]]}
{"id":1,"session":1,"ops":[["w",1,11],["w",2,21]]}
{"id":2,"session":2,"ops":[["scan","key between 1 and 2",[[1,10],[2,21]]]]}
{"version_order_by_txn":{"1":[0,1],"2":[0,1]}}
)";
  const History h = native(text);
  for (const std::string_view name : {"graph", "weak"}) {
    EXPECT_EQ(engine_named(name)->check(h, Level::kReadCommitted, {}).outcome, Outcome::kSatisfied) << name;
    EXPECT_EQ(engine_named(name)->check(h, Level::kReadAtomic, {}).outcome, Outcome::kViolated) << name;
  }
  std::string missing = text;
  missing.replace(missing.find("[1,10],"), 7, "");
  EXPECT_NE(engine_named("graph")->check(native(missing), Level::kReadCommitted, {}).outcome, Outcome::kSatisfied);
}

}  // namespace key_ranges_test
}  // namespace isolde
