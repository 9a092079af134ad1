#include "check/solver/hints.h"

#include <algorithm>

#include "base/radix_sort.h"
#include "check/solver/snapshots.h"

namespace isolde::solver {
namespace {

struct Span {
  std::uint64_t start, commit;
};

bool has_clocks(const History& h) {
  const auto& c = h.columns();
  return !c.order.empty() || !c.commit_ts.empty() || !c.start_ts.empty() || !c.end.empty() || !c.begin.empty();
}

// By the first clock that knows each; a history is expected to have the same for all.
Span interval_of(const History& h, TxnId t) {
  std::int64_t start = kNoTime;
  std::int64_t commit = kNoTime;
  if (h.order(t) != kNoTime) {
    start = commit = h.order(t);
  } else if (h.commit_ts(t) != kNoTime || h.start_ts(t) != kNoTime) {
    commit = h.commit_ts(t) != kNoTime ? h.commit_ts(t) : h.start_ts(t);
    start = h.start_ts(t) != kNoTime ? h.start_ts(t) : commit;
  } else {
    // Writers that lock commit in the order in which their commits were sent (history/commit_interval.h); answers may
    // come in another order.
    commit = h.commit_interval(t).before;
    if (commit == kNoTime) commit = h.end(t) != kNoTime ? h.end(t) : h.begin(t);
    start = h.begin(t) != kNoTime ? h.begin(t) : commit;
  }
  if (commit == kNoTime) return {raw(t), raw(t)};
  return {order_preserving(std::min(start, commit)), order_preserving(commit)};
}

std::vector<Span> by_sessions(const History& h) {
  std::vector<std::uint32_t> length(h.session_count(), 0);
  std::vector<std::uint32_t> place(h.txn_count());
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) place[t] = length[raw(h.session(TxnId{t}))]++;
  std::vector<Span> out;
  out.reserve(h.txn_count());
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const std::uint64_t of = length[raw(h.session(TxnId{t}))];
    const std::uint64_t at = ((std::uint64_t{place[t]} << 1 | 1) << 30) / of;
    out.push_back({at, at});
  }
  return out;
}

std::vector<Span> by_depth(const Problem& p) {
  std::vector<std::uint32_t> waits(p.nodes, 0), depth(p.nodes, 0);
  for (const Node to : p.to) ++waits[to];
  std::vector<Node> order;
  order.reserve(p.nodes);
  for (Node v = 0; v < p.nodes; ++v) {
    if (waits[v] == 0) order.push_back(v);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Node to : p.known(order[i])) {
      depth[to] = std::max(depth[to], depth[order[i]] + 1);
      if (--waits[to] == 0) order.push_back(to);
    }
  }
  std::vector<Span> out;
  out.reserve(p.txns);
  for (std::uint32_t t = 0; t < p.txns; ++t)
    out.push_back({depth[p.read_node(TxnId{t})], depth[p.write_node(TxnId{t})]});
  return out;
}

// Whether the hint tells when snapshots were taken.
bool knows_starts(const History& h, Hint hint) {
  return hint == Hint::kDepth || (hint == Hint::kClocks && h.columns().order.empty() && !h.columns().start_ts.empty());
}

template <typename F>
std::vector<std::uint32_t> places(std::uint32_t count, F&& value_of) {
  std::vector<KeyedIndex> items;
  items.reserve(count);
  for (std::uint32_t t = 0; t < count; ++t) items.push_back({value_of(t), t});
  radix_sort(items);
  std::vector<std::uint32_t> out(count);
  for (std::uint32_t i = 0; i < count; ++i) out[items[i].index] = i;
  return out;
}

}  // namespace

std::vector<Hint> hints_for(const History& history) {
  std::vector<Hint> out;
  if (has_clocks(history)) out.push_back(Hint::kClocks);
  out.push_back(Hint::kFile);
  // One session, or as many as transactions, paces nothing.
  if (history.session_count() > 1 && history.session_count() < history.txn_count()) out.push_back(Hint::kSessions);
  out.push_back(Hint::kDepth);
  return out;
}

std::vector<std::uint32_t> ranks(const History& history, const Problem& problem, Hint hint) {
  std::vector<Span> spans;
  if (hint == Hint::kSessions) spans = by_sessions(history);
  if (hint == Hint::kDepth) spans = by_depth(problem);
  const auto span_of = [&](std::uint32_t t) -> Span {
    if (!spans.empty()) return spans[t];
    if (hint == Hint::kClocks) return interval_of(history, TxnId{t});
    return {t, t};
  };
  // What is passed at once: time nodes and gates.
  const Node first_other = problem.has_points() ? 2 * problem.txns : problem.txns;
  std::vector<KeyedIndex> items;
  items.reserve(problem.nodes);
  if (problem.has_points() && !knows_starts(history, hint)) {
    const std::vector<std::uint32_t> commits = places(problem.txns, [&](std::uint32_t t) { return span_of(t).commit; });
    const std::vector<std::uint32_t> starts = snapshot_places(problem, commits);
    for (Node v = first_other; v < problem.nodes; ++v) items.push_back({0, v});
    for (std::uint32_t t = 0; t < problem.txns; ++t) {
      items.push_back({2 * std::uint64_t{starts[t]}, problem.read_node(TxnId{t})});
      items.push_back({2 * std::uint64_t{commits[t]} + 1, problem.write_node(TxnId{t})});
    }
  } else {
    for (Node v = first_other; v < problem.nodes; ++v) items.push_back({0, v});
    for (std::uint32_t t = 0; t < problem.txns; ++t) {
      const Span span = span_of(t);
      if (problem.has_points()) items.push_back({span.start, problem.read_node(TxnId{t})});
      items.push_back({span.commit, problem.write_node(TxnId{t})});
    }
  }
  radix_sort(items);
  std::vector<std::uint32_t> rank(problem.nodes);
  for (std::uint32_t i = 0; i < items.size(); ++i) rank[items[i].index] = i;
  return rank;
}

}  // namespace isolde::solver
