#include "check/solver/stuck.h"

#include <algorithm>
#include <array>

#include "check/solver/choices.h"

namespace isolde::solver {
namespace {

constexpr std::size_t kStarts = 16;        // nodes from which cycles are looked for
constexpr std::size_t kCostOfAChoice = 8;  // in links that are known
constexpr std::size_t kBuckets = 2 * kCostOfAChoice + 2;
constexpr std::size_t kMostNodes = 20'000;  // looked at for one cycle

}  // namespace

CycleFinder::CycleFinder(const Problem& problem)
    : p_(problem), cost_(problem.nodes, kNone32), by_(problem.nodes, kNone32), met_(problem.nodes, 0) {}

// Goes to whom each waits for, until somebody comes again.
Cycle CycleFinder::first_from(const Schedule& schedule, Node start) {
  const std::uint32_t walk = ++walks_;
  std::vector<Link> path;
  Node v = start;
  while (met_[v] != walk) {
    // Where an earlier walk came by, it found what there is to find.
    if (met_[v] != 0 && met_[v] > first_walk_) return {};
    met_[v] = walk;
    Link next{Link::Kind::kKnown, kNone32, kNone32};
    schedule.for_each_wait(v, [&](const Link& link) {
      ++looked_at_;
      if (next.from == kNone32 || schedule.rank(link.from) < schedule.rank(next.from)) next = link;
    });
    if (next.from == kNone32) return {};
    path.push_back(next);
    v = next.from;
  }
  // The walk went backwards, and entered the cycle at v.
  const auto enters = std::find_if(path.begin(), path.end(), [v](const Link& link) { return link.to == v; });
  Cycle out(enters, path.end());
  std::reverse(out.begin(), out.end());
  return out;
}

Cycle CycleFinder::cheapest_through(const Schedule& schedule, Node start) {
  std::array<std::vector<Node>, kBuckets> buckets;
  std::vector<Node> touched{start};
  links_.clear();
  cost_[start] = 0;
  buckets[0].push_back(start);
  std::size_t left = 1;
  std::uint32_t back = kNone32;  // what the way back to the start costs
  for (std::uint32_t now = 0; left > 0 && now + 1 < back && touched.size() < kMostNodes; ++now) {
    auto& bucket = buckets[now % kBuckets];
    for (const Node v : bucket) {
      if (cost_[v] != now) continue;
      schedule.for_each_wait(v, [&](const Link& link) {
        ++looked_at_;
        const std::uint32_t cost = now + 1 + static_cast<std::uint32_t>(kCostOfAChoice * choices_in(p_, link));
        std::uint32_t& known = link.from == start ? back : cost_[link.from];
        if (cost >= known) return;
        known = cost;
        by_[link.from] = static_cast<std::uint32_t>(links_.size());
        links_.push_back(link);
        if (link.from == start) return;
        touched.push_back(link.from);
        buckets[cost % kBuckets].push_back(link.from);
        ++left;
      });
    }
    left -= bucket.size();
    bucket.clear();
  }
  Cycle out;
  if (back != kNone32) out = walk(start);
  for (const Node v : touched) cost_[v] = by_[v] = kNone32;
  return out;
}

Cycle CycleFinder::walk(Node start) const {
  Cycle out;
  Node v = start;
  do {
    out.push_back(links_[by_[v]]);
    v = out.back().to;
  } while (v != start);
  return out;
}

std::vector<Cycle> CycleFinder::find(const Schedule& schedule) {
  std::vector<Cycle> out;
  first_walk_ = walks_;
  for (const Node start : schedule.first_waiting(kStarts)) {
    Cycle cycle = first_from(schedule, start);
    if (cycle.empty()) continue;
    Cycle cheap = cheapest_through(schedule, cycle.front().from);
    out.push_back(cheap.empty() ? std::move(cycle) : std::move(cheap));
  }
  return out;
}

}  // namespace isolde::solver
