// check/exhaustive/orders.h: whether there is an order of all transactions, or of their start and commit points, that
// explains every read: the serializable and snapshot families, prefix, repeatable-read.
//
// Why it ends soon: what comes next depends on nothing but which transactions (points) are placed and what the keys
// hold, so that a set that failed with some contents is not tried again with the same: at most 2^n sets (3^n with
// points) for each content, not n! orders. A transaction that writes nothing is placed as soon as its reads are
// explained: whoever had it later could have it here as well (unless one of unknown outcome would have to come before
// it). Neither holds where predicates have version sets, which are about all versions at once, or at repeatable-read;
// then every order is tried.
//
// In, out: a model, and what else an order must keep to -> an order, or that there is none, or that the work ran out.
// Always:  a transaction of unknown outcome may be in it or not.
// Cost:    exponential in the number of transactions.
// Source:  the definitions (anomaly/level.cc); memoised as Biswas and Enea do for prefix and snapshot isolation.
#pragma once

#include <cstdint>
#include <vector>

#include "base/limits.h"
#include "check/exhaustive/model.h"

namespace isolde::exhaustive {

enum class End : std::uint8_t { kFound, kNone, kStopped };

// What is asked beside the reads.
struct Asked {
  Level level;
  Given given;   // what of the database's word counts
  Pairs orders;  // one way to read the version orders that are given
};

// Ensures: kFound: `witness` has the order.
[[nodiscard]] End find_serial_order(Model& model, const Asked& asked, const Limits& limits, Witness& witness);
[[nodiscard]] End find_points(Model& model, const Asked& asked, const Limits& limits, Witness& witness);

}  // namespace isolde::exhaustive
