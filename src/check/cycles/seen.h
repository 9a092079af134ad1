// check/cycles/seen.h: the order that follows from what one transaction saw together.
//
// In, out: a Trace -> pairs (before, after), in any order: a transaction read from `before`, which wrote a key, and
//          the version of that key that it (then) read is by `after`.
// Always:  `missed` are those where that version is the initial one, so that nothing can come before it.
// Cost:    for each pair (reader, writer) the smaller of the reads of the one and the writes of the other.
// Source:  Biswas and Enea (axioms of read committed and read atomic); Bailis et al. (monotonic atomic view); AWDIT.
#pragma once

#include <span>
#include <vector>

#include "base/limits.h"
#include "check/cycles/cycles.h"

namespace isolde::graph {

struct Missed {
  TracedRead seen;  // of the writer; op kNoOp: it stands earlier in the session
  TracedRead read;  // of the initial version of a key that the writer wrote
  TxnId writer;
};

struct SeenOrders {
  std::vector<Seen> orders;
  std::vector<Missed> missed;
  bool shown = false;  // that the level holds: an order of all transactions contradicts nothing known and no such pair
};

[[nodiscard]] SeenOrders seen_orders(const History& history, const Trace& trace, SeenRule rule, bool sessions);

// What the pairs of a level are found in.
struct SeenContext {
  const History& history;
  const Trace& trace;
  const VersionOrders& orders;
  std::span<const PredicateEdge> predicates;
  const LevelRow& row;
};

// Finds pairs that, with the other edges of the level, have a cycle exactly if all pairs have.
using FindSeen = SeenOrders (*)(const SeenContext& context, const Limits& limits);

// All of them, by the level's rule.
[[nodiscard]] SeenOrders all_seen(const SeenContext& context, const Limits& limits);

}  // namespace isolde::graph
