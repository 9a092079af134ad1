// check/mirror/dependency_order.h: one order of transactions that all dependencies follow, kept while they come in.
//
// In, out: dependencies one by one -> taken, or the cycle that it would close (and then it is left out).
// Always:  exact: refused if and only if it closes a cycle with those taken and not yet dropped.
// Cost:    nothing where a dependency follows the order at hand (that of arrival, mostly); else the part of the order
//          between its ends.
// Source:  Pearce and Kelly, A dynamic topological sort algorithm for directed acyclic graphs (2006); Leopard,
//          definition 4 and theorem 5: who has nobody before and can get nobody is in no cycle to come.
#pragma once

#include <cstdint>
#include <vector>

#include "base/state_file.h"

namespace isolde::mirror {

enum class Dependency : std::uint8_t { kWr, kWw, kRw };

class DependencyOrder {
 public:
  using Node = std::uint32_t;
  static constexpr Node kNone = 0xffffffffU;
  struct Step {
    Node node;
    Dependency type;    // to the next
    std::uint64_t key;  // fingerprint
  };

  // `name`: what the caller knows it by.
  Node add(std::uint64_t name);
  [[nodiscard]] std::uint64_t name(Node n) const { return nodes_[n].name; }
  // False: `cycle` goes from `to` to `from`, and the new dependency back.
  bool depend(Node from, Node to, Dependency type, std::uint64_t key, std::vector<Step>& cycle);
  // No dependency will come that ends at it: it is dropped as soon as nobody is left before it.
  void close(Node n);

  [[nodiscard]] std::size_t size() const { return nodes_.size() - free_.size(); }
  [[nodiscard]] std::size_t bytes() const { return nodes_.capacity() * sizeof(Entry) + edges_ * sizeof(Edge); }
  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);

 private:
  struct Edge {
    Node to;
    Dependency type;
    std::uint64_t key;
  };
  struct Entry {
    std::uint64_t place = 0;  // in the order
    std::uint64_t name = 0;
    std::uint32_t before = 0;  // dependencies that end here
    std::uint32_t mark = 0;
    bool closed = false, live = false;
    std::vector<Edge> out;
    std::vector<Node> in;
  };
  void drop(Node n);

  std::vector<Entry> nodes_;
  std::vector<Node> free_, walk_, ahead_, behind_, parent_;
  std::uint64_t next_place_ = 0;
  std::uint32_t mark_ = 0;
  std::size_t edges_ = 0;
};

}  // namespace isolde::mirror
