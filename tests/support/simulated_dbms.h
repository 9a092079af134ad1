// tests/support/simulated_dbms.h: a DBMS that keeps every promise of a profile, run by clients whose clock is coarse.
//
// In, out: a profile, a seed, a size -> transactions with intervals that contain the real moments, as one Chunk.
// Always:  valid: what the mirror reports on it is a false alarm.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "check/mirror/profile.h"
#include "history/chunk.h"

namespace isolde {

struct SimulationOptions {
  mirror::Profile profile;
  std::uint64_t seed = 1;
  int sessions = 4;
  int transactions = 12;
  int keys = 3;
  int max_ops = 4;
  int values = 0;       // written values are below this; 0: each is new
  int granularity = 1;  // real moments that share a reading of the clock
  double reads = 0.5;
  double locking = 0.1;
  double aborts = 0.1;
  double unknowns = 0.05;
  double deletes = 0;
  double appends = 0;     // of the writes; on keys that are only appended to
  double increments = 0;  // likewise
  double scans = 0;
  int columns = 0;            // rows of that many, written and read in part, instead of numbers
  bool initial_rows = false;  // with columns: every row is there at first
  double no_interval = 0;     // operations whose interval was not recorded
  double commits = 0;         // transactions whose commit has its interval recorded
};

struct Simulated {
  std::shared_ptr<const Chunk> chunk;
  std::vector<TxnId> by_begin;  // as the pipeline delivers them
};
[[nodiscard]] Simulated simulate_dbms(const SimulationOptions& options);

}  // namespace isolde
