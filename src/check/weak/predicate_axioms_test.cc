// Predicate operations at the levels below snapshot isolation: versions that they may have looked at.
#include "check/weak/predicate_axioms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "check/weak/weak.h"
#include "proof/prove.h"
#include "tests/support/history_text.h"
#include "tests/support/native_history.h"

namespace isolde {
namespace looks_test {

using enum Level;

std::string outcome(const History& h, Level level) {
  const Verdict verdict = kWeakEngine.check(h, level, {});
  EXPECT_TRUE(prove(h, verdict));
  return std::string(name(verdict.outcome));
}

// Which of the levels are satisfied.
std::string holding(const History& h) {
  std::string out;
  for (const auto& [level, name] :
       {std::pair(kReadCommitted, "rc"), std::pair(kCursorStability, "cs"), std::pair(kMonotonicAtomicView, "mav"),
        std::pair(kStrongSessionMonotonicAtomicView, "ssmav"), std::pair(kReadAtomic, "ra"),
        std::pair(kCausal, "cc")}) {
    if (outcome(h, level) == "satisfied") out += std::string(out.empty() ? "" : " ") + name;
  }
  return out;
}
std::string holding(std::string_view text) { return holding(hist(text)); }

TEST(Looks, AScanMayMissWhatItsTransactionHasNotSeen) {
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: s x{1}"), "rc cs mav ssmav");
  EXPECT_EQ(holding("T1: w x{1} | T2: s s x{1}"), "rc cs mav ssmav");
}

TEST(Looks, AScanDoesNotMissWhatItsTransactionHasSeen) {
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: r x{1} s x{1}"), "rc cs");
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: r x{1} s x{1} | T3: r y{2} w y_"), "rc cs mav ssmav ra cc");
}

TEST(Looks, ALookIsNotAtWhatItsOwnTransactionWasReadFor) {
  // Whoever deleted x had read from T1.
  EXPECT_EQ(holding("init: x{1} | T1: s w y{-1} | T2: r y{-1} w x_"), "");
  EXPECT_EQ(holding("init: x{1} | T1: s w y{-1} | T2: w x_"), "rc cs mav ssmav ra cc");
}

TEST(Looks, SessionsAndChainsOfReadsShowMoreAtTheStrongerLevels) {
  EXPECT_EQ(holding("T1@a: w x{1} | T2@a: s"), "rc cs mav ssmav");
  EXPECT_EQ(holding("T1: w x{1} | T2: r x{1} w y{-1} | T3: r y{-1} s"), "rc cs mav ssmav ra");
}

TEST(Looks, AnUpdateReadsWhatItFound) {
  // Both looked at x = 1; the later one has lost an update.
  EXPECT_EQ(holding("init: x{1} | T1: u`v = 1` x{5} | T2: u`v = 1` x{7}"), "rc mav ssmav ra cc");
  EXPECT_EQ(holding("init: x{1} | T1: u`v = 1` x{5} | T2: u`v = 5` x{7}"), "rc cs mav ssmav ra cc");
  EXPECT_EQ(holding("init: x{1} | T1: u`v = 4` x{5}"), "");
}

TEST(Looks, AnAggregateIsThatOfVersionsThatThereAre) {
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: g`max(v)` 2 g`count(*)``TRUE` 2"), "rc cs mav ssmav ra cc");
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: r x{1} g`max(v)` 1"), "");
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: g`max(v)` 3"), "");
}

TEST(Looks, AVersionSetSaysWhatWasLookedAt) {
  EXPECT_EQ(holding("T1: w x{1} w y{-1} | T2: r x{1} s x{1} <x{1}>"), "rc cs mav ssmav ra cc");
  EXPECT_EQ(holding("T1: w x{1} w y{2} | T2: r x{1} s x{1} <x{1}>"), "rc cs");
}

TEST(Looks, NothingRestsOnAFault) { EXPECT_EQ(holding("init: x{0} | T1: s`6 / v > 1`"), ""); }

TEST(Looks, RepeatedValuesGetAWriter) {
  EXPECT_EQ(holding("T1: w x{1} | T2: r x{1} w x_ | T3: w x{1} | T4: s x{1} r y_"), "rc cs mav ssmav ra cc");
}

// Clients one after the other, each of three operations, in a database that gives each statement the newest rows: a
// recording of it must be accepted. `lag`: how late a client hears of its commit.
History recording(int txns, std::int64_t lag) {
  std::string text = R"({"isolde":1,"initial":null})"
                     "\n";
  constexpr int kKeys = 7;
  struct Row {
    int v = -1, w = 0;  // w: unlike any other
  };
  std::vector<Row> held(kKeys);
  std::uint64_t chance = 99;
  const auto below = [&](std::uint64_t n) {
    chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<int>((chance >> 33) % n);
  };
  // Three are under way at a time; each step is one operation of one of them.
  struct Open {
    std::string ops;
    int left = 0, key = -1;
    Row row = {};
    std::int64_t begin = 0;
  };
  std::vector<Open> open(3);
  std::int64_t now = 0;
  for (int done = 0; done < txns;) {
    const int c = below(3);
    Open& t = open[static_cast<std::size_t>(c)];
    now += 10;
    if (t.left == 0) {
      t = {"", 3, -1, {}, now};
      now += 10;
    }
    const std::string at = fmt::format(R"({{"at":[{},{}]}})", now, now + 3);
    const int least = below(50);
    std::string rows;
    int count = 0;
    const auto see = [&](int key, const Row& row) {
      if (row.v < least) return;
      ++count;
      rows += fmt::format(R"({}["k{}",{{"v":{},"w":{}}}])", rows.empty() ? "" : ",", key, row.v, row.w);
    };
    for (int k = 0; k < kKeys; ++k) see(k, k == t.key ? t.row : held[static_cast<std::size_t>(k)]);
    const int what = below(3);
    if (!t.ops.empty()) t.ops += ",";
    const bool taken = std::any_of(open.begin(), open.end(), [&](const Open& o) { return o.left > 0 && o.key >= 0; });
    if (what == 0 && !taken) {
      t.key = below(kKeys);
      t.row = {below(100), static_cast<int>(now)};
      t.ops += fmt::format(R"(["w","k{}",{{"v":{},"w":{}}},{}])", t.key, t.row.v, t.row.w, at);
    } else if (what == 1) {
      t.ops += fmt::format(R"j(["agg","count(*)","v >= {}",{},{}])j", least, count, at);
    } else {
      t.ops += fmt::format(R"(["scan","v >= {}",[{}],{}])", least, rows, at);
    }
    if (--t.left > 0) continue;
    now += 5;
    if (t.key >= 0) held[static_cast<std::size_t>(t.key)] = t.row;
    text += fmt::format(R"({{"id":{},"session":{},"begin":{},"end":{},"ops":[{}]}})"
                        "\n",
                        done++, c, t.begin, now + (c == 1 ? std::min<std::int64_t>(lag, 9) : 0), t.ops);
    t.key = -1;
  }
  return native(text);
}

TEST(Looks, ARecordingOfStatementsThatEachSeeTheNewestRowsIsAccepted) {
  for (const std::int64_t lag : {0, 9}) {
    const History h = recording(3000, lag);
    EXPECT_EQ(outcome(h, kReadCommitted), "satisfied");
    EXPECT_EQ(outcome(h, kMonotonicAtomicView), "satisfied");
    EXPECT_EQ(outcome(h, kStrongSessionMonotonicAtomicView), "satisfied");
  }
}

}  // namespace looks_test
}  // namespace isolde
