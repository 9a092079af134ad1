#include "check/weak/order.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "base/radix_sort.h"
#include "check/cycles/views.h"
#include "history/commit_interval.h"

namespace isolde::weak {

using namespace graph;

namespace {

// Sessions stand in the file in their order.
bool file_order_will_do(const SeenContext& known) {
  const Trace& trace = known.trace;
  const auto txn_of = [&](Version v) { return trace.versions[v].txn; };
  for (const TracedRead& read : trace.reads) {
    if (read.version < trace.versions.size() && txn_of(read.version) > read.txn) return false;
  }
  for (Version v = 0; v < known.orders.next.size(); ++v) {
    const Version next = known.orders.next[v];
    if (next != kNoVersion && txn_of(v) > txn_of(next)) return false;
  }
  for (const VersionOrders::Pair& pair : known.orders.known) {
    if (txn_of(pair.before) > txn_of(pair.after)) return false;
  }
  for (const PredicateEdge& e : known.predicates) {
    if (!e.anti && e.other > e.reader) return false;
  }
  return true;
}

bool has_clock(const History& h) {
  const HistoryColumns& c = h.columns();
  return !c.order.empty() || !c.commit_ts.empty() || !c.start_ts.empty() || !c.end.empty();
}

// How far the session had come at each transaction, of all that it has.
std::vector<std::int64_t> session_progress(const History& h) {
  std::vector<std::uint32_t> size(h.session_count(), 0), at(h.session_count(), 0);
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) ++size[raw(h.session(TxnId{t}))];
  std::vector<std::int64_t> progress;
  progress.reserve(h.txn_count());
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const std::uint32_t s = raw(h.session(TxnId{t}));
    progress.push_back((std::int64_t{at[s]++} << 31) / size[s]);
  }
  return progress;
}

std::vector<std::int64_t> hints(const History& h) {
  if (!has_clock(h)) return session_progress(h);
  Dependencies bare;
  bare.txns = bare.nodes = h.txn_count();
  return ranks(h, TransactionView{bare}, Hint::kClocks);
}

std::vector<std::uint32_t> places_of(std::span<const std::int64_t> hint) {
  std::vector<KeyedIndex> sorted;
  for (std::uint32_t t = 0; t < hint.size(); ++t) sorted.push_back({order_preserving(hint[t]), t});
  radix_sort(sorted);
  std::vector<std::uint32_t> place(hint.size());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) place[sorted[i].index] = i;
  return place;
}

}  // namespace

std::vector<std::uint32_t> hinted_places(const History& history) { return places_of(hints(history)); }

std::vector<std::uint32_t> done_places(const History& history) {
  std::vector<std::int64_t> done;
  for (std::uint32_t t = 0; t < history.txn_count(); ++t) done.push_back(commit_sent(history, TxnId{t}));
  return places_of(done);
}

// Of those that are ready, always the one with the least place.
std::optional<std::vector<TxnId>> order_near(const SeenContext& known, std::span<const std::uint32_t> place) {
  std::vector<std::uint32_t> at(place.size());
  for (std::uint32_t t = 0; t < place.size(); ++t) at[place[t]] = t;
  const Dependencies graph =
      find_dependencies(known.history, known.trace, known.orders, {}, known.predicates, known.row.edges);
  std::vector<std::uint32_t> waits(graph.txns, 0);
  for (const Arc arc : graph.arcs) ++waits[arc.to()];
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t t = 0; t < graph.txns; ++t) {
    if (waits[t] == 0) ready.push(place[t]);
  }
  std::vector<TxnId> order;
  std::uint32_t done = 0;
  for (; !ready.empty(); ++done) {
    const std::uint32_t t = at[ready.top()];
    ready.pop();
    if (known.trace.is_counted(TxnId{t})) order.push_back(TxnId{t});
    for (const Arc arc : graph.from(t)) {
      if (--waits[arc.to()] == 0) ready.push(place[arc.to()]);
    }
  }
  if (done != graph.txns) return std::nullopt;
  return order;
}

std::optional<std::vector<TxnId>> first_order(const SeenContext& known) {
  if (!file_order_will_do(known)) return order_near(known, hinted_places(known.history));
  std::vector<TxnId> order;
  order.reserve(known.history.txn_count());
  for (std::uint32_t t = 0; t < known.history.txn_count(); ++t) {
    if (known.trace.is_counted(TxnId{t})) order.push_back(TxnId{t});
  }
  return order;
}

}  // namespace isolde::weak
