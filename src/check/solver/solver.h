// check/solver/solver.h: the engine `solver`: the levels that are about one order, whatever is known of it.
//
// In, out: a History, a level of the serializable or snapshot family, prefix or repeatable-read -> satisfied with a
//          witness, violated with a cycle or a refutation by cases, or undecided by a limit.
// Always:  values, and what the level says (sessions, real time), and the version orders given are all that is
// believed.
//          Clocks, timestamps and the order of lines are hints: they are where the search starts, and prove nothing.
// Cost:    linear if a hint is right; the problem is NP-complete.
// Source:  Cobra, King Cobra (Emme, sections 3.3 and 7), PolySI, VeriStrong.
#pragma once

#include "check/engine.h"

namespace isolde {

extern const Engine kSolverEngine;

}  // namespace isolde
