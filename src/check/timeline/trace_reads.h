// check/timeline/trace_reads.h: from findings to anomalies: where the value that was read came from, and the steps.
//
// In, out: findings of the sweep -> Anomaly structs with expected value and writer, source, steps that src/proof
//          re-checks.
// Cost:    one pass over all operations, only where there are findings.
#pragma once

#include <vector>

#include "anomaly/verdict.h"
#include "check/timeline/missing.h"
#include "check/timeline/order.h"
#include "check/timeline/schedule.h"
#include "check/timeline/sweep.h"

namespace isolde::timeline {

// What anomalies are made from: the history and where its transactions stand.
struct Context {
  const History& history;
  const Schedule& schedule;
  const SweepResult& swept;
  LevelFamily family;
  Clock clock;

  // The step that says that one transaction comes before another in a serial order.
  [[nodiscard]] StepType serial_step() const { return clock == Clock::kOrder ? StepType::kOrder : StepType::kCommit; }
};

// What a read that does not show its state is called, by where its value came from.
[[nodiscard]] AnomalyKind kind_of(ReadSource source);

// Adds an anomaly for each forced finding; counts all, keeps at most `max_anomalies` in detail.
void add_findings(const Context& context, const std::vector<Finding>& findings, std::size_t max_anomalies,
                  Verdict& verdict);
// The transactions of which such anomalies are made: those of the findings, and whoever wrote what was read. Ascending.
[[nodiscard]] std::vector<TxnId> transactions_needed_by(const History& history, const std::vector<Finding>& findings);
void add_order_findings(const Context& context, const std::vector<OrderFinding>& findings, AnomalyKind kind,
                        std::size_t max_anomalies, Verdict& verdict);
void add_unplaced(const Context& context, const std::vector<Placement>& placements, std::size_t max_anomalies,
                  Verdict& verdict);
void add_start_after_commit(const Context& context, std::size_t max_anomalies, Verdict& verdict);

}  // namespace isolde::timeline
