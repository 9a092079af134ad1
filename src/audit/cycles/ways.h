// audit/cycles/ways.h: the k shortest ways from one class to another, over classes that depend on each other.
//
// In, out: DependencyGraph, first class, last class, classes that are taken -> sequences of classes, shortest first.
// Always:  no way uses more transactions of a class than it has replicas, those that are taken included; ways that
//          differ only in which replica is which are one. Among ways of the same length those come first whose classes
//          come first in an order that begins at a place of the seed's choosing, so that not all cycles use the same
//          few classes.
// Cost:    k times the length of a way, times a breadth-first search over bits. Nothing is remembered between calls.
// Source:  Yen, Finding the k shortest loopless paths, as a best-first search; IsoDiff, Algorithm 4.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "audit/graph/graph.h"

namespace isolde::audit {

inline constexpr std::size_t kMostMembers = 16;  // of a cycle

// Which classes depend on which: made once, read by all threads.
class ClassGraph {
 public:
  explicit ClassGraph(const DependencyGraph& graph);
  [[nodiscard]] std::uint32_t size() const { return count_; }
  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::uint32_t replicas(std::uint32_t id) const { return replicas_[id]; }
  [[nodiscard]] bool edge(std::uint32_t a, std::uint32_t b) const {
    return (out_[a * words_ + b / 64] >> b % 64 & 1) != 0;
  }
  [[nodiscard]] const std::uint64_t* out(std::uint32_t id) const { return &out_[id * words_]; }
  [[nodiscard]] const std::uint64_t* in(std::uint32_t id) const { return &in_[id * words_]; }

 private:
  std::uint32_t count_;
  std::size_t words_;
  std::vector<std::uint32_t> replicas_;
  std::vector<std::uint64_t> out_, in_;  // a row of bits a class
};

// One object a thread; its memory is used again.
class WayFinder {
 public:
  explicit WayFinder(const ClassGraph& graph);

  // `taken`: every class that is in use already, the two ends among them, once a transaction. A way holds both ends.
  // Valid until the next call.
  [[nodiscard]] std::span<const std::vector<ClassId>> find(ClassId from, ClassId to, std::span<const ClassId> taken,
                                                           std::uint32_t k, std::size_t most_between,
                                                           std::uint64_t seed);

 private:
  struct Node {
    std::uint32_t id;
    std::uint32_t parent;
    std::uint32_t depth;  // edges from the first
    bool last;            // the end itself, rather than another replica of its class
  };
  struct Entry {
    std::uint32_t length;  // of the shortest way through the node
    std::uint32_t depth;
    std::uint32_t order;
    std::uint32_t node;
  };
  // Ways of one and two edges are read off the bits. False: they are not k, and longer ones are to be looked for.
  [[nodiscard]] bool short_ways(std::uint32_t from, std::uint32_t to, std::uint32_t k, std::size_t most_between);
  void best_first(std::uint32_t from, std::uint32_t to, std::uint32_t k, std::size_t most_between);
  void take_prefix(std::uint32_t node);
  void measure(std::uint32_t to);
  void expand(std::uint32_t node, std::uint32_t to, std::size_t most_between);
  void emit(std::uint32_t node);
  std::vector<ClassId>& next_way();
  [[nodiscard]] std::uint32_t order_of(std::uint32_t id) const {
    return id >= shift_ ? id - shift_ : id + graph_.size() - shift_;
  }

  const ClassGraph& graph_;
  std::uint32_t shift_ = 0;
  std::vector<std::uint32_t> left_;      // by class: replicas that are not taken
  std::vector<std::uint64_t> all_free_;  // bits: left_ > 0
  std::vector<std::uint64_t> free_;      // the same, with a prefix taken too
  std::vector<std::uint64_t> seen_, now_, next_;
  std::vector<std::uint32_t> distance_;  // by class: edges to the end
  std::vector<Node> nodes_;
  std::vector<Entry> heap_;
  std::vector<std::vector<ClassId>> ways_;
  std::size_t found_ = 0;
};

}  // namespace isolde::audit
