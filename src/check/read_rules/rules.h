// check/read_rules/rules.h: the engine `rules`: the read rules alone, where no other engine can judge the level.
//
// Always: violated if a rule is broken; otherwise undecided, because the rules are necessary and not sufficient.
#pragma once

#include "check/engine.h"

namespace isolde {

extern const Engine kRulesEngine;

}  // namespace isolde
