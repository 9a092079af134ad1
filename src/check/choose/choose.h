// check/choose/choose.h: the cheapest engine that the evidence supports, and why.
//
// Always:  cheapest first: replay, timeline, weak, graph, solver, rules. Some engines say themselves that they are not
//          the ones to take although they could judge the history (Engine::set_aside_because, passed_over):
//          - timeline in the serializable family, unless commit timestamps are promised to be the serialization order;
//          - graph at levels that ask for one order of all transactions, if for some key the order of versions is
//            neither given nor shown by lists: `solver` searches for it instead;
//          - exhaustive always: LevelChecks falls back on it when the chosen engine leaves a small history undecided;
//          - sums always: likewise when increments leave a history of any size undecided;
//          - mirror always: it runs only on request.
// Source: CONTRACT section 1, "What a verdict is about".
#pragma once

#include <string>
#include <vector>

#include "anomaly/methods.h"
#include "check/choose/evidence_use.h"
#include "check/engine.h"

namespace isolde {

struct ChooseOptions {
  std::string_view method;       // force this engine; empty: choose
  bool order_by_commit = false;  // --order commit_ts: commit timestamps are the serialization order
  EvidenceUse evidence = {};     // --use, --ignore; the history to check is the one that judged_history() returns
};

struct Choice {
  const Engine* engine = nullptr;  // null: the forced method does not exist or lacks evidence
  std::string why;                 // one clause for the report, or the error
};

[[nodiscard]] Choice choose(const History& history, Level level, const ChooseOptions& options);

// Every engine, cheapest first, and whether it was taken, could have judged the history, or could not.
[[nodiscard]] std::vector<MethodCase> explain_choice(const History& history, Level level, const ChooseOptions& options);

// Why this method, for a report; empty if another engine than the chosen one decided.
[[nodiscard]] std::string_view why_method(const Choice& choice, const Verdict& verdict);

// The level to check where nobody named one.
[[nodiscard]] Level level_by_evidence(const History& history);

}  // namespace isolde
