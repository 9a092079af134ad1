#include "check/cycles/dependencies.h"

#include <algorithm>
#include <numeric>

#include "base/prefetch.h"
#include "base/radix_sort.h"

namespace isolde::graph {
namespace {

// Who ended when: `a` comes before `b` if end(a) < begin(b).
struct IntervalOrder {
  std::vector<KeyedIndex> ends;  // committed transactions by end; the i-th has time node i

  IntervalOrder(const History& h, bool wanted) {
    if (!wanted) return;
    for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
      if (h.status(TxnId{t}) == Status::kCommitted && h.end(TxnId{t}) != kNoTime) {
        ends.push_back({order_preserving(h.end(TxnId{t})), t});
      }
    }
    radix_sort(ends);
  }
  // How many had ended before that time.
  [[nodiscard]] std::uint32_t before(std::int64_t time) const {
    const auto at = std::lower_bound(ends.begin(), ends.end(), order_preserving(time),
                                     [](const KeyedIndex& e, std::uint64_t key) { return e.key < key; });
    return static_cast<std::uint32_t>(at - ends.begin());
  }
};

class Builder {
 public:
  Builder(const History& h, const Trace& trace, const VersionOrders& orders, std::span<const Seen> seen,
          std::span<const PredicateEdge> predicates, EdgeSet wanted)
      : h_(h), trace_(trace), orders_(orders), seen_(seen), predicates_(predicates), wanted_(wanted) {}

  Dependencies run() {
    Dependencies out;
    out.txns = h_.txn_count();
    const IntervalOrder clock(h_, wanted_.has(Edge::kRealtime));
    out.nodes = out.txns + static_cast<std::uint32_t>(clock.ends.size());
    out.begin.assign(out.nodes + std::size_t{1}, 0);
    for_each_edge(clock, [&](std::uint32_t from, std::uint32_t, Edge) { ++out.begin[from + 1]; });
    std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
    out.arcs.resize(out.begin.back());
    std::vector<std::uint32_t> at(out.begin.begin(), out.begin.end() - 1);
    for_each_edge(clock, [&](std::uint32_t from, std::uint32_t to, Edge type) { out.arcs[at[from]++] = {to, type}; });
    return out;
  }

 private:
  static constexpr std::size_t kAhead = 16;  // reads

  void ask_for_version(std::size_t read) const {
    if (read < trace_.reads.size() && trace_.reads[read].version < trace_.versions.size())
      isolde::prefetch(&trace_.versions[trace_.reads[read].version]);
  }

  template <typename F>
  void for_each_edge(const IntervalOrder& clock, F&& f) const {
    const auto edge = [&](TxnId from, TxnId to, Edge type) {
      if (from != to && wanted_.has(type)) f(raw(from), raw(to), type);
    };
    for (Version v = 0; v < trace_.versions.size(); ++v) {
      if (orders_.next[v] != kNoVersion) edge(trace_.versions[v].txn, trace_.versions[orders_.next[v]].txn, Edge::kWw);
    }
    for (const auto& pair : orders_.known)
      edge(trace_.versions[pair.before].txn, trace_.versions[pair.after].txn, Edge::kWw);
    for (std::size_t i = 0; i < trace_.reads.size(); ++i) {
      ask_for_version(i + kAhead);
      const TracedRead& read = trace_.reads[i];
      if (read.version == kNoVersion) continue;
      if (read.version != kInitialVersion) edge(trace_.versions[read.version].txn, read.txn, Edge::kWr);
      if (!wanted_.has(Edge::kRw)) continue;
      for_each_successor(orders_, orders_.known_after(read.version), read,
                         [&](Version next) { edge(read.txn, trace_.versions[next].txn, Edge::kRw); });
    }
    for (const Seen& seen : seen_) edge(seen.before, seen.after, Edge::kSeen);
    for (const PredicateEdge& e : predicates_) {
      e.anti ? edge(e.reader, e.other, Edge::kRw) : edge(e.other, e.reader, Edge::kWr);
    }
    if (wanted_.has(Edge::kSession)) {
      std::vector<TxnId> last(h_.session_count(), kNoTxn);
      for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
        if (!trace_.is_counted(TxnId{t})) continue;
        TxnId& before = last[raw(h_.session(TxnId{t}))];
        if (before != kNoTxn) edge(before, TxnId{t}, Edge::kSession);
        before = TxnId{t};
      }
    }
    if (wanted_.has(Edge::kRealtime)) real_time(clock, f);
  }

  template <typename F>
  void real_time(const IntervalOrder& clock, F&& f) const {
    const std::uint32_t n = h_.txn_count();
    const auto count = static_cast<std::uint32_t>(clock.ends.size());
    std::vector<std::uint32_t> own(n, kNone32);
    for (std::uint32_t i = 0; i < count; ++i) {
      own[clock.ends[i].index] = i;
      f(clock.ends[i].index, n + i, Edge::kRealtime);
      if (i + 1 < count) f(n + i, n + i + 1, Edge::kRealtime);
    }
    for (std::uint32_t t = 0; t < n; ++t) {
      if (!trace_.is_counted(TxnId{t}) || h_.begin(TxnId{t}) == kNoTime) continue;
      std::uint32_t ended = clock.before(h_.begin(TxnId{t}));
      if (own[t] < ended) {
        // Its clock has it end before it began. It does not come before itself: those that ended between are named one
        // by one, up to the first that also began after this one's end; with that one it stands in a cycle anyway.
        for (std::uint32_t i = own[t] + 1; i < ended; ++i) {
          const TxnId other{clock.ends[i].index};
          f(raw(other), t, Edge::kRealtime);
          if (h_.begin(other) != kNoTime && h_.begin(other) > h_.end(TxnId{t})) break;
        }
        ended = own[t];
      }
      if (ended > 0) f(n + ended - 1, t, Edge::kRealtime);
    }
  }

  const History& h_;
  const Trace& trace_;
  const VersionOrders& orders_;
  const std::span<const Seen> seen_;
  const std::span<const PredicateEdge> predicates_;
  const EdgeSet wanted_;
};

}  // namespace

Dependencies find_dependencies(const History& history, const Trace& trace, const VersionOrders& orders,
                               std::span<const Seen> seen, std::span<const PredicateEdge> predicates, EdgeSet wanted) {
  return Builder(history, trace, orders, seen, predicates, wanted).run();
}

}  // namespace isolde::graph
