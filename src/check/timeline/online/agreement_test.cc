// The online engine says at the end what the offline engine says, in every order of arrival.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "check/timeline/online/online.h"
#include "check/timeline/timeline.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/online_steps.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace agreement_test {

constexpr Level kLevels[] = {Level::kSnapshotIsolation,         Level::kStrongSessionSnapshotIsolation,
                             Level::kStrongSnapshotIsolation,   Level::kSerializable,
                             Level::kStrongSessionSerializable, Level::kStrictSerializable};

struct Told : OnlineSink {
  std::set<std::string> anomalies;
  std::vector<std::string> texts;
  std::set<std::uint64_t> identities;
  std::size_t count = 0;
  const History* history = nullptr;
  void violated(const OnlineViolation& v) override {
    EXPECT_EQ(steps_fault(*history, v), "") << v.text;
    anomalies.insert(fmt::format("{} {} {}", full_name(v.kind, v.variant), v.transactions.at(0), v.key));
    texts.push_back(v.text);
    identities.insert(v.identity);
    ++count;
  }
  void suspected(const OnlineViolation&, std::string_view) override {}
};

struct Answer {
  Outcome outcome;
  std::set<std::string> anomalies;
  std::set<std::uint64_t> identities;

  [[nodiscard]] std::string text() const { return fmt::format("{}: {}", name(outcome), fmt::join(anomalies, ", ")); }
};

std::string key_text(const History& h, KeyId key) {
  return key == kNoKey ? "" : h.value_text(h.columns().key_name[raw(key)]);
}

Answer offline(const History& h, Level level) {
  const Verdict verdict = kTimelineEngine.check(h, level, Limits{});
  Answer answer{verdict.outcome, {}, {}};
  for (const Anomaly& a : verdict.anomalies) {
    answer.anomalies.insert(
        fmt::format("{} {} {}", full_name(a), h.txn_text(a.transactions.at(0)), key_text(h, a.key)));
  }
  return answer;
}

Answer online(const std::shared_ptr<const Chunk>& chunk, const std::vector<TxnId>& order, Level level,
              std::uint32_t batch) {
  Told told;
  told.history = &chunk->history;
  timeline::OnlineOptions options;
  options.level = level;
  options.batch = batch;
  const auto engine = timeline::make_online(options, told);
  engine->begin(*chunk);
  for (const TxnId t : order) engine->take({chunk, t});
  engine->finish();
  const OnlineCounts counts = engine->counts();
  EXPECT_EQ(counts.violations, told.count);
  EXPECT_EQ(told.identities.size(), told.count);
  EXPECT_EQ(counts.taken, order.size());
  EXPECT_EQ(counts.pending, 0U);
  const Outcome outcome = counts.violations > 0  ? Outcome::kViolated
                          : counts.unchecked > 0 ? Outcome::kUndecided
                                                 : Outcome::kSatisfied;
  return {outcome, told.anomalies, told.identities};
}

// An order of arrival that keeps the order within each session.
std::vector<TxnId> arrivals(const History& h, Rng& rng, int how) {
  std::vector<std::vector<TxnId>> sessions(h.session_count());
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) sessions[raw(h.session(TxnId{t}))].push_back(TxnId{t});
  std::vector<TxnId> order;
  if (how == 0) {
    for (std::uint32_t t = 0; t < h.txn_count(); ++t) order.push_back(TxnId{t});
  } else if (how == 1) {  // whole sessions, the last first
    for (auto s = sessions.rbegin(); s != sessions.rend(); ++s) order.insert(order.end(), s->begin(), s->end());
  } else {
    std::vector<std::size_t> next(sessions.size(), 0);
    while (order.size() < h.txn_count()) {
      const auto s = static_cast<std::size_t>(rng.below(sessions.size()));
      if (next[s] < sessions[s].size()) order.push_back(sessions[s][next[s]++]);
    }
  }
  return order;
}

// With the places of transactions as their ids, so that equal timestamps are ordered as in the file.
History numbered(const History& h) {
  struct Kept {
    History history;
    std::vector<ValueId> ids;
  };
  const auto kept = std::make_shared<Kept>(Kept{h, {}});
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) kept->ids.push_back(ValueId{t});
  HistoryColumns columns = h.columns();
  columns.id = kept->ids;
  return History(columns, kept);
}

void compare(std::uint64_t first_seed, std::uint64_t usual, const RandomOptions& options) {
  const std::uint64_t histories = effort::tries(usual);
  int wrong = 0;
  std::uint64_t seen[3] = {0, 0, 0};
  for (std::uint64_t i = 0; i < histories && wrong < 5; ++i) {
    const std::uint64_t seed = effort::seed(first_seed) + i;
    Rng rng(seed);
    const History h = numbered(random_history(rng, options));
    const auto chunk = std::make_shared<const Chunk>(h);
    for (const Level level : kLevels) {
      if (!kTimelineEngine.lacks(h, level).empty()) continue;
      const Answer expected = offline(h, level);
      ++seen[static_cast<int>(expected.outcome)];
      std::set<std::uint64_t> identities;
      for (int how = 0; how < 5; ++how) {
        const std::vector<TxnId> order = arrivals(h, rng, how);
        // Each by itself, few together, or all.
        const std::uint32_t batch = how < 3 ? 1 : how == 3 ? 3 : 16384;
        const Answer got = online(chunk, order, level, batch);
        std::string ids;
        for (const TxnId t : order) ids += h.txn_text(t) + " ";
        EXPECT_EQ(got.text(), expected.text())
            << "seed " << seed << " level " << info(level).name << " batch " << batch << " arrival " << ids << "\n"
            << native_text(h);
        if (how > 0) {
          EXPECT_EQ(got.identities, identities);
        }
        identities = got.identities;
        if (got.text() != expected.text()) {
          ++wrong;
          break;
        }
      }
    }
  }
  for (const std::uint64_t n : seen) EXPECT_TRUE(effort::reaches(0.01, n, histories)) << n << " of " << histories;
}

TEST(TimelineOnline, AgreesWithTheOfflineEngineOnTinyHistories) { compare(1, 1500, {}); }

TEST(TimelineOnline, AgreesOnRegistersWithAllTimestamps) {
  RandomOptions options;
  options.registers_only = true;
  options.max_txns = 8;
  options.timestamps = RandomOptions::Timestamps::kCompleteAndDistinct;
  compare(1'000'000, 1000, options);
}

TEST(TimelineOnline, AgreesOnLargerHistories) {
  RandomOptions options;
  options.max_txns = 14;
  options.max_keys = 4;
  options.max_ops = 6;
  compare(2'000'000, 1000, options);
}

}  // namespace agreement_test
}  // namespace isolde
