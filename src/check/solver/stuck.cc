#include "check/solver/stuck.h"

#include <algorithm>
#include <array>

#include "check/solver/choices.h"

namespace isolde::solver {
namespace {

constexpr std::size_t kStarts = 8;         // circles looked for in one component
constexpr std::size_t kMostCircles = 256;  // at once
constexpr std::size_t kCostOfAChoice = 8;  // in links that are known
constexpr std::size_t kBuckets = 2 * kCostOfAChoice + 2;

// What did not run, and who waits for whom.
struct Waiting {
  std::vector<Node> nodes;
  std::vector<std::uint32_t> local;  // by node
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> for_whom;  // local
  std::vector<Link> links;              // beside

  Waiting(const Problem& problem, const Schedule& schedule) : local(problem.nodes, kNone32) {
    for (Node v = 0; v < problem.nodes; ++v) {
      if (schedule.is_done(v)) continue;
      local[v] = static_cast<std::uint32_t>(nodes.size());
      nodes.push_back(v);
    }
    for (const Node v : nodes) {
      schedule.for_each_wait(v, [&](const Link& link) {
        for_whom.push_back(local[link.from]);
        links.push_back(link);
      });
      begin.push_back(static_cast<std::uint32_t>(links.size()));
    }
  }
};

class CircleFinder {
 public:
  CircleFinder(const Problem& problem, const Waiting& waiting)
      : p_(problem),
        w_(waiting),
        component_(waiting.nodes.size(), kNone32),
        cost_(waiting.nodes.size(), kNone32),
        by_(waiting.nodes.size(), kNone32) {}

  void mark(std::span<const std::uint32_t> component, std::uint32_t number) {
    for (const std::uint32_t v : component) component_[v] = number;
  }

  // The cheapest circle through `start` within its component.
  Circle through(std::uint32_t start) {
    std::array<std::vector<std::uint32_t>, kBuckets> buckets;
    std::vector<std::uint32_t> touched{start};
    cost_[start] = 0;
    buckets[0].push_back(start);
    std::size_t left = 1;
    std::uint32_t back = kNone32;  // what the way back to the start costs
    for (std::uint32_t now = 0; left > 0 && now + 1 < back; ++now) {
      auto& bucket = buckets[now % kBuckets];
      for (const std::uint32_t v : bucket) {
        if (cost_[v] != now) continue;
        for (std::uint32_t e = w_.begin[v]; e < w_.begin[v + 1]; ++e) {
          const std::uint32_t to = w_.for_whom[e];
          if (component_[to] != component_[start]) continue;
          const std::uint32_t cost = now + 1 + static_cast<std::uint32_t>(kCostOfAChoice * choices_in(p_, w_.links[e]));
          std::uint32_t& known = to == start ? back : cost_[to];
          if (cost >= known) continue;
          known = cost;
          by_[to] = e;
          if (to == start) continue;
          touched.push_back(to);
          buckets[cost % kBuckets].push_back(to);
          ++left;
        }
      }
      left -= bucket.size();
      bucket.clear();
    }
    Circle out;
    if (back != kNone32) out = walk(start);
    for (const std::uint32_t v : touched) cost_[v] = by_[v] = kNone32;
    return out;
  }

 private:
  // by_ leads from a node to the one that waits for it.
  Circle walk(std::uint32_t start) const {
    Circle out;
    std::uint32_t v = start;
    do {
      const Link& link = w_.links[by_[v]];
      out.push_back(link);
      v = w_.local[link.to];
    } while (v != start);
    return out;
  }

  const Problem& p_;
  const Waiting& w_;
  std::vector<std::uint32_t> component_;
  std::vector<std::uint32_t> cost_, by_;
};

}  // namespace

std::vector<Circle> find_circles(const Problem& problem, const Schedule& schedule) {
  const Waiting waiting(problem, schedule);
  const auto components = graph::strong_components(waiting.begin, waiting.for_whom);
  CircleFinder finder(problem, waiting);
  std::vector<Circle> out;
  for (std::uint32_t i = 0; i < components.size() && out.size() < kMostCircles; ++i) {
    finder.mark(components[i], i);
    // Every circle passes a node that waits because of a choice, or else no order exists.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> starts;  // by rank
    for (const std::uint32_t v : components[i]) {
      for (std::uint32_t e = waiting.begin[v]; e < waiting.begin[v + 1]; ++e) {
        if (waiting.links[e].kind == Link::Kind::kKnown) continue;
        starts.emplace_back(schedule.rank(waiting.nodes[v]), v);
        break;
      }
    }
    if (starts.empty()) starts.emplace_back(0, components[i][0]);
    const std::size_t wanted = std::min(kStarts, starts.size());
    std::partial_sort(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(wanted), starts.end());
    for (std::size_t s = 0; s < wanted; ++s) {
      if (Circle circle = finder.through(starts[s].second); !circle.empty()) out.push_back(std::move(circle));
    }
  }
  return out;
}

}  // namespace isolde::solver
