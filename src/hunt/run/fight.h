// hunt/run/fight.h: a case as steps of a schedule, and what became of them as an Execution.
//
// In, out: Case -> steps (its statements with the reads around them, sent together); their Transcript -> Execution.
// Source:  TxCheck, sections 3.2 (instrumentation) and 4 (blocking).
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "hunt/case/case.h"
#include "hunt/run/execution.h"
#include "probe/transcript.h"

namespace isolde::hunt {

struct Script {
  std::vector<probe::Step> steps;
  std::vector<Place> places;  // of each step; an end is one after the last statement
};
// An error: the order does not have every statement and end once, or a statement names a table that is not there.
[[nodiscard]] Result<Script> script_of(const Case& test, std::string_view dialect, bool instrumented);

// Everything but Execution::final.
[[nodiscard]] Execution execution_of(const Case& test, const Script& script, probe::Transcript transcript,
                                     bool instrumented);

// kDone, kFailed or kTimedOut.
[[nodiscard]] Ran ran_as(const db::Reply& reply);

}  // namespace isolde::hunt
