// tests/mirror/variety.h: the profiles and settings that tests of the mirror go through.
#pragma once

#include <vector>

#include "check/mirror/profile.h"
#include "tests/mirror/simulator.h"

namespace isolde {

// One profile of each set of mechanisms that any built-in one has, and some that none has.
[[nodiscard]] std::vector<mirror::Profile> varied_profiles();
// Settings by chance: few or many values, lists, scans, deletes, wide and short intervals.
[[nodiscard]] SimulatorOptions varied_options(const mirror::Profile& profile, SimulatedFault fault, Rng& rng);

}  // namespace isolde
