#include "check/cycles/seen.h"

#include <algorithm>
#include <numeric>

#include "check/cycles/causal.h"

namespace isolde::graph {
namespace {

class SeenFinder {
 public:
  SeenFinder(const History& history, const Trace& trace, SeenRule rule) : h_(history), trace_(trace), rule_(rule) {}

  SeenOrders run(bool sessions) {
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (trace_.is_counted(TxnId{t})) reader(TxnId{t});
    }
    if (sessions) earlier_in_session();
    return std::move(out_);
  }

 private:
  void reader(TxnId t) {
    by_key_.clear();
    const auto reads = trace_.reads_of(t);
    for (std::uint32_t i = 0; i < reads.size(); ++i) {
      if (reads[i].version != kNoVersion) by_key_.emplace_back(reads[i].key, i);
    }
    if (by_key_.size() < 2) return;
    std::sort(by_key_.begin(), by_key_.end());
    done_.clear();
    for (const TracedRead& seen : reads) {
      if (seen.version >= trace_.versions.size()) continue;
      const TxnId writer = trace_.versions[seen.version].txn;
      if (std::find(done_.begin(), done_.end(), writer) != done_.end()) continue;  // the first read says the most
      if (done_.size() < kFewWriters) done_.push_back(writer);
      const auto after = static_cast<std::uint32_t>(&seen - reads.data());
      const std::uint32_t first = trace_.first_version[raw(writer)];
      const std::uint32_t end = trace_.first_version[raw(writer) + 1];
      if (end - first <= by_key_.size()) {
        for (Version v = first; v < end; ++v) {
          auto at = std::lower_bound(by_key_.begin(), by_key_.end(), std::pair(trace_.versions[v].key, 0U));
          for (; at != by_key_.end() && at->first == trace_.versions[v].key; ++at)
            relate(seen, after, reads, at->second, writer);
        }
      } else {
        for (const auto& [key, i] : by_key_) {
          if (trace_.version_of(writer, key) != kNoVersion) relate(seen, after, reads, i, writer);
        }
      }
    }
  }

  void relate(const TracedRead& seen, std::uint32_t at, std::span<const TracedRead> reads, std::uint32_t i,
              TxnId writer) {
    if (i == at || (rule_ == SeenRule::kLater && i < at)) return;
    order(seen, reads[i], writer);
  }

  void order(const TracedRead& seen, const TracedRead& read, TxnId writer) {
    if (read.version == kInitialVersion) {
      out_.missed.push_back({seen, read, writer});
    } else if (trace_.versions[read.version].txn != writer) {
      out_.orders.push_back({writer, trace_.versions[read.version].txn, read.txn, read.key});
    }
  }

  // The last writer of a key earlier in the session; those before it precede it anyway.
  void earlier_in_session() {
    std::vector<std::uint32_t> begin(h_.session_count() + std::size_t{1}, 0);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) ++begin[raw(h_.session(TxnId{t})) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<TxnId> by_session(h_.txn_count());
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) by_session[begin[raw(h_.session(TxnId{t}))]++] = TxnId{t};
    std::vector<TxnId> writer(h_.key_count(), kNoTxn);
    for (const TxnId t : by_session) {
      if (!trace_.is_counted(t)) continue;
      for (const TracedRead& read : trace_.reads_of(t)) {
        const TxnId before = writer[raw(read.key)];
        if (read.version == kNoVersion || before == kNoTxn || h_.session(before) != h_.session(t)) continue;
        order({t, kNoOp, kNoKey, kNoVersion}, read, before);
      }
      for (Version v = trace_.first_version[raw(t)]; v < trace_.first_version[raw(t) + 1]; ++v) {
        writer[raw(trace_.versions[v].key)] = t;
      }
    }
  }

  static constexpr std::size_t kFewWriters = 16;

  const History& h_;
  const Trace& trace_;
  const SeenRule rule_;
  SeenOrders out_;
  std::vector<std::pair<KeyId, std::uint32_t>> by_key_;
  std::vector<TxnId> done_;
};

}  // namespace

SeenOrders seen_orders(const History& history, const Trace& trace, SeenRule rule, bool sessions) {
  if (rule == SeenRule::kNone) return {};
  return SeenFinder(history, trace, rule).run(sessions && rule == SeenRule::kAny);
}

SeenOrders all_seen(const SeenContext& context, const Limits& limits) {
  const auto& [history, trace, orders, predicates, row] = context;
  if (row.seen == SeenRule::kPast) return causal_orders(history, trace, orders, limits);
  return seen_orders(history, trace, row.seen, row.edges.has(Edge::kSession));
}

}  // namespace isolde::graph
