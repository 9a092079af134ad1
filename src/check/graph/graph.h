// check/graph/graph.h: the engine `graph`: levels as forbidden cycles, where the order of versions is known.
//
// Needs:   that each value read has one writer (registers), or lists; for most levels also the order of each key's
//          versions: from lists, from read-modify-write chains, or given.
// Answers: exactly, at every level. Where a key's order is not complete it finds what is broken all the same, and tries
//          orders that contradict nothing known; if they fail, it is open.
// Cost:    linear in operations and in the elements of lists; real time sorts by clock; causal, and orders that stay
//          open, take transactions x sessions.
// Source:  Adya; Elle; Emme (sections 3, 4); Biswas and Enea, AWDIT (causal).
#pragma once

#include "check/engine.h"

namespace isolde {

extern const Engine kGraphEngine;

// Whether, for every key, lists show the order of all versions or it is given completely.
[[nodiscard]] bool version_orders_are_told(const History& history);

}  // namespace isolde
