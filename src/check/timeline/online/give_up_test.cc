// Keys that are given up for memory: nothing false is told of them, and with a spill folder nothing is missed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/scratch_folder.h"
#include "check/timeline/online/online.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace give_up_test {

struct Told : OnlineSink {
  std::vector<std::string> violations, guilty;
  void violated(const OnlineViolation& v) override {
    violations.push_back(fmt::format("{} {}", full_name(v.kind, v.variant), v.transactions[0]));
    guilty.push_back(v.transactions[0]);
  }
  void suspected(const OnlineViolation&, std::string_view) override {}
  [[nodiscard]] std::string names() const { return fmt::format("{}", fmt::join(violations, ", ")); }
};

// Keys of tests/support/history_text.h are letters.
std::string key(std::uint64_t i) {
  std::string name = "k";
  for (; i > 0; i /= 26) name += static_cast<char>('a' + i % 26);
  return name;
}

class Stream {
 public:
  Stream(std::size_t limit, bool spill, Level level = Level::kSnapshotIsolation,
         std::uint32_t batch = timeline::OnlineOptions{}.batch) {
    options_.batch = batch;
    if (spill) folder_ = make_scratch_folder("online-give-up");
    options_.level = level;
    options_.deadline = 20;
    options_.memory_limit = limit;
    options_.spill_folder = folder_;
    engine = timeline::make_online(options_, told);
  }
  ~Stream() {
    engine.reset();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  void take(std::string_view text) {
    engine->advance({now++, kNoTime, true});
    const auto chunk = std::make_shared<const Chunk>(hist(text));
    for (std::uint32_t t = 0; t < chunk->history.txn_count(); ++t) engine->take({chunk, TxnId{t}});
    most = std::max<std::size_t>(most, engine->counts().bytes);
  }
  // Each of `count` keys is read as absent, and written once: key i at 10 i + 2.
  void insert(int first, int count) {
    for (int i = first; i < first + count; i += 50) {
      std::string text;
      for (int j = i; j < i + 50; ++j) {
        text += fmt::format("{}T{} {}..{}: r {}_ w {}{}", j == i ? "" : " | ", j, j * 10 + 1, j * 10 + 2,
                            key(static_cast<std::uint64_t>(j)), key(static_cast<std::uint64_t>(j)), j);
      }
      take(text);
    }
  }
  void restart() {
    StateWriter out;
    engine->save(out);
    engine = timeline::make_online(options_, told);
    StateReader in(out.bytes());
    ASSERT_TRUE(engine->load(in));
    EXPECT_TRUE(in.at_end());
  }
  // What was told when all is judged.
  std::string finish() {
    engine->advance({now + 1000, kNoTime, true});
    engine->finish();
    return told.names();
  }

  Told told;
  std::unique_ptr<OnlineEngine> engine;
  std::int64_t now = 0;
  std::size_t most = 0;

 private:
  timeline::OnlineOptions options_;
  std::string folder_;
};

constexpr std::size_t kLimit = std::size_t{2} << 20;
constexpr int kMany = 60'000;  // keys: some 6 MB

TEST(TimelineOnlineGiveUp, AnEndlessStreamOfNewKeysStaysUnderTheLimit) {
  for (const bool spill : {false, true}) {
    Stream s(kLimit, spill);
    s.insert(0, kMany);
    EXPECT_LT(s.most, kLimit + kLimit / 16);
    EXPECT_EQ(s.finish(), "");
    const OnlineCounts counts = s.engine->counts();
    EXPECT_EQ(counts.suspicions, 0U);
    // Without spill a new key may be taken for a forgotten one.
    EXPECT_LE(counts.unchecked, spill ? 0U : static_cast<unsigned>(kMany) / 2);
    EXPECT_GT(counts.checked, 0U);
  }
}

// Time stands still, as while input lies unread: all of it has to go before its deadline is over.
TEST(TimelineOnlineGiveUp, UnderPressureNothingIsLostWithSpillAndCountedWithout) {
  for (const bool spill : {false, true}) {
    Told told;
    timeline::OnlineOptions options;
    options.deadline = 20;
    options.memory_limit = kLimit;
    const std::string folder = spill ? make_scratch_folder("online-give-up") : "";
    options.spill_folder = folder;
    const auto engine = timeline::make_online(options, told);
    constexpr int kTransactions = 30'000;
    std::uint64_t planted = 0;
    std::map<int, int> held;  // key -> who wrote it last
    for (int i = 0; i < kTransactions; i += 50) {
      std::string text;
      for (int j = i; j < i + 50; ++j) {
        const int k = j % 997;
        const bool wrong = j % 700 == 699 && held.contains(k);
        planted += wrong ? 1 : 0;
        text += fmt::format("{}T{} {}..{}: r {}{} w {}{}", j == i ? "" : " | ", j, j * 10 + 1, j * 10 + 2,
                            key(static_cast<std::uint64_t>(k)),
                            wrong              ? "123456"
                            : held.contains(k) ? std::to_string(held[k])
                                               : "_",
                            key(static_cast<std::uint64_t>(k)), j);
        held[k] = j;
      }
      engine->advance({0, kNoTime, true});
      const auto chunk = std::make_shared<const Chunk>(hist(text));
      for (std::uint32_t t = 0; t < 50; ++t) engine->take({chunk, TxnId{t ^ 1U}});
    }
    engine->finish();
    EXPECT_GT(planted, 20U);
    const OnlineCounts counts = engine->counts();
    if (spill) {
      EXPECT_EQ(told.violations.size(), planted) << told.names();
      EXPECT_EQ(counts.suspicions, 0U);
      EXPECT_EQ(counts.unchecked, 0U);
      std::filesystem::remove_all(folder);
    } else {
      EXPECT_GE(told.violations.size() + counts.unchecked, planted);
      EXPECT_LE(told.violations.size(), planted) << told.names();
    }
  }
}

TEST(TimelineOnlineGiveUp, ViolationsOnGivenUpKeysAreFoundWithSpill) {
  for (const bool restart : {false, true}) {
    Stream s(kLimit, true);
    s.insert(0, kMany);
    if (restart) s.restart();
    s.take(fmt::format("R1 900001..900001: r {}5 r {}_", key(5), key(6)));            // right and wrong
    s.take(fmt::format("R2 900003..900003: r {}123456", key(7)));                     // wrong
    s.take(fmt::format("W1 75..900005: w {}1", key(8)));                              // T8 committed at 82
    s.take(fmt::format("R3 85..900006: r {}8 r {}_ r {}9", key(8), key(9), key(9)));  // T9 committed at 92
    s.take(fmt::format("A1 900010..900011: a {}1 | R4 900012..900012: r {}[10 1]", key(10), key(10)));
    s.take(fmt::format("I1 900013..900014: i {}+5 | R5 900015..900015: r {}17", key(11), key(11)));
    EXPECT_EQ(s.finish(), "GSIa W1, internal R3, GSIb R1, GSIb R2, GSIb R5");
    EXPECT_EQ(s.engine->counts().unchecked, 0U);
  }
}

TEST(TimelineOnlineGiveUp, AForgottenKeyIsUncheckedUntilItIsWrittenAgain) {
  for (const bool restart : {false, true}) {
    Stream s(kLimit, false, Level::kSnapshotIsolation, 1);
    s.insert(0, kMany);
    for (int i = 0; i < 40; ++i) s.take(fmt::format("Q{} {}..{}: r q_", i, 800'000 + i, 800'000 + i));
    if (restart) s.restart();
    const std::uint64_t before = s.engine->counts().unchecked;
    s.take(fmt::format("R1 900001..900001: r {}5 r {}_", key(5), key(6)));
    s.take(fmt::format("R2 900003..900003: r {}123456", key(7)));
    s.take(fmt::format("W1 75..900005: w {}1", key(8)));
    s.take(
        fmt::format("W2 85..86: w {}2 | R3 900006..900006: r {}9", key(9), key(9)));  // W2, from long ago, counts too
    s.take(fmt::format("A1 900010..900011: a {}1 | R4 900012..900012: r {}[10 1]", key(10), key(10)));
    EXPECT_EQ(s.engine->counts().unchecked, before + 6);
    s.take(fmt::format("R5 900020..900020: r {}1 | R6 900021..900021: r {}8", key(8), key(8)));
    EXPECT_EQ(s.finish(), "GSIb R6");
    EXPECT_EQ(s.engine->counts().unchecked, before + 6);
  }
}

// Nobody ever says what became of them, nor reads them until long after.
TEST(TimelineOnlineGiveUp, KeysOfTransactionsThatWereNeverPlacedAreGivenUpAndNothingIsToldOfThem) {
  for (const bool spill : {false, true}) {
    Stream s(kLimit, spill);
    for (int i = 0; i < kMany; i += 50) {
      std::string text;
      for (int j = i; j < i + 50; ++j) {
        text += fmt::format("{}U{}? {}..: w {}{}", j == i ? "" : " | ", j, j * 10 + 1,
                            key(static_cast<std::uint64_t>(j)), j);
      }
      s.take(text);
    }
    EXPECT_LT(s.most, kLimit + kLimit / 8);
    s.restart();
    s.take(fmt::format("R1 900001..900001: r {}5 | R2 900002..900002: r {}_", key(5), key(6)));
    s.take(fmt::format("R3 900003..900003: r {}7 r {}[7 8]", key(7), key(8)));
    EXPECT_EQ(s.finish(), "");
    EXPECT_LT(s.engine->counts().bytes, kLimit + kLimit / 8);
  }
}

// One transaction after the other on a store, with snapshots of any age and some whose outcome nobody knows, in any
// order within the deadline. With errors, some reads show another value and nobody's outcome is unknown.
void run_stream(Stream& s, std::uint64_t seed, bool errors) {
  Rng rng(seed);
  struct Value {
    std::string text = "_";  // as it is read
    bool list = false, counter = false;
  };
  std::map<std::uint64_t, Value> store;
  std::vector<std::string> waiting;
  const std::uint64_t keys = 12'000;
  for (std::int64_t i = 0; i < 6000; ++i) {
    const bool unknown = i % 97 == 5 && !errors;
    const bool aborted = i % 89 == 6;
    const bool applied = !aborted && (!unknown || rng.chance(0.5));
    std::string text = unknown   ? fmt::format("T{}? {}..:", i, i * 10 + 1)
                       : aborted ? fmt::format("T{}! {}..:", i, i * 10 + 1)
                                 : fmt::format("T{} {}..{}:", i, i * 10 + 1, i * 10 + 2);
    std::string reader = fmt::format("R{} {}..{}:", i, i * 10 + 5, i * 10 + 5);
    const std::uint64_t base = rng.below(keys);
    for (std::uint64_t op = 0; op < 3; ++op) {
      const std::uint64_t k = (base + op * 31) % keys;
      Value next = store[k];
      const auto how = rng.below(4);
      if (how == 0) text += fmt::format(" r {}{}", key(k), next.text);
      if (k % 3 == 0 && how > 1 && next.text.size() < 40) {
        text += fmt::format(" a {}{}", key(k), i);
        next.text = next.text == "_" ? fmt::format("[{}]", i)
                                     : fmt::format("{} {}]", next.text.substr(0, next.text.size() - 1), i);
      } else if (k % 3 == 1 && how > 1) {
        text += fmt::format(" i {}+1", key(k));
        next.text = std::to_string(next.text == "_" ? 1 : std::stoi(next.text) + 1);
      } else if (k % 3 != 0) {
        text += fmt::format(" w {}{}", key(k), i);
        next.text = std::to_string(i);
      } else {
        text += fmt::format(" w {}_", key(k));
        next.text = "_";
      }
      if (applied) store[k] = next;
      const std::uint64_t other = (base + rng.below(4) * 31) % keys;
      if (op < 2) continue;
      const bool wrong = errors && rng.chance(0.02);
      reader += fmt::format(" r {}{}", key(other), wrong ? "777777" : store[other].text);
    }
    waiting.push_back(text);
    if (unknown) {  // before those who see it
      s.take(waiting.back());
      waiting.pop_back();
    }
    waiting.push_back(reader);
    if (waiting.size() >= 6) {
      for (std::size_t n = waiting.size(); n > 1; --n) std::swap(waiting[n - 1], waiting[rng.below(n)]);
      for (const std::string& each : waiting) s.take(each);
      waiting.clear();
    }
    if (i % 1500 == 1499) s.restart();
  }
  for (const std::string& text : waiting) s.take(text);
}

TEST(TimelineOnlineGiveUp, NothingIsToldOfValidStreamsHoweverSmallTheLimit) {
  std::uint64_t stream = 0;
  for (const std::size_t limit : {std::size_t{1} << 10, std::size_t{1} << 19, std::size_t{1} << 20}) {
    for (const bool spill : {false, true}) {
      for (const Level level : {Level::kSnapshotIsolation, Level::kSerializable}) {
        if (!effort::takes(stream++)) continue;
        Stream s(limit, spill, level);
        run_stream(s, limit + (spill ? 1 : 0), false);
        EXPECT_EQ(s.finish(), "") << "limit " << limit << " spill " << spill;
      }
    }
  }
}

TEST(TimelineOnlineGiveUp, WithSpillTheSameIsToldAsWithoutALimit) {
  for (const Level level : {Level::kSnapshotIsolation, Level::kSerializable}) {
    Stream unlimited(std::size_t{1} << 30, true, level);
    Stream limited(std::size_t{1} << 20, true, level);
    for (Stream* const s : {&unlimited, &limited}) run_stream(*s, 1, true);
    (void)unlimited.finish();
    (void)limited.finish();
    EXPECT_GT(unlimited.told.violations.size(), 50U);
    // What was written long ago is not known any more, so garbage may have a milder name.
    EXPECT_EQ(limited.told.guilty, unlimited.told.guilty);
    EXPECT_EQ(limited.engine->counts().unchecked, unlimited.engine->counts().unchecked);
    EXPECT_LT(limited.most, unlimited.most);
  }
}

}  // namespace give_up_test
}  // namespace isolde
