// Predicates: every engine, at every level it claims, agrees with the oracle on random tiny histories of rows with
// scans, aggregates, predicate updates and version sets, and what it answers is proved from the raw history.
//
// ISOLDE_CONFORMANCE_N sets the number of histories a level, over all shards; ISOLDE_CONFORMANCE_SEED takes other
// histories; ISOLDE_SHOW_BALANCE prints how often each answer was given.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>

#include "anomaly/level.h"
#include "check/engine.h"
#include "proof/prove.h"
#include "tests/oracle/oracle.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"
#include "tests/support/shrink.h"

#ifndef ISOLDE_CONFORMANCE_N
#define ISOLDE_CONFORMANCE_N 100000
#endif

namespace isolde {
namespace {

constexpr int kShards = 10;

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
// The version orders given; timestamps and snapshots only where a step rests on them.
OracleEvidence by_versions(const Verdict& verdict) {
  const bool database = rests_on(verdict, Ground::kTimestamps) || rests_on(verdict, Ground::kSnapshot);
  if (!database) return OracleEvidence::kVersions;
  return OracleEvidence::kVersions | OracleEvidence::kCommitOrder | OracleEvidence::kSnapshots;
}

struct EngineRow {
  std::string_view name;
  OracleEvidence (*evidence)(const Verdict& verdict);  // that the verdict is about
  // Least shares of the histories for which it must say so, in percent.
  int satisfied, violated, decided;
};
[[maybe_unused]] void PrintTo(const EngineRow& row, std::ostream* out) { *out << row.name; }

constexpr EngineRow kEngines[] = {
    {"replay", by_order, 0, 0, 0},
    {"timeline", by_timestamps, 0, 0, 0},
    {"graph", by_versions, 0, 0, 0},
    {"rules", by_nothing, 0, 0, 0},
};

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Finding {
  Outcome outcome = Outcome::kUndecided;
  std::string fault;  // empty: none
};

enum class Against : std::uint8_t { kOracle, kProof };

Finding judge(Against against, const EngineRow& row, const Engine& engine, Level level, const History& h,
              std::optional<OracleCase>& oracle_case) {
  if (!engine.lacks(h, level).empty()) return {};
  const Verdict verdict = engine.check(h, level, {});
  Finding found{verdict.outcome, ""};
  if (verdict.outcome == Outcome::kUndecided) {
    if (verdict.reason.empty()) found.fault = "undecided without a reason";
    return found;
  }
  if (verdict.outcome == Outcome::kViolated && verdict.total() == 0) found.fault = "violated without an anomaly";
  if (against == Against::kProof) {
    const Result<void> proved = prove(h, verdict);
    if (!proved) {
      found.fault = fmt::format("{}, but the proof fails: {}", name(verdict.outcome), proved.error().message());
    }
    return found;
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
void compare(Against against, const EngineRow& row, int shard) {
  const std::uint64_t target = from_environment("ISOLDE_CONFORMANCE_N", ISOLDE_CONFORMANCE_N) / kShards + 1;
  const std::uint64_t seed =
      from_environment("ISOLDE_CONFORMANCE_SEED", 1) * 1000 + 500 + static_cast<std::uint64_t>(shard);
  const Engine* const engine = engine_named(row.name);
  ASSERT_NE(engine, nullptr) << row.name;
  Rng rng(seed);
  std::array<Tally, kLevelCount> tally{};
  bool enough = false;
  for (std::uint64_t i = 0; i < 20 * target && !enough; ++i) {
    const Draft draft = history_of(rng, i);
    const History h = draft.build();
    if (h.columns().predicates.empty()) continue;
    std::optional<OracleCase> truth;
    for (const LevelInfo& level : all_levels()) {
      Tally& count = tally[static_cast<std::size_t>(level.level)];
      if (count.tried >= target || !engine->lacks(h, level.level).empty()) continue;
      const Finding found = judge(against, row, *engine, level.level, h, truth);
      ++count.tried;
      count.satisfied += found.outcome == Outcome::kSatisfied ? 1 : 0;
      count.violated += found.outcome == Outcome::kViolated ? 1 : 0;
      if (found.fault.empty()) continue;
      const auto fault_of = [&](const History& history) {
        std::optional<OracleCase> none;
        return judge(against, row, *engine, level.level, history, none);
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
    if (std::getenv("ISOLDE_SHOW_BALANCE") != nullptr) fmt::print("{}\n", text);
    EXPECT_GE(count.tried, target) << text;
  }
}

class Predicates : public testing::TestWithParam<std::tuple<EngineRow, int>> {};

TEST_P(Predicates, AgreeWithTheOracle) { compare(Against::kOracle, std::get<0>(GetParam()), std::get<1>(GetParam())); }
TEST_P(Predicates, AreProved) { compare(Against::kProof, std::get<0>(GetParam()), std::get<1>(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Engines, Predicates, testing::Combine(testing::ValuesIn(kEngines), testing::Range(0, kShards)),
                         [](const testing::TestParamInfo<Predicates::ParamType>& each) {
                           return fmt::format("{}_{}", std::get<0>(each.param).name, std::get<1>(each.param));
                         });

}  // namespace
}  // namespace isolde
