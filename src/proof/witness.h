// proof/witness.h: replays the witness of a satisfied verdict.
#pragma once

#include "anomaly/verdict.h"
#include "base/result.h"
#include "history/history.h"

namespace isolde::proof {

[[nodiscard]] Result<void> replay_witness(const History& history, const Verdict& verdict);

}  // namespace isolde::proof
