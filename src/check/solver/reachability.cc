#include "check/solver/reachability.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace isolde::solver {

namespace {

constexpr std::size_t kBlock = 8;  // rows are whole blocks, so that merging is a loop of known length
constexpr std::size_t kFewChains = 64;
constexpr std::size_t kCellsPerStep = 32;  // of a row that is merged

}  // namespace

Reachability::Graph Reachability::joined(std::span<const Edge> edges) const {
  Graph out;
  out.begin.assign(nodes_ + 1, 0);
  for (Node v = 0; v < nodes_; ++v) out.begin[v + 1] = begin_[v + 1] - begin_[v] + static_cast<Node>(extra_[v].size());
  for (const Edge& e : edges) ++out.begin[e.from + 1];
  for (Node v = 0; v < nodes_; ++v) out.begin[v + 1] += out.begin[v];
  out.to.resize(out.begin[nodes_]);
  std::vector<std::uint32_t> at(out.begin.begin(), out.begin.end() - 1);
  for (Node v = 0; v < nodes_; ++v) each_next(v, [&](Node next) { out.to[at[v]++] = next; });
  for (const Edge& e : edges) out.to[at[e.from]++] = e.to;
  return out;
}

// Shorter than all nodes if there is a cycle.
std::vector<Reachability::Node> Reachability::sorted(const Graph& graph) {
  const auto n = static_cast<Node>(graph.begin.size() - 1);
  std::vector<std::uint32_t> waits(n, 0);
  for (const Node next : graph.to) ++waits[next];
  std::vector<Node> order;
  order.reserve(n);
  for (Node v = 0; v < n; ++v) {
    if (waits[v] == 0) order.push_back(v);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::uint32_t e = graph.begin[order[i]]; e < graph.begin[order[i] + 1]; ++e) {
      if (--waits[graph.to[e]] == 0) order.push_back(graph.to[e]);
    }
  }
  return order;
}

// Edges by where they end, the latest start first.
Reachability::Graph Reachability::backwards(const Graph& graph, std::span<const Node> order) const {
  Graph out;
  out.begin.assign(nodes_ + 1, 0);
  for (const Node next : graph.to) ++out.begin[next + 1];
  for (Node v = 0; v < nodes_; ++v) out.begin[v + 1] += out.begin[v];
  out.to.resize(graph.to.size());
  std::vector<std::uint32_t> at(out.begin.begin(), out.begin.end() - 1);
  for (std::size_t i = order.size(); i-- > 0;) {
    for (std::uint32_t e = graph.begin[order[i]]; e < graph.begin[order[i] + 1]; ++e) {
      out.to[at[graph.to[e]]++] = order[i];
    }
  }
  return out;
}

// Each node goes on the end of a chain that reaches it, if there is one. What reaches a node is known while the cover
// is made, by clocks over the chains so far. Gives up (no chains) when these are more than `most`.
Reachability::Cover Reachability::cover_of(const Graph& back, std::span<const Node> order, std::size_t most) const {
  Cover out;
  out.chain.resize(nodes_);
  out.place.resize(nodes_);
  std::vector<std::uint32_t> clock(nodes_ * most, 0), length;
  for (const Node v : order) {
    std::uint32_t* __restrict mine = &clock[v * most];
    for (std::uint32_t e = back.begin[v]; e < back.begin[v + 1]; ++e) {  // later starts come first
      const Node from = back.to[e];
      if (is_tracked(from) && mine[out.chain[from]] > out.place[from]) continue;
      const std::uint32_t* __restrict other = &clock[from * most];
      for (std::size_t c = 0; c < length.size(); ++c) mine[c] = std::max(mine[c], other[c]);
    }
    if (!is_tracked(v)) continue;
    std::uint32_t best = kNone32;
    for (std::uint32_t c = 0; c < length.size(); ++c) {
      if (mine[c] != length[c]) continue;
      best = c;
      break;
    }
    if (best == kNone32) {
      if (length.size() == most) return {};
      best = static_cast<std::uint32_t>(length.size());
      length.push_back(0);
    }
    out.chain[v] = best;
    out.place[v] = length[best]++;
    mine[best] = length[best];
  }
  out.chains = static_cast<std::uint32_t>(length.size());
  return out;
}

// Takes clocks where they are the smaller table, else bits. False: neither has room.
bool Reachability::choose_table(const Graph& back, std::span<const Node> order) {
  if (clocks() && chains_ <= kFewChains) return true;
  const std::size_t rows = std::max<std::size_t>(nodes_, 1);
  const std::size_t bit_width = (tracked_ / 64 + kBlock) / kBlock * kBlock;
  const bool bits_fit = rows * bit_width * sizeof(std::uint64_t) <= room_.bits;
  // The table, and as much again for what was seen of it.
  std::size_t most = room_.clocks / (2 * rows * sizeof(std::uint32_t));
  if (bits_fit) most = std::min(most, 2 * bit_width);
  if (clocks()) most = std::min<std::size_t>(most, chains_ / 2);  // a new cover costs that all is looked at again
  Cover cover;
  for (std::size_t tried = std::min<std::size_t>(most, kFewChains); tried > 0;
       tried = tried == most ? 0 : std::min(most, 8 * tried)) {
    steps_ += (back.to.size() + nodes_) * (tried / kCellsPerStep + 1);
    cover = cover_of(back, order, tried);
    if (!cover.chain.empty() || tracked_ == 0) break;
  }
  const bool take_clocks = cover.chains > 0;
  if (width_ > 0 && !take_clocks) return true;
  if (!take_clocks && !bits_fit) return false;

  ++cover_;
  if (!take_clocks) {
    cover.chain.resize(nodes_);
    cover.place.assign(nodes_, 0);
    for (const Node v : order) {
      if (is_tracked(v)) cover.chain[v] = cover.chains++;
    }
  }
  chains_ = cover.chains;
  chain_ = std::move(cover.chain);
  place_ = std::move(cover.place);
  width_ = take_clocks ? (chains_ + kBlock - 1) / kBlock * kBlock : bit_width;
  clock_.assign(take_clocks ? nodes_ * width_ : 0, 0);
  seen_clock_.assign(clock_.size(), 0);
  bits_.assign(take_clocks ? 0 : nodes_ * width_, 0);
  seen_bits_.assign(bits_.size(), 0);
  is_changed_.resize(nodes_, false);
  is_queued_.resize(nodes_, false);
  return true;
}

Reachability::Outcome Reachability::add_all(std::span<const Edge> edges) {
  const Graph graph = joined(edges);
  steps_ += 4 * (graph.to.size() + nodes_);
  const std::vector<Node> order = sorted(graph);
  if (order.size() < nodes_) return Outcome::kCycle;
  const Graph back = backwards(graph, order);
  if (!choose_table(back, order)) return Outcome::kTooLarge;
  rank_.resize(nodes_);
  for (Node i = 0; i < nodes_; ++i) rank_[order[i]] = i;
  std::make_heap(changed_.begin(), changed_.end(), Later{*this});
  fill(back, order);
  merges_ = 0;
  return Outcome::kDone;
}

void Reachability::fill(const Graph& back, std::span<const Node> order) {
  std::vector<Edge> kept;
  kept.reserve(to_.size() + nodes_);
  // A row is made anew, so that an edge is dropped only if edges kept this time imply it.
  std::vector<std::uint32_t> old_clock(clocks() ? width_ : 0);
  std::vector<std::uint64_t> old_bits(clocks() ? 0 : width_);
  for (const Node v : order) {
    const auto at = static_cast<std::ptrdiff_t>(row(v)), width = static_cast<std::ptrdiff_t>(width_);
    if (clocks()) {
      std::swap_ranges(old_clock.begin(), old_clock.end(), clock_.begin() + at);
      std::fill_n(clock_.begin() + at, width, 0U);
    } else {
      std::swap_ranges(old_bits.begin(), old_bits.end(), bits_.begin() + at);
      std::fill_n(bits_.begin() + at, width, 0U);
    }
    for (std::uint32_t e = back.begin[v]; e < back.begin[v + 1]; ++e) {  // later starts come first
      const Node from = back.to[e];
      if (is_tracked(from) ? reaches(from, v) : !merge(v, from)) continue;
      kept.push_back({from, v});
      if (is_tracked(from)) merge(v, from);
    }
    if (!is_tracked(v)) {
    } else if (clocks()) {  // not earlier: it would make the edge along the chain look implied
      clock_[row(v) + chain_[v]] = place_[v] + 1;
    } else {
      bits_[row(v) + chain_[v] / 64] |= std::uint64_t{1} << (chain_[v] % 64);
    }
    const bool same = clocks() ? std::equal(old_clock.begin(), old_clock.end(), clock_.begin() + at)
                               : std::equal(old_bits.begin(), old_bits.end(), bits_.begin() + at);
    if (!same) mark(v);
  }
  std::fill(begin_.begin(), begin_.end(), 0);
  for (const Edge& e : kept) ++begin_[e.from + 1];
  for (Node v = 0; v < nodes_; ++v) begin_[v + 1] += begin_[v];
  to_.resize(kept.size());
  std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
  for (const Edge& e : kept) to_[at[e.from]++] = e.to;
  for (auto& list : extra_) list.clear();
}

bool Reachability::merge(Node into, Node from) {
  ++merges_;
  steps_ += width_ / kCellsPerStep + 1;
  if (clocks()) {
    std::uint32_t* __restrict a = &clock_[row(into)];
    const std::uint32_t* __restrict b = &clock_[row(from)];
    std::uint32_t change = 0;
    for (std::size_t i = 0; i < width_; i += kBlock) {
      for (std::size_t j = i; j < i + kBlock; ++j) {
        const std::uint32_t larger = std::max(a[j], b[j]);
        change |= larger ^ a[j];
        a[j] = larger;
      }
    }
    return change != 0;
  }
  std::uint64_t* __restrict a = &bits_[row(into)];
  const std::uint64_t* __restrict b = &bits_[row(from)];
  std::uint64_t change = 0;
  for (std::size_t i = 0; i < width_; i += kBlock) {
    for (std::size_t j = i; j < i + kBlock; ++j) {
      change |= b[j] & ~a[j];
      a[j] |= b[j];
    }
  }
  return change != 0;
}

void Reachability::mark(Node node) {
  if (is_changed_[node]) return;
  is_changed_[node] = true;
  changed_.push_back(node);
  std::push_heap(changed_.begin(), changed_.end(), Later{*this});
}

void Reachability::add(Node from, Node to) {
  if (reaches(from, to)) return;
  extra_[from].push_back(to);
  if (!merge(to, from)) return;
  mark(to);
  const Later later{*this};
  queue_.assign(1, to);
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end(), later);
    const Node v = queue_.back();
    queue_.pop_back();
    is_queued_[v] = false;
    each_next(v, [&](Node next) {
      if (!merge(next, v)) return;
      mark(next);
      if (is_queued_[next]) return;
      is_queued_[next] = true;
      queue_.push_back(next);
      std::push_heap(queue_.begin(), queue_.end(), later);
    });
  }
}

}  // namespace isolde::solver
