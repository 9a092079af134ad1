// The mirror against the truth: random small traces, with and without faults, of every kind of profile.
//
// ISOLDE_SEEDS=N: so many seeds for each profile and fault; ISOLDE_PROFILE: only this one; ISOLDE_TABLE=1: a table;
// ISOLDE_REGISTERS=1: neither lists nor counters nor scans.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/mirror/oracle.h"
#include "tests/mirror/run_mirror.h"
#include "tests/mirror/simulator.h"
#include "tests/mirror/variety.h"

namespace isolde {
namespace compare_test {

#ifdef ISOLDE_MANY_SEEDS
constexpr int kSeeds = 1000;
#else
constexpr int kSeeds = 25;
#endif

int seeds() {
  const char* const text = std::getenv("ISOLDE_SEEDS");
  return text == nullptr ? kSeeds : std::atoi(text);
}

struct Counts {
  int traces = 0, possible = 0, impossible = 0, found = 0, missed = 0, false_alarms = 0, too_large = 0;
};

std::string shown(const Trace& trace, const mirror::Profile& profile) {
  return fmt::format("{}the mirror says:\n{}", trace.text(), run_mirror(trace, profile, true).text());
}

class Compared : public ::testing::TestWithParam<mirror::Profile> {
 protected:
  void compare(SimulatedFault fault, int count, bool plain, Counts& counts) {
    const mirror::Profile& profile = GetParam();
    told_[0] = told_[1] = 0;
    for (int seed = 0; seed < count; ++seed) {
      Rng rng(static_cast<std::uint64_t>(seed) * 131 + static_cast<std::uint64_t>(fault));
      SimulatorOptions options = varied_options(profile, fault, rng);
      if (plain || std::getenv("ISOLDE_REGISTERS") != nullptr) options.lists = options.counters = options.scans = false;
      if (plain) options.unknown = options.deletes = options.locking = false;
      SimulatedTrace s = simulate(options, rng);
      for (int tries = 0; tries < 8 && fault != SimulatedFault::kNone && !s.faulty; ++tries) s = simulate(options, rng);
      if (fault != SimulatedFault::kNone && !s.faulty) continue;
      compare(s.trace, seed % 2 == 0, fmt::format("{}, {}, seed {}", profile.name, name(fault), seed), counts);
    }
  }

 private:
  void compare(const Trace& trace, bool each, const std::string& what, Counts& counts) {
    const mirror::Profile& profile = GetParam();
    ++counts.traces;
    const MirrorTruth truth = mirror_truth(trace, profile);
    if (truth == MirrorTruth::kTooLarge) {
      ++counts.too_large;
      return;
    }
    const bool impossible = truth == MirrorTruth::kImpossible;
    ++(impossible ? counts.impossible : counts.possible);
    const bool violated = run_mirror(trace, profile, each).violated();
    if (impossible && violated) ++counts.found;
    if (impossible == violated) return;
    ++(violated ? counts.false_alarms : counts.missed);
    if (told_[violated ? 1 : 0]++ >= kTold) return;
    const Trace least = smallest(trace, [&](const Trace& less) {
      return run_mirror(less, profile, each).violated() == violated &&
             mirror_truth(less, profile) == (impossible ? MirrorTruth::kImpossible : MirrorTruth::kPossible);
    });
    ADD_FAILURE() << what << ": " << (violated ? "FALSE ALARM" : "missed") << "\n" << shown(least, profile);
  }

  static constexpr int kTold = 2;
  int told_[2] = {0, 0};
};

// Two to five transactions: what no execution explains is told, and nothing else.
TEST_P(Compared, ViolatedIfAndOnlyIfNoExecutionExists) {
  if (const char* only = std::getenv("ISOLDE_PROFILE"); only != nullptr && GetParam().name != only) GTEST_SKIP();
  int impossible = 0;
  for (int f = 0; f < kSimulatedFaults; ++f) {
    Counts counts;
    compare(static_cast<SimulatedFault>(f), seeds(), false, counts);
    EXPECT_EQ(counts.false_alarms, 0) << GetParam().name << ", " << name(static_cast<SimulatedFault>(f));
    EXPECT_EQ(counts.missed, 0) << GetParam().name << ", " << name(static_cast<SimulatedFault>(f));
    EXPECT_LE(counts.too_large * 100, counts.traces) << "the oracle gave up";
    impossible += counts.impossible;
    if (std::getenv("ISOLDE_TABLE") != nullptr)
      fmt::print("{:<28} {:<18} traces {:>5} impossible {:>5} found {:>5} missed {:>4} false alarms {:>3}\n",
                 GetParam().name, name(static_cast<SimulatedFault>(f)), counts.traces, counts.impossible, counts.found,
                 counts.missed, counts.false_alarms);
  }
  EXPECT_GT(impossible, 0);
}

// Reads and writes of registers, every answer known.
TEST_P(Compared, OnPlainRegistersToo) {
  if (const char* only = std::getenv("ISOLDE_PROFILE"); only != nullptr && GetParam().name != only) GTEST_SKIP();
  Counts counts;
  for (int f = 0; f < kSimulatedFaults; ++f) compare(static_cast<SimulatedFault>(f), seeds(), true, counts);
  EXPECT_EQ(counts.false_alarms, 0) << GetParam().name;
  EXPECT_EQ(counts.missed, 0) << GetParam().name;
  if (std::getenv("ISOLDE_TABLE") != nullptr)
    fmt::print("{:<28} plain registers    traces {:>5} impossible {:>5} found {:>5} missed {:>4} false alarms {:>3}\n",
               GetParam().name, counts.traces, counts.impossible, counts.found, counts.missed, counts.false_alarms);
}

INSTANTIATE_TEST_SUITE_P(Profiles, Compared, ::testing::ValuesIn(varied_profiles()), [](const auto& each) {
  std::string label = each.param.name;
  for (char& c : label) {
    if (c == ':' || c == '-') c = '_';
  }
  return label;
});

}  // namespace compare_test
}  // namespace isolde
