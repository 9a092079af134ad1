// check/choose.h: the cheapest engine that the evidence supports, and why.
//
// Always:  cheapest first: replay, timeline, weak, graph, solver, rules. Passed over although it could:
//            timeline    at the serializable family, unless commit timestamps are promised to be the serialization
//            order; graph       at levels that ask for one order of all transactions, if the order of some key's
//            versions is
//                        neither given nor shown by lists: then `solver` looks for one;
//            exhaustive  always: LevelChecks falls back on it where the chosen one leaves a small history open;
//            sums        always: likewise where increments leave a history of any size open;
//            mirror      always: only when asked.
// Source: CONTRACT section 1, "What a verdict is about".
#pragma once

#include <string>
#include <vector>

#include "anomaly/methods.h"
#include "check/engine.h"
#include "check/evidence_use.h"

namespace isolde {

struct ChooseOptions {
  std::string_view method;       // force this engine; empty: choose
  bool order_by_commit = false;  // --order commit_ts: commit timestamps are the serialization order
  EvidenceUse evidence = {};     // --use, --ignore; the history that is judged is the one that judged_history() gives
};

struct Choice {
  const Engine* engine = nullptr;  // null: the forced method is not there or lacks evidence
  std::string why;                 // one clause for the report, or what is wrong
};

[[nodiscard]] Choice choose(const History& history, Level level, const ChooseOptions& options);

// Every engine, cheapest first, and what became of it; the one that choose() gives is taken.
[[nodiscard]] std::vector<MethodCase> explain_choice(const History& history, Level level, const ChooseOptions& options);

// Whether the order of all versions of every key is shown by lists or given whole.
[[nodiscard]] bool version_orders_are_told(const History& history);

}  // namespace isolde
