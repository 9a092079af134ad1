// check/exhaustive/views.h: the levels that ask for less than one state a transaction: whether there is an order of the
// transactions, and for each read a version, that the level allows.
//
// All of these levels forbid cycles of overwrites and reads, so whatever version orders there are agree with one order
// of all transactions in which everybody reads from those before it. Such orders are built one transaction after the
// other: when it is placed, all versions that it may have read are there, and whether the level allows a choice of
// them depends on nothing that comes later. What the levels add (table in views.cc):
//   read-committed            nothing
//   cursor-stability          who reads a key and writes it writes the very next version
//   monotonic-atomic-view     no version older than what the transactions wrote that it had read from before; its form
//                             with sessions: the same, and the order agrees with session order
//   read-atomic               … than what those wrote that it reads from, or that come before it in its session
//   causal                    … and those that these know of
//
// Predicates: as if each key had been read in the version looked at (docs/predicates.md).
//
// In, out: a model -> whether there is such an order.
// Cost:    exponential in the number of transactions.
// Source:  Adya; Bailis et al.; Biswas and Enea.
#pragma once

#include "base/limits.h"
#include "check/exhaustive/model.h"
#include "check/exhaustive/orders.h"

namespace isolde::exhaustive {

// Whether the level is one of these.
[[nodiscard]] bool is_about_views(Level level);

// Requires: is_about_views(asked.level).
[[nodiscard]] End find_views(Model& model, const Asked& asked, const Limits& limits);

}  // namespace isolde::exhaustive
