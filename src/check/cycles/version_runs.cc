#include "check/cycles/version_runs.h"

#include <algorithm>

namespace isolde::graph {

RunGraph::Answer RunGraph::sort(std::vector<std::uint32_t>& order) {
  order.clear();
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  std::vector<std::uint32_t> waits(nodes_, 0);
  for (const auto& [a, b] : edges_) ++waits[b];
  std::vector<std::uint32_t> helpers;
  std::vector<std::uint32_t> ready;
  for (std::uint32_t v = 0; v < nodes_; ++v) {
    if (waits[v] == 0) (v < runs_ ? ready : helpers).push_back(v);
  }
  bool only = true;
  while (!helpers.empty() || !ready.empty()) {
    std::uint32_t v = 0;
    if (!helpers.empty()) {
      v = helpers.back();
      helpers.pop_back();
    } else {
      only &= ready.size() == 1;
      v = ready.back();
      ready.pop_back();
      order.push_back(v);
    }
    auto at = std::lower_bound(edges_.begin(), edges_.end(), std::pair(v, std::uint32_t{0}));
    for (; at != edges_.end() && at->first == v; ++at) {
      if (--waits[at->second] == 0) (at->second < runs_ ? ready : helpers).push_back(at->second);
    }
  }
  if (order.size() != runs_) return Answer::kCycle;
  return only ? Answer::kOne : Answer::kSeveral;
}

}  // namespace isolde::graph
