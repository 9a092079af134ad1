#include "check/choose/engines.h"

#include <algorithm>

#include "check/exhaustive/exhaustive.h"
#include "check/graph/graph.h"
#include "check/mirror/engine.h"
#include "check/read_rules/rules.h"
#include "check/replay/replay.h"
#include "check/solver/solver.h"
#include "check/sums/sums.h"
#include "check/timeline/timeline.h"
#include "check/weak/weak.h"

namespace isolde {
namespace {

const Engine kEngines[] = {
    kReplayEngine, kTimelineEngine,   kWeakEngine, kGraphEngine,  kSolverEngine,
    kRulesEngine,  kExhaustiveEngine, kSumsEngine, kMirrorEngine,
};

}  // namespace

std::span<const Engine> engines() { return kEngines; }

const Engine* engine_named(std::string_view name) {
  const auto at =
      std::find_if(std::begin(kEngines), std::end(kEngines), [&](const Engine& e) { return e.name == name; });
  return at == std::end(kEngines) ? nullptr : at;
}

}  // namespace isolde
