#include "check/cycles/cycle_search.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>

namespace isolde::graph {
namespace {

// Of the states of a search: whether the last hop ended at the commit of its transaction, from where no
// anti-dependency may follow.
enum class Adjacent : std::uint8_t { kAllow, kForbid, kForbidAfterWw };

class CycleSearch {
 public:
  CycleSearch(const Dependencies& graph, const LevelRow& row, std::span<const std::uint32_t> component,
              std::uint64_t& budget)
      : graph_(graph), row_(row), budget_(budget) {
    const std::uint32_t n = graph_.txns;
    for (const std::uint32_t node : component) {
      if (row.nodes == Nodes::kTransactions) {
        global_.push_back(node);
      } else {
        global_.push_back(node >= 2 * n ? node - n : node / 2);
        if (node < 2 * n && node % 2 == 0) starts_.push_back(node / 2);
      }
    }
    std::sort(global_.begin(), global_.end());
    global_.erase(std::unique(global_.begin(), global_.end()), global_.end());
    for (std::uint32_t& start : starts_) start = *local(start);
    if (row.nodes == Nodes::kTransactions) {
      for (std::uint32_t v = 0; v < global_.size(); ++v) starts_.push_back(v);
    }
    std::sort(starts_.begin(), starts_.end());
    begin_.push_back(0);
    for (std::uint32_t v = 0; v < global_.size(); ++v) {
      for (const Arc arc : graph_.from(global_[v])) {
        if (const auto to = local(arc.to())) arcs_.emplace_back(*to, arc.type());
      }
      begin_.push_back(static_cast<std::uint32_t>(arcs_.size()));
    }
    stamp_.assign(2 * global_.size(), 0);
    parent_.resize(2 * global_.size());
    distance_.resize(2 * global_.size());
  }

  Walk run() {
    EdgeSet orders;
    for (const Edge added : {Edge::kWw, Edge::kSession, Edge::kRealtime}) {  // kWw: nothing added
      if (!row_.edges.has(added) && added != Edge::kWw) continue;
      orders = added == Edge::kWw ? EdgeSet() : orders | added;
      for (const EdgeSet edges : {EdgeSet(Edge::kWw), Edge::kWw | Edge::kWr, Edge::kWw | Edge::kWr | Edge::kSeen}) {
        if (Walk walk = flow_cycle(edges | orders); !walk.empty()) return walk;
      }
      if (!row_.edges.has(Edge::kRw)) continue;
      const EdgeSet flow = Edge::kWw | Edge::kWr | orders;
      const bool last = !row_.edges.has(Edge::kSession) ||
                        (added == Edge::kSession && !row_.edges.has(Edge::kRealtime)) || added == Edge::kRealtime;
      if (row_.nodes != Nodes::kPrefixPoints) {
        if (Walk walk = single(flow); !walk.empty()) return walk;
      }
      const bool sure = last && row_.nodes != Nodes::kTransactions;
      const Adjacent adjacent = row_.nodes == Nodes::kPrefixPoints ? Adjacent::kForbidAfterWw : Adjacent::kForbid;
      if (Walk walk = from_starts(flow | Edge::kRw, adjacent, sure); !walk.empty()) return walk;
      if (row_.nodes != Nodes::kTransactions) continue;
      if (Walk walk = from_starts(flow | Edge::kRw, Adjacent::kAllow, last); !walk.empty()) return walk;
    }
    return {};
  }

  // The walk in nodes of the whole graph.
  [[nodiscard]] Walk globally(Walk walk) const {
    for (Hop& hop : walk) hop = {global_[hop.from], global_[hop.to], hop.type};
    return walk;
  }

 private:
  [[nodiscard]] std::optional<std::uint32_t> local(std::uint32_t global) const {
    const auto at = std::lower_bound(global_.begin(), global_.end(), global);
    if (at == global_.end() || *at != global) return std::nullopt;
    return static_cast<std::uint32_t>(at - global_.begin());
  }
  [[nodiscard]] bool is_time(std::uint32_t v) const { return global_[v] >= graph_.txns; }

  // The shortest walk from `from` to `to` over these edges; arriving at `to` in the state that it started in. Hops
  // between time nodes are free.
  Walk shortest(std::uint32_t from, std::uint32_t to, EdgeSet edges, Adjacent adjacent, std::size_t below) {
    ++epoch_;
    std::deque<std::uint32_t> queue;
    bool first = true;
    const std::uint32_t start = 2 * from;
    queue.push_back(start);
    const auto reach = [&](std::uint32_t state, std::uint32_t next, Edge type, std::uint32_t far) {
      stamp_[next] = epoch_;
      parent_[next] = {state, type};
      distance_[next] = far;
    };
    distance_[start] = 0;
    while (!queue.empty()) {
      const std::uint32_t state = queue.front();
      queue.pop_front();
      const std::uint32_t v = state / 2;
      const std::uint32_t so_far = first ? 0 : distance_[state];
      if (so_far + std::size_t{1} >= below) continue;
      first = false;
      for (std::uint32_t i = begin_[v]; i < begin_[v + 1]; ++i) {
        if (budget_ > 0) --budget_;
        const Edge type = arcs_[i].type();
        if (!edges.has(type)) continue;
        if (type == Edge::kRw && adjacent != Adjacent::kAllow && state % 2 == 1) continue;
        const bool commit = (type == Edge::kRw && adjacent != Adjacent::kAllow) ||
                            (type == Edge::kWw && adjacent == Adjacent::kForbidAfterWw);
        const std::uint32_t next = 2 * arcs_[i].to() + (commit ? 1 : 0);
        if (stamp_[next] == epoch_) continue;
        const bool free = is_time(v);
        reach(state, next, type, so_far + (free ? 0 : 1));
        if (next == 2 * to) return unwind(start, next);
        free ? queue.push_front(next) : queue.push_back(next);
      }
    }
    return {};
  }

  Walk unwind(std::uint32_t start, std::uint32_t end) const {
    Walk walk;
    std::uint32_t state = end;
    do {
      const auto [before, type] = parent_[state];
      walk.push_back({before / 2, state / 2, type});
      state = before;
    } while (state != start);
    std::reverse(walk.begin(), walk.end());
    return walk;
  }

  // How many steps a person will read.
  [[nodiscard]] std::size_t length(const Walk& walk) const {
    return static_cast<std::size_t>(
        std::count_if(walk.begin(), walk.end(), [this](const Hop& hop) { return !is_time(hop.to); }));
  }

  void keep_shorter(Walk walk, Walk& best) const {
    if (!walk.empty() && (best.empty() || length(walk) < length(best))) best = std::move(walk);
  }
  [[nodiscard]] std::size_t bound(const Walk& best) const {
    return best.empty() ? std::numeric_limits<std::size_t>::max() : length(best) + 1;
  }

  // A cycle over edges that are no anti-dependencies.
  Walk flow_cycle(EdgeSet edges) {
    std::vector<std::uint32_t> begin{0};
    std::vector<std::uint32_t> to;
    for (std::uint32_t v = 0; v < global_.size(); ++v) {
      for (std::uint32_t i = begin_[v]; i < begin_[v + 1]; ++i) {
        if (edges.has(arcs_[i].type()) && row_.edges.has(arcs_[i].type())) to.push_back(arcs_[i].to());
      }
      begin.push_back(static_cast<std::uint32_t>(to.size()));
    }
    Walk best;
    for (const auto& component : strong_components(begin, to)) {
      for (const std::uint32_t v : component) {
        if (is_time(v)) continue;
        keep_shorter(shortest(v, v, edges, Adjacent::kAllow, bound(best)), best);
        if (length(best) == 2 || budget_ == 0) break;
      }
      if (!best.empty()) break;
    }
    return best;
  }

  // A cycle with one anti-dependency.
  Walk single(EdgeSet flow) {
    Walk best;
    for (std::uint32_t v = 0; v < global_.size() && budget_ > 0; ++v) {
      for (std::uint32_t i = begin_[v]; i < begin_[v + 1] && budget_ > 0; ++i) {
        if (arcs_[i].type() != Edge::kRw) continue;
        Walk walk = shortest(arcs_[i].to(), v, flow, Adjacent::kAllow, best.empty() ? bound(best) : length(best) - 1);
        if (walk.empty()) continue;
        walk.insert(walk.begin(), Hop{v, arcs_[i].to(), Edge::kRw});
        keep_shorter(std::move(walk), best);
        if (length(best) == 2) return best;
      }
    }
    return best;
  }

  Walk from_starts(EdgeSet edges, Adjacent adjacent, bool sure) {
    Walk best;
    for (const std::uint32_t v : starts_) {
      if (is_time(v)) continue;
      if (budget_ == 0 && (!sure || !best.empty())) break;
      keep_shorter(shortest(v, v, edges, adjacent, bound(best)), best);
      if (length(best) == 2) break;
    }
    return best;
  }

  const Dependencies& graph_;
  const LevelRow& row_;
  std::uint64_t& budget_;
  std::vector<std::uint32_t> global_;  // ordered
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> begin_;
  std::vector<Arc> arcs_;
  std::vector<std::uint32_t> stamp_, distance_;
  std::vector<std::pair<std::uint32_t, Edge>> parent_;
  std::uint32_t epoch_ = 0;
};

}  // namespace

Walk find_cycle(const Dependencies& graph, const LevelRow& row, std::span<const std::uint32_t> component,
                std::uint64_t& budget) {
  CycleSearch search(graph, row, component, budget);
  return search.globally(search.run());
}

}  // namespace isolde::graph
