// check/cycles/cursor.h: transactions that read a key, write it, and missed a version in between (G-cursor).
//
// In, out: a Trace and its VersionOrders -> reads whose own transaction's version is not the very next one.
// Always:  two that updated one version are not repeated here: version_order.h lists them as lost updates.
// Cost:    linear in reads and versions.
// Source:  Adya (PL-CS, G-cursor), with every read taken as one through a cursor.
#pragma once

#include <vector>

#include "check/cycles/version_order.h"

namespace isolde::graph {

struct MissedVersion {
  TracedRead read;
  Version between;   // the next one, known to come before the reader's own; kNoVersion: see `other`
  TracedRead other;  // the same transaction read another version too, and its own cannot follow both
};

struct CursorFaults {
  std::vector<MissedVersion> missed;
  bool unexplained = false;  // one that does not fit, and is neither of the above
};

[[nodiscard]] CursorFaults cursor_faults(const History& history, const Trace& trace, const VersionOrders& orders);

}  // namespace isolde::graph
