// check/weak/weak.h: the engine `weak`: monotonic-atomic-view (with and without sessions), read-atomic and causal by
// their axioms, and read-committed and cursor-stability, which have none.
//
// Needs:   registers or lists; no order of versions.
// Answers: exactly, where each value read has one writer. Cursor-stability: where read-modify-write chains and orders
//          that contradict nothing known decide it. Where values repeat: violated if it is so without the reads that
//          leave a choice, satisfied if writers chosen for these by an order explain them. Predicates: satisfied if
//          versions are found that they may have looked at (predicate_axioms.h).
// How:     A level holds if some order of all transactions contradicts none of the pairs that its axiom asks for.
//          Orders are tried (needed_seen.h); the rest is check/cycles/level_check.h: bad reads, predicates, and the
//          explanation of a cycle. So no verdict of the engine `graph` is lost, which finds all pairs instead.
// Cost:    linear where the file or the clocks hint at a good order; else reads x sqrt(operations), for causal
//          transactions x sessions. Memory linear.
// Source:  Biswas and Enea; AWDIT; Adya (PL-2).
#pragma once

#include "check/engine.h"

namespace isolde {

extern const Engine kWeakEngine;

}  // namespace isolde
