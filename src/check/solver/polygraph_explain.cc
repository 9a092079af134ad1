#include "check/solver/polygraph_explain.h"

#include <algorithm>
#include <queue>

namespace isolde::solver {

namespace {

constexpr std::uint32_t kKnownCost = 1, kDerivedCost = 6;  // a derived edge brings at least one cycle more
constexpr std::size_t kMostStarts = 200;

std::uint64_t pair_of(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }

}  // namespace

Explainer::Explainer(const Problem& problem, const Pruner& pruner)
    : problem_(problem), pruner_(pruner), begin_(problem.nodes + 1, 0), marks_(problem.nodes) {
  const std::vector<Derived>& derived = pruner.derived();
  for (const Derived& d : derived) ++begin_[d.link.from + 1];
  for (Node v = 0; v < problem.nodes; ++v) begin_[v + 1] += begin_[v];
  sorted_.resize(derived.size());
  std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t i = 0; i < derived.size(); ++i) {
    sorted_[at[derived[i].link.from]++] = i;
    derived_.try_emplace(pair_of(derived[i].link.from, derived[i].link.to), i);
  }
  // Of several decisions of one pair the first stands: later ones may rest on it.
  for (std::uint32_t i = 0; i < pruner.decisions().size(); ++i) {
    const Decision& d = pruner.decisions()[i];
    decision_.try_emplace(pair_of(raw(d.before), raw(d.after)), i);
  }
  for (std::uint32_t i = 0; i < pruner.ruled_out().size(); ++i) ruled_out_[pruner.ruled_out()[i].read].push_back(i);
}

Link Explainer::plain_link(Node from, Node to) const {
  const bool inside = problem_.has_points() && to == from + 1 && from % 2 == 0 && from < 2 * problem_.txns;
  return {inside ? Link::Kind::kInside : Link::Kind::kKnown, from, to, kNoTxn, kNoTxn, kNoRead};
}

Link Explainer::link_of(Node from, Node to) const {
  const auto at = derived_.find(pair_of(from, to));
  return at == derived_.end() ? plain_link(from, to) : pruner_.derived()[at->second].link;
}

Cycle Explainer::way(Node from, Node to, std::uint32_t known) {
  struct Stop {
    std::uint32_t distance;
    Node node;
    bool operator>(const Stop& other) const { return distance > other.distance; }
  };
  const bool bounded = from != to && known <= pruner_.table_knows() && pruner_.reach().cover() > 0;
  std::priority_queue<Stop, std::vector<Stop>, std::greater<>> queue;
  ++round_;
  if (from != to) marks_[from] = {round_, 0, from, kNone32};
  queue.push({0, from});
  bool found = false;
  while (!queue.empty()) {
    const auto [distance, v] = queue.top();
    queue.pop();
    found = v == to && marks_[v].round == round_;
    if (found) break;
    if (marks_[v].round == round_ && marks_[v].distance < distance) continue;
    const auto relax = [&](Node next, std::uint32_t cost, std::uint32_t derived) {
      Mark& mark = marks_[next];
      if (mark.round == round_ && mark.distance <= distance + cost) return;
      if (bounded && pruner_.reach().is_tracked(next) && !pruner_.reach().reaches(next, to)) return;
      mark = {round_, distance + cost, v, derived};
      queue.push({distance + cost, next});
    };
    for (const Node next : problem_.known(v)) relax(next, kKnownCost, kNone32);
    if (problem_.has_points() && v % 2 == 0 && v < 2 * problem_.txns) relax(v + 1, kKnownCost, kNone32);
    for (std::uint32_t i = begin_[v]; i < begin_[v + 1] && sorted_[i] < known; ++i) {
      relax(pruner_.derived()[sorted_[i]].link.to, kDerivedCost, sorted_[i]);
    }
  }
  Cycle out;
  if (!found) return out;
  for (Node v = to;;) {
    const Mark& mark = marks_[v];
    out.push_back(mark.derived == kNone32 ? plain_link(mark.from, v) : pruner_.derived()[mark.derived].link);
    v = mark.from;
    if (v == from) break;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

Cycle Explainer::find_cycle(bool with_derived) {
  const auto known = with_derived ? static_cast<std::uint32_t>(pruner_.derived().size()) : 0;
  std::vector<std::uint32_t> begin(problem_.nodes + 1, 0);
  std::vector<Node> to;
  for (Node v = 0; v < problem_.nodes; ++v) {
    for (const Node next : problem_.known(v)) to.push_back(next);
    if (problem_.has_points() && v % 2 == 0 && v < 2 * problem_.txns) to.push_back(v + 1);
    for (std::uint32_t i = begin_[v]; i < begin_[v + 1] && with_derived; ++i) {
      to.push_back(pruner_.derived()[sorted_[i]].link.to);
    }
    begin[v + 1] = static_cast<std::uint32_t>(to.size());
    // An edge from a node to itself is a cycle that components do not show.
    if (std::find(to.begin() + begin[v], to.end(), v) != to.end()) return {link_of(v, v)};
  }
  std::vector<std::vector<std::uint32_t>> components = graph::strong_components(begin, to);
  std::sort(components.begin(), components.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  Cycle best;
  std::size_t starts = 0;
  for (const auto& component : components) {
    for (const Node v : component) {
      if (++starts > kMostStarts) return best;
      Cycle cycle = way(v, v, known);
      const auto derived = [](const Cycle& c) {
        return std::count_if(c.begin(), c.end(), [](const Link& l) {
          return l.kind != Link::Kind::kKnown && l.kind != Link::Kind::kInside;
        });
      };
      const auto cost = [&](const Cycle& c) { return derived(c) * kDerivedCost + static_cast<std::int64_t>(c.size()); };
      if (best.empty() || cost(cycle) < cost(best)) best = std::move(cycle);
    }
  }
  return best;
}

void Explainer::want_order(TxnId a, TxnId b) {
  const std::uint64_t pair = pair_of(raw(a), raw(b));
  const auto at = decision_.find(pair);
  if (at == decision_.end() && !pruner_.is_before(a, b)) return;  // left open
  if (!orders_wanted_.insert(pair).second) return;
  orders_left_.push_back(at != decision_.end() ? pruner_.decisions()[at->second]
                                               : Decision{a, b, kNoRead, pruner_.table_knows()});
}

void Explainer::want_read(std::uint32_t read) {
  if (problem_.reads[read].count > 1 && reads_wanted_.insert(read).second) reads_left_.push_back(read);
}

void Explainer::want(const Cycle& links) {
  for (const Link& link : links) {
    if (link.kind == Link::Kind::kKnown || link.kind == Link::Kind::kInside) continue;
    if (link.kind != Link::Kind::kBefore) want_read(link.read);
    if (link.kind != Link::Kind::kFrom && link.a != kNoTxn) want_order(link.a, link.b);
  }
}

void Explainer::add(Cycle cycle) {
  want(cycle);
  cycles_.push_back(std::move(cycle));
  finish();
}

void Explainer::add_read(std::uint32_t read) {
  want_read(read);
  finish();
}

void Explainer::justify(const Decision& d) {
  const Node write = problem_.write_node(d.before), overwrite = problem_.overwrite_node(d.before);
  const Node other = problem_.write_node(d.after);
  Cycle cycle;
  if (d.read == kNoRead) {
    cycle = way(overwrite, other, d.known);
    want(cycle);
    cycle.push_back({Link::Kind::kBefore, other, overwrite, d.after, d.before, kNoRead});
  } else {
    const Node reader = problem_.read_node(problem_.reads[d.read].txn);
    cycle = way(write, reader, d.known);
    want(cycle);
    want_read(d.read);
    cycle.push_back({Link::Kind::kAnti, reader, write, d.after, d.before, d.read});
  }
  cycles_.push_back(std::move(cycle));
}

void Explainer::justify(const RuledOut& out) {
  const Node reader = problem_.read_node(problem_.reads[out.read].txn);
  Cycle cycle;
  if (out.over == kNoTxn) {
    const Node write = problem_.write_node(out.candidate);
    cycle = way(reader, write, out.known);
    want(cycle);
    cycle.push_back({Link::Kind::kFrom, write, reader, out.candidate, kNoTxn, out.read});
  } else {
    const Node write = problem_.write_node(out.over);
    cycle = way(write, reader, out.known);
    want(cycle);
    if (out.candidate != kNoTxn) want_order(out.candidate, out.over);
    cycle.push_back({Link::Kind::kAnti, reader, write, out.candidate, out.over, out.read});
  }
  cycles_.push_back(std::move(cycle));
}

void Explainer::finish() {
  while (!orders_left_.empty() || !reads_left_.empty()) {
    if (!orders_left_.empty()) {
      const Decision next = orders_left_.back();
      orders_left_.pop_back();
      justify(next);
      continue;
    }
    const std::uint32_t read = reads_left_.back();
    reads_left_.pop_back();
    const auto at = ruled_out_.find(read);
    if (at == ruled_out_.end()) continue;
    for (const std::uint32_t i : at->second) justify(pruner_.ruled_out()[i]);
  }
}

}  // namespace isolde::solver
