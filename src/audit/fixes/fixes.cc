#include "audit/fixes/fixes.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <numeric>
#include <thread>

#include "audit/fixes/advice.h"
#include "audit/fixes/set_cover.h"
#include "audit/fixes/simulation.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kMostJudged = 2'000;  // cycles of a column that its advice is tried on

std::vector<bool> kept_columns(const Classes& classes, const Hints& hints) {
  std::vector<bool> out(classes.schema.columns(), false);
  for (std::uint32_t column = 0; column < out.size(); ++column) {
    const std::string name = classes.schema.full_name(ColumnId(column));
    out[column] =
        std::ranges::any_of(hints.kept_columns, [&](const std::string& pattern) { return matches(pattern, name); });
  }
  return out;
}

// The rank of each column by name.
std::vector<std::uint32_t> ranks(const Classes& classes) {
  std::vector<std::string> names;
  for (std::uint32_t column = 0; column < classes.schema.columns(); ++column) {
    names.push_back(classes.schema.full_name(ColumnId(column)));
  }
  std::vector<std::uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t column) -> const std::string& { return names[column]; });
  std::vector<std::uint32_t> out(names.size());
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) out[order[rank]] = rank;
  return out;
}

std::vector<std::uint32_t> columns_of(const Cycle& cycle, const std::vector<bool>& kept) {
  std::vector<std::uint32_t> out;
  for (const CycleEdge& edge : cycle.edges) {
    if (!kept[raw(edge.conflict.column)]) out.push_back(raw(edge.conflict.column));
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

// Calls work(0) … work(n - 1), each once. Requires: they do not write the same.
template <typename Work>
void in_parallel(unsigned threads, std::size_t n, Work&& work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next.fetch_add(1); i < n; i = next.fetch_add(1)) work(i);
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, n); ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

}  // namespace

FixPlan plan_fixes(const Classes& classes, const TraceLog& log, const DependencyGraph& graph, const Hints& hints,
                   const SearchOptions& options) {
  FixPlan plan;
  const std::vector<bool> kept = kept_columns(classes, hints);
  const std::vector<std::uint32_t> rank = ranks(classes);
  DependencyGraph left = graph;
  std::vector<ColumnId> gone;
  while (true) {
    SearchResult result = search_cycles(classes, left, hints, options);
    plan.searches.push_back(result.counts);
    ++plan.rounds;
    plan.complete = result.complete;
    std::vector<std::vector<std::uint32_t>> columns;
    columns.reserve(result.cycles.size());
    for (const Cycle& cycle : result.cycles) columns.push_back(columns_of(cycle, kept));
    const std::vector<std::uint32_t> chosen = greedy_cover(columns, rank);

    std::vector<TargetColumn> targets(chosen.size());
    in_parallel(options.limits.threads, chosen.size(), [&](std::size_t place) {
      const std::uint32_t column = chosen[place];
      TargetColumn& target = targets[place];
      target.column = ColumnId(column);
      target.round = plan.rounds;
      std::vector<const Cycle*> through;
      for (std::size_t i = 0; i < result.cycles.size(); ++i) {
        if (!std::ranges::binary_search(columns[i], column)) continue;
        ++target.cycles;
        if (through.size() < kMostJudged) through.push_back(&result.cycles[i]);
      }
      target.judged = through.size();
      if (options.limits.out_of_time()) return;
      Simulation simulation(classes, left, hints, options, through, gone, target.column);
      target.advice = advise(classes, log, left, target.column, through, simulation);
    });
    std::ranges::move(targets, std::back_inserter(plan.targets));
    // Those through kept columns alone are found again in every round: the last round has them all.
    plan.not_fixable.clear();
    for (std::size_t i = 0; i < result.cycles.size(); ++i) {
      if (columns[i].empty()) plan.not_fixable.push_back(result.cycles[i]);
    }
    if (plan.rounds == 1) plan.first_round = std::move(result.cycles);
    if (chosen.empty()) return plan;
    if (options.limits.out_of_time()) {
      plan.complete = false;
      return plan;
    }
    std::vector<ColumnId> now;
    for (const std::uint32_t column : chosen) now.push_back(ColumnId(column));
    gone.insert(gone.end(), now.begin(), now.end());
    left = left.without(now);
  }
}

}  // namespace isolde::audit
