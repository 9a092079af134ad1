// proof/prove.h: re-checks a verdict from the raw history alone.
//
// In, out: a History and a Verdict that some engine gave -> nothing, or what does not hold of it.
// Always:  uses no engine's code. A satisfied verdict is proved by replaying its witness; a violated one by checking
// each
//          anomaly's claim and each of its steps against the operations and the evidence; undecided claims nothing,
//          but for what it says holds all the same (Verdict::holds).
// Cost:    linear in the history, whatever the number of anomalies (lists: plus the elements of the keys involved;
//          predicates: each is asked of the keys that changed since its condition was last asked, at most of all).
#pragma once

#include <cstdint>

#include "anomaly/verdict.h"
#include "base/result.h"
#include "history/history.h"

namespace isolde {

// What became of re-checking a verdict (`check --prove`), as reports say it.
// kStepsHold: of `mirror`, whose steps break a profile, which no history says.
enum class Proof : std::uint8_t { kNotAsked, kHolds, kStepsHold, kFails };

[[nodiscard]] Result<void> prove(const History& history, const Verdict& verdict);

}  // namespace isolde
