// proof/claims.h: checks what the anomalies of a violated verdict claim.
#pragma once

#include "anomaly/verdict.h"
#include "base/result.h"
#include "history/history.h"

namespace isolde::proof {

[[nodiscard]] Result<void> check_claims(const History& history, const Verdict& verdict);

}  // namespace isolde::proof
