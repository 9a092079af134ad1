#include "check/mirror/dependency_order.h"

#include <algorithm>

namespace isolde::mirror {

DependencyOrder::Node DependencyOrder::add(std::uint64_t name) {
  Node n;
  if (free_.empty()) {
    n = static_cast<Node>(nodes_.size());
    nodes_.emplace_back();
  } else {
    n = free_.back();
    free_.pop_back();
  }
  Entry& entry = nodes_[n];
  entry.place = next_place_++;
  entry.name = name;
  entry.before = 0;
  entry.closed = false;
  entry.live = true;
  entry.out.clear();
  entry.in.clear();
  return n;
}

bool DependencyOrder::depend(Node from, Node to, Dependency type, std::uint64_t key, std::vector<Step>& cycle) {
  if (from == to) return true;
  for (const Edge& edge : nodes_[from].out) {
    if (edge.to == to) return true;
  }
  const std::uint64_t low = nodes_[to].place;
  const std::uint64_t high = nodes_[from].place;
  if (low < high) {
    // What comes after `to` up to `from`'s place; `from` itself among it closes a cycle.
    ++mark_;
    ahead_.assign(1, to);
    parent_.assign(1, kNone);
    nodes_[to].mark = mark_;
    for (std::size_t i = 0; i < ahead_.size(); ++i) {
      for (const Edge& edge : nodes_[ahead_[i]].out) {
        Entry& next = nodes_[edge.to];
        if (next.mark == mark_ || next.place > high) continue;
        next.mark = mark_;
        ahead_.push_back(edge.to);
        parent_.push_back(static_cast<Node>(i));
        if (edge.to != from) continue;
        cycle.clear();
        Node at = static_cast<Node>(ahead_.size() - 1);
        cycle.push_back({from, type, key});
        while (parent_[at] != kNone) {
          const Node before = parent_[at];
          const auto& out = nodes_[ahead_[before]].out;
          const auto step = std::find_if(out.begin(), out.end(), [&](const Edge& e) { return e.to == ahead_[at]; });
          cycle.push_back({ahead_[before], step->type, step->key});
          at = before;
        }
        std::reverse(cycle.begin(), cycle.end());
        return false;
      }
    }
    // What comes before `from` down to `to`'s place goes first, in the same places.
    ++mark_;
    behind_.assign(1, from);
    nodes_[from].mark = mark_;
    for (std::size_t i = 0; i < behind_.size(); ++i) {
      for (const Node before : nodes_[behind_[i]].in) {
        if (nodes_[before].mark == mark_ || nodes_[before].place < low) continue;
        nodes_[before].mark = mark_;
        behind_.push_back(before);
      }
    }
    const auto by_place = [&](Node a, Node b) { return nodes_[a].place < nodes_[b].place; };
    std::sort(ahead_.begin(), ahead_.end(), by_place);
    std::sort(behind_.begin(), behind_.end(), by_place);
    std::vector<std::uint64_t> places;
    for (const Node n : behind_) places.push_back(nodes_[n].place);
    for (const Node n : ahead_) places.push_back(nodes_[n].place);
    std::sort(places.begin(), places.end());
    std::size_t at = 0;
    for (const Node n : behind_) nodes_[n].place = places[at++];
    for (const Node n : ahead_) nodes_[n].place = places[at++];
  }
  nodes_[from].out.push_back({to, type, key});
  nodes_[to].in.push_back(from);
  ++nodes_[to].before;
  ++edges_;
  return true;
}

void DependencyOrder::close(Node n) {
  nodes_[n].closed = true;
  if (nodes_[n].before == 0) drop(n);
}

void DependencyOrder::drop(Node n) {
  walk_.assign(1, n);
  while (!walk_.empty()) {
    const Node gone = walk_.back();
    walk_.pop_back();
    Entry& entry = nodes_[gone];
    for (const Edge& edge : entry.out) {
      Entry& next = nodes_[edge.to];
      std::erase(next.in, gone);
      if (--next.before == 0 && next.closed) walk_.push_back(edge.to);
    }
    edges_ -= entry.out.size();
    entry.out.clear();
    entry.live = false;
    free_.push_back(gone);
  }
}

void DependencyOrder::save(StateWriter& out) const {
  out.put(std::uint64_t{nodes_.size()});
  for (const Entry& entry : nodes_) {
    out.put(entry.place);
    out.put(entry.name);
    out.put(entry.closed);
    out.put(entry.live);
    out.put_all(entry.out);
  }
  out.put_all(free_);
  out.put(next_place_);
}

bool DependencyOrder::load(StateReader& in) {
  *this = DependencyOrder();
  const auto count = in.get<std::uint64_t>();
  if (!in.good() || count > (std::uint64_t{1} << 32)) return false;
  for (std::uint64_t i = 0; i < count && in.good(); ++i) {
    Entry entry;
    entry.place = in.get<std::uint64_t>();
    entry.name = in.get<std::uint64_t>();
    entry.closed = in.get<bool>();
    entry.live = in.get<bool>();
    entry.out = in.get_all<Edge>();
    edges_ += entry.out.size();
    nodes_.push_back(std::move(entry));
  }
  free_ = in.get_all<Node>();
  next_place_ = in.get<std::uint64_t>();
  if (!in.good()) return false;
  for (Node n = 0; n < nodes_.size(); ++n) {
    for (const Edge& edge : nodes_[n].out) {
      if (edge.to >= nodes_.size()) return false;
      nodes_[edge.to].in.push_back(n);
      ++nodes_[edge.to].before;
    }
  }
  return std::all_of(free_.begin(), free_.end(), [&](Node n) { return n < nodes_.size(); });
}

}  // namespace isolde::mirror
