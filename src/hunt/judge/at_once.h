// hunt/judge/at_once.h: what one instrumented run shows to be wrong by itself, without an oracle.
//
// In, out: Case + Execution -> at most one Difference of each kind; none: nothing is wrong, as far as one run tells.
// Always:  statements that waited, and runs whose end is not known, are left out of what they would make doubtful.
//   predicate    an UPDATE or DELETE changed the rows that its predicate found right before
//   own-writes   its transaction sees what it changed, that and nothing else, and as many rows as it reported
//   rolled-back  nothing of what did not commit is seen by others or left in the end
//   contents     one version of a row has one content, and in the end each row has a version that nobody replaced
#pragma once

#include <string_view>
#include <vector>

#include "anomaly/level.h"
#include "hunt/case/case.h"
#include "hunt/judge/compare.h"
#include "hunt/run/execution.h"

namespace isolde::hunt {

[[nodiscard]] std::vector<Difference> wrong_at_once(const Case& test, const Execution& execution,
                                                    std::string_view dialect, Level level);

}  // namespace isolde::hunt
