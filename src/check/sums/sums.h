// check/sums/sums.h: the engine `sums`: balances that are sums of transfers, in histories of any size.
//
// A value that was added up does not tell who added: the dependencies that other engines go by cannot be traced, and a
// search of all orders ends at a dozen transactions. But amounts add up in any order, and two questions stay easy:
//
//   Is there no set of transactions that leaves what a transaction read? Its reads name a sum for each key (balance
//   read, less the initial one). At a level with one snapshot a transaction, one set must give all of them at once; at
//   the weaker ones each read by itself. A session or a clock says of some transactions that they are in the set, or
//   are not. If few are left open all sets are tried. If many are, the sum may still be out of reach: beyond what all
//   positive or all negative amounts make, or no multiple of their common divisor. The sum over all keys counts as
//   well: transfers leave the total of a bank as it was, so a read of all accounts that shows another total is wrong.
//
//   Is there an order that explains everything? check/sums/order.h looks for one close to the order of the clock or of
//   the file; src/proof replays it.
//
// What neither answers stays undecided: to decide all would be to solve subset sum.
//
// Needs:   reads and increments of numbers alone, no predicates, no version orders.
// Answers: violated, by a transaction that no set explains; satisfied, with a serial order. It is asked where the
// method
//          that was chosen leaves a history open that `exhaustive` is not for.
// Cost:    the first: transactions times reads, at most kMostRuleSteps. The second: order.h.
#pragma once

#include "check/engine.h"

namespace isolde {

extern const Engine kSumsEngine;

}  // namespace isolde
