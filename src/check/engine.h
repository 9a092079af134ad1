// check/engine.h: the small interface that every engine implements.
//
// An engine is a function from (History, Level, Limits) to a Verdict. To add one: docs/adding-an-engine.md.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "anomaly/level.h"
#include "anomaly/verdict.h"
#include "base/limits.h"
#include "history/history.h"

namespace isolde {

struct Engine {
  std::string_view name;     // as in `--method`
  std::string_view summary;  // one line for --help
  // Empty if the engine can judge `level` with the evidence of this history; otherwise why it cannot, for the user.
  std::string (*lacks)(const History& history, Level level);
  // Requires: lacks() is empty.
  // Ensures:  kUndecided only if `limits` ran out or the evidence is not enough, and then `reason` says which;
  //           kViolated only if the evidence forces it; kSatisfied comes with a witness that src/proof accepts, at the
  //           levels that are about points or an order (the weaker ones have none).
  Verdict (*check)(const History& history, Level level, const Limits& limits);
};

// Every engine, cheapest first.
[[nodiscard]] std::span<const Engine> engines();
[[nodiscard]] const Engine* engine_named(std::string_view name);

}  // namespace isolde
