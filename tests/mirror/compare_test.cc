// The mirror against the truth: random small traces, with and without faults, of every kind of profile.
// The report has what was found of each fault (the properties named like faults).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/mirror/oracle.h"
#include "tests/mirror/run_mirror.h"
#include "tests/mirror/simulator.h"
#include "tests/mirror/variety.h"
#include "tests/support/effort.h"

namespace isolde {
namespace compare_test {

constexpr std::uint64_t kTraces = 25;  // of each profile and fault

struct Counts {
  std::uint64_t traces = 0, possible = 0, impossible = 0, found = 0, missed = 0, false_alarms = 0, too_large = 0;

  [[nodiscard]] std::string text() const {
    return fmt::format("{} traces, {} impossible, {} found, {} missed, {} false alarms", traces, impossible, found,
                       missed, false_alarms);
  }
};

std::string shown(const Trace& trace, const mirror::Profile& profile) {
  return fmt::format("{}the mirror says:\n{}", trace.text(), run_mirror(trace, profile, true).text());
}

class Compared : public ::testing::TestWithParam<mirror::Profile> {
 protected:
  void compare(SimulatedFault fault, bool plain, Counts& counts) {
    const mirror::Profile& profile = GetParam();
    told_[0] = told_[1] = 0;
    const std::uint64_t first = effort::seed(0);
    const std::uint64_t end = first + effort::tries(kTraces);
    for (std::uint64_t seed = first; seed < end; ++seed) {
      Rng rng(seed * 131 + static_cast<std::uint64_t>(fault));
      SimulatorOptions options = varied_options(profile, fault, rng);
      if (plain) {
        options.lists = options.counters = options.scans = false;
        options.unknown = options.deletes = options.locking = false;
      }
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
    compare_dealt(trace, each, impossible, violated);
    if (impossible == violated) return;
    ++(violated ? counts.false_alarms : counts.missed);
    if (told_[violated ? 1 : 0]++ >= kTold) return;
    const Trace least = smallest(trace, [&](const Trace& less) {
      return run_mirror(less, profile, each).violated() == violated &&
             mirror_truth(less, profile) == (impossible ? MirrorTruth::kImpossible : MirrorTruth::kPossible);
    });
    ADD_FAILURE() << what << ": " << (violated ? "FALSE ALARM" : "missed") << "\n" << shown(least, profile);
  }

  // The same trace with keys dealt out: never a false alarm.
  void compare_dealt(const Trace& trace, bool each, bool impossible, bool found) {
    for (const std::uint32_t partitions : {2U, 4U}) {
      const MirrorRun run = run_mirror(trace, GetParam(), each, partitions);
      if (impossible && found) ++could_find_;
      if (impossible && found && run.violated()) ++found_dealt_;
      if (impossible || !run.violated()) continue;
      ADD_FAILURE() << GetParam().name << ", " << partitions << " partitions: FALSE ALARM\n"
                    << trace.text() << "the mirror says:\n"
                    << run.text();
    }
  }

 protected:
  std::uint64_t could_find_ = 0, found_dealt_ = 0;  // of what one instance finds, with keys dealt out

 private:
  static constexpr int kTold = 2;
  int told_[2] = {0, 0};
};

// Two to five transactions: what no execution explains is told, and nothing else.
TEST_P(Compared, ViolatedIfAndOnlyIfNoExecutionExists) {
  std::uint64_t traces = 0, impossible = 0;
  for (int f = 0; f < kSimulatedFaults; ++f) {
    Counts counts;
    compare(static_cast<SimulatedFault>(f), false, counts);
    EXPECT_EQ(counts.false_alarms, 0U) << GetParam().name << ", " << name(static_cast<SimulatedFault>(f));
    EXPECT_EQ(counts.missed, 0U) << GetParam().name << ", " << name(static_cast<SimulatedFault>(f));
    EXPECT_TRUE(effort::reaches(0.99, counts.traces - counts.too_large, counts.traces)) << "the oracle gave up";
    RecordProperty(std::string(name(static_cast<SimulatedFault>(f))), counts.text());
    traces += counts.traces;
    impossible += counts.impossible;
  }
  EXPECT_TRUE(effort::reaches(0.95, found_dealt_, could_find_)) << found_dealt_ << " of " << could_find_;
  if (traces >= 100) {
    EXPECT_GT(impossible, 0U);
  }
}

// Reads and writes of registers, every answer known.
TEST_P(Compared, OnPlainRegistersToo) {
  Counts counts;
  for (int f = 0; f < kSimulatedFaults; ++f) compare(static_cast<SimulatedFault>(f), true, counts);
  EXPECT_EQ(counts.false_alarms, 0U) << GetParam().name;
  EXPECT_EQ(counts.missed, 0U) << GetParam().name;
  RecordProperty("all faults", counts.text());
  EXPECT_TRUE(effort::reaches(0.95, found_dealt_, could_find_)) << found_dealt_ << " of " << could_find_;
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
