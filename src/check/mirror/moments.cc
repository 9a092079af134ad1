#include "check/mirror/moments.h"

#include <algorithm>

namespace isolde::mirror {

NodeId Moments::add(std::int64_t lo, std::int64_t hi, std::uint32_t txn, std::uint32_t at) {
  NodeId n;
  if (free_nodes_.empty()) {
    n = static_cast<NodeId>(nodes_.size());
    nodes_.emplace_back();
  } else {
    n = free_nodes_.back();
    free_nodes_.pop_back();
  }
  MomentNode& node = nodes_[n];
  node.lo = node.lo0 = lo;
  node.hi = node.hi0 = hi;
  node.out = node.in = 0;
  node.txn = txn;
  ++node.generation;
  node.at = at;
  node.live = true;
  ++live_;
  return n;
}

void Moments::remove(NodeId n) {
  MomentNode& node = nodes_[n];
  for (std::uint32_t e = node.out; e != 0;) {
    const std::uint32_t next = edges_[e].next;
    unlink(nodes_[edges_[e].node].in, n);
    free_edges_.push_back(e);
    e = next;
  }
  for (std::uint32_t e = node.in; e != 0;) {
    const std::uint32_t next = edges_[e].next;
    unlink(nodes_[edges_[e].node].out, n);
    free_edges_.push_back(e);
    e = next;
  }
  node.out = node.in = 0;
  node.live = false;
  ++node.generation;
  --live_;
  free_nodes_.push_back(n);
}

std::uint32_t Moments::new_edge(MomentEdge edge) {
  if (free_edges_.empty()) {
    edges_.push_back(edge);
    return static_cast<std::uint32_t>(edges_.size() - 1);
  }
  const std::uint32_t e = free_edges_.back();
  free_edges_.pop_back();
  edges_[e] = edge;
  return e;
}

// Takes the first edge to `node` out of a list.
void Moments::unlink(std::uint32_t& head, NodeId node) {
  for (std::uint32_t* at = &head; *at != 0; at = &edges_[*at].next) {
    if (edges_[*at].node != node) continue;
    const std::uint32_t gone = *at;
    *at = edges_[gone].next;
    free_edges_.push_back(gone);
    return;
  }
}

bool Moments::order(NodeId p, NodeId q, Why why, std::uint32_t key) {
  if (p == q) return false;
  MomentNode& a = nodes_[p];
  MomentNode& b = nodes_[q];
  if (a.hi < b.lo) return true;
  if (a.lo > b.hi) return false;
  for (std::uint32_t e = a.out; e != 0; e = edges_[e].next) {
    if (edges_[e].node == q) return true;
  }
  const std::size_t start = mark();
  const std::uint32_t out = new_edge({q, a.out, key, why});
  a.out = out;
  b.in = new_edge({p, b.in, key, why});
  trail_.push_back({p, out, 0, 0});
  work_.clear();
  if (b.lo < a.lo) {
    note(q);
    b.lo = a.lo;
    work_.push_back(q);
  }
  if (a.hi > b.hi) {
    note(p);
    a.hi = b.hi;
    work_.push_back(p);
  }
  if (!propagate() || closes_cycle(p, q)) {
    undo(start);
    return false;
  }
  keep(start);
  return true;
}

bool Moments::raise(NodeId n, std::int64_t lo) {
  MomentNode& node = nodes_[n];
  if (node.lo >= lo) return true;
  if (lo > node.hi) return false;
  const std::size_t start = mark();
  note(n);
  node.lo = lo;
  work_.assign(1, n);
  const bool fine = propagate();
  fine ? keep(start) : undo(start);
  return fine;
}

bool Moments::lower(NodeId n, std::int64_t hi) {
  MomentNode& node = nodes_[n];
  if (node.hi <= hi) return true;
  if (hi < node.lo) return false;
  const std::size_t start = mark();
  note(n);
  node.hi = hi;
  work_.assign(1, n);
  const bool fine = propagate();
  fine ? keep(start) : undo(start);
  return fine;
}

bool Moments::propagate() {
  while (!work_.empty()) {
    const NodeId n = work_.back();
    work_.pop_back();
    const MomentNode node = nodes_[n];
    if (node.lo > node.hi) return false;
    for (std::uint32_t e = node.out; e != 0; e = edges_[e].next) {
      const NodeId m = edges_[e].node;
      if (nodes_[m].lo >= node.lo) continue;
      note(m);
      nodes_[m].lo = node.lo;
      work_.push_back(m);
    }
    for (std::uint32_t e = node.in; e != 0; e = edges_[e].next) {
      const NodeId m = edges_[e].node;
      if (nodes_[m].hi <= node.hi) continue;
      note(m);
      nodes_[m].hi = node.hi;
      work_.push_back(m);
    }
  }
  return true;
}

// After the bounds have settled, all moments of a cycle have the same ones.
bool Moments::closes_cycle(NodeId p, NodeId q) {
  const std::int64_t lo = nodes_[p].lo;
  const std::int64_t hi = nodes_[p].hi;
  if (nodes_[q].lo != lo || nodes_[q].hi != hi) return false;
  walk_.assign(1, q);
  seen_.assign(1, q);
  while (!walk_.empty()) {
    const NodeId n = walk_.back();
    walk_.pop_back();
    for (std::uint32_t e = nodes_[n].out; e != 0; e = edges_[e].next) {
      const NodeId m = edges_[e].node;
      if (m == p) return true;
      if (nodes_[m].lo != lo || nodes_[m].hi != hi) continue;
      if (std::find(seen_.begin(), seen_.end(), m) != seen_.end()) continue;
      seen_.push_back(m);
      walk_.push_back(m);
    }
  }
  return false;
}

bool Moments::certainly_before(NodeId p, NodeId q) const {
  if (p == q) return false;
  if (nodes_[p].hi < nodes_[q].lo) return true;
  if (nodes_[p].lo > nodes_[q].hi) return false;
  walk_.assign(1, p);
  seen_.assign(1, p);
  while (!walk_.empty()) {
    const NodeId n = walk_.back();
    walk_.pop_back();
    for (std::uint32_t e = nodes_[n].out; e != 0; e = edges_[e].next) {
      const NodeId m = edges_[e].node;
      if (m == q || nodes_[m].hi < nodes_[q].lo) return true;
      if (nodes_[m].lo > nodes_[q].hi) continue;
      if (std::find(seen_.begin(), seen_.end(), m) != seen_.end()) continue;
      seen_.push_back(m);
      walk_.push_back(m);
    }
  }
  return false;
}

void Moments::undo(std::size_t mark) {
  while (trail_.size() > mark) {
    const Undo& last = trail_.back();
    if (last.edge == 0) {
      nodes_[last.node].lo = last.lo;
      nodes_[last.node].hi = last.hi;
    } else {
      const NodeId to = edges_[last.edge].node;
      nodes_[last.node].out = edges_[last.edge].next;  // the newest stands first
      free_edges_.push_back(last.edge);
      unlink(nodes_[to].in, last.node);
    }
    trail_.pop_back();
  }
  --marks_;
}

void Moments::keep(std::size_t mark) {
  static_cast<void>(mark);
  if (--marks_ == 0) trail_.clear();
}

void Moments::save(StateWriter& out) const {
  out.put_all(nodes_);
  out.put_all(edges_);
  out.put_all(free_nodes_);
  out.put_all(free_edges_);
  out.put(std::uint64_t{live_});
}

bool Moments::load(StateReader& in) {
  nodes_ = in.get_all<MomentNode>();
  edges_ = in.get_all<MomentEdge>();
  free_nodes_ = in.get_all<std::uint32_t>();
  free_edges_ = in.get_all<std::uint32_t>();
  live_ = in.get<std::uint64_t>();
  trail_.clear();
  marks_ = 0;
  const auto node_there = [&](NodeId n) { return n < nodes_.size(); };
  const auto edge_there = [&](std::uint32_t e) { return e < edges_.size(); };
  bool fine = in.good() && !edges_.empty();
  for (const MomentNode& n : nodes_) fine = fine && edge_there(n.out) && edge_there(n.in);
  for (std::size_t e = 1; e < edges_.size(); ++e)
    fine = fine && node_there(edges_[e].node) && edge_there(edges_[e].next);
  for (const NodeId n : free_nodes_) fine = fine && node_there(n);
  for (const std::uint32_t e : free_edges_) fine = fine && edge_there(e) && e != 0;
  return fine;
}

}  // namespace isolde::mirror
