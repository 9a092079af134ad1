// Equal timestamps, whose order partitions choose apart: nothing may be satisfied, or violated, that is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cluster/simulation_testing.h"
#include "tests/support/effort.h"

namespace isolde::cluster {
namespace tie_simulation_test {

// Transactions that start and commit at one time, a few per time, in an order that their ids do not show. Sometimes a
// read returns what was there before that time.
std::string tied_lines(Rng& rng, double stale) {
  constexpr int kKeys = 4;
  std::string out;
  int state[kKeys] = {}, before[kKeys] = {};
  int value = 0, id = 0;
  for (int time = 1; time <= 12; ++time) {
    std::copy(state, state + kKeys, before);
    std::vector<std::string> at_once;
    for (std::uint64_t left = 1 + rng.below(3); left > 0; --left) {
      std::string ops;
      int after[kKeys];
      std::copy(state, state + kKeys, after);
      for (std::uint64_t op = 1 + rng.below(3); op > 0; --op) {
        const auto key = static_cast<std::size_t>(rng.below(kKeys));
        if (rng.chance(0.5)) {
          after[key] = ++value;
          ops += fmt::format(R"(["w","k{}",{}],)", key, value);
        } else {
          const int read = after[key] == state[key] && rng.chance(stale) ? before[key] : after[key];
          ops += fmt::format(R"(["r","k{}",{}],)", key, read == 0 ? "null" : std::to_string(read));
        }
      }
      std::copy(after, after + kKeys, state);
      ops.pop_back();
      at_once.push_back(
          fmt::format(R"("session":{0},"start_ts":{1},"commit_ts":{1},"ops":[{2}]}})", rng.below(4), time, ops));
    }
    for (; !at_once.empty(); ++id) {
      const auto next = static_cast<std::ptrdiff_t>(rng.below(at_once.size()));
      out += fmt::format("{{\"id\":{},{}\n", id, at_once[static_cast<std::size_t>(next)]);
      at_once.erase(at_once.begin() + next);
    }
  }
  return out;
}

// By trying every order of the transactions of each time. They start and commit at that time; what a file has of one
// session is in the session's order. Snapshots: those that write, one after the other, and then those that only read.
bool some_order_explains(const History& h, Level level) {
  const bool serial = info(level).family == LevelFamily::kSerializable;
  const bool sessions = info(level).order != AddedOrder::kNone;
  using State = std::map<std::uint32_t, ValueId>;
  std::set<State> states = {State{}};
  std::map<std::int64_t, std::vector<std::uint32_t>> by_time;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) by_time[h.commit_ts(TxnId{t})].push_back(t);
  const auto reads_only = [&](std::uint32_t t) {
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      if (h.op(i).kind() != OpKind::kRead) return false;
    }
    return true;
  };
  const auto apply = [&](std::uint32_t t, State& state) {
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      const std::uint32_t key = raw(h.op(i).key());
      if (h.op(i).kind() == OpKind::kWrite) {
        state[key] = h.op_value(i);
      } else if (const auto at = state.find(key); (at == state.end() ? kNullValue : at->second) != h.op_value(i)) {
        return false;
      }
    }
    return true;
  };
  for (auto& [time, txns] : by_time) {
    std::set<State> next;
    std::sort(txns.begin(), txns.end());
    do {
      bool allowed = true;
      for (std::size_t i = 0; i + 1 < txns.size(); ++i) {
        for (std::size_t j = i + 1; j < txns.size(); ++j) {
          if (!serial && reads_only(txns[i]) && !reads_only(txns[j])) allowed = false;
          if (sessions && txns[j] < txns[i] && h.session(TxnId{txns[i]}) == h.session(TxnId{txns[j]})) allowed = false;
        }
      }
      for (auto from = states.begin(); allowed && from != states.end(); ++from) {
        State state = *from;
        if (std::all_of(txns.begin(), txns.end(), [&](std::uint32_t t) { return apply(t, state); })) next.insert(state);
      }
    } while (std::next_permutation(txns.begin(), txns.end()));
    states = std::move(next);
  }
  return !states.empty();
}

}  // namespace tie_simulation_test

using namespace simulation_test;
using namespace tie_simulation_test;

// k0 is in partition 0 of two, k1 in partition 1 (or the other way round): each finds an order, but not the same one.
TEST(ClusterSimulation, OrdersOfEqualTimestampsThatContradictEachOtherAreNotSatisfied) {
  ASSERT_NE(partition_of("\"k0\"", 2), partition_of("\"k1\"", 2));
  ChunkReader reader("a test");
  const auto chunk = reader.read(
      "{\"id\":1,\"session\":1,\"start_ts\":5,\"commit_ts\":5,\"ops\":[[\"r\",\"k0\",null],[\"w\",\"k1\",1]]}\n"
      "{\"id\":2,\"session\":2,\"start_ts\":5,\"commit_ts\":5,\"ops\":[[\"r\",\"k1\",null],[\"w\",\"k0\",1]]}\n");
  ASSERT_TRUE(chunk);
  ASSERT_FALSE(some_order_explains((*chunk)->history, Level::kSnapshotIsolation));
  const Outcome out = Simulation((*chunk)->history, plan_of(2), {}, 1).run();
  ASSERT_TRUE(out.ended);
  EXPECT_EQ(out.summary.outcome, isolde::Outcome::kUndecided);
  EXPECT_NE(out.summary.reason.find("2 transactions with equal timestamps have keys in several partitions"),
            std::string::npos)
      << out.summary.reason;
}

TEST(ClusterSimulation, OrdersOfEqualTimestampsThatOnePartitionChoseAreDecided) {
  ChunkReader reader("a test");
  const auto chunk = reader.read(
      "{\"id\":2,\"session\":1,\"start_ts\":5,\"commit_ts\":5,\"ops\":[[\"w\",\"k0\",1],[\"w\",\"k1\",1]]}\n"
      "{\"id\":1,\"session\":2,\"start_ts\":5,\"commit_ts\":5,\"ops\":[[\"r\",\"k0\",1],[\"w\",\"k0\",2]]}\n");
  ASSERT_TRUE(chunk);
  const Outcome out = Simulation((*chunk)->history, plan_of(2), {}, 1).run();
  ASSERT_TRUE(out.ended);
  EXPECT_EQ(out.summary.outcome, isolde::Outcome::kSatisfied) << out.summary.reason;
}

TEST(ClusterSimulation, WithEqualTimestampsNothingIsSatisfiedOrViolatedThatIsNot) {
  std::uint64_t by_outcome[3] = {};
  for (const std::uint64_t seed : effort::seeds(400, 300)) {
    Rng rng(seed);
    const Level level =
        std::array{Level::kSnapshotIsolation, Level::kSerializable, Level::kStrongSessionSerializable}[rng.below(3)];
    ChunkReader reader("a test");
    const std::string lines = tied_lines(rng, rng.chance(0.5) ? 0.05 : 0);
    const auto chunk = reader.read(lines);
    ASSERT_TRUE(chunk) << chunk.error().message();
    const bool explained = some_order_explains((*chunk)->history, level);
    const Outcome out = Simulation((*chunk)->history, plan_of(3, level), {}, seed).run();
    ASSERT_TRUE(out.ended) << seed;
    ++by_outcome[static_cast<int>(out.summary.outcome)];
    if (out.summary.outcome == isolde::Outcome::kSatisfied) {
      EXPECT_TRUE(explained) << seed << " " << info(level).name << "\n" << lines;
    }
    if (out.summary.outcome == isolde::Outcome::kViolated) {
      EXPECT_FALSE(explained) << seed << " " << info(level).name << "\n" << lines;
    }
  }
  EXPECT_GT(by_outcome[static_cast<int>(isolde::Outcome::kSatisfied)], 0U);
  EXPECT_GT(by_outcome[static_cast<int>(isolde::Outcome::kViolated)], 0U);
  EXPECT_GT(by_outcome[static_cast<int>(isolde::Outcome::kUndecided)], 0U);
}

}  // namespace isolde::cluster
