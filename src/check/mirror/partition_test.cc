// The mirror with its keys dealt out: never an alarm on a correct database, and what one instance finds, as far as
// docs/profiles.md promises it.
#include "check/mirror/partition.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/mirror/mirror_testing.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/online_steps.h"

namespace isolde::mirror {
namespace partition_test {

constexpr std::uint32_t kDealt[] = {2, 4};

struct Ran {
  Told told;
  OnlineCounts counts;
};

Ran run(const Simulated& stream, const Profile& profile, std::uint32_t partitions, std::uint64_t seed,
        std::size_t memory = std::size_t{64} << 20) {
  Ran ran;
  MirrorOptions options;
  options.profile = profile;
  options.partitions = partitions;
  options.memory_limit = memory;
  const auto engine = make_mirror(options, ran.told);
  Rng steps(seed);
  engine->begin(*stream.chunk);
  feed(*engine, stream, steps);
  ran.counts = engine->counts();
  return ran;
}

TEST(Partition, EveryKeyHasOneOwner) {
  for (const std::uint32_t count : {1U, 2U, 3U, 16U}) {
    std::vector<int> held(count);
    for (int key = 0; key < 1000; ++key) {
      for (std::uint32_t i = 0; i < count; ++i) {
        if (KeyShare{i, count}.holds(*exact_fingerprint(key))) ++held[i];
      }
    }
    int all = 0;
    for (const int n : held) {
      EXPECT_GT(n, static_cast<int>(1000 / count / 2));
      all += n;
    }
    EXPECT_EQ(all, 1000);
  }
}

TEST(Partition, ACorrectDbmsNeverRaisesAnAlarm) {
  std::vector<const Profile*> real;  // those that are simulated with rows that are written in part
  for (const Profile& p : profiles()) {
    if (p.name.starts_with("postgres:") || p.name.starts_with("mariadb")) real.push_back(&p);
  }
  for (const std::uint64_t round : effort::seeds(0, 1200)) {
    Rng rng(round + 70'000);
    SimulationOptions o = random_options(rng, round * 7919 + 3);
    if (round % 5 == 0) {
      o.profile = *real[rng.below(real.size())];
      o.appends = o.increments = 0;
      o.columns = 1 + static_cast<int>(rng.below(4));
      o.initial_rows = rng.chance(0.5);
    }
    if (round % 17 == 0) o.transactions = 90;
    if (o.profile.certifier == Certifier::kCycles || o.profile.certifier == Certifier::kSsi)
      o.transactions = std::min(o.transactions, 50);
    const Simulated stream = simulate_dbms(o);
    for (const std::uint32_t partitions : kDealt) {
      const Ran ran = run(stream, o.profile, partitions, round, round % 7 == 0 ? 8192 : std::size_t{64} << 20);
      ASSERT_TRUE(ran.told.violations.empty()) << "round " << round << ", " << partitions << " partitions\n"
                                               << text_of(o.profile) << "\n"
                                               << ran.told.text() << native_text(stream.chunk->history);
      ASSERT_EQ(ran.counts.taken, stream.by_begin.size());
      ASSERT_EQ(ran.counts.checked, ran.counts.taken);
      ASSERT_EQ(ran.counts.pending, 0U);
    }
  }
}

// A profile that promises more than the database keeps. What one instance finds is found; more only because
// transactions are kept for longer, and tests/mirror/compare_test.cc asks whether that is true.
TEST(Partition, FindsWhatOneInstanceFinds) {
  std::uint64_t violated = 0, found = 0, same = 0, tried = 0;
  std::string missed;
  for (const std::uint64_t round : effort::seeds(0, 800)) {
    Rng rng(round + 99);
    SimulationOptions o = random_options(rng, round * 17 + 3);
    if (o.appends + o.increments == 0 && round % 3 == 0) o.columns = 2;
    const Simulated stream = simulate_dbms(o);
    const Profile profile = random_profile(rng);
    const Ran one = run(stream, profile, 1, round);
    for (const std::uint32_t partitions : kDealt) {
      const Ran dealt = run(stream, profile, partitions, round);
      for (const OnlineViolation& v : dealt.told.violations) {
        ASSERT_EQ(steps_fault(stream.chunk->history, v), "") << v.text;
      }
      ++tried;
      if (one.told.identities() == dealt.told.identities()) ++same;
      if (one.told.violations.empty()) continue;
      ++violated;
      if (!dealt.told.violations.empty()) {
        ++found;
      } else {
        missed += std::to_string(round) + " ";
      }
    }
  }
  EXPECT_TRUE(effort::reaches(0.99, found, violated)) << found << " of " << violated << ", not in rounds " << missed;
  EXPECT_TRUE(effort::reaches(0.9, same, tried)) << same << " of " << tried;
}

// However threads are scheduled.
TEST(Partition, EqualCallsGiveEqualViolations) {
  std::uint64_t violated = 0, tried = 0;
  for (const std::uint64_t round : effort::seeds(0, 150)) {
    Rng rng(round + 12'000);
    const Simulated stream = simulate_dbms(random_options(rng, round * 37 + 1));
    const Profile profile = random_profile(rng);
    const Ran first = run(stream, profile, 3, round);
    const Ran again = run(stream, profile, 3, round);
    ASSERT_EQ(first.told.text(), again.told.text()) << "round " << round;
    ++tried;
    violated += first.told.violations.empty() ? 0 : 1;
  }
  EXPECT_TRUE(effort::reaches(0.1, violated, tried)) << violated << " of " << tried;
}

TEST(Partition, GoesOnFromAStateOfTheSameNumberOfPartitions) {
  std::uint64_t violated = 0, found = 0;
  for (const std::uint64_t round : effort::seeds(0, 300)) {
    Rng rng(round + 31'000);
    SimulationOptions o = random_options(rng, round * 41 + 7);
    const bool correct = round % 2 == 0;
    const Simulated stream = simulate_dbms(o);
    MirrorOptions options;
    options.profile = correct ? o.profile : random_profile(rng);
    options.partitions = 2;
    const Ran whole = run(stream, options.profile, 2, round);
    Told told;
    auto engine = make_mirror(options, told);
    engine->begin(*stream.chunk);
    for (const TxnId t : stream.by_begin) {
      if (rng.chance(0.5)) engine->advance({.now = 0, .watermark = stream.chunk->history.begin(t), .complete = true});
      if (rng.chance(0.3)) {
        StateWriter out;
        engine->save(out);
        StateReader in(out.bytes());
        engine = make_mirror(options, told);
        ASSERT_TRUE(engine->load(in));
        ASSERT_TRUE(in.at_end());
        MirrorOptions other = options;
        other.partitions = 3;
        StateReader again(out.bytes());
        ASSERT_FALSE(make_mirror(other, told)->load(again));
      }
      engine->take({stream.chunk, t, false});
    }
    engine->finish();
    ASSERT_EQ(engine->counts().checked, stream.by_begin.size());
    if (correct) {
      ASSERT_TRUE(told.violations.empty()) << "round " << round << "\n" << told.text();
      continue;
    }
    // A state ends a step, so a restart may decide what is asked together, but hardly what is found.
    if (whole.told.violations.empty()) continue;
    ++violated;
    found += told.violations.empty() ? 0 : 1;
  }
  EXPECT_TRUE(effort::reaches(0.98, found, violated)) << found << " of " << violated;
}

// ---- the merger, without threads
// -------------------------------------------------------------------------------------

// W (1) wrote x and y and committed within [10, 20]; R (2) took its snapshot within [5, 25], saw the new x and the old
// y.
Summary seen_new() {
  Summary s;
  s.txns.push_back({1, Status::kCommitted, true, true, *exact_fingerprint(1), 0, 20, 10, 20, 1, 2});
  s.txns.push_back({2, Status::kCommitted, true, false, *exact_fingerprint(2), 0, 30, 25, 30, 5, 25});
  s.orders.push_back({{1, kCommitMoment},
                      {2, kSnapshotMoment},
                      0,
                      30,
                      *exact_fingerprint(100),
                      *exact_fingerprint(7),
                      Why::kWr,
                      true});
  return s;
}
Summary seen_old() {
  Summary s = seen_new();
  s.orders = {{{2, kSnapshotMoment},
               {1, kCommitMoment},
               0,
               30,
               *exact_fingerprint(200),
               *exact_fingerprint(8),
               Why::kRw,
               true}};
  return s;
}

std::vector<std::uint64_t> merged(const std::vector<Summary>& parts) {
  MirrorOptions options;
  options.profile.reads = Reads::kTransaction;
  Told told;
  Merger merger(options, told);
  Summary all;
  for (const Summary& part : parts) merge(all, part);
  Learned learned;
  merger.step(all, {}, learned);
  return told.identities();
}

TEST(Merger, TellsWhatOnlyTwoPartitionsTogetherShow) {
  EXPECT_TRUE(merged({seen_new()}).empty());
  EXPECT_TRUE(merged({seen_old()}).empty());
  EXPECT_EQ(merged({seen_new(), seen_old()}).size(), 1U);
}

TEST(Merger, NeitherOrderNorRepetitionOfSummariesMatters) {
  const auto once = merged({seen_new(), seen_old()});
  EXPECT_EQ(merged({seen_old(), seen_new()}), once);
  EXPECT_EQ(merged({seen_new(), seen_old(), seen_new(), seen_old()}), once);
}

TEST(Merger, HandsBackWindowsThatBecameTighter) {
  Told told;
  MirrorOptions options;
  options.profile.reads = Reads::kTransaction;
  Merger merger(options, told);
  Learned learned;
  merger.step(seen_new(), {}, learned);
  ASSERT_EQ(learned.bounds.size(), 1U);
  EXPECT_EQ(learned.bounds[0].moment, (MomentName{2, kSnapshotMoment}));
  EXPECT_EQ(learned.bounds[0].lo, 10);
  EXPECT_EQ(learned.bounds[0].hi, 25);
}

TEST(Merger, AnUnknownTransactionThatSomebodySawIsTold) {
  Told told;
  Merger merger(MirrorOptions{}, told);
  Learned learned;
  Summary s;
  s.txns.push_back({5, Status::kUnknown, false, false, *exact_fingerprint(5), 0, kNever, 10, kNever, 1, 0});
  merger.step(s, {}, learned);
  EXPECT_TRUE(learned.empty());
  s.txns.front().counts = true;
  s.txns.front().commit_hi = 40;
  merger.step(s, {}, learned);
  ASSERT_EQ(learned.committed.size(), 1U);
  EXPECT_EQ(learned.committed[0].txn, 5U);
  EXPECT_EQ(learned.committed[0].hi, 40);
}

}  // namespace partition_test
}  // namespace isolde::mirror
