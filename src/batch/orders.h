// batch/orders.h: session order, numbers in sessions and real time over all ranks.
//
// In, out: the parts of all ranks -> what check/timeline/order.h and history/session_gaps.h find in the whole history:
//          how many, and the first ones.
// Always:  the same on all ranks. What stands at one time in an order that is ours (schedule.h) is counted apart.
// Cost:    sessions: two exchanges of an entry per session and rank. Real time: each transaction is sent once, to the
//          rank that has its share of the clock; in several passes that share is smaller.
#pragma once

#include <cstdint>
#include <vector>

#include "batch/parts.h"
#include "batch/places.h"
#include "batch/ranks.h"

namespace isolde::batch {

// Which transactions of unknown outcome count as committed: places, ascending.
using CountedUnknown = std::vector<std::uint64_t>;
[[nodiscard]] bool counts(const History& history, TxnId txn, std::uint64_t place, const CountedUnknown& counted);

struct PlacePair {
  std::uint64_t before, after;  // places in the whole history
};

struct PairsFound {
  std::vector<PlacePair> first;  // at most as many as asked for
  std::uint64_t count = 0;
  std::uint64_t same_time = 0;  // left out: both stand at one time
};

struct SessionsFound {
  PairsFound order, gaps;
  std::uint64_t sessions = 0;
  bool has_order = false;  // some transaction follows another one in its session (check/tested.h)
};

// `most`: how many of each are wanted.
[[nodiscard]] Result<SessionsFound> check_sessions(Ranks& ranks, Parts& parts, const TimeForm& form,
                                                   const CountedUnknown& counted, std::size_t most);

// `split_same_time`: pairs of one time are counted apart.
[[nodiscard]] Result<PairsFound> check_realtime(Ranks& ranks, Parts& parts, const TimeForm& form,
                                                const CountedUnknown& counted, std::size_t most, unsigned passes,
                                                bool split_same_time);

// What places alone say of the parts of a rank.
struct PlacesFound {
  std::uint64_t open = 0;  // transactions that have no sure place
  std::string_view why_open = {};
  std::uint64_t start_after_commit = 0;
  std::vector<std::uint64_t> first_start_after_commit;
  bool has_ties = false;  // of those that an added order asks about
};
[[nodiscard]] Result<PlacesFound> check_places(Ranks& ranks, Parts& parts, const TimeForm& form,
                                               const CountedUnknown& counted, std::size_t most);

}  // namespace isolde::batch
