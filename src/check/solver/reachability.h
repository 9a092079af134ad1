// check/solver/reachability.h: which node comes before which, kept up to date while edges are added.
//
// In, out: edges -> reaches(a, b) in constant time, and for each node what newly comes before it. Nodes that only lead
//          from one to another (times, gates) may be left untracked: nobody asks what they reach, and they cost little.
// Always:  nodes stand on chains (paths of the graph). For each node and chain the table says how many nodes of the
//          chain come before: vector clocks. Where chains are many, each node is a chain of its own and the table one
//          bit wide, chains in a topological order. Edges that others imply are dropped.
// Cost:    rebuilding: edges kept x chains (or nodes / 64). One edge: the nodes whose past grows x the same.
// Source:  Jagadish (chain covers); Mattern, Fidge (vector clocks).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace isolde::solver {

class Reachability {
 public:
  using Node = std::uint32_t;
  struct Edge {
    Node from, to;
  };
  struct Room {  // bytes that a table may take
    std::size_t clocks = std::size_t{3} << 29;
    std::size_t bits = std::size_t{1} << 30;
  };
  enum class Outcome : std::uint8_t { kDone, kCycle, kTooLarge };

  // The first `tracked` nodes are.
  Reachability(std::uint32_t nodes, std::uint32_t tracked) : Reachability(nodes, tracked, Room{}) {}
  Reachability(std::uint32_t nodes, std::uint32_t tracked, Room room)
      : nodes_(nodes), tracked_(tracked), room_(room), begin_(nodes + std::size_t{1}, 0), extra_(nodes) {}

  // Adds edges and computes the table anew. Requires: after the first call, both ends of an edge are tracked.
  // Ensures: kCycle, kTooLarge: the table is as it was before (empty, the first time), the edges are not in it.
  [[nodiscard]] Outcome add_all(std::span<const Edge> edges);
  // Requires: not reaches(to, from); both are tracked.
  void add(Node from, Node to);
  // Steps (base/limits.h) that the table has cost so far.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  // add() has cost more, since the last add_all(), than another add_all() would.
  [[nodiscard]] bool worn() const { return merges_ > 2 * (to_.size() + nodes_); }

  // Or both are the same node. Requires: `from` is tracked.
  [[nodiscard]] bool reaches(Node from, Node to) const {
    if (clocks()) return clock_[row(to) + chain_[from]] > place_[from];
    return (bits_[row(to) + chain_[from] / 64] >> (chain_[from] % 64) & 1) != 0;
  }

  // The chain that a tracked node stands on, and its place there.
  [[nodiscard]] std::uint32_t chain(Node node) const { return chain_[node]; }
  [[nodiscard]] std::uint32_t place(Node node) const { return place_[node]; }
  [[nodiscard]] std::uint32_t chains() const { return chains_; }
  // How many nodes of a chain reach `node` or are it.
  [[nodiscard]] std::uint32_t before(Node node, std::uint32_t chain) const {
    if (clocks()) return clock_[row(node) + chain];
    return (bits_[row(node) + chain / 64] >> (chain % 64) & 1) != 0 ? 1 : 0;
  }
  // Changes when chains are made anew: places are then others, and everything is fresh again.
  [[nodiscard]] std::uint32_t cover() const { return cover_; }

  // Nodes whose past grew since they were last taken. Each once; early ones first, since what is then found about them
  // changes later ones.
  [[nodiscard]] bool any_changed() const { return !changed_.empty(); }
  [[nodiscard]] Node take_changed() {
    std::pop_heap(changed_.begin(), changed_.end(), Later{*this});
    const Node node = changed_.back();
    changed_.pop_back();
    is_changed_[node] = false;
    return node;
  }
  // Calls f(chain, from, to): the nodes of the chain at places [from, to) newly come before `node` (or are it) since
  // the last call for this node.
  template <typename F>
  void fresh(Node node, F&& f) {
    const std::size_t at = row(node);
    if (clocks()) {
      for (std::uint32_t c = 0; c < chains_; ++c) {
        if (clock_[at + c] == seen_clock_[at + c]) continue;
        f(c, seen_clock_[at + c], clock_[at + c]);
        seen_clock_[at + c] = clock_[at + c];
      }
      return;
    }
    for (std::uint32_t w = 0; w < width_; ++w) {
      std::uint64_t fresh = bits_[at + w] & ~seen_bits_[at + w];
      seen_bits_[at + w] = bits_[at + w];
      for (; fresh != 0; fresh &= fresh - 1) {
        f(w * 64 + static_cast<std::uint32_t>(std::countr_zero(fresh)), std::uint32_t{0}, std::uint32_t{1});
      }
    }
  }
  // The past of a node as bits by chain. Requires: not clocks().
  [[nodiscard]] std::span<const std::uint64_t> bits(Node node) const {
    return std::span(bits_).subspan(row(node), width_);
  }
  // The same as fresh(), as bits by chain. Requires: not clocks().
  void take_fresh(Node node, std::vector<std::uint64_t>& out) {
    const std::size_t at = row(node);
    out.resize(width_);
    for (std::size_t w = 0; w < width_; ++w) out[w] = bits_[at + w] & ~seen_bits_[at + w];
    std::copy_n(bits_.begin() + static_cast<std::ptrdiff_t>(at), width_,
                seen_bits_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  [[nodiscard]] bool clocks() const { return !clock_.empty(); }
  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  [[nodiscard]] bool is_tracked(Node node) const { return node < tracked_; }

  // Calls f(to) for edges that are enough for all that is known of tracked nodes.
  template <typename F>
  void each_next(Node node, F&& f) const {
    for (std::uint32_t i = begin_[node]; i < begin_[node + 1]; ++i) f(to_[i]);
    for (const Node next : extra_[node]) f(next);
  }

 private:
  struct Later {
    const Reachability& reach;
    bool operator()(Node a, Node b) const { return reach.rank_[a] > reach.rank_[b]; }
  };
  struct Cover {
    std::uint32_t chains = 0;
    std::vector<std::uint32_t> chain, place;
  };
  struct Graph {
    std::vector<std::uint32_t> begin;
    std::vector<Node> to;
  };
  [[nodiscard]] std::size_t row(Node node) const { return std::size_t{node} * width_; }
  [[nodiscard]] Graph joined(std::span<const Edge> edges) const;
  [[nodiscard]] static std::vector<Node> sorted(const Graph& graph);
  [[nodiscard]] Graph backwards(const Graph& graph, std::span<const Node> order) const;
  [[nodiscard]] Cover cover_of(const Graph& back, std::span<const Node> order, std::size_t most) const;
  bool choose_table(const Graph& back, std::span<const Node> order);
  void fill(const Graph& back, std::span<const Node> order);
  bool merge(Node into, Node from);
  void mark(Node node);

  std::uint32_t nodes_, tracked_;
  Room room_;
  std::vector<std::uint32_t> begin_;
  std::vector<Node> to_;                  // edges that no others imply
  std::vector<std::vector<Node>> extra_;  // added since
  std::vector<std::uint32_t> rank_;       // in a topological order when the table was last made
  std::uint32_t chains_ = 0, cover_ = 0;
  std::size_t width_ = 0;  // of a row, in words of its kind
  std::vector<std::uint32_t> chain_, place_, clock_, seen_clock_;
  std::vector<std::uint64_t> bits_, seen_bits_;
  std::vector<Node> changed_, queue_;
  std::vector<bool> is_changed_, is_queued_;
  std::uint64_t merges_ = 0, steps_ = 0;
};

}  // namespace isolde::solver
