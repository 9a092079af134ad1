// check/mirror/moments.h: unknown moments, each within a window of the clients' clock, and orders between them.
//
// In, out: windows, and orders "p comes before q" one by one -> tighter windows, or "no choice of moments is left".
// Always:  exact: an order is refused if and only if no choice of one moment in each window satisfies it with all that
//          were taken before. Readings that are equal force no order. A refused order leaves nothing behind.
//          Orders are kept only between windows that overlap: others follow from the clock.
// Cost:    constant for windows apart; else what the change reaches.
// Source:  Leopard (section V), as bounds: earliest moments go forward along the orders, latest ones backward; orders
//          alone close a cycle only among moments whose bounds have become the same.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/state_file.h"

namespace isolde::mirror {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kAlways = std::numeric_limits<std::int64_t>::min();

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffffU;

// Why one moment comes before another: for messages, and for dependencies.
enum class Why : std::uint8_t { kClock, kProgram, kWr, kWw, kRw, kLock, kUpdate };

// Which moment of its transaction a node is: its commit, its snapshot, that of the statement with this number, or one
// that has no name outside.
inline constexpr std::uint32_t kCommitMoment = 0xfffffffeU, kSnapshotMoment = 0xfffffffdU, kUnnamedMoment = 0xffffffffU;

struct MomentNode {
  std::int64_t lo = 0, hi = 0;    // as tight as is known
  std::int64_t lo0 = 0, hi0 = 0;  // as measured
  std::uint32_t out = 0, in = 0;  // first edges; 0: none
  std::uint32_t txn = 0;          // slot of its transaction
  std::uint32_t generation = 0;   // counts how often the node was used anew
  std::uint32_t at = kUnnamedMoment;
  bool live = false;
};

struct MomentEdge {
  NodeId node = kNoNode;
  std::uint32_t next = 0;
  std::uint32_t key = 0;  // slot of the key that it is about
  Why why = Why::kClock;
};

class Moments {
 public:
  Moments() : edges_(1) {}

  NodeId add(std::int64_t lo, std::int64_t hi, std::uint32_t txn, std::uint32_t at);
  void remove(NodeId n);

  [[nodiscard]] const MomentNode& operator[](NodeId n) const { return nodes_[n]; }
  [[nodiscard]] bool is(NodeId n, std::uint32_t generation) const {
    return n != kNoNode && nodes_[n].generation == generation && nodes_[n].live;
  }

  // Each: false if no choice of moments is left; then nothing has changed.
  bool order(NodeId p, NodeId q, Why why, std::uint32_t key);
  bool raise(NodeId n, std::int64_t lo);
  bool lower(NodeId n, std::int64_t hi);

  // Everything since mark() can be undone; marks nest.
  [[nodiscard]] std::size_t mark() {
    ++marks_;
    return trail_.size();
  }
  void undo(std::size_t mark);
  void keep(std::size_t mark);

  template <typename F>
  void for_each_after(NodeId n, F&& f) const {
    for (std::uint32_t e = nodes_[n].out; e != 0; e = edges_[e].next) f(edges_[e]);
  }
  // Whether p comes before q by the orders taken and the clock, at once or by way of others.
  [[nodiscard]] bool certainly_before(NodeId p, NodeId q) const;

  // From now on, every node whose bounds become tighter is added to `to`, some more than once.
  void report_changes(std::vector<NodeId>* to) { changed_ = to; }

  [[nodiscard]] std::size_t live() const { return live_; }
  [[nodiscard]] std::size_t bytes() const {
    return nodes_.capacity() * sizeof(MomentNode) + edges_.capacity() * sizeof(MomentEdge);
  }
  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);

 private:
  struct Undo {
    NodeId node;
    std::uint32_t edge;  // 0: the bounds below; else the edge from `node` to drop
    std::int64_t lo, hi;
  };
  void note(NodeId n) {
    trail_.push_back({n, 0, nodes_[n].lo, nodes_[n].hi});
    if (changed_ != nullptr) changed_->push_back(n);
  }
  std::uint32_t new_edge(MomentEdge edge);
  void unlink(std::uint32_t& head, NodeId node);
  bool propagate();
  [[nodiscard]] bool closes_cycle(NodeId p, NodeId q);

  std::vector<MomentNode> nodes_;
  std::vector<MomentEdge> edges_;
  std::vector<std::uint32_t> free_nodes_, free_edges_;
  std::vector<Undo> trail_;
  std::size_t marks_ = 0;
  std::size_t live_ = 0;
  std::vector<NodeId> work_;
  std::vector<NodeId>* changed_ = nullptr;
  mutable std::vector<NodeId> walk_, seen_;
};

}  // namespace isolde::mirror
