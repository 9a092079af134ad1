#include "check/cycles/cycles.h"

#include <algorithm>
#include <limits>

#include "check/cycles/views.h"

namespace isolde::graph {
namespace {

using enum Level;

constexpr EdgeSet kFlow = Edge::kWw | Edge::kWr;
constexpr EdgeSet kItems = kFlow | Edge::kRw;
constexpr EdgeSet kSessions = kItems | Edge::kSession;
constexpr EdgeSet kAllEdges = kSessions | Edge::kRealtime;

constexpr LevelRow kLevelRows[] = {
    {kReadUncommitted, Edge::kWw, Nodes::kTransactions, Updates::kUnread, SeenRule::kNone, false},
    {kReadCommitted, kFlow, Nodes::kTransactions, Updates::kMaySkip, SeenRule::kNone, false},
    {kCursorStability, kFlow, Nodes::kTransactions, Updates::kFollow, SeenRule::kNone, true},
    {kMonotonicAtomicView, kFlow | Edge::kSeen, Nodes::kTransactions, Updates::kMaySkip, SeenRule::kLater, false},
    {kStrongSessionMonotonicAtomicView, kFlow | Edge::kSession | Edge::kSeen, Nodes::kTransactions, Updates::kMaySkip,
     SeenRule::kLater, false},
    {kReadAtomic, kFlow | Edge::kSession | Edge::kSeen, Nodes::kTransactions, Updates::kMaySkip, SeenRule::kAny, false},
    {kCausal, kFlow | Edge::kSession | Edge::kSeen, Nodes::kTransactions, Updates::kMaySkip, SeenRule::kPast, false},
    {kPrefix, kSessions, Nodes::kPrefixPoints, Updates::kMaySkip, SeenRule::kNone, true},
    {kRepeatableRead, kItems, Nodes::kTransactions, Updates::kFollow, SeenRule::kNone, true},
    {kSnapshotIsolation, kItems, Nodes::kPoints, Updates::kFollow, SeenRule::kNone, true},
    {kStrongSessionSnapshotIsolation, kSessions, Nodes::kPoints, Updates::kFollow, SeenRule::kNone, true},
    {kStrongSnapshotIsolation, kAllEdges, Nodes::kPoints, Updates::kFollow, SeenRule::kNone, true},
    {kSerializable, kItems, Nodes::kTransactions, Updates::kFollow, SeenRule::kNone, true},
    {kStrongSessionSerializable, kSessions, Nodes::kTransactions, Updates::kFollow, SeenRule::kNone, true},
    {kStrictSerializable, kAllEdges, Nodes::kTransactions, Updates::kFollow, SeenRule::kNone, true},
};

template <typename View>
Sorted sort_view(const View& view) {
  const std::uint32_t n = view.size();
  Sorted out;
  std::vector<std::uint32_t> waits(n, 0);
  for (std::uint32_t v = 0; v < n; ++v) view.for_each_out(v, [&](std::uint32_t to) { ++waits[to]; });
  out.order.reserve(n);
  for (std::uint32_t v = 0; v < n; ++v) {
    if (waits[v] != 0) continue;
    // What one transaction sets free comes next: it is close in memory.
    std::size_t done = out.order.size();
    out.order.push_back(v);
    waits[v] = kNone32;
    for (; done < out.order.size(); ++done) {
      view.for_each_out(out.order[done], [&](std::uint32_t to) {
        if (--waits[to] != 0) return;
        waits[to] = kNone32;
        out.order.push_back(to);
      });
    }
  }
  if (out.order.size() == n) return out;
  out.order.clear();
  // What is left holds every cycle.
  std::vector<std::uint32_t> left;
  std::vector<std::uint32_t> local(n, kNone32);
  for (std::uint32_t v = 0; v < n; ++v) {
    if (waits[v] == kNone32) continue;
    local[v] = static_cast<std::uint32_t>(left.size());
    left.push_back(v);
  }
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> to;
  for (const std::uint32_t v : left) {
    view.for_each_out(v, [&](std::uint32_t next) {
      if (local[next] != kNone32) to.push_back(local[next]);
    });
    begin.push_back(static_cast<std::uint32_t>(to.size()));
  }
  out.components = strong_components(begin, to);
  for (auto& component : out.components) {
    for (std::uint32_t& v : component) v = left[v];
    std::sort(component.begin(), component.end());
  }
  // In the order of the file, so that what is reported does not depend on what lies between two cycles.
  std::sort(out.components.begin(), out.components.end(),
            [](const auto& a, const auto& b) { return a.front() < b.front(); });
  return out;
}

// Where a transaction starts and commits, by the first clock that knows it.
std::int64_t start_of(const History& h, TxnId t, Hint hint) {
  if (hint == Hint::kFile) return raw(t);
  if (h.order(t) != kNoTime) return h.order(t);
  if (h.start_ts(t) != kNoTime) return h.start_ts(t);
  return h.begin(t) != kNoTime ? h.begin(t) : raw(t);
}
std::int64_t hinted_commit(const History& h, TxnId t, Hint hint) {
  if (hint == Hint::kFile) return raw(t);
  if (h.order(t) != kNoTime) return h.order(t);
  if (h.commit_ts(t) != kNoTime) return h.commit_ts(t);
  if (h.start_ts(t) != kNoTime) return h.start_ts(t);
  if (const std::int64_t sent = h.commit_interval(t).before; sent != kNoTime) return sent;
  return h.end(t) != kNoTime ? h.end(t) : raw(t);
}

}  // namespace

const LevelRow* row_of(Level level) {
  const auto at =
      std::find_if(std::begin(kLevelRows), std::end(kLevelRows), [&](const LevelRow& r) { return r.level == level; });
  return at == std::end(kLevelRows) ? nullptr : at;
}

Sorted sort_nodes(const Dependencies& graph, Nodes nodes) {
  if (nodes == Nodes::kTransactions) return sort_view(TransactionView{graph});
  return sort_view(PointView{graph, nodes == Nodes::kPrefixPoints});
}

std::vector<std::int64_t> ranks(const History& history, const TransactionView& view, Hint hint) {
  std::vector<std::int64_t> rank;
  rank.reserve(view.size());
  for (std::uint32_t t = 0; t < view.graph.txns; ++t) rank.push_back(hinted_commit(history, TxnId{t}, hint));
  rank.resize(view.size(), std::numeric_limits<std::int64_t>::min());
  return rank;
}

std::vector<std::int64_t> ranks(const History& history, const PointView& view, Hint hint) {
  std::vector<std::int64_t> rank;
  rank.reserve(view.size());
  for (std::uint32_t t = 0; t < view.graph.txns; ++t) {
    rank.push_back(start_of(history, TxnId{t}, hint));
    rank.push_back(hinted_commit(history, TxnId{t}, hint));
  }
  rank.resize(view.size(), std::numeric_limits<std::int64_t>::min());
  return rank;
}

std::vector<std::uint32_t> late_places(const Dependencies& graph, std::span<const std::uint32_t> order,
                                       const std::vector<bool>& wanted) {
  std::vector<std::uint32_t> height(graph.nodes, 0);  // the longest way from here
  for (std::size_t i = order.size(); i-- > 0;) {
    for (const Arc arc : graph.from(order[i])) height[order[i]] = std::max(height[order[i]], height[arc.to()] + 1);
  }
  std::vector<std::uint32_t> late;
  for (const std::uint32_t v : order) {
    if (v < graph.txns) late.push_back(v);
  }
  std::stable_sort(late.begin(), late.end(), [&](std::uint32_t a, std::uint32_t b) {
    return height[a] != height[b] ? height[a] > height[b] : !wanted[a] && wanted[b];
  });
  std::vector<std::uint32_t> place(graph.txns, 0);
  for (std::uint32_t i = 0; i < late.size(); ++i) place[late[i]] = i;
  return place;
}

Witness witness_of(std::vector<std::uint32_t> order, const Trace& trace, std::uint32_t txns, Nodes nodes) {
  const bool points = nodes != Nodes::kTransactions;
  const std::uint32_t end = points ? 2 * txns : txns;
  std::erase_if(order, [&](std::uint32_t v) { return v >= end || !trace.is_counted(TxnId{points ? v / 2 : v}); });
  return {points ? Witness::Kind::kPoints : Witness::Kind::kSerialOrder, std::move(order)};
}

std::vector<std::vector<std::uint32_t>> strong_components(std::span<const std::uint32_t> begin,
                                                          std::span<const std::uint32_t> to) {
  const auto n = static_cast<std::uint32_t>(begin.size() - 1);
  std::vector<std::vector<std::uint32_t>> out;
  std::vector<std::uint32_t> low(n, kNone32), number(n, kNone32), at(begin.begin(), begin.end() - 1);
  std::vector<std::uint32_t> path, open;
  std::vector<bool> is_open(n, false);
  std::uint32_t count = 0;
  for (std::uint32_t root = 0; root < n; ++root) {
    if (number[root] != kNone32) continue;
    path.push_back(root);
    while (!path.empty()) {
      const std::uint32_t v = path.back();
      if (number[v] == kNone32) {
        number[v] = low[v] = count++;
        open.push_back(v);
        is_open[v] = true;
      }
      bool deeper = false;
      while (at[v] < begin[v + 1]) {
        const std::uint32_t next = to[at[v]];
        if (number[next] == kNone32) {
          path.push_back(next);
          deeper = true;
          break;
        }
        if (is_open[next]) low[v] = std::min(low[v], low[next]);
        ++at[v];
      }
      if (deeper) continue;
      path.pop_back();
      if (low[v] != number[v]) continue;
      std::vector<std::uint32_t> component;
      std::uint32_t member = kNone32;
      do {
        member = open.back();
        open.pop_back();
        is_open[member] = false;
        component.push_back(member);
      } while (member != v);
      if (component.size() > 1) out.push_back(std::move(component));
    }
  }
  return out;
}

}  // namespace isolde::graph
