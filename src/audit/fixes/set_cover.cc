#include "audit/fixes/set_cover.h"

#include <algorithm>
#include <queue>

namespace isolde::audit {

std::vector<std::uint32_t> greedy_cover(const std::vector<std::vector<std::uint32_t>>& sets_of,
                                        std::span<const std::uint32_t> order) {
  std::vector<std::vector<std::uint32_t>> elements(order.size());
  for (std::uint32_t element = 0; element < sets_of.size(); ++element) {
    for (const std::uint32_t set : sets_of[element]) elements[set].push_back(element);
  }
  struct Entry {
    std::uint64_t left;  // elements that were not covered when it was put in
    std::uint32_t set;
  };
  const auto worse = [&](const Entry& x, const Entry& y) {
    return x.left != y.left ? x.left < y.left : order[x.set] > order[y.set];
  };
  std::vector<std::uint64_t> left(order.size());
  std::priority_queue<Entry, std::vector<Entry>, decltype(worse)> heap(worse);
  for (std::uint32_t set = 0; set < order.size(); ++set) {
    left[set] = elements[set].size();
    if (left[set] > 0) heap.push({left[set], set});
  }
  std::vector<bool> covered(sets_of.size(), false);
  std::vector<std::uint32_t> chosen;
  while (!heap.empty()) {
    const Entry best = heap.top();
    heap.pop();
    if (left[best.set] == 0) continue;
    if (left[best.set] < best.left) {
      heap.push({left[best.set], best.set});
      continue;
    }
    chosen.push_back(best.set);
    for (const std::uint32_t element : elements[best.set]) {
      if (covered[element]) continue;
      covered[element] = true;
      for (const std::uint32_t set : sets_of[element]) --left[set];
    }
  }
  return chosen;
}

}  // namespace isolde::audit
