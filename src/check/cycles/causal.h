// check/cycles/causal.h: the order that causality asks for: who is in whose past, and what that says about versions.
//
// In, out: a Trace -> pairs (before, after): `before` wrote a key and is in the past of a transaction that read the key
//          from `after`. The past is what a chain of session order and reads-from leads back to.
// Always:  no version order is needed. Of each chain of transactions only the last writer of the key is named; pairs
//          that the past itself orders are left out. Where the past is circular there are none: that cycle is the
//          fault.
// Cost:    transactions x chains (at most one a session) in time, PastOptions::cells in memory whatever the history.
// Source:  Biswas and Enea (axiom of causal consistency); AWDIT (clocks, the last writer of each session).
#pragma once

#include <cstdint>
#include <vector>

#include "check/cycles/seen.h"

namespace isolde::graph {

struct PastOptions {
  bool sessions = true;  // else the past is by reads alone
  bool writers = false;  // also: a writer of a key comes after those in its own past; Seen::reader is then kNoTxn
  std::size_t cells = std::size_t{1} << 25;
  std::uint64_t most_work = ~std::uint64_t{0};  // transactions x chains; more: nothing is found
};

// Ensures: empty if `limits` ran out, which the caller will notice too.
[[nodiscard]] SeenOrders causal_orders(const History& history, const Trace& trace, const VersionOrders& orders,
                                       const Limits& limits, const PastOptions& options = {});

// A shortest chain of session order and reads-from. Empty: none within `budget` transactions looked at.
[[nodiscard]] std::vector<Step> causal_path(const History& history, const Trace& trace, TxnId from, TxnId to,
                                            std::uint64_t& budget);

}  // namespace isolde::graph
