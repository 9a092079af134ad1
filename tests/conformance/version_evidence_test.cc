// Version orders by timestamps and snapshots, by themselves: the engine tries a guess first, which leaves few histories
// where they matter. Here they are always used, and the graph that follows must agree with the oracle.
#include "check/cycles/version_evidence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "check/cycles/cycles.h"
#include "tests/oracle/oracle.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"
#include "tests/support/shrink.h"

namespace isolde {
namespace version_evidence_test {

using namespace graph;

constexpr OracleEvidence kAllVersions =
    OracleEvidence::kVersions | OracleEvidence::kCommitOrder | OracleEvidence::kSnapshots;

constexpr int kShards = 10;
constexpr std::uint64_t kHistories = 10'000;  // a level, in all shards: see conformance_test.cc

struct Finding {
  enum class Answer : std::uint8_t { kNothingToSay, kHolds, kCycle, kOpen } answer = Answer::kNothingToSay;
  bool by_timestamps = false, by_snapshots = false;
  std::string fault = {};
};
using Answer = Finding::Answer;

Finding judge(const History& h, Level level) {
  const LevelRow& row = *row_of(level);
  if (!h.columns().predicates.empty()) return {};
  const Trace trace = trace_reads(h, level, {});
  if (!trace.untraceable.empty() || trace.breaks_a_rule || !trace.bad_reads.empty()) return {};
  VersionOrders orders = order_versions(h, trace, row.updates);
  if (!orders.ambiguous.empty() || !orders.lost_updates.empty() || orders.open == kNoKey) return {};
  const auto has_cycle = [&] {
    return !sort_nodes(find_dependencies(h, trace, orders, {}, {}, row.edges), row.nodes).components.empty();
  };
  if (has_cycle()) return {};
  std::vector<std::string> notes;
  if (!add_evidence(h, trace, row.updates, orders, notes)) return {};
  Finding out;
  const auto rests_on = [&](Ground ground) {
    return std::find(orders.why.begin(), orders.why.end(), ground) != orders.why.end() ||
           std::any_of(orders.known.begin(), orders.known.end(), [&](const auto& p) { return p.why == ground; });
  };
  out.by_timestamps = rests_on(Ground::kTimestamps);
  out.by_snapshots = rests_on(Ground::kSnapshot);
  out.answer = has_cycle() ? Answer::kCycle : orders.open == kNoKey ? Answer::kHolds : Answer::kOpen;
  const OracleVerdict truth = oracle(h, level, kAllVersions);
  if (out.answer == Answer::kCycle && truth == OracleVerdict::kSatisfied) out.fault = "a cycle, but an order exists";
  if (out.answer == Answer::kHolds && truth == OracleVerdict::kViolated) out.fault = "no cycle, but no order exists";
  if (out.answer == Answer::kOpen && one_version_order_left(h, level, kAllVersions))
    out.fault = "open, but the evidence leaves one order of each key";
  return out;
}

class VersionEvidence : public ::testing::TestWithParam<std::tuple<Level, int>> {};

TEST_P(VersionEvidence, OrdersVersionsAsTheOracleDoes) {
  const auto [level, shard] = GetParam();
  const std::uint64_t wanted = effort::tries(kHistories / kShards);
  const std::uint64_t seed =
      effort::seed(200'000 + 1000 * static_cast<std::uint64_t>(level) + static_cast<std::uint64_t>(shard));
  Rng rng(seed);
  std::uint64_t holds = 0, cycles = 0, timestamps = 0, snapshots = 0;
  for (std::uint64_t i = 0; holds + cycles < wanted && i < 1000 + 60 * wanted; ++i) {
    RandomOptions options;
    options.blind = i % 3 != 0;
    options.registers_only = i % 2 == 0;
    options.unknown = options.aborted = i % 5 == 0 ? 0.08 : 0;
    Draft draft = random_draft(rng, options);
    // A database that did not commit in the order of its timestamps.
    for (std::size_t t = draft.txns.size(); i % 4 != 0 && t > 1; --t) {
      DraftTxn& other = draft.txns[rng.below(t)];
      std::swap(draft.txns[t - 1].commit_ts, other.commit_ts);
      std::swap(draft.txns[t - 1].snapshot, other.snapshot);
    }
    const Finding found = judge(draft.build(), level);
    holds += found.answer == Answer::kHolds ? 1 : 0;
    cycles += found.answer == Answer::kCycle ? 1 : 0;
    timestamps += found.by_timestamps ? 1 : 0;
    snapshots += found.by_snapshots ? 1 : 0;
    if (found.fault.empty()) continue;
    const auto still = [&](const Draft& d) { return judge(d.build(), level).fault == found.fault; };
    FAIL() << info(level).name << ", seed " << seed << ", history " << i << ": " << found.fault << "\n"
           << native_text(shrink(draft, still).build());
  }
  RecordProperty("balance", fmt::format("{} hold, {} cycles; {} by timestamps, {} by snapshots", holds, cycles,
                                        timestamps, snapshots));
  EXPECT_GE(holds + cycles, wanted);
  EXPECT_TRUE(effort::reaches(1.0 / 60, cycles, wanted)) << cycles << " of " << wanted;
  EXPECT_TRUE(effort::reaches(0.1, timestamps, wanted)) << timestamps << " of " << wanted;
  EXPECT_TRUE(effort::reaches(0.1, snapshots, wanted)) << snapshots << " of " << wanted;
}

INSTANTIATE_TEST_SUITE_P(Levels, VersionEvidence,
                         ::testing::Combine(::testing::Values(Level::kPrefix, Level::kRepeatableRead,
                                                              Level::kSnapshotIsolation,
                                                              Level::kStrongSnapshotIsolation, Level::kSerializable,
                                                              Level::kStrictSerializable),
                                            ::testing::Range(0, kShards)),
                         [](const ::testing::TestParamInfo<VersionEvidence::ParamType>& each) {
                           std::string name(isolde::info(std::get<0>(each.param)).name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return fmt::format("{}_{}", name, std::get<1>(each.param));
                         });

}  // namespace version_evidence_test
}  // namespace isolde
