// check/weak/order.h: a first order of all transactions, which session order and reads-from respect.
//
// In, out: the trace of the reads, what is known of version orders and predicates -> every transaction that counts,
//          each after those that it read from, overwrote, or follows in its session; nothing, if these go in a circle.
// Always:  the order of the file if that will do, else close to what hints at time: the database's or the client's
//          clocks, else how far each session has come. A hint only decides what nothing known decides.
// Cost:    the file's order: linear. Another: linear, and a heap of the transactions that are ready.
#pragma once

#include <optional>
#include <vector>

#include "check/graph/seen.h"

namespace isolde::weak {

// The places of all transactions by what hints at time, by transaction.
[[nodiscard]] std::vector<std::uint32_t> hinted_places(const History& history);

// Whether the order of the file, where it will do, is better than clocks, where there are any.
enum class FirstOrder : std::uint8_t { kFile, kClocks };
[[nodiscard]] std::optional<std::vector<TxnId>> first_order(const graph::SeenContext& known,
                                                            FirstOrder by = FirstOrder::kFile);

}  // namespace isolde::weak
