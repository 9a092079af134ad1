// hunt/judge/isolation.h: whether the versions that an execution read and wrote keep the level.
//
// In, out: Case + Execution -> the anomaly, or none; an Error where the execution does not say enough.
// Always:  an anomaly was proved again from the history alone (src/proof).
#pragma once

#include <optional>
#include <string>

#include "anomaly/level.h"
#include "base/result.h"
#include "hunt/case/case.h"
#include "hunt/run/execution.h"

namespace isolde::hunt {

struct BrokenLevel {
  std::string anomaly;  // "lost-update"
  std::string text;     // what happened, in words
};

// What a server on one machine is held to where it claims `level`: its snapshots are not from the past.
[[nodiscard]] Level held_to(Level level);

[[nodiscard]] Result<std::optional<BrokenLevel>> broken_level(const Case& test, const Execution& execution,
                                                              Level level);

}  // namespace isolde::hunt
