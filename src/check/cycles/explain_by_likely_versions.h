// check/cycles/explain_by_likely_versions.h: an order that explains predicates, found by guessing which versions they
// were evaluated on.
//
// In, out: versions in a complete order, a level of states -> a witness that explains items and predicates, or nothing.
// Always:  a guess is only ever used to accept: what is found was replayed. That nothing is found says nothing.
// How:     The version of a key that an operation looked at is taken from its transaction's snapshot, or from the
// clocks:
//          of the versions whose commit may have been over by then the latest that fits the result. As with a version
//          set the transaction comes after who began the run of versions that match alike, and before who ended it.
//          Runs that reach far are left to the clocks; where the replay shows that this was not enough, they are added.
// Cost:    for each predicate operation every key once, a few versions each; at most a few replays. Within a budget.
// Source:  docs/predicates.md.
#pragma once

#include <cstdint>
#include <vector>

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "check/cycles/cycles.h"
#include "history/predicate_set.h"

namespace isolde::graph {

// Requires: row is of a level of states; every read of `trace` has its version; orders.open == kNoKey;
//           predicates.defect() is empty. Empty: nothing was found.
[[nodiscard]] Witness explain_by_likely_versions(const History& history, const PredicateSet& predicates,
                                                 const Trace& trace, const VersionOrders& orders, const LevelRow& row,
                                                 const Limits& limits);

// The places of transactions by the clock before they asked to commit. Where writers hold locks until they have
// committed, this is the order of the versions of every key: the next one's write was answered after that.
[[nodiscard]] std::vector<std::uint32_t> places_by_clock(const History& history);

}  // namespace isolde::graph
