// Several ranks give the same verdict on a history in parts as `check` on the whole.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <map>

#include "base/rng.h"
#include "batch/batch_testing.h"
#include "batch/spans.h"
#include "format/segments.h"
#include "gen/generate.h"
#include "history/history_builder.h"
#include "history/join.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/order_levels.h"
#include "tests/support/random_history.h"

namespace isolde::batch {
namespace batch_test {

constexpr Level kTimedLevels[] = {Level::kSnapshotIsolation,         Level::kStrongSessionSnapshotIsolation,
                                  Level::kStrongSnapshotIsolation,   Level::kSerializable,
                                  Level::kStrongSessionSerializable, Level::kStrictSerializable};
constexpr unsigned kRanks[] = {1, 2, 4};

History joined(const CutHistory& cut) {
  HistoryJoiner joiner;
  for (const auto& part : cut.parts) EXPECT_TRUE(joiner.add(*part));
  if (cut.rest) {
    EXPECT_TRUE(joiner.add(*cut.rest));
  }
  auto whole = joiner.finish();
  EXPECT_TRUE(whole) << (whole ? "" : whole.error().text);
  return *std::move(whole);
}

std::string without_search(std::string json) {
  const std::size_t at = json.find(", \"search\": {");
  if (at != std::string::npos) json.erase(at, json.find('}', at) + 1 - at);
  return json;
}

struct Tried {
  int together = 0, apart = 0, violated = 0;
};

// One history at one level, by some number of ranks. `together`: what ranks cannot judge by themselves is compared,
// too.
void compare(const History& h, Level level, bool by_commit, bool together_too, Rng& rng, Tried& tried) {
  constexpr std::size_t kMost[] = {1, 3, 1000};
  const std::size_t most = kMost[rng.below(3)];
  const unsigned ranks = kRanks[rng.below(3)];
  const std::size_t parts = 1 + rng.below(5);
  BatchOptions options;
  options.level = level;
  options.choose.order_by_commit = by_commit;
  if (together_too) options.most_at_first = UINT64_MAX;
  if (rng.below(3) == 0) options.memory = 1 + h.txn_count() * 60;  // a few passes
  const BatchJson batch = json_of_batch(h, options, most, ranks, parts);
  const bool refused = batch.json.find("so the whole history is needed in one place") != std::string::npos;
  const bool together = !batch.brought_together.empty();
  ++(together || refused ? tried.together : tried.apart);
  if (refused) return;
  const std::string expected = together ? json_of_check(joined(CutHistory(h, parts)), level, options.choose, most)
                                        : json_of_check(h, level, options.choose, most);
  if (!together && expected.find("\"violated\"") != std::string::npos) ++tried.violated;
  // How a search went is not what it found: ranks take the order of the file, and search nothing.
  ASSERT_EQ(together ? batch.json : without_search(batch.json), together ? expected : without_search(expected))
      << ranks << " ranks, " << parts << " parts, at most " << most << "\n"
      << native_text(h);
}

TEST(Batch, AgreesWithCheckOnTinyHistoriesWithEveryMixOfEvidence) {
  std::map<std::string, Tried> tried;
  for (const std::uint64_t seed : effort::seeds(24'000, 900)) {
    Rng rng(seed);
    RandomOptions options;
    options.max_txns = 3 + static_cast<int>(rng.below(6));
    if (rng.below(2) == 0) options.timestamps = RandomOptions::Timestamps::kCompleteAndDistinct;
    if (rng.below(4) == 0) options.data = RandomOptions::Data::kCounters;
    if (rng.below(4) == 0) options.data = RandomOptions::Data::kWrittenLists;
    if (rng.below(3) == 0) options.registers_only = true;
    if (rng.below(4) == 0) options.unknown = 0.3;
    const History h = random_history(rng, options);
    const bool timed = rng.below(3) != 0;
    const Level level = timed ? kTimedLevels[rng.below(6)] : all_levels()[rng.below(all_levels().size())].level;
    SCOPED_TRACE(seed);
    compare(h, level, rng.below(2) == 0, true, rng, tried[std::string(info(level).name)]);
    if (HasFatalFailure()) return;
  }
  if (effort::tries(900) < 900) return;
  for (const Level level : kTimedLevels) {
    const Tried& count = tried[std::string(info(level).name)];
    EXPECT_GT(count.apart, 10) << info(level).name;
    EXPECT_GT(count.together, 5) << info(level).name;
    EXPECT_GT(count.violated, 2) << info(level).name;
  }
}

TEST(Batch, AgreesWithCheckOnGeneratedHistoriesWithPlantedAnomalies) {
  Tried tried;
  for (const std::uint64_t seed : effort::seeds(25'000, 90)) {
    Rng rng(seed);
    GenOptions options;
    options.seed = seed;
    options.transactions = 100 + rng.below(900);
    options.sessions = 1 + static_cast<std::uint32_t>(rng.below(20));
    options.ops = 1 + static_cast<std::uint32_t>(rng.below(8));
    options.keys = 10 + static_cast<std::uint32_t>(rng.below(200));
    options.rmw_share = rng.below(2) == 0 ? 0.3 : 0;
    options.level = rng.below(2) == 0 ? Level::kSnapshotIsolation : Level::kSerializable;
    if (rng.below(3) == 0) options.type = DataType::kList;
    options.repeated_values = options.type == DataType::kRegister && rng.below(4) == 0;
    options.abort_share = rng.below(2) == 0 ? 0.1 : 0;
    options.unknown_share = rng.below(3) == 0 ? 0.05 : 0;
    options.evidence.order = rng.below(3) == 0;
    options.evidence.versions = rng.below(4) == 0;
    options.evidence.intervals = rng.below(4) != 0;
    options.shuffled = rng.below(3) == 0;
    if (rng.below(3) != 0) {
      const auto kind = static_cast<PlantKind>(rng.below(kPlantCount - 2));
      options.plants.push_back({kind, 0.02});
    }
    if (defect_of(options)) continue;
    const auto generated = generate(options);
    if (!generated) continue;
    SCOPED_TRACE(seed);
    compare(generated->history, kTimedLevels[rng.below(6)], rng.below(2) == 0, false, rng, tried);
    if (HasFatalFailure()) return;
  }
  if (effort::tries(90) < 90) return;
  EXPECT_GT(tried.apart, 40);
  EXPECT_GT(tried.violated, 10);
}

TEST(Batch, AgreesWithCheckOnListsByCycles) {
  std::map<std::string, Tried> tried;
  for (const std::uint64_t seed : effort::seeds(27'000, 300)) {
    Rng rng(seed);
    GenOptions options;
    options.seed = seed;
    options.transactions = 20 + rng.below(200);
    options.sessions = 1 + static_cast<std::uint32_t>(rng.below(10));
    options.ops = 1 + static_cast<std::uint32_t>(rng.below(6));
    options.keys = 3 + static_cast<std::uint32_t>(rng.below(40));
    options.type = DataType::kList;
    options.level = Level::kSerializable;
    options.abort_share = rng.below(2) == 0 ? 0.1 : 0;
    options.read_share = 0.6;
    options.evidence.timestamps = false;
    options.evidence.intervals = rng.below(3) != 0;
    options.shuffled = rng.below(4) == 0;
    if (rng.below(2) == 0) {
      constexpr PlantKind kKinds[] = {PlantKind::kWriteSkew, PlantKind::kLongFork, PlantKind::kLostUpdate,
                                      PlantKind::kStaleRead, PlantKind::kNonMonotonicSession};
      options.plants.push_back({kKinds[rng.below(5)], 0, 1});
    }
    if (defect_of(options)) continue;
    const auto generated = generate(options);
    if (!generated) continue;
    const Level level = kOrderLevels[rng.below(std::size(kOrderLevels))];
    SCOPED_TRACE(seed);
    compare(generated->history, level, false, true, rng, tried[std::string(info(level).name)]);
    if (HasFatalFailure()) return;
  }
  if (effort::tries(300) < 300) return;
  int apart = 0, violated = 0;
  for (const auto& [level, count] : tried) {
    apart += count.apart;
    violated += count.violated;
  }
  EXPECT_GT(apart, 200);
  EXPECT_GT(violated, 30);
}

// What was recorded in the order in which it happened; registers or lists, which any level is asked of.
TEST(Batch, AgreesWithCheckOnWeakLevelsAndWithoutAnyOrderOfVersions) {
  constexpr Level kLevels[] = {Level::kReadUncommitted,
                               Level::kReadCommitted,
                               Level::kMonotonicAtomicView,
                               Level::kStrongSessionMonotonicAtomicView,
                               Level::kReadAtomic,
                               Level::kCausal,
                               Level::kPrefix,
                               Level::kRepeatableRead,
                               Level::kSnapshotIsolation,
                               Level::kStrongSessionSnapshotIsolation,
                               Level::kSerializable,
                               Level::kStrictSerializable};
  std::map<std::string, Tried> tried;
  for (const std::uint64_t seed : effort::seeds(28'000, 400)) {
    Rng rng(seed);
    GenOptions options;
    options.seed = seed;
    options.transactions = 20 + rng.below(300);
    options.sessions = 1 + static_cast<std::uint32_t>(rng.below(12));
    options.ops = 1 + static_cast<std::uint32_t>(rng.below(7));
    options.keys = 3 + static_cast<std::uint32_t>(rng.below(60));
    options.type = rng.below(2) == 0 ? DataType::kList : DataType::kRegister;
    options.level = rng.below(2) == 0 ? Level::kSerializable : Level::kSnapshotIsolation;
    options.rmw_share = rng.below(2) == 0 ? 0.3 : 0;
    options.abort_share = rng.below(2) == 0 ? 0.1 : 0;
    options.evidence.timestamps = false;
    options.evidence.intervals = rng.below(3) != 0;
    options.shuffled = rng.below(6) == 0;
    if (rng.below(5) < 3) {
      const auto kind = static_cast<PlantKind>(rng.below(kPlantCount - 2));
      options.plants.push_back({kind, 0, 1 + rng.below(3)});
    }
    if (defect_of(options)) continue;
    const auto generated = generate(options);
    if (!generated) continue;
    const Level level = kLevels[rng.below(std::size(kLevels))];
    SCOPED_TRACE(seed);
    compare(generated->history, level, false, true, rng, tried[std::string(info(level).name)]);
    if (HasFatalFailure()) return;
  }
  if (effort::tries(400) < 400) return;
  for (const Level level : kLevels) {
    const Tried& count = tried[std::string(info(level).name)];
    EXPECT_GT(count.apart, 5) << info(level).name;
    if (level != Level::kCausal && level != Level::kReadUncommitted) {
      EXPECT_GT(count.violated, 0) << info(level).name;
    }
  }
}

// Places are 64 bits: nothing changes where billions of transactions come before.
TEST(Batch, PlacesBeyond32BitsAreJudgedAlike) {
  constexpr std::uint64_t kBehind = (std::uint64_t{1} << 33) + 12'345;
  for (const std::uint64_t seed : effort::seeds(29'000, 24)) {
    Rng rng(seed);
    GenOptions options;
    options.seed = seed;
    options.transactions = 60;
    options.ops = 4;
    options.keys = 20;
    options.type = rng.below(2) == 0 ? DataType::kList : DataType::kRegister;
    options.evidence.timestamps = options.type == DataType::kRegister;
    if (rng.below(2) == 0) options.plants.push_back({PlantKind::kLostUpdate, 0, 1});
    const auto generated = generate(options);
    ASSERT_TRUE(generated);
    BatchOptions batch;
    batch.level = rng.below(2) == 0 ? Level::kSnapshotIsolation : Level::kStrongSnapshotIsolation;
    const unsigned ranks = kRanks[rng.below(3)];
    SCOPED_TRACE(seed);
    EXPECT_EQ(json_of_batch(generated->history, batch, 10, ranks, 4, kBehind).json,
              json_of_batch(generated->history, batch, 10, ranks, 4).json);
  }
}

TEST(Batch, AnEdgeKeepsPlacesOf61Bits) {
  constexpr std::uint64_t kFrom = (std::uint64_t{1} << 61) - 1, kTo = std::uint64_t{1} << 40;
  const PlacedEdge edge(kFrom, kTo, graph::Edge::kSeen);
  EXPECT_EQ(edge.from(), kFrom);
  EXPECT_EQ(edge.to(), kTo);
  EXPECT_EQ(edge.type(), graph::Edge::kSeen);
  EXPECT_TRUE(edge.is_backward());
}

TEST(Batch, WhatDoesNotFitInOnePlaceIsUndecidedAndSaysWhy) {
  const History h = hist("T1 1..2: w x1 | T2 3..: r x1");
  BatchOptions options;
  options.level = Level::kCursorStability;
  options.most_at_first = 1;
  const BatchJson batch = json_of_batch(h, options, 10, 2, 2);
  EXPECT_NE(batch.json.find("\"undecided\""), std::string::npos) << batch.json;
  EXPECT_NE(batch.json.find("cursor-stability is not judged by dependencies"), std::string::npos) << batch.json;
}

TEST(Batch, AnEmptyHistoryIsJudgedLikeAnyOther) {
  HistoryBuilder builder;
  const History h = *builder.finish();
  BatchOptions options;
  options.level = Level::kSerializable;
  EXPECT_NE(json_of_batch(h, options, 10, 2, 2).json.find("\"satisfied\""), std::string::npos);
}

TEST(Batch, APartThatCannotBeReadIsAnErrorOfAllRanks) {
  const History h = hist("T1 1..2: w x1 | T2 3..4: r x1 | T3 5..6: r x1 | T4 7..8: w x2");
  const std::string path = ::testing::TempDir() + "/isolde-batch-test-parts";
  std::filesystem::remove_all(path);
  ASSERT_TRUE(save_segments(h, path, 4));
  const auto list = read_segment_list(path);
  ASSERT_TRUE(list);
  std::filesystem::resize_file(std::filesystem::path(path) / list->parts[3].file, 100);
  std::atomic<int> errors = 0;
  run_local_ranks(2, [&](Ranks& ranks) {
    FolderParts parts(*list, ranks.rank(), ranks.size());
    const auto answer = check_parts(ranks, parts, {}, {});
    if (!answer && answer.error().message().find("part-00003.isl") != std::string::npos) ++errors;
  });
  EXPECT_EQ(errors, 2);
  std::filesystem::remove_all(path);
}

}  // namespace batch_test
}  // namespace isolde::batch
