// tests/support/random_evidence.h: what a history says beside its operations: timestamps, clocks, an expected order,
// snapshots and version orders.
//
// In, out: chance, and when the transactions of a simulated store started and committed -> these fields of the Draft.
// Always:  true to the simulation but for ties, gaps and a version order now and then turned round or mixed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/rng.h"
#include "tests/support/draft.h"
#include "tests/support/random_history.h"

namespace isolde {

struct SimulatedRun {
  struct Places {
    int start, commit;  // in the schedule, which has two places a transaction
  };
  std::vector<Places> places;        // by transaction
  std::vector<std::size_t> commits;  // transactions that took effect, in the order of their commits
  std::vector<std::string> keys;
  bool reads_at_commit = false;  // not at the start
  bool overwrites = false;       // each key's versions get an order of their own
};

void add_random_evidence(Rng& rng, const RandomOptions& options, const SimulatedRun& run, Draft& draft);

}  // namespace isolde
