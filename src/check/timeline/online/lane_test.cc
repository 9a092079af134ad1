// Several threads put arrivals into the index, and nobody can tell: the same violations in the same order, with the
// same words, and the same counts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/timeline/online/online_testing.h"
#include "tests/support/effort.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace lane_test {

using online_testing::Told;

std::string text_of(const Told& told, const OnlineCounts& counts) {
  std::string all;
  for (const OnlineViolation& v : told.violations) all += fmt::format("{:x} {} {}\n", v.identity, v.rule, v.text);
  for (const OnlineViolation& v : told.suspicions) all += fmt::format("suspected {:x} {}\n", v.identity, v.text);
  return all +
         fmt::format("taken {} checked {} violations {} suspicions {} late {} unchecked {} flips {} of {} held {}",
                     counts.taken, counts.checked, counts.violations, counts.suspicions, counts.late, counts.unchecked,
                     counts.flips, counts.flipped_txns, counts.bytes);
}

struct Streamed {
  std::shared_ptr<const Chunk> chunk;
  std::vector<online_testing::Timed> arrivals;
};

std::string run(const Streamed& stream, timeline::OnlineOptions options, std::uint32_t threads) {
  options.threads = threads;
  Told told;
  const auto engine = timeline::make_online(options, told);
  engine->begin(*stream.chunk);
  for (const online_testing::Timed& t : stream.arrivals) {
    engine->advance({t.at, kNoTime, true});
    engine->take({stream.chunk, t.txn});
  }
  engine->finish();
  return text_of(told, engine->counts());
}

// Arrivals that are late, some after their deadline, so that reads are judged, released and broken again.
void compare(std::uint64_t first_seed, std::uint64_t usual, const RandomOptions& random) {
  std::uint64_t told = 0, late = 0;
  const std::uint64_t histories = effort::tries(usual);
  for (std::uint64_t i = 0; i < histories; ++i) {
    Rng rng(effort::seed(first_seed) + i);
    const auto chunk = std::make_shared<const Chunk>(random_history(rng, random));
    const bool serial = rng.chance(0.3);
    timeline::OnlineOptions options =
        online_testing::with_deadline(rng.between(5, 60), serial ? Level::kSerializable : Level::kSnapshotIsolation,
                                      online_testing::batch_of(rng) + 3);
    options.worth_sharing = 1;
    const Streamed stream{chunk, online_testing::delayed(chunk->history, rng, rng.between(0, 120), serial)};
    const std::string alone = run(stream, options, 1);
    for (const std::uint32_t threads : {2U, 5U}) {
      ASSERT_EQ(run(stream, options, threads), alone) << "seed " << first_seed + i << "\n"
                                                      << native_text(chunk->history);
    }
    told += alone.find("violations 0 ") == std::string::npos ? 1 : 0;
    late += alone.find(" late 0 ") == std::string::npos ? 1 : 0;
  }
  EXPECT_TRUE(effort::reaches(0.05, told, histories)) << told;
  EXPECT_TRUE(effort::reaches(0.01, late, histories)) << late;
}

TEST(Lanes, FindWhatOneThreadFindsOnTinyHistories) { compare(1, 200, {}); }

TEST(Lanes, FindWhatOneThreadFindsOnLargerHistories) {
  RandomOptions options;
  options.max_txns = 40;
  options.max_keys = 9;
  options.max_ops = 8;
  compare(5'000'000, 200, options);
}

TEST(Lanes, FindWhatOneThreadFindsOnRegistersWithAllTimestamps) {
  RandomOptions options;
  options.registers_only = true;
  options.max_txns = 60;
  options.max_keys = 12;
  options.timestamps = RandomOptions::Timestamps::kCompleteAndDistinct;
  compare(6'000'000, 200, options);
}

}  // namespace lane_test
}  // namespace isolde
