// check/graph/graph.h: the engine `graph`: levels as forbidden cycles, where the order of versions is known.
//
// Needs:   that each value read has one writer (registers), or lists; for most levels also the order of each key's
//          versions: from lists, from read-modify-write chains, or given.
// Answers: exactly, at every level. Where a key's order is not complete it finds what is broken all the same, and tries
//          orders that contradict nothing known; if they fail, it is open.
// Cost:    linear in operations and in the elements of lists; real time sorts by clock; causal, and orders that stay
//          open, take transactions x sessions.
// Source:  Adya; Elle; Emme (sections 3, 4); Biswas and Enea, AWDIT (causal).
#pragma once

#include <memory>

#include "check/engine.h"
#include "check/graph/level_check.h"
#include "check/graph/trace.h"

namespace isolde {

extern const Engine kGraphEngine;

// The engine at several levels of one history: what levels ask of reads is traced once for those that ask alike. That
// is most of the work of a check.
class GraphChecks {
 public:
  explicit GraphChecks(const History& history);
  ~GraphChecks();

  // Requires: kGraphEngine.lacks() is empty.
  [[nodiscard]] Verdict check(Level level, const Limits& limits, graph::FindSeen find_seen = graph::all_seen);
  // Valid until the next call.
  [[nodiscard]] const graph::Trace& traced(Level level, const Limits& limits);

 private:
  [[nodiscard]] Witness guess_predicates(Level level, const Limits& limits);
  graph::LevelVerdict judge(Level level, const Limits& limits, graph::FindSeen find_seen = graph::all_seen);

  const History& h_;
  std::unique_ptr<const graph::Trace> trace_;  // the last one
  graph::TraceKind kind_ = graph::TraceKind::kOneView;
};

}  // namespace isolde
