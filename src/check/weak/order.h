// check/weak/order.h: a first order of all transactions, which session order and reads-from respect.
//
// In, out: the trace of the reads, what is known of version orders and predicates -> every transaction that counts,
//          each after those that it read from, overwrote, or follows in its session; nothing, if these go in a cycle.
// Always:  the order of the file if that will do, else close to what hints at time: the database's or the client's
//          clocks, else how far each session has come. A hint only decides what nothing known decides.
// Cost:    the file's order: linear. Another: linear, and a heap of the transactions that are ready.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "check/cycles/seen.h"

namespace isolde::weak {

// The places of all transactions by what hints at time, by transaction.
[[nodiscard]] std::vector<std::uint32_t> hinted_places(const History& history);

// … of the client's clocks, by when each had done all but commit. Whoever saw it was done later than that, and so was
// whoever overwrote it, if the database is right: of all clocks this one is contradicted least.
[[nodiscard]] std::vector<std::uint32_t> done_places(const History& history);

[[nodiscard]] std::optional<std::vector<TxnId>> first_order(const graph::SeenContext& known);
// The one close to these places, whether or not the order of the file will do.
[[nodiscard]] std::optional<std::vector<TxnId>> order_near(const graph::SeenContext& known,
                                                           std::span<const std::uint32_t> place);

}  // namespace isolde::weak
