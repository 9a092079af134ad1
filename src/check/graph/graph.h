// check/graph/graph.h: the engine `graph`: levels as forbidden cycles, where the order of versions is known.
//
// Needs:   that each value read has one writer (registers), or lists; for most levels also the order of each key's
//          versions: from lists, from read-modify-write chains, or given.
// Answers: exactly, at every level. Where a key's order is not complete it finds what
//          is broken all the same, and tries one order that contradicts nothing known; if that one fails, it is open.
// Cost:    linear in operations and in the elements of lists; real time sorts by clock.
// Source:  Adya; Elle; Emme (sections 3, 4).
#pragma once

#include "check/engine.h"

namespace isolde {

extern const Engine kGraphEngine;

}  // namespace isolde
