#include "check/weak/weak.h"

#include <fmt/format.h>

#include <numeric>

#include "check/graph/graph.h"
#include "check/weak/choose_writers.h"
#include "check/weak/looks.h"
#include "check/weak/needed_seen.h"
#include "check/weak/order.h"

namespace isolde {
namespace {

bool is_judged(Level level) {
  const graph::LevelRow* const row = graph::row_of(level);
  const bool without_axiom = level == Level::kReadCommitted || level == Level::kCursorStability;
  return without_axiom || (row != nullptr && row->seen != graph::SeenRule::kNone);
}

std::string weak_lacks(const History& history, Level level) {
  if (!is_judged(level)) return fmt::format("{} is not decided by reads and sessions alone", info(level).name);
  return kGraphEngine.lacks(history, level);
}

// Whether the level holds with writers that are chosen, by the order of the file or by other hints, for the reads that
// leave a choice.
bool holds_with_chosen_writers(const History& history, const graph::Trace& trace, Level level, const Limits& limits) {
  std::vector<std::uint32_t> place(history.txn_count());
  std::iota(place.begin(), place.end(), 0U);
  for (const bool by_hints : {false, true}) {
    if (limits.exhausted()) return false;
    if (by_hints) place = weak::hinted_places(history);
    const auto chosen = weak::choose_writers(history, trace, place);
    if (!chosen) return false;
    const Verdict verdict = graph::check_level(history, level, limits, *chosen, weak::needed_seen).verdict;
    if (verdict.outcome == Outcome::kSatisfied) return true;
  }
  return false;
}

Verdict check_by_weak(const History& history, Level level, const Limits& limits) {
  GraphChecks graph(history);
  return check_weak(history, graph, level, limits);
}

}  // namespace

Verdict check_weak(const History& history, GraphChecks& graph, Level level, const Limits& limits) {
  if (!history.columns().predicates.empty() &&
      weak::holds_with_looks(history, graph.traced(level, limits), level, limits)) {
    Verdict holds;
    holds.level = level;
    holds.method = kWeakEngine.name;
    holds.outcome = Outcome::kSatisfied;
    return holds;
  }
  Verdict verdict = graph.check(level, limits, weak::needed_seen);
  verdict.method = kWeakEngine.name;
  if (verdict.outcome != Outcome::kUndecided || !history.columns().predicates.empty()) return verdict;
  const graph::Trace& trace = graph.traced(level, limits);
  if (!trace.only_open || trace.breaks_a_rule || trace.cut_short) return verdict;
  if (!holds_with_chosen_writers(history, trace, level, limits)) return verdict;
  verdict.outcome = Outcome::kSatisfied;
  verdict.reason.clear();
  verdict.notes.push_back(
      fmt::format("{} reads returned what several transactions wrote; with a writer chosen for each, {} holds",
                  trace.open.size(), info(level).name));
  return verdict;
}

constinit const Engine kWeakEngine{
    .name = "weak",
    .summary = "read-committed to causal from reads and sessions alone; cursor-stability",
    .lacks = weak_lacks,
    .check = check_by_weak};

}  // namespace isolde
