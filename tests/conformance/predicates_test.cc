// Predicates: every engine, at every level it claims, agrees with the oracle on random tiny histories of rows with
// scans, aggregates, predicate updates and version sets, and what it answers is proved from the raw history.
// The report has how often each answer was given (the properties named like levels).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "anomaly/level.h"
#include "check/choose/engines.h"
#include "proof/prove.h"
#include "tests/oracle/oracle.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"
#include "tests/support/shrink.h"

namespace isolde {
namespace predicates_test {

constexpr int kShards = 10;
constexpr std::uint64_t kHistories = 10'000;  // an engine, at each level, in all shards: see conformance_test.cc

bool rests_on(const Verdict& verdict, Ground ground) {
  for (const Anomaly& a : verdict.anomalies) {
    for (const Step& s : a.steps) {
      if (s.ground == ground) return true;
    }
  }
  return false;
}
OracleEvidence by_order(const Verdict&) { return OracleEvidence::kOrder; }
OracleEvidence by_timestamps(const Verdict&) { return OracleEvidence::kTimestamps; }
OracleEvidence by_nothing(const Verdict&) { return OracleEvidence::kNone; }
// The version orders given; timestamps and snapshots only where a step rests on them, or where all points are known.
OracleEvidence by_versions(const Verdict& verdict) {
  if (std::find(verdict.notes.begin(), verdict.notes.end(), "given the database's start and commit timestamps") !=
      verdict.notes.end()) {
    return OracleEvidence::kVersions | OracleEvidence::kTimestamps;
  }
  if (std::find(verdict.notes.begin(), verdict.notes.end(), "given the database's snapshots as version sets") !=
      verdict.notes.end()) {
    return OracleEvidence::kVersions | OracleEvidence::kSnapshotSets;
  }
  const bool database = rests_on(verdict, Ground::kTimestamps) || rests_on(verdict, Ground::kSnapshot);
  if (!database) return OracleEvidence::kVersions;
  return OracleEvidence::kVersions | OracleEvidence::kCommitOrder | OracleEvidence::kSnapshots;
}

// No two committed transactions share a time, each has its times, and nothing is unknown.
bool distinct(const History& h, std::span<const std::int64_t> times, std::span<const std::int64_t> more) {
  std::set<std::int64_t> taken;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (h.status(TxnId{t}) == Status::kUnknown) return false;
    if (h.status(TxnId{t}) == Status::kAborted) continue;
    if (times.empty() || times[t] == kNoTime || !taken.insert(times[t]).second) return false;
    if (more.empty() || more[t] == times[t]) continue;
    if (more[t] == kNoTime || !taken.insert(more[t]).second) return false;
  }
  return true;
}
// Neither version sets, which may speak of what nobody knows, nor a condition that may have a fault.
bool plain(const History& h) {
  for (const Predicate& p : h.columns().predicates) {
    if (p.has_vset != 0 || h.values().json(p.where).find('/') != std::string::npos) return false;
  }
  return true;
}
bool ordered(const History& h) { return plain(h) && distinct(h, h.columns().order, {}); }
bool stamped(const History& h) { return plain(h) && distinct(h, h.columns().start_ts, h.columns().commit_ts); }
bool never(const History&) { return false; }

struct EngineRow {
  std::string_view name;
  OracleEvidence (*evidence)(const Verdict& verdict);  // that the verdict is about
  bool (*must_decide)(const History& h);               // when kUndecided is not allowed
  double satisfied, violated, decided;                 // share of the histories of which it says so, at least
};
[[maybe_unused]] void PrintTo(const EngineRow& row, std::ostream* out) { *out << row.name; }

constexpr EngineRow kEngines[] = {
    {"replay", by_order, ordered, 0.45, 0.30, 0.90}, {"timeline", by_timestamps, stamped, 0.40, 0.35, 0.95},
    {"graph", by_versions, never, 0.35, 0.10, 0.60}, {"weak", by_versions, never, 0.58, 0.10, 0.78},
    {"rules", by_nothing, never, 0, 0.05, 0.05},
};

// Other histories for every engine.
std::uint64_t first_seed(const EngineRow& row, int shard) {
  std::uint64_t place = 0;
  while (kEngines[place].name != row.name) ++place;
  return effort::seed(100'000 + 1000 * place + static_cast<std::uint64_t>(shard));
}

struct Finding {
  Outcome outcome = Outcome::kUndecided;
  std::string fault;  // empty: none
};

Finding judge(const EngineRow& row, const Engine& engine, Level level, const History& h,
              std::optional<OracleCase>& oracle_case) {
  if (!engine.lacks(h, level).empty()) return {};
  const Verdict verdict = engine.check(h, level, {});
  Finding found{verdict.outcome, ""};
  if (verdict.outcome == Outcome::kUndecided) {
    if (verdict.reason.empty() || verdict.why_open == WhyOpen::kDecided) found.fault = "undecided without a reason";
    if (row.must_decide(h)) found.fault = "undecided, but everything needed is known: " + verdict.reason;
    return found;
  }
  if (verdict.outcome == Outcome::kViolated && verdict.total() == 0) found.fault = "violated without an anomaly";
  const Result<void> proved = prove(h, verdict);
  if (!proved) {
    found.fault = fmt::format("{}, but the proof fails: {}", name(verdict.outcome), proved.error().message());
  }
  if (!oracle_case) oracle_case.emplace(h);
  const OracleVerdict truth = (*oracle_case)(level, row.evidence(verdict));
  if (verdict.outcome == Outcome::kSatisfied && truth == OracleVerdict::kViolated) {
    found.fault = "satisfied, but the oracle says violated";
  }
  if (verdict.outcome == Outcome::kViolated && truth == OracleVerdict::kSatisfied) {
    found.fault = "violated, but the oracle says satisfied";
  }
  return found;
}

Draft history_of(Rng& rng, std::uint64_t i) {
  RandomOptions options;
  options.rows_only = true;
  if (i % 3 != 0) options.timestamps = RandomOptions::Timestamps::kCompleteAndDistinct;
  if (i % 4 != 0) options.unknown = options.aborted = 0;
  if (i % 4 == 2) options.change = 0.2;
  return random_draft(rng, options);
}

struct Tally {
  std::uint64_t tried = 0, satisfied = 0, violated = 0;
};

// Takes histories until each level that the engine claims has had its share; stops at the first fault.
void compare(const EngineRow& row, int shard) {
  const std::uint64_t target = effort::tries(kHistories / kShards);
  const std::uint64_t seed = first_seed(row, shard);
  const Engine* const engine = engine_named(row.name);
  ASSERT_NE(engine, nullptr) << row.name;
  Rng rng(seed);
  std::array<Tally, kLevelCount> tally{};
  bool enough = false;
  for (std::uint64_t i = 0; i < 1000 + 20 * target && !enough; ++i) {
    const Draft draft = history_of(rng, i);
    const History h = draft.build();
    if (h.columns().predicates.empty()) continue;
    std::optional<OracleCase> truth;
    for (const LevelInfo& level : all_levels()) {
      Tally& count = tally[static_cast<std::size_t>(level.level)];
      if (count.tried >= target || !engine->lacks(h, level.level).empty()) continue;
      const Finding found = judge(row, *engine, level.level, h, truth);
      ++count.tried;
      count.satisfied += found.outcome == Outcome::kSatisfied ? 1 : 0;
      count.violated += found.outcome == Outcome::kViolated ? 1 : 0;
      if (found.fault.empty()) continue;
      const auto fault_of = [&](const History& history) {
        std::optional<OracleCase> none;
        return judge(row, *engine, level.level, history, none);
      };
      const auto still = [&](const Draft& d) {
        const Finding now = fault_of(d.build());
        return !now.fault.empty() && now.outcome == found.outcome;
      };
      const History small = shrink(draft, still).build();
      FAIL() << row.name << " at " << level.name << ", seed " << seed << ", history " << i << ": " << found.fault
             << "\n"
             << native_text(h) << "smallest: " << fault_of(small).fault << "\n"
             << native_text(small);
    }
    enough = i > 200;
    for (const Tally& count : tally) enough &= count.tried == 0 || count.tried >= target;
  }
  for (const LevelInfo& level : all_levels()) {
    const Tally& count = tally[static_cast<std::size_t>(level.level)];
    if (count.tried == 0) continue;
    const auto percent = [&](std::uint64_t n) { return static_cast<int>(100 * n / count.tried); };
    const std::string text = fmt::format("{} at {}: {} tried, {} % satisfied, {} % violated, {} % undecided", row.name,
                                         level.name, count.tried, percent(count.satisfied), percent(count.violated),
                                         percent(count.tried - count.satisfied - count.violated));
    ::testing::Test::RecordProperty(std::string(level.name), text);
    EXPECT_GE(count.tried, target) << text;
    if (level.level == Level::kReadUncommitted) continue;  // says nothing of predicates
    EXPECT_TRUE(effort::reaches(row.satisfied, count.satisfied, count.tried)) << text;
    EXPECT_TRUE(effort::reaches(row.violated, count.violated, count.tried)) << text;
    EXPECT_TRUE(effort::reaches(row.decided, count.satisfied + count.violated, count.tried)) << text;
  }
}

// What repeatable-read and serializable differ in is predicates and nothing else: on items, with every version order
// given, they are one level. (Without, too: whatever orders there are, both ask whether one of them has no cycle.)
TEST(RepeatableRead, EqualsSerializableWhereThereAreNoPredicates) {
  const std::uint64_t histories = effort::tries(4000);
  Rng rng(effort::seed(7));
  std::uint64_t satisfied = 0, violated = 0;
  for (std::uint64_t i = 0; i < histories; ++i) {
    RandomOptions options;
    options.rows_only = i % 2 == 0;
    options.registers_only = i % 2 == 1;
    Draft draft = random_draft(rng, options);
    for (DraftTxn& txn : draft.txns) std::erase_if(txn.ops, [](const DraftOp& op) { return is_predicate(op.kind); });
    const History h = draft.build();
    OracleCase truth(h);
    for (const OracleEvidence use : {OracleEvidence::kNone, OracleEvidence::kVersions}) {
      const OracleVerdict items = truth(Level::kRepeatableRead, use);
      ASSERT_EQ(items, truth(Level::kSerializable, use)) << native_text(h);
      satisfied += items == OracleVerdict::kSatisfied ? 1 : 0;
      violated += items == OracleVerdict::kViolated ? 1 : 0;
    }
    const Verdict by_graph = engine_named("graph")->check(h, Level::kRepeatableRead, {});
    const Verdict serial = engine_named("graph")->check(h, Level::kSerializable, {});
    if (by_graph.outcome == Outcome::kUndecided || serial.outcome == Outcome::kUndecided) continue;
    ASSERT_EQ(by_graph.outcome, serial.outcome) << native_text(h);
  }
  // Of two answers a history.
  EXPECT_TRUE(effort::reaches(0.25, satisfied, 2 * histories));
  EXPECT_TRUE(effort::reaches(0.125, violated, 2 * histories));
}

TEST(RepeatableRead, DiffersFromSerializableInPredicates) {
  const std::uint64_t histories = effort::tries(4000);
  Rng rng(effort::seed(8));
  std::uint64_t only_repeatable = 0;
  for (std::uint64_t i = 0; i < histories; ++i) {
    const History h = history_of(rng, i).build();
    OracleCase truth(h);
    const OracleVerdict serial = truth(Level::kSerializable, OracleEvidence::kVersions);
    const OracleVerdict repeatable = truth(Level::kRepeatableRead, OracleEvidence::kVersions);
    if (serial == OracleVerdict::kSatisfied) {
      ASSERT_EQ(repeatable, OracleVerdict::kSatisfied) << native_text(h);
    }
    only_repeatable += serial == OracleVerdict::kViolated && repeatable == OracleVerdict::kSatisfied ? 1 : 0;
  }
  EXPECT_TRUE(effort::reaches(0.02, only_repeatable, histories));
}

struct Example {
  const char* what;
  const char* text;
  bool repeatable, serializable;
};
constexpr Example kExamples[] = {
    {"two scans that miss each other's insert", "T1: s w x{1} | T2: s w y{1} | versions: x<T1> y<T2>", true, false},
    {"the same by items", "T1: r y_ w x{1} | T2: r x_ w y{1} | versions: x<T1> y<T2>", false, false},
    {"a scan that misses one of two inserts", "T1: w x{1} w y{1} | T2: s x{1} | versions: x<T1> y<T1>", true, false},
    {"two scans that differ", "T1: s s x{1} | T2: w x{1} | versions: x<T2>", true, false},
    {"two scans whose row differs", "init: x{1} | T1: s x{1} s x{2} | T2: w x{2} | versions: x<T2>", false, false},
    {"an update that misses a row", "T1: w x{1} w y{1} | T2: r x{1} u`v = 1` x{2} | versions: x<T1 T2> y<T1>", true,
     false},
    {"a row that nobody deleted", "init: x{1} | T1: s", false, false},
    {"who deleted it read from the scan's transaction",
     "init: x{1} | T1: s w y{-1} | T2: r y{-1} w x_ | versions: x<T2> y<T1>", false, false},
    {"version sets: an insert looked past", "T1: w x{1} w y{1} | T2: s x{1} <x{1}> | versions: x<T1> y<T1>", true,
     false},
    {"version sets: what does not match does not matter",
     "T1: w x{1} w y{-1} | T2: s x{1} <x{1}> | versions: x<T1> y<T1>", true, true},
};

TEST(RepeatableRead, ExamplesByOracleAndGraph) {
  for (const Example& example : kExamples) {
    const History h = hist(example.text);
    for (const auto& [level, holds] : {std::pair(Level::kRepeatableRead, example.repeatable),
                                       std::pair(Level::kSerializable, example.serializable)}) {
      const std::string what = fmt::format("{} at {}: {}", example.what, info(level).name, example.text);
      EXPECT_EQ(oracle(h, level, OracleEvidence::kVersions),
                holds ? OracleVerdict::kSatisfied : OracleVerdict::kViolated)
          << what;
      const Verdict verdict = engine_named("graph")->check(h, level, {});
      EXPECT_EQ(verdict.outcome, holds ? Outcome::kSatisfied : Outcome::kViolated) << what << " " << verdict.reason;
    }
  }
}

class Predicates : public ::testing::TestWithParam<std::tuple<EngineRow, int>> {};

TEST_P(Predicates, AgreeWithTheOracleAndAreProved) { compare(std::get<0>(GetParam()), std::get<1>(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Engines, Predicates,
                         ::testing::Combine(::testing::ValuesIn(kEngines), ::testing::Range(0, kShards)),
                         [](const ::testing::TestParamInfo<Predicates::ParamType>& each) {
                           return fmt::format("{}_{}", std::get<0>(each.param).name, std::get<1>(each.param));
                         });

}  // namespace predicates_test
}  // namespace isolde
