// batch/seen.h: the order that follows from what one transaction saw together, over all ranks.
//
// The reads of one transaction are of keys of several ranks. Each rank says to the transaction's home whom its reads
// are from; the home sends to each of these ranks whom the transaction saw in all. Whether such a writer also wrote a
// key that was read from another one, the rank of that key knows. That is check/cycles/seen.h, taken apart.
//
// In, out: reads and writes by key -> edges of type kSeen; the places of transactions that missed a write of somebody
//          they had seen, because they read the key as it was at first.
// Always:  all pairs of the axiom, as seen_orders() has them.
// Cost:    24 bytes per read sent to its home, and as many per read and rank back; in windows of places, so that what
//          is under way is bounded.
#pragma once

#include <cstdint>
#include <vector>

#include "batch/edges.h"

namespace isolde::batch {

// Requires: the rule is kLater or kAny. Sorts `found.reads` and `found.writes`; adds to `found.known` and
// `found.missed`.
void add_seen_edges(Ranks& ranks, graph::SeenRule rule, std::uint64_t transactions, KeyEdges& found);

// The last writer of a key earlier in the reader's session, for the keys of a share.
void add_earlier_in_session(const KeyShare& share, const graph::Trace& trace, std::vector<PlacedEdge>& edges,
                            std::vector<std::uint64_t>& missed);

}  // namespace isolde::batch
