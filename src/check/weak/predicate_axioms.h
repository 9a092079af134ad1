// check/weak/predicate_axioms.h: whether a level below snapshot isolation holds for predicate operations too, shown by
// versions that they may have been evaluated on.
//
// In, out: a History, the Trace of its reads, a level -> true if some order of all transactions, and some version of
//          each key for each predicate operation, explain every result and keep to the level, each version taken as
//          read.
// Always:  true is shown: each result is evaluated on the versions chosen, and the axiom is checked of reads and looks
//          alike, in one order. False says nothing: other orders or versions might do.
//          Of the versions that would do the earliest is chosen: whom a transaction has not seen asks nothing of what
//          it reads next. Only an aggregate needs versions of about its time (look_aggregates.h).
// Cost:    an order: as needed_seen.h. Looks: the versions of the writers that each transaction saw, and the keys that
//          match as they are at first; an aggregate all keys. It gives up after kSteps.
// Source:  docs/predicates.md, "What a level says of predicates"; Biswas and Enea (the axioms).
#pragma once

#include "anomaly/level.h"
#include "base/limits.h"
#include "check/cycles/trace.h"

namespace isolde::weak {

// Requires: the level is one that the engine `weak` judges, and `trace` is
//           of its kind.
[[nodiscard]] bool holds_with_predicates(const History& history, const graph::Trace& trace, Level level,
                                         const Limits& limits);

}  // namespace isolde::weak
