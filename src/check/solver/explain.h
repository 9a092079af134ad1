// check/solver/explain.h: cycles that leave no order, told as an anomaly.
//
// In, out: cycles of links -> steps that name their operations; one cycle without a choice is reported as the cycle it
//          is.
// Cost:    the edges and operations of the transactions that take part.
#pragma once

#include <span>

#include "anomaly/anomaly.h"
#include "check/solver/problem.h"

namespace isolde::solver {

[[nodiscard]] Anomaly explain_refutation(const Source& source, const Problem& problem, std::span<const Cycle> cycles);

}  // namespace isolde::solver
