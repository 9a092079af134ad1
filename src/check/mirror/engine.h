// check/mirror/engine.h: the engine `mirror`: a whole history against what a DBMS does at a level
// (EngineOptions::profile).
//
// In, out: a History with clients' clocks -> violated, with what the mirror tells; else undecided: it finds bugs
// against
//          a profile and does not certify, so it is used only when asked (CONTRACT section 1).
// Cost:    linear, after transactions are sorted by their begin.
#pragma once

#include <optional>

#include "check/engine.h"
#include "check/mirror/profile.h"

namespace isolde {

extern const Engine kMirrorEngine;

namespace mirror {

// The level that a report names where only a profile was given: what its mechanisms are for.
[[nodiscard]] Level level_of(const Profile& profile);

}  // namespace mirror

}  // namespace isolde
