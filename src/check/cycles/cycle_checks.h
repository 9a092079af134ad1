// check/cycles/cycle_checks.h: levels of one history as forbidden cycles: what the engines graph, weak and solver
// share.
//
// In, out: a History, once; levels, one after the other -> a Verdict each.
// Always:  what levels ask of reads is traced once for those that ask alike: that is most of the work of a check.
//          Engines share it through CheckContext::shared().
// Cost:    as check/graph/graph.h says.
#pragma once

#include <memory>
#include <string>

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "check/cycles/level_check.h"
#include "check/cycles/trace.h"
#include "history/history.h"

namespace isolde::graph {

class CycleChecks {
 public:
  explicit CycleChecks(const History& history);
  ~CycleChecks();

  // Requires: cycles_lack() is empty. `method` of the verdict is not set.
  [[nodiscard]] Verdict check(Level level, const Limits& limits, FindSeen find_seen = all_seen);
  // Valid until the next call.
  [[nodiscard]] const Trace& traced(Level level, const Limits& limits);

 private:
  [[nodiscard]] Witness guess_predicates(Level level, const Limits& limits);
  LevelVerdict judge(Level level, const Limits& limits, FindSeen find_seen = all_seen);

  const History& h_;
  std::unique_ptr<const Trace> trace_;  // the last one
  TraceKind kind_ = TraceKind::kOneView;
};

// Why no search for cycles judges the level on this history; empty if one does.
[[nodiscard]] std::string cycles_lack(const History& history, Level level);

}  // namespace isolde::graph
