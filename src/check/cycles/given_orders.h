// check/cycles/given_orders.h: the version orders that a history gives, as pairs of versions.
//
// In, out: the lines `version_order` and `version_order_by_txn` -> for each key, which version is said to come before
//          which: neighbours in a line, whether the line is complete or not.
// Always:  an entry of a transaction that does not count (aborted, unknown and not seen) is left out, and a note says
//          so.
// Cost:    linear in the given entries, and in the history where values are named.
#pragma once

#include <string>
#include <vector>

#include "check/cycles/version_order.h"

namespace isolde::graph {

struct GivenOrders {
  std::vector<std::vector<VersionOrders::Pair>> of_key;  // empty: nothing is given
  std::string ambiguous;                                 // an entry that may be of several transactions
  std::vector<std::string> notes;

  [[nodiscard]] std::span<const VersionOrders::Pair> pairs(KeyId key) const {
    return of_key.empty() ? std::span<const VersionOrders::Pair>() : std::span(of_key[raw(key)]);
  }
};

[[nodiscard]] GivenOrders read_given_orders(const History& history, const Trace& trace);

}  // namespace isolde::graph
