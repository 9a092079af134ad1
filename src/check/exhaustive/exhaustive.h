// check/exhaustive/exhaustive.h: the engine `exhaustive`: small histories, whatever they hold, by trying everything.
//
// Needs:   at most 12 transactions that committed or may have, and 60 keys; predicates over registers and rows alone.
// Answers: exactly, within its budget: registers, lists that are also written, counters, deletes, repeated values,
//          unknown outcomes, missing and equal timestamps; predicates. At levels below one state
//          a transaction, up to 8 transactions. It is what a check falls back on where the method that was chosen
//          leaves a small history open.
// How:     satisfied by an order that src/proof replays (the weaker levels have none). Violated by exhaustion: of all
//          reads as few as possible are kept that still have no explanation together, and these are reported;
//          src/proof tries every order of the transactions anew, with code of its own.
//          What nobody can tell (a condition with a fault, an append to what is no list) is taken both ways, and only
//          what holds either way is said.
// Cost:    exponential in the number of transactions; at most kMostSteps of work.
// Source:  the definitions of the levels (anomaly/level.cc).
#pragma once

#include "check/engine.h"

namespace isolde {

extern const Engine kExhaustiveEngine;

// The same, where the verdict is about the level given what the database says: timestamps, an expected order.
[[nodiscard]] Verdict check_exhaustively(const History& history, Level level, Given given, const Limits& limits);

}  // namespace isolde
