// check/cycles/cycle_search.h: a short cycle of the most telling kind in a strongly connected component.
//
// In, out: the dependencies, a component -> the hops of one cycle; it may pass through time nodes.
// Always:  a cycle is found; how short and how telling depends on a budget of edges looked at, never on a clock.
// Cost:    at most `budget` edges beyond one search that is linear in the component.
// Source:  Elle (cycle specifications, tried from the most to the least telling).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/cycles/cycles.h"

namespace isolde::graph {

struct Hop {
  std::uint32_t from, to;  // transactions, or time nodes of the graph
  Edge type;
};
using Walk = std::vector<Hop>;

// `component`: nodes as sort_nodes() gives them for `row.nodes`. What is spent is taken off `budget`.
[[nodiscard]] Walk find_cycle(const Dependencies& graph, const LevelRow& row, std::span<const std::uint32_t> component,
                              std::uint64_t& budget);

}  // namespace isolde::graph
