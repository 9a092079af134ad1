#include "check/weak/weak.h"

#include <fmt/format.h>

#include "check/graph/graph.h"
#include "check/weak/needed_seen.h"

namespace isolde {
namespace {

bool is_judged(Level level) {
  const graph::LevelRow* const row = graph::row_of(level);
  return level == Level::kCursorStability || (row != nullptr && row->seen != graph::SeenRule::kNone);
}

std::string lacks(const History& history, Level level) {
  if (!is_judged(level)) return fmt::format("{} is not told by such axioms", info(level).name);
  return kGraphEngine.lacks(history, level);
}

Verdict check(const History& history, Level level, const Limits& limits) {
  GraphChecks graph(history);
  return check_weak(history, graph, level, limits);
}

}  // namespace

Verdict check_weak(const History& /*history*/, GraphChecks& graph, Level level, const Limits& limits) {
  Verdict verdict = graph.check(level, limits, weak::needed_seen);
  verdict.method = kWeakEngine.name;
  return verdict;
}

constinit const Engine kWeakEngine{
    .name = "weak",
    .summary = "read-committed to causal by their axioms, from reads and sessions alone; cursor-stability",
    .lacks = lacks,
    .check = check};

}  // namespace isolde
