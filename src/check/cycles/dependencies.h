// check/cycles/dependencies.h: the direct serialization graph: who must come before whom, and why.
//
// In, out: a Trace, its VersionOrders and which edges are wanted -> arrays of edges, grouped by where they start.
// Always:  only transactions that count have edges. Real time takes one node a transaction that ended (`time` nodes,
//          after all transactions) and three edges each, not one edge a pair.
// Cost:    linear; real time sorts by clock.  Source: Adya; Elle (real-time edges).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/cycles/version_order.h"

namespace isolde::graph {

enum class Edge : std::uint8_t { kWw, kWr, kRw, kSession, kRealtime, kSeen };
inline constexpr int kEdgeTypes = 6;

class EdgeSet {
 public:
  constexpr EdgeSet() = default;
  constexpr EdgeSet(Edge edge) : bits_(static_cast<std::uint8_t>(1U << static_cast<unsigned>(edge))) {}  // NOLINT
  [[nodiscard]] constexpr bool has(Edge edge) const { return (bits_ >> static_cast<unsigned>(edge) & 1U) != 0; }
  friend constexpr EdgeSet operator|(EdgeSet a, EdgeSet b) {
    EdgeSet all;
    all.bits_ = static_cast<std::uint8_t>(a.bits_ | b.bits_);
    return all;
  }

 private:
  std::uint8_t bits_ = 0;
};
constexpr EdgeSet operator|(Edge a, Edge b) { return EdgeSet(a) | EdgeSet(b); }

// A node and the type of the edge to it, in one word.
class Arc {
 public:
  Arc() = default;
  Arc(std::uint32_t to, Edge type) : word_(to << 3 | static_cast<std::uint32_t>(type)) {}
  [[nodiscard]] std::uint32_t to() const { return word_ >> 3; }
  [[nodiscard]] Edge type() const { return static_cast<Edge>(word_ & 7); }

 private:
  std::uint32_t word_ = 0;
};
inline constexpr std::uint32_t kMaxNodes = 1U << 28;

// An order that follows from what one transaction saw: it read from `before`, so a version of `key` that it (then) read
// from `after` is not older than that of `before`.
struct Seen {
  TxnId before, after, reader;
  KeyId key;
};

// What a predicate operation of `reader` says of order, by Adya's "changes the matches".
struct PredicateEdge {
  TxnId reader, other;
  KeyId key;
  OpId op;                         // the reader's predicate operation
  bool anti;                       // the reader comes before `other`; else after it
  Ground ground = Ground::kReads;  // kSnapshot: the reader's snapshot tells which version it was evaluated on
};

struct Dependencies {
  std::uint32_t txns = 0;
  std::uint32_t nodes = 0;  // transactions, then time nodes
  std::vector<std::uint32_t> begin;
  std::vector<Arc> arcs;

  [[nodiscard]] std::span<const Arc> from(std::uint32_t node) const {
    return std::span(arcs).subspan(begin[node], begin[node + 1] - begin[node]);
  }
};

// What finding them, and then sorting the nodes, takes (base/limits.h).
[[nodiscard]] inline std::uint64_t steps_of(const Dependencies& graph) {
  return 4 * (std::uint64_t{graph.nodes} + graph.arcs.size());
}

// `seen`: edges of type kSeen. Those of predicates are of type kWr and kRw.
[[nodiscard]] Dependencies find_dependencies(const History& history, const Trace& trace, const VersionOrders& orders,
                                             std::span<const Seen> seen, std::span<const PredicateEdge> predicates,
                                             EdgeSet wanted);

// For an open key at most this many possible successors are looked at; more would cost much and tell little.
inline constexpr std::size_t kMostSuccessors = 64;

// Calls f(version) for each version that is known to come after the one that was read, with none known between.
template <typename F>
void for_each_successor(const VersionOrders& orders, std::span<const VersionOrders::Pair> known, const TracedRead& read,
                        F&& f) {
  if (read.version == kInitialVersion) {
    const Version first = orders.first[raw(read.key)];
    if (first != kNoVersion) return f(first);
    const std::uint32_t begin = orders.heads_begin[raw(read.key)];
    const std::uint32_t end = orders.heads_begin[raw(read.key) + 1];
    for (std::uint32_t i = begin; i < end && end - begin <= kMostSuccessors; ++i) f(orders.heads[i]);
    return;
  }
  if (orders.next[read.version] != kNoVersion) f(orders.next[read.version]);
  if (known.size() > kMostSuccessors) return;
  for (const VersionOrders::Pair& pair : known) f(pair.after);
}

}  // namespace isolde::graph
