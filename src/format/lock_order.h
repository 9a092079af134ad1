// format/lock_order.h: in which order transactions wrote a key, as far as row locks and one clock force it.
//
// In, out: when each writer had the row at the latest, and when it sent its commit -> writers in order.
// Why:     the second writer of a row gets its lock after the first has ended. So if a writer had the row before
// another
//          one sent its commit, the other one did not come first. Writers for which neither is so (statements that
//          commit by themselves and overlap) have no place.
// Cost:    a sort.
#pragma once

#include <cstdint>
#include <vector>

namespace isolde {

struct LockedWriter {
  std::int64_t had_it;       // at the latest
  std::int64_t commit_sent;  // its lock was given up later
  std::uint32_t txn;
};

struct LockOrder {
  std::vector<std::uint32_t> txns;
  std::uint64_t unordered = 0;  // writers without a place
};

// Requires: each transaction once.
[[nodiscard]] LockOrder lock_order(std::vector<LockedWriter>& writers);

}  // namespace isolde
