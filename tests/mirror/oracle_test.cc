// The oracle and the simulator against each other, and against cases that can be judged by hand.
#include "tests/mirror/oracle.h"

#include <gtest/gtest.h>

#include "tests/mirror/simulator.h"
#include "tests/mirror/variety.h"
#include "tests/support/effort.h"

namespace isolde {
namespace oracle_test {

constexpr auto kPossible = MirrorTruth::kPossible;
constexpr auto kImpossible = MirrorTruth::kImpossible;

TraceOp at(TraceOp op, std::int64_t before, std::int64_t after) {
  op.before = before;
  op.after = after;
  return op;
}
TraceOp r(int key, int value, Lock lock = Lock::kNone) {
  return {.kind = OpKind::kRead, .key = key, .value = DraftValue::of(value), .lock = lock};
}
TraceOp gone(int key) { return {.kind = OpKind::kRead, .key = key}; }
TraceOp w(int key, int value) { return {.kind = OpKind::kWrite, .key = key, .value = DraftValue::of(value)}; }
TraceOp del(int key) { return {.kind = OpKind::kWrite, .key = key}; }

MirrorTruth truth(const Trace& trace, std::string_view profile) {
  return mirror_truth(trace, *mirror::profile_named(profile));
}
const std::vector<DraftValue> kTwoZeros = {DraftValue::of(0), DraftValue::of(0)};

TEST(MirrorOracle, AReadOfWhatWasOverwrittenBeforeTheSnapshotIsImpossible) {
  const auto trace = [](std::int64_t begin) {
    return Trace{
        {{Status::kCommitted, 1, 10, {at(w(0, 1), 2, 3)}}, {Status::kCommitted, begin, 20, {at(r(0, 0), begin, 19)}}},
        kTwoZeros};
  };
  EXPECT_EQ(truth(trace(11), "postgres:repeatable-read"), kImpossible);
  EXPECT_EQ(truth(trace(10), "postgres:repeatable-read"), kPossible) << "equal readings order nothing";
  EXPECT_EQ(truth(trace(11), "postgres:read-committed"), kImpossible);
  EXPECT_EQ(truth(trace(11), "serializable"), kPossible);
  EXPECT_EQ(truth(trace(11), "strict-serializable"), kImpossible);
}

TEST(MirrorOracle, AVersionIsInstalledByTheCommitNotByTheWrite) {
  const Trace trace{{{Status::kCommitted, 1, 30, {at(w(0, 1), 2, 3)}},
                     {Status::kCommitted, 5, 20, {at(r(0, 0), 6, 7), at(r(1, 0), 8, 9)}}},
                    kTwoZeros};
  EXPECT_EQ(truth(trace, "postgres:read-committed"), kPossible);
  EXPECT_EQ(truth(trace, "mariadb:serializable"), kImpossible) << "it would have waited for the writer's lock";
}

TEST(MirrorOracle, TwoReadsOfOneSnapshot) {
  // The first read is before the commit of 1 for sure, the second after it.
  const Trace trace{{{Status::kCommitted, 10, 20, {at(w(0, 1), 11, 12), at(w(1, 1), 13, 14)}},
                     {Status::kCommitted, 1, 40, {at(r(0, 0), 2, 3), at(r(1, 1), 30, 31)}}},
                    kTwoZeros};
  EXPECT_EQ(truth(trace, "postgres:repeatable-read"), kImpossible);
  EXPECT_EQ(truth(trace, "postgres:read-committed"), kPossible);
}

TEST(MirrorOracle, FirstUpdaterWins) {
  const Trace trace{{{Status::kCommitted, 1, 20, {at(r(0, 0), 2, 3), at(w(0, 1), 4, 5)}},
                     {Status::kCommitted, 1, 40, {at(r(0, 0), 2, 3), at(w(0, 2), 30, 31)}}},
                    kTwoZeros};
  EXPECT_EQ(truth(trace, "postgres:repeatable-read"), kImpossible);
  EXPECT_EQ(truth(trace, "postgres:read-committed"), kPossible);
  EXPECT_EQ(truth(trace, "mariadb:repeatable-read"), kPossible);
}

TEST(MirrorOracle, AnInsertOverAConcurrentDeleteIsNoLostUpdate) {
  Trace trace{{{Status::kCommitted, 1, 10, {at(w(0, 1), 4, 5)}},
               {Status::kCommitted, 11, 20, {at(del(0), 12, 13)}},
               {Status::kCommitted, 1, 40, {at(r(0, 0), 2, 3), at(w(0, 2), 30, 31)}}},
              kTwoZeros};
  EXPECT_EQ(truth(trace, "postgres:repeatable-read"), kPossible);
  trace.txns.erase(trace.txns.begin() + 1);
  EXPECT_EQ(truth(trace, "postgres:repeatable-read"), kImpossible);
}

TEST(MirrorOracle, TwoHoldersOfOneLock) {
  const Trace trace{{{Status::kCommitted, 1, 20, {at(w(0, 1), 2, 3), at(r(1, 0), 10, 11)}},
                     {Status::kAborted, 4, 30, {at(w(0, 2), 5, 6)}}},
                    kTwoZeros};
  EXPECT_EQ(truth(trace, "postgres:read-committed"), kImpossible);
  EXPECT_EQ(truth(trace, "snapshot-isolation"), kPossible) << "no locks there";
}

TEST(MirrorOracle, WriteSkew) {
  const Trace trace{{{Status::kCommitted, 1, 20, {at(r(0, 0), 2, 3), at(w(1, 1), 4, 5)}},
                     {Status::kCommitted, 1, 40, {at(r(1, 0), 2, 3), at(w(0, 1), 30, 31)}}},
                    kTwoZeros};
  EXPECT_EQ(truth(trace, "postgres:repeatable-read"), kPossible);
  EXPECT_EQ(truth(trace, "postgres:serializable"), kImpossible);
  EXPECT_EQ(truth(trace, "sqlite-wal:serializable"), kImpossible);
  EXPECT_EQ(truth(trace, "serializable"), kImpossible);
}

TEST(MirrorOracle, AnUpdateToTheSameValueLeavesTheSnapshotVisible) {
  const Trace trace{{{Status::kCommitted, 10, 12, {at(w(0, 1), 10, 11)}},
                     {Status::kCommitted, 1, 40, {at(r(0, 0), 2, 3), at(w(0, 1), 20, 21), at(r(0, 0), 30, 31)}}},
                    kTwoZeros};
  EXPECT_EQ(truth(trace, "mariadb:repeatable-read"), kPossible);
  EXPECT_EQ(truth(trace, "mariadb-si:repeatable-read"), kImpossible);
}

TEST(MirrorOracle, AnUnknownTransactionMayHaveCommittedLongAfter) {
  const Trace trace{{{Status::kUnknown, 1, 5, {at(w(0, 1), 2, 3)}},
                     {Status::kCommitted, 10, 20, {at(r(0, 0), 11, 12)}},
                     {Status::kCommitted, 30, 40, {at(r(0, 1), 31, 32)}}},
                    kTwoZeros};
  EXPECT_EQ(truth(trace, "postgres:repeatable-read"), kPossible);
  EXPECT_EQ(truth(trace, "strict-serializable"), kPossible);
}

TEST(MirrorOracle, ADeleteOfNothingTakesNoLock) {
  const Trace trace{{{Status::kCommitted, 1, 40, {at(del(0), 2, 3), at(gone(0), 30, 31)}},
                     {Status::kCommitted, 5, 50, {at(del(0), 6, 7)}}},
                    {DraftValue{}}};
  EXPECT_EQ(truth(trace, "postgres:read-committed"), kPossible);
}

// Every kind of profile. (What else is impossible, or not, with a fault: compare_test.cc.)
TEST(MirrorOracle, WhatACorrectDbmsDoesIsPossible) {
  for (const mirror::Profile& profile : varied_profiles()) {
    const std::uint64_t first = effort::seed(0);
    const std::uint64_t end = first + effort::tries(40);
    for (std::uint64_t seed = first; seed < end; ++seed) {
      Rng rng(seed * 1000);
      const SimulatorOptions options = varied_options(profile, SimulatedFault::kNone, rng);
      const SimulatedTrace s = simulate(options, rng);
      ASSERT_NE(mirror_truth(s.trace, profile), kImpossible) << profile.name << ", seed " << seed << "\n"
                                                             << s.trace.text();
    }
  }
}

}  // namespace oracle_test
}  // namespace isolde
