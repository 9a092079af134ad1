// check/graph/seen.h: the order that follows from what one transaction saw together.
//
// In, out: a Trace -> pairs (before, after): a transaction read from `before`, which wrote a key, and the version of
//          that key that it (then) read is by `after`.
// Always:  `missed` are those where that version is the initial one, so that nothing can come before it.
// Cost:    for each pair (reader, writer) the smaller of the reads of the one and the writes of the other.
// Source:  Biswas and Enea (axioms of read committed and read atomic); Bailis et al. (monotonic atomic view); AWDIT.
#pragma once

#include <vector>

#include "check/graph/cycles.h"

namespace isolde::graph {

struct Missed {
  TracedRead seen;  // of the writer; op kNoOp: it stands earlier in the session
  TracedRead read;  // of the initial version of a key that the writer wrote
  TxnId writer;
};

struct SeenOrders {
  std::vector<Seen> orders;  // by before, after
  std::vector<Missed> missed;
};

[[nodiscard]] SeenOrders seen_orders(const History& history, const Trace& trace, SeenRule rule, bool sessions);

}  // namespace isolde::graph
