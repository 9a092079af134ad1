// A thread that looks keys up ahead changes nothing: the same violations, in the same order and words, and the same
// counts as one thread gives.
#include "check/mirror/pipelined.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "check/mirror/mirror_testing.h"
#include "history/history_builder.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"

namespace isolde::mirror {
namespace pipelined_test {

std::string text_of(const Told& told, const OnlineCounts& c) {
  return fmt::format(
      "{}taken {} checked {} pending {} operations {} violations {} suspicions {} late {} unchecked {} "
      "unsearched {} dependencies {} overlapping {} deduced {}",
      told.text(), c.taken, c.checked, c.pending, c.operations, c.violations, c.suspicions, c.late, c.unchecked,
      c.unsearched, c.dependencies, c.overlapping, c.deduced);
}

std::string run(const Simulated& stream, const Profile& profile, std::uint32_t ahead, std::uint64_t seed) {
  MirrorOptions options;
  options.profile = profile;
  options.ahead = ahead;
  Told told;
  const auto engine = make_mirror(options, told);
  Rng steps(seed);
  engine->begin(*stream.chunk);
  feed(*engine, stream, steps);
  return text_of(told, engine->counts());
}

TEST(Pipelined, FindsWhatOneThreadFinds) {
  std::uint64_t violated = 0, tried = 0;
  for (const std::uint64_t round : effort::seeds(0, 150)) {
    Rng rng(round + 7'000);
    SimulationOptions o = random_options(rng, round * 13 + 5);
    if (o.appends + o.increments == 0 && round % 5 == 0) o.columns = 2;
    if (round % 4 == 0) o.transactions = 60;
    const Simulated stream = simulate_dbms(o);
    const Profile profile = round % 3 == 0 ? o.profile : random_profile(rng);
    const std::string one = run(stream, profile, 0, round);
    for (const std::uint32_t ahead : {1U, 7U}) {
      ASSERT_EQ(run(stream, profile, ahead, round), one) << "round " << round << ", " << ahead << " ahead\n"
                                                         << text_of(profile) << "\n"
                                                         << native_text(stream.chunk->history);
    }
    ++tried;
    violated += one.find("violations 0 ") == std::string::npos ? 1 : 0;
  }
  EXPECT_TRUE(effort::reaches(0.1, violated, tried)) << violated << " of " << tried;
}

TEST(Pipelined, GoesOnFromAStateOfOneThread) {
  for (const std::uint64_t round : effort::seeds(0, 60)) {
    Rng rng(round + 51'000);
    const Simulated stream = simulate_dbms(random_options(rng, round * 41 + 7));
    MirrorOptions options;
    options.profile = random_profile(rng);
    const std::string one = run(stream, options.profile, 0, round);
    Told told;
    auto engine = make_mirror(options, told);
    engine->begin(*stream.chunk);
    Rng steps(round);
    for (const TxnId t : stream.by_begin) {
      if (steps.chance(0.5)) engine->advance({.now = 0, .watermark = stream.chunk->history.begin(t), .complete = true});
      engine->take({stream.chunk, t, false});
      if (!rng.chance(0.2)) continue;
      StateWriter out;
      engine->save(out);
      StateReader in(out.bytes());
      options.ahead = options.ahead == 0 ? 2 : 0;
      engine = make_mirror(options, told);
      ASSERT_TRUE(engine->load(in));
    }
    engine->finish();
    const auto violations = [](const std::string& text) { return text.substr(0, text.rfind("taken ")); };
    EXPECT_EQ(violations(text_of(told, engine->counts())), violations(one)) << "round " << round;
  }
}

// Keys are given up block by block; nothing false is said for it.
TEST(Pipelined, ACorrectDbmsNeverRaisesAnAlarmAtTheLimitOfMemory) {
  MirrorOptions options;
  options.profile.reads = Reads::kTransaction;
  options.profile.write_locks = options.profile.first_updater_wins = true;
  options.memory_limit = std::size_t{16} << 20;
  options.ahead = 16;
  ASSERT_TRUE(can_be_pipelined(options));
  Told told;
  const auto engine = make_mirror(options, told);
  constexpr std::int64_t kTransactions = 60'000, kKeys = 4;
  std::int64_t next = 0;
  while (next < kTransactions) {
    HistoryBuilder b;
    b.set_first_place(next);
    for (int i = 0; i < 500; ++i, ++next) {
      b.begin_txn(b.session(std::int64_t{1}));
      b.set_begin(next * 10);
      for (std::int64_t k = 0; k < kKeys; ++k) {  // what it inserts, and what was inserted long ago or never
        b.write(b.key(next * kKeys + k), b.values().integer(next));
        const std::int64_t old = next - 1 - k * 13'000;
        if (old >= 0) b.read(b.key(old * kKeys + k), b.values().integer(old));
      }
      b.set_end(next * 10 + 5);
      b.end_txn();
    }
    const auto chunk = std::make_shared<const Chunk>(std::move(*b.finish()));
    for (std::uint32_t t = 0; t < 500; ++t) {
      engine->take({chunk, TxnId{t}, false});
      if (t % 8 == 7) engine->advance({.now = 0, .watermark = chunk->history.begin(TxnId{t}), .complete = true});
    }
    EXPECT_LE(engine->counts().bytes, options.memory_limit + (std::size_t{8} << 20));
  }
  engine->finish();
  const OnlineCounts counts = engine->counts();
  EXPECT_TRUE(told.violations.empty()) << told.text();
  EXPECT_EQ(counts.checked, static_cast<std::uint64_t>(kTransactions));
  EXPECT_GT(counts.unchecked, 0U);
}

}  // namespace pipelined_test
}  // namespace isolde::mirror
