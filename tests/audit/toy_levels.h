// tests/audit/toy_levels.h: a tiny multi-version database with locks, and all that it can do with a few transactions.
//
// In, out: two or three transactions on rows of two columns -> every set of dependencies that some interleaving
//          in which all of them commit shows.
// Always:  it knows nothing of moments: it keeps versions, snapshots and locks, and tries every order of steps (of
//          those that lead to the same state only one goes on).
//            read committed    a snapshot a statement; locked reads and writes act on what is committed now
//            MySQL's rr        the first plain SELECT takes the snapshot; own changes are seen; reads of writing
//                              statements lock
//            snapshot          a snapshot at the first statement; whoever locks a row changed since then is aborted
//          Locks are of rows and last until the commit; who has to wait waits; a deadlock ends without a result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/schema/ids.h"
#include "base/rng.h"

namespace isolde::audit::testing {

struct ToyOperation {
  std::uint32_t table, column;
  bool write = false, increment = false;
  Lock lock = Lock::kNone;  // of a read
  bool of_write = false;    // a plain read made by a writing statement
  std::uint32_t row = 0;    // which row of all: those of one number are the same
  // A write that finds its row only if nobody has changed the column since this read of the member (its number); if
  // somebody has, the case ends without a result.
  std::uint32_t rechecks = kNone32;
  bool rechecked = false;  // the read that such a write asks for
};

struct ToyStatement {
  std::vector<ToyOperation> operations;
};

struct ToyCase {
  std::vector<std::vector<ToyStatement>> members;
  // For small_classes: members are m0, m1 …; tables x, y, z have columns a and b, and each member uses one row of each.
  // The keys of the rows are one variable for all tables or one for each.
  [[nodiscard]] std::string text(bool one_variable = false) const;
};

// The row of a table is the same for all members.
[[nodiscard]] ToyCase random_case(Rng& rng);
// Lets writes ask again for what the member has read of their column, where it has and has not changed the row since.
void add_rechecks(ToyCase& one);

// Two operations of different members on one row of which not both are plain reads; operations are numbered over the
// whole member. The member of `a` is the smaller one.
struct ToyPair {
  std::uint32_t member_a, a, member_b, b;
  const ToyOperation *operation_a, *operation_b;
  // A plain read of a row that the reader itself has changed before.
  bool reads_own_row = false;
};
// Those that depend on each other at this level, one way or the other.
[[nodiscard]] std::vector<ToyPair> pairs_of(const ToyCase& one, WeakLevel level);

// For each set of dependencies that comes to pass a number: bit i says that the b of pair i came first. Sorted.
[[nodiscard]] std::vector<std::uint64_t> all_outcomes(const ToyCase& one, const std::vector<ToyPair>& pairs,
                                                      WeakLevel level);

}  // namespace isolde::audit::testing
