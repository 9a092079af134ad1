#include "check/mirror/mirror.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "check/mirror/mirror_testing.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/native_history.h"
#include "tests/support/online_steps.h"

namespace isolde::mirror {
namespace mirror_test {

TEST(Mirror, ACorrectDbmsNeverRaisesAnAlarm) {
  for (const std::uint64_t round : effort::seeds(0, 4000)) {
    Rng rng(round);
    const SimulationOptions o = random_options(rng, round * 7919 + 1);
    const Simulated stream = simulate_dbms(o);
    Told told;
    MirrorOptions options;
    options.profile = o.profile;
    const auto engine = make_mirror(options, told);
    feed(*engine, stream, rng);
    ASSERT_TRUE(told.violations.empty()) << "round " << round << "\n"
                                         << text_of(o.profile) << "\n"
                                         << told.text() << native_text(stream.chunk->history);
  }
}

// Rows of which columns are written, read and, with their rows, deleted.
TEST(Mirror, ACorrectDbmsNeverRaisesAnAlarmWhereRowsAreWrittenInPart) {
  std::vector<const Profile*> real;
  for (const Profile& p : profiles()) {
    if (p.name.starts_with("postgres:") || p.name.starts_with("mariadb")) real.push_back(&p);
  }
  std::uint64_t dependencies = 0;
  for (const std::uint64_t round : effort::seeds(0, 2000)) {
    Rng rng(round + 5);
    SimulationOptions o = random_options(rng, round * 104729 + 11);
    o.profile = *real[round % real.size()];
    o.appends = o.increments = 0;
    o.columns = 1 + static_cast<int>(rng.below(4));
    o.initial_rows = rng.chance(0.5);
    Told told;
    MirrorOptions options;
    options.profile = o.profile;
    if (rng.chance(0.1)) {
      o.transactions = 60;
      o.keys = 8 + static_cast<int>(rng.below(20));
      options.memory_limit = 1024 * (1 + rng.below(20));
    }
    const Simulated stream = simulate_dbms(o);
    const auto engine = make_mirror(options, told);
    engine->begin(*stream.chunk);
    feed(*engine, stream, rng);
    dependencies += engine->counts().dependencies;
    ASSERT_TRUE(told.violations.empty()) << "round " << round << "\n"
                                         << o.profile.name << "\n"
                                         << told.text() << native_text(stream.chunk->history);
  }
  EXPECT_GT(dependencies, 0U);
}

// Larger streams, so that keys and transactions really are given up.
TEST(Mirror, GivingUpKeysAndTransactionsForMemoryNeverRaisesAnAlarm) {
  std::uint64_t unchecked = 0;
  for (const std::uint64_t round : effort::seeds(0, 100)) {
    Rng rng(round);
    SimulationOptions o = random_options(rng, round * 31 + 5);
    o.transactions = 200;
    o.keys = 8 + static_cast<int>(rng.below(60));
    o.sessions = 6;
    if (o.profile.certifier == Certifier::kCycles || o.profile.certifier == Certifier::kSsi) o.transactions = 40;
    const Simulated stream = simulate_dbms(o);
    Told told;
    MirrorOptions options;
    options.profile = o.profile;
    options.memory_limit = 1024 * (1 + rng.below(40));
    const auto engine = make_mirror(options, told);
    feed(*engine, stream, rng, rng.chance(0.5) ? 0.5 : 0.02);
    unchecked += engine->counts().unchecked;
    ASSERT_TRUE(told.violations.empty()) << "round " << round << "\n"
                                         << text_of(o.profile) << "\n"
                                         << told.text() << native_text(stream.chunk->history);
  }
  EXPECT_GT(unchecked, 0U);
}

// Longer than what the exact search looks back at, on few keys, so that its groups begin at a cut.
TEST(Mirror, ACorrectDbmsNeverRaisesAnAlarmInLongStreamsOfFewKeys) {
  for (const std::uint64_t round : effort::seeds(0, 60)) {
    Rng rng(round + 31);
    SimulationOptions o = random_options(rng, round * 577 + 13);
    o.transactions = 150;
    if (o.profile.certifier == Certifier::kCycles || o.profile.certifier == Certifier::kSsi) o.transactions = 70;
    const Simulated stream = simulate_dbms(o);
    Told told;
    MirrorOptions options;
    options.profile = o.profile;
    const auto engine = make_mirror(options, told);
    feed(*engine, stream, rng, rng.chance(0.5) ? 0.5 : 0.05);
    ASSERT_TRUE(told.violations.empty()) << "round " << round << "\n"
                                         << text_of(o.profile) << "\n"
                                         << told.text() << native_text(stream.chunk->history);
  }
}

// A profile that promises more than the database keeps: violations, the same ones with and without restarts.
TEST(Mirror, SavingAndLoadingAtAnyMomentChangesNoViolation) {
  std::uint64_t tried = 0, violated = 0;
  for (const std::uint64_t round : effort::seeds(0, 800)) {
    Rng rng(round + 99);
    SimulationOptions o = random_options(rng, round * 17 + 3);
    if (o.appends + o.increments == 0 && round % 3 == 0) o.columns = 2;
    const Simulated stream = simulate_dbms(o);
    MirrorOptions options;
    options.profile = random_profile(rng);
    Told whole;
    const auto one = make_mirror(options, whole);
    Rng steps(round);
    feed(*one, stream, steps);
    Told pieces;
    auto engine = make_mirror(options, pieces);
    Rng again(round);
    const History& h = stream.chunk->history;
    for (const TxnId t : stream.by_begin) {
      if (again.chance(0.5)) engine->advance({.now = 0, .watermark = h.begin(t), .complete = true});
      if (rng.chance(0.3)) {
        StateWriter out;
        engine->save(out);
        StateReader in(out.bytes());
        engine = make_mirror(options, pieces);
        ASSERT_TRUE(engine->load(in));
        ASSERT_TRUE(in.at_end());
      }
      engine->take({stream.chunk, t, false});
    }
    engine->finish();
    ASSERT_EQ(whole.identities(), pieces.identities()) << "round " << round << "\n"
                                                       << whole.text() << "\n"
                                                       << pieces.text();
    for (const OnlineViolation& v : whole.violations) ASSERT_EQ(steps_fault(h, v), "") << v.text;
    ++tried;
    violated += whole.violations.empty() ? 0 : 1;
  }
  EXPECT_TRUE(effort::reaches(0.1, violated, tried)) << violated << " of " << tried;
}

TEST(Mirror, AStateOfOtherSettingsOrADamagedOneIsRefused) {
  Told told;
  MirrorOptions options;
  options.profile.name = "a";
  const auto engine = make_mirror(options, told);
  StateWriter out;
  engine->save(out);
  options.profile.write_locks = true;
  const auto other = make_mirror(options, told);
  StateReader in(out.bytes());
  EXPECT_FALSE(other->load(in));
  options.profile.write_locks = false;
  for (std::size_t size = 0; size < out.bytes().size(); size += 7) {
    StateReader part(out.bytes().substr(0, size));
    EXPECT_FALSE(make_mirror(options, told)->load(part)) << size;
  }
}

}  // namespace mirror_test
}  // namespace isolde::mirror
