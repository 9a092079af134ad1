// tests/mirror/simulator.h: a small DBMS that works as a profile says, its clients with their clocks, and one planted
// fault.
//
// In, out: a profile, a fault and chance -> a Trace as the clients would have recorded it.
// Always:  without a fault, everything happens as the profile says at some real moment within its interval. A planted
//          fault was carried out, but intervals, aborts or equal values may hide it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/rng.h"
#include "check/mirror/profile.h"
#include "tests/mirror/trace.h"

namespace isolde {

enum class SimulatedFault : std::uint8_t {
  kNone,
  kStaleRead,        // the version before the one that should be seen
  kUncommittedRead,  // what another transaction has written and not committed
  kAbortedRead,      // what an aborted transaction had written
  kFracturedRead,    // the latest version instead of the snapshot's
  kNoLock,           // a lock is given although another transaction holds it
  kNoFirstUpdater,   // an update of what the snapshot does not have goes through
  kNoCertifier,      // what the certifier should refuse commits
  kLostWrite,        // a committed write leaves no version
  kOwnWriteUnseen,   // a transaction does not see what it wrote
  kChanged,          // not of the DBMS: a read value or an interval is changed at will
  // Of predicates:
  kMissedRow,       // a row that matches is not in the result, or not counted
  kExtraRow,        // one that does not match is in the result, or counted
  kWrongAggregate,  // a count or sum is one too many
};
inline constexpr int kSimulatedFaults = 11;  // without predicates
inline constexpr int kPredicateFaults = 14;  // with them
[[nodiscard]] std::string_view name(SimulatedFault fault);

struct SimulatorOptions {
  mirror::Profile profile;
  SimulatedFault fault = SimulatedFault::kNone;
  int txns = 4;
  int ops = 3;  // at most, a transaction
  int keys = 2;
  int clients = 3;   // transactions at a time
  int values = 100;  // as many values are written; few: they repeat
  bool lists = false, counters = false, scans = false, locking = false, deletes = false, unknown = false;
  bool predicates = false;  // scans, updates and, with `aggregates`, counts and sums by a condition on values
  bool aggregates = false, as_rows = false;
  bool commits = false;  // some transactions have the interval of their commit
  int width = 2;         // of intervals: 0 none, 1 short, 2 as far as clients allow
};

struct SimulatedTrace {
  Trace trace;
  bool faulty = false;  // the fault was carried out
};

[[nodiscard]] SimulatedTrace simulate(const SimulatorOptions& options, Rng& rng);

}  // namespace isolde
