// check/solver/stuck.h: why a schedule cannot go on: circles of nodes that wait for each other.
//
// In, out: a Schedule that is stuck -> circles, each with at least one choice unless no order exists at all.
// Always:  each link is known, or follows from the choices that it names, so that a circle holds whatever was chosen
//          elsewhere.
// Cost:    linear in the edges of what did not run, for each circle; those with few choices are preferred.
#pragma once

#include <vector>

#include "check/solver/problem.h"
#include "check/solver/schedule.h"

namespace isolde::solver {

[[nodiscard]] std::vector<Circle> find_circles(const Problem& problem, const Schedule& schedule);

}  // namespace isolde::solver
