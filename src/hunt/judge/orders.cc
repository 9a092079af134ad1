#include <algorithm>
#include <map>
#include <set>

#include "hunt/judge/judge.h"

namespace isolde::hunt {

StatementGraph without(const StatementGraph& graph, const std::vector<Place>& places) {
  const std::set<Place> gone(places.begin(), places.end());
  StatementGraph left;
  for (const Place place : graph.statements)
    if (!gone.contains(place)) left.statements.push_back(place);
  for (const Dependency& dependency : graph.dependencies)
    if (!gone.contains(dependency.from) && !gone.contains(dependency.to)) left.dependencies.push_back(dependency);
  return left;
}

std::vector<Place> draw_order(const StatementGraph& graph, Rng& rng) {
  std::map<Place, std::size_t> waits_for;
  std::map<Place, std::vector<Place>> next;
  for (const Place place : graph.statements) waits_for.emplace(place, 0);
  for (const Dependency& dependency : graph.dependencies) {
    ++waits_for[dependency.to];
    next[dependency.from].push_back(dependency.to);
  }
  std::vector<Place> ready, order;
  for (const auto& [place, count] : waits_for)
    if (count == 0) ready.push_back(place);
  while (!ready.empty()) {
    std::swap(ready[rng.below(ready.size())], ready.back());
    const Place place = ready.back();
    ready.pop_back();
    order.push_back(place);
    for (const Place to : next[place])
      if (--waits_for[to] == 0) ready.push_back(to);
  }
  return order;
}

}  // namespace isolde::hunt
