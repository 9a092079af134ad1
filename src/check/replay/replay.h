// check/replay/replay.h: the engine `replay`: the serializable family by an expected serialization order.
//
// In, out: a History whose transactions have the field `order` -> Verdict: every read compared with the state at its
//          place.
// Always:  violated only if no completion of the order, where it is silent, explains the reads; satisfied with the
//          order as witness. It is the replay of check/timeline with another clock.
// Cost:    linear.
// Source:  Enne (expected serialization order).
#pragma once

#include "check/engine.h"

namespace isolde {

extern const Engine kReplayEngine;

}  // namespace isolde
