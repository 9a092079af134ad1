#include "check/solver/polygraph.h"

#include <fmt/format.h>

#include "check/solver/core.h"
#include "check/solver/polygraph_explain.h"
#include "check/solver/polygraph_prune.h"
#include "check/solver/polygraph_search.h"

namespace isolde::solver {

namespace {

// Pruning alone found that there is no order.
Found refuted(const Problem& problem, const Pruner& pruner, Pruner::Outcome outcome, const Limits& limits) {
  Explainer explainer(problem, pruner);
  if (outcome == Pruner::Outcome::kKnownCycle) {
    explainer.add(explainer.find_cycle(false));
  } else if (outcome == Pruner::Outcome::kNoCandidate) {
    explainer.add_read(pruner.emptied());
  } else if (pruner.closing()) {
    const Link last = pruner.derived().back().link;
    Cycle cycle = explainer.way(last.to, last.from, pruner.table_knows());
    cycle.push_back(last);
    explainer.add(std::move(cycle));
  } else {
    explainer.add(explainer.find_cycle(true));
  }
  Found found;
  if (auto core = minimal_core(problem, explainer.take(), limits)) {
    found.outcome = Found::Outcome::kNone;
    found.cycles = std::move(*core);
  } else {
    found.limit = "pruning left no order, and no proof was found that there is none";
  }
  return found;
}

}  // namespace

Found solve_polygraph(const Problem& problem, const Limits& limits, SearchStats& stats, std::span<const Node> hint) {
  for (const Read& read : problem.reads) stats.reads += read.is_fixed() ? 0 : 1;
  Pruner pruner(problem, limits);
  const Pruner::Outcome outcome = pruner.run();
  stats.pairs = pruner.pairs_at_start();
  if (outcome == Pruner::Outcome::kLimit) {
    Found found;
    found.limit = pruner.limit();
    if (stats.pairs > 0) {
      stats.searched = pruner.open_pairs();
      stats.pruned = stats.pairs - stats.searched;
      found.limit += fmt::format("; {} of {} pairs left after pruning", stats.searched, stats.pairs);
    }
    return found;
  }
  if (outcome != Pruner::Outcome::kFixpoint) {
    stats.pruned = stats.pairs;
    return refuted(problem, pruner, outcome, limits);
  }
  stats.searched = pruner.open_pairs();
  stats.pruned = stats.pairs - stats.searched;
  return search_pruned(problem, pruner, limits, stats, hint);
}

}  // namespace isolde::solver
