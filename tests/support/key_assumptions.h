// tests/support/key_assumptions.h: what Elle may be told to assume of registers, as version orders that a history
// gives.
//
// In, out: a History and an assumption -> the history with partial version orders (native lines) that say the same.
// Source:  Elle, rw_register: sequential-keys?, linearizable-keys?, a transaction order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "history/history.h"

namespace isolde {

// Whether all of `a` comes before all of `b`.
using Before = std::function<bool(const History&, TxnId a, TxnId b)>;

[[nodiscard]] bool in_session_order(const History& h, TxnId a, TxnId b);
[[nodiscard]] bool in_real_time(const History& h, TxnId a, TxnId b);

// Where a transaction comes before another, the last version of a key that it touched comes before the first one that
// the other touched.
[[nodiscard]] History with_versions_ordered(const History& h, const Before& before);
// The versions of each key in the order of the places of their writers.
[[nodiscard]] History with_versions_by_place(const History& h, const std::vector<int>& place);

}  // namespace isolde
