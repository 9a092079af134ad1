#include "audit/cycles/moments.h"

#include <algorithm>
#include <array>

#include "audit/cycles/bounds.h"
#include "audit/cycles/order.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kFewEdges = 96;

// For more than 64, from a list of pairs (first, second).
bool have_order(std::size_t n, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  std::vector<std::uint32_t> begin(n + 2), after(pairs.size()), waiting(n), ready;
  for (const auto& [first, second] : pairs) {
    ++begin[first + 2];
    ++waiting[second];
  }
  for (std::size_t i = 2; i < begin.size(); ++i) begin[i] += begin[i - 1];
  for (const auto& [first, second] : pairs) after[begin[first + 1]++] = second;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (waiting[i] == 0) ready.push_back(i);
  }
  for (std::size_t done = 0; done < ready.size(); ++done) {
    for (std::uint32_t i = begin[ready[done]]; i < begin[ready[done] + 1]; ++i) {
      if (--waiting[after[i]] == 0) ready.push_back(after[i]);
    }
  }
  return ready.size() == n;
}

// A cycle of moments must go through commits, so it is enough to order these: the commit of i is before that of j if
// it is before a moment of j, and before that of k if it is before a moment of some j that is not after one which is
// before the commit of k. `add` is called with (i, j).
template <class Add>
void order_commits(std::span<const Bound> bounds, Add add) {
  for (const Bound& in : bounds) {
    if (!in.after_commit) continue;
    add(in.from, in.to);
    for (const Bound& out : bounds) {
      if (!out.after_commit && out.from == in.to && in.moment <= out.moment) add(in.from, out.to);
    }
  }
}

// The paper's rule. Dependencies are ordered instead of operations: one is before another if it ends at an operation
// that is not after the one where the other begins.
template <class Add>
void order_edges(std::span<const CycleEdge> edges, Add add) {
  for (std::uint32_t i = 0; i < edges.size(); ++i) {
    for (std::uint32_t j = 0; j < edges.size(); ++j) {
      if (edges[i].to == edges[j].from && edges[i].conflict.to_op <= edges[j].conflict.from_op) add(i, j);
    }
  }
}

template <class Order>
bool ordered(std::size_t n, Order order) {
  if (n <= kMostOrdered) {
    std::array<std::uint64_t, kMostOrdered> before;
    std::fill_n(before.begin(), n, 0);
    order([&](std::uint32_t first, std::uint32_t second) { before[second] |= std::uint64_t{1} << first; });
    return has_order(before, n);
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  order([&](std::uint32_t first, std::uint32_t second) { pairs.emplace_back(first, second); });
  return have_order(n, pairs);
}

}  // namespace

bool can_happen(const Classes& classes, std::span<const ClassId> members, std::span<const CycleEdge> edges,
                WeakLevel level, TimingRule rule) {
  if (rule == TimingRule::kOperations) {
    return ordered(edges.size(), [&](auto add) { order_edges(edges, add); });
  }
  const auto can = [&](std::span<Bound> bounds) {
    std::ranges::transform(edges, bounds.begin(),
                           [&](const CycleEdge& edge) { return bound_of(classes, members, edge, level); });
    return ordered(members.size(), [&](auto add) { order_commits(bounds, add); });
  };
  if (edges.size() <= kFewEdges) {
    std::array<Bound, kFewEdges> bounds;
    return can(std::span(bounds).first(edges.size()));
  }
  std::vector<Bound> bounds(edges.size());
  return can(bounds);
}

}  // namespace isolde::audit
