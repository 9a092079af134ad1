#include "audit/cycles/ways.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>

#include "base/hash.h"

namespace isolde::audit {
namespace {

constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

template <typename Visit>
void for_each_bit(std::span<const std::uint64_t> bits, Visit&& visit) {
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
      visit(static_cast<std::uint32_t>(word * 64 + static_cast<unsigned>(std::countr_zero(left))));
    }
  }
}

}  // namespace

ClassGraph::ClassGraph(const DependencyGraph& graph)
    : count_(graph.classes()), words_((graph.classes() + 63) / 64), out_(count_ * words_), in_(count_ * words_) {
  for (std::uint32_t a = 0; a < count_; ++a) replicas_.push_back(graph.replicas(ClassId(a)));
  for (std::uint32_t a = 0; a < count_; ++a) {
    for (std::uint32_t b = 0; b < count_; ++b) {
      if (replicas_[a] == 0 || replicas_[b] == 0 || !graph.connected(ClassId(a), ClassId(b))) continue;
      out_[a * words_ + b / 64] |= std::uint64_t{1} << b % 64;
      in_[b * words_ + a / 64] |= std::uint64_t{1} << a % 64;
    }
  }
}

WayFinder::WayFinder(const ClassGraph& graph)
    : graph_(graph),
      left_(graph.size()),
      all_free_(graph.words()),
      free_(graph.words()),
      seen_(graph.words()),
      now_(graph.words()),
      next_(graph.words()),
      distance_(graph.size()) {
  for (std::uint32_t id = 0; id < graph.size(); ++id) {
    left_[id] = graph.replicas(id);
    if (left_[id] > 0) all_free_[id / 64] |= std::uint64_t{1} << id % 64;
  }
}

std::span<const std::vector<ClassId>> WayFinder::find(ClassId from, ClassId to, std::span<const ClassId> taken,
                                                      std::uint32_t k, std::size_t most_between, std::uint64_t seed) {
  found_ = 0;
  const std::uint64_t ends = std::uint64_t{raw(from)} << 32 | raw(to);
  shift_ = static_cast<std::uint32_t>(mix64(seed ^ mix64(ends + 1)) % graph_.size());
  for (const ClassId id : taken) {
    if (--left_[raw(id)] == 0) all_free_[raw(id) / 64] &= ~(std::uint64_t{1} << raw(id) % 64);
  }
  if (!short_ways(raw(from), raw(to), k, most_between)) {
    found_ = 0;
    best_first(raw(from), raw(to), k, most_between);
  }
  for (const ClassId id : taken) {
    ++left_[raw(id)];
    all_free_[raw(id) / 64] |= std::uint64_t{1} << raw(id) % 64;
  }
  return std::span(ways_).first(found_);
}

bool WayFinder::short_ways(std::uint32_t from, std::uint32_t to, std::uint32_t k, std::size_t most_between) {
  if (k > 0 && graph_.edge(from, to)) next_way() = {ClassId(from), ClassId(to)};
  if (most_between == 0 || found_ == k) return true;
  for (std::size_t word = 0; word < graph_.words(); ++word) {
    next_[word] = graph_.out(from)[word] & graph_.in(to)[word] & all_free_[word];
  }
  std::size_t between = 0;
  for (const std::uint64_t word : next_) between += static_cast<std::size_t>(std::popcount(word));
  if (found_ + between < k && most_between > 1) return false;
  const auto take = [&](std::uint32_t first, std::uint32_t end) {
    for_each_bit(next_, [&](std::uint32_t id) {
      if (id >= first && id < end && found_ < k) next_way() = {ClassId(from), ClassId(id), ClassId(to)};
    });
  };
  take(shift_, graph_.size());
  take(0, shift_);
  return true;
}

void WayFinder::best_first(std::uint32_t from, std::uint32_t to, std::uint32_t k, std::size_t most_between) {
  const auto later = [](const Entry& x, const Entry& y) {
    return std::tuple(x.length, ~x.depth, x.order, x.node) > std::tuple(y.length, ~y.depth, y.order, y.node);
  };
  nodes_.assign(1, {from, kNone32, 0, false});
  heap_.assign(1, {0, 0, 0, 0});
  while (!heap_.empty() && found_ < k) {
    std::ranges::pop_heap(heap_, later);
    const std::uint32_t node = heap_.back().node;
    heap_.pop_back();
    if (nodes_[node].last) {
      emit(node);
      continue;
    }
    const std::size_t before = heap_.size();
    expand(node, to, most_between);
    for (std::size_t i = before + 1; i <= heap_.size(); ++i) {
      std::push_heap(heap_.begin(), heap_.begin() + static_cast<std::ptrdiff_t>(i), later);
    }
  }
}

// free_: the classes of which a replica is left once the way to `node` has its own. The first is among those taken.
void WayFinder::take_prefix(std::uint32_t node) {
  free_ = all_free_;
  for (std::uint32_t at = node; nodes_[at].parent != kNone32; at = nodes_[at].parent) {
    const std::uint32_t id = nodes_[at].id;
    std::uint32_t times = 0;
    for (std::uint32_t other = node; nodes_[other].parent != kNone32; other = nodes_[other].parent) {
      times += nodes_[other].id == id ? 1 : 0;
    }
    if (times >= left_[id]) free_[id / 64] &= ~(std::uint64_t{1} << id % 64);
  }
}

// How far each free class is from the end, over free classes.
void WayFinder::measure(std::uint32_t to) {
  std::ranges::fill(distance_, kFar);
  std::ranges::fill(seen_, 0);
  std::copy_n(graph_.in(to), graph_.words(), next_.begin());
  for (std::uint32_t far = 1;; ++far) {
    std::uint64_t any = 0;
    for (std::size_t word = 0; word < next_.size(); ++word) {
      now_[word] = next_[word] & free_[word] & ~seen_[word];
      seen_[word] |= now_[word];
      any |= now_[word];
      next_[word] = 0;
    }
    if (any == 0) return;
    for_each_bit(now_, [&](std::uint32_t id) {
      distance_[id] = far;
      for (std::size_t word = 0; word < next_.size(); ++word) next_[word] |= graph_.in(id)[word];
    });
  }
}

void WayFinder::expand(std::uint32_t node, std::uint32_t to, std::size_t most_between) {
  const Node here = nodes_[node];
  const std::uint32_t depth = here.depth + 1;
  const auto add = [&](std::uint32_t id, std::uint32_t length, bool last) {
    nodes_.push_back({id, node, depth, last});
    heap_.push_back({length, depth, order_of(id), static_cast<std::uint32_t>(nodes_.size() - 1)});
  };
  if (graph_.edge(here.id, to)) add(to, depth, true);
  if (depth > most_between) return;
  take_prefix(node);
  measure(to);
  for_each_bit(std::span(graph_.out(here.id), graph_.words()), [&](std::uint32_t id) {
    if (distance_[id] != kFar && depth + distance_[id] <= most_between + 1) add(id, depth + distance_[id], false);
  });
}

void WayFinder::emit(std::uint32_t node) {
  std::vector<ClassId>& way = next_way();
  way.resize(nodes_[node].depth + 1);
  for (std::uint32_t at = node; at != kNone32; at = nodes_[at].parent) way[nodes_[at].depth] = ClassId(nodes_[at].id);
}

std::vector<ClassId>& WayFinder::next_way() {
  if (found_ == ways_.size()) ways_.emplace_back();
  return ways_[found_++];
}

}  // namespace isolde::audit
