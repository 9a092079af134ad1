// proof/clock_claims.h: checks what the steps of the engine `mirror` claim: who wrote, read and overwrote what, and
// what the clients' clocks say of the order; and whether rows match the predicates that they were shown by, or not.
//
// In, out: a History and a violated verdict of `mirror` -> nothing, or the first step that the history does not show.
// Always:  uses no engine's code. That the steps break the database's profile is not looked at: no history says that.
#pragma once

#include "anomaly/verdict.h"
#include "base/result.h"
#include "history/history.h"

namespace isolde::proof {

[[nodiscard]] Result<void> check_clock_claims(const History& history, const Verdict& verdict);

}  // namespace isolde::proof
