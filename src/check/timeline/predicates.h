// check/timeline/predicates.h: the predicate operations of a schedule, asked of the states that it gives.
//
// In, out: a settled Schedule -> what predicate_replay.h finds, sure only where no placing of the uncertain
//          transactions can explain it; findings -> anomalies.
// Cost:    that of replay_predicates; nothing where the history has no predicates.
#pragma once

#include "anomaly/verdict.h"
#include "check/predicates/predicate_replay.h"
#include "check/timeline/schedule.h"
#include "check/timeline/sweep.h"
#include "check/timeline/trace_reads.h"

namespace isolde::timeline {

// Transactions that have no start among the events are asked only whether they contradict themselves.
[[nodiscard]] PredicateReplay ask_predicates(const History& history, const PredicateSet& set, const Schedule& schedule,
                                             const SweepResult& swept, LevelFamily family, const Uncertain& uncertain,
                                             const Limits& limits);

// Adds an anomaly for each sure finding; counts all.
void add_predicate_findings(const Context& context, const PredicateReplay& replay, std::size_t max_anomalies,
                            Verdict& verdict);

}  // namespace isolde::timeline
