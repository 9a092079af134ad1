// check/weak/needed_seen.h: the pairs of an axiom that decide whether a level holds, found by trying orders.
//
// In, out: reads, sessions, what is known of versions -> either that the level holds, by an order that contradicts no
//          pair; or pairs that have a cycle with what is known exactly if all have.
// Always:  first an order is taken (order.h) and the pairs that contradict it are looked for (contradictions.h); with
//          these another order is made, until nothing contradicts it or there is none. Where that does not end soon, or
//          what is known goes in a cycle by itself, all pairs are found (check/cycles/seen.h).
// Cost:    linear a round. The first order of a recording that stands in the file as it happened needs one round,
//          others a few: each has a small part of the last one's pairs.
// Source:  Biswas and Enea; AWDIT.
#pragma once

#include <optional>
#include <vector>

#include "check/cycles/seen.h"

namespace isolde::weak {

// A graph::FindSeen.
[[nodiscard]] graph::SeenOrders needed_seen(const graph::SeenContext& known, const Limits& limits);

// An order of all transactions that count which contradicts no pair, if `first`, as order.h gives it, does, or one
// close to it that is found soon.
[[nodiscard]] std::optional<std::vector<TxnId>> explained_order(const graph::SeenContext& known,
                                                                std::vector<TxnId> first, const Limits& limits);

}  // namespace isolde::weak
