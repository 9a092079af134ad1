// check/sums/order.h: a serial order of transactions that read balances and add to them.
//
// The search places one transaction after the other, next to each other in time: a transaction comes only when nobody
// is left who ended before it began. By the clients' clocks that is the order of strict serializability, and most
// databases keep to it; so what concurrent clients leave open is few, and a wrong turn is noticed soon: a read that was
// passed by cannot come any more. Balances depend on which transactions are placed and not on their order, so a set
// that failed once is not tried again. Without clocks the order of the history stands for them, each transaction with
// some room around its place.
//
// A transaction that only reads is placed as soon as its balances are there: nobody is hindered by it.
//
// In, out: a ledger, and the order that the level adds -> an order that explains every read, or nothing.
// Always:  an order that is found replays (src/proof does so); that none is found says nothing.
// Cost:    with c clients, 2^c sets for each place at worst, mostly one; at most kMostOrderSteps a try.
#pragma once

#include <optional>
#include <vector>

#include "anomaly/level.h"
#include "base/limits.h"
#include "check/sums/ledger.h"

namespace isolde::sums {

[[nodiscard]] std::optional<std::vector<TxnId>> find_order(const History& history, const Ledger& ledger,
                                                           AddedOrder added, const Limits& limits);

}  // namespace isolde::sums
