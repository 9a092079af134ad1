#include "check/timeline/order.h"

#include "base/radix_sort.h"

namespace isolde::timeline {
namespace {

struct Latest {
  std::uint32_t rank = 0;
  TxnId txn = kNoTxn;
};

// The two latest commits: a clock that runs backwards can put a transaction's end before its own begin, and then the
// other one counts.
struct TwoLatest {
  Latest first, second;
  void add(Latest next) {
    if (next.rank > first.rank) {
      second = first;
      first = next;
    } else if (next.rank > second.rank) {
      second = next;
    }
  }
  [[nodiscard]] Latest but(TxnId txn) const { return first.txn == txn ? second : first; }
};

std::vector<KeyedIndex> sorted_by_clock(std::span<const std::int64_t> clock) {
  std::vector<KeyedIndex> items;
  items.reserve(clock.size());
  for (std::uint32_t t = 0; t < clock.size(); ++t) {
    if (clock[t] != kNoTime) items.push_back({order_preserving(clock[t]), t});
  }
  radix_sort(items);
  return items;
}

}  // namespace

std::vector<OrderFinding> session_findings(const History& h, const Ranks& ranks) {
  std::vector<OrderFinding> findings;
  std::vector<Latest> latest(h.session_count());
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    Latest& before = latest[raw(h.session(TxnId{t}))];
    const std::uint32_t start = ranks.start[t];
    if (start != 0 && before.rank > start) findings.push_back({before.txn, TxnId{t}});
    if (ranks.commit[t] > before.rank) before = {ranks.commit[t], TxnId{t}};
  }
  return findings;
}

std::vector<OrderFinding> realtime_findings(const History& h, const Ranks& ranks) {
  std::vector<OrderFinding> findings;
  const std::vector<KeyedIndex> begins = sorted_by_clock(h.columns().begin);
  const std::vector<KeyedIndex> ends = sorted_by_clock(h.columns().end);
  TwoLatest latest;
  std::size_t ended = 0;
  for (const KeyedIndex& begin : begins) {
    for (; ended < ends.size() && ends[ended].key < begin.key; ++ended) {
      const std::uint32_t t = ends[ended].index;
      // A transaction of unknown outcome has no end: when it took effect nobody knows.
      if (h.status(TxnId{t}) == Status::kCommitted) latest.add({ranks.commit[t], TxnId{t}});
    }
    const std::uint32_t start = ranks.start[begin.index];
    const Latest before = latest.but(TxnId{begin.index});
    if (start != 0 && before.rank > start) findings.push_back({before.txn, TxnId{begin.index}});
  }
  return findings;
}

}  // namespace isolde::timeline
