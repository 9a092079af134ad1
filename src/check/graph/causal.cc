#include "check/graph/causal.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "check/graph/explain_cycle.h"

namespace isolde::graph {
namespace {

class CausalFinder {
 public:
  CausalFinder(const History& history, const Trace& trace, const Limits& limits)
      : h_(history), trace_(trace), limits_(limits) {}

  SeenOrders run(std::vector<std::uint32_t> order, const PastOptions& options) {
    order_ = std::move(order);
    follow_sessions(options.sessions);
    make_chains();
    if (std::uint64_t{chains_} * order_.size() > options.most_work) return {};
    group_writers();
    const std::size_t txns = h_.txn_count();
    const std::uint32_t width = static_cast<std::uint32_t>(
        std::clamp<std::size_t>(options.cells / std::max<std::size_t>(txns, 1), 1, std::max<std::size_t>(chains_, 1)));
    clocks_.resize(txns * width);
    missed_.assign(trace_.reads.size(), false);
    for (std::uint32_t from = 0; from < chains_; from += width) {
      if (limits_.out_of_time()) return {};
      from_ = from;
      width_ = std::min(width, chains_ - from);
      advance_clocks();
      look_back();
      if (options.writers) order_writers();
    }
    auto& all = out_.orders;
    const auto pair_of = [](const Seen& s) { return std::tuple(s.before, s.after, s.key); };
    std::sort(all.begin(), all.end(), [&](const Seen& a, const Seen& b) { return pair_of(a) < pair_of(b); });
    all.erase(
        std::unique(all.begin(), all.end(), [&](const Seen& a, const Seen& b) { return pair_of(a) == pair_of(b); }),
        all.end());
    return std::move(out_);
  }

 private:
  struct Place {
    std::uint32_t chain = kNone32, at = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Writer {
    Place place;
    TxnId txn;
  };

  void follow_sessions(bool wanted) {
    before_.assign(h_.txn_count(), kNoTxn);
    std::vector<TxnId> last(h_.session_count(), kNoTxn);
    is_last_.assign(h_.txn_count(), true);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!wanted || !trace_.is_counted(TxnId{t})) continue;
      TxnId& before = last[raw(h_.session(TxnId{t}))];
      before_[t] = before;
      if (before != kNoTxn) is_last_[raw(before)] = false;
      before = TxnId{t};
    }
  }

  // Calls f(writer) for each that it read from, and f(the one before it in its session).
  template <typename F>
  void for_each_cause(TxnId t, F&& f) const {
    if (before_[raw(t)] != kNoTxn) f(before_[raw(t)]);
    for (const TracedRead& read : trace_.reads_of(t)) {
      if (read.version >= trace_.versions.size()) continue;
      const TxnId writer = trace_.versions[read.version].txn;
      if (writer != t) f(writer);
    }
  }

  // A session is a chain; one that starts by reading from the end of another continues that chain.
  void make_chains() {
    place_.assign(h_.txn_count(), {});
    std::vector<bool> continued(h_.txn_count(), false);
    std::vector<std::uint32_t> length;
    for (const std::uint32_t t : order_) {
      TxnId tail = before_[t];
      if (tail == kNoTxn) {
        for_each_cause(TxnId{t}, [&](TxnId cause) {
          if (tail == kNoTxn && is_last_[raw(cause)] && !continued[raw(cause)]) tail = cause;
        });
      }
      if (tail == kNoTxn) {
        place_[t] = {static_cast<std::uint32_t>(length.size()), 0};
        length.push_back(1);
      } else {
        continued[raw(tail)] = true;
        place_[t] = {place_[raw(tail)].chain, length[place_[raw(tail)].chain]++};
      }
    }
    chains_ = static_cast<std::uint32_t>(length.size());
  }

  void group_writers() {
    begin_.assign(h_.key_count() + std::size_t{1}, 0);
    for (const VersionInfo& v : trace_.versions) {
      if (trace_.is_counted(v.txn)) ++begin_[raw(v.key) + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    writers_.resize(begin_.back());
    std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
    for (const VersionInfo& v : trace_.versions) {
      if (trace_.is_counted(v.txn)) writers_[at[raw(v.key)]++] = {place_[raw(v.txn)], v.txn};
    }
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      std::sort(writers_.begin() + begin_[k], writers_.begin() + begin_[k + 1],
                [](const Writer& a, const Writer& b) { return a.place < b.place; });
    }
  }

  [[nodiscard]] std::uint32_t* clock(TxnId t) { return clocks_.data() + std::size_t{raw(t)} * width_; }

  // Of each chain at hand: how many of its transactions are in the past of each transaction.
  void advance_clocks() {
    for (const std::uint32_t t : order_) {
      std::uint32_t* const mine = clock(TxnId{t});
      std::fill(mine, mine + width_, 0);
      for_each_cause(TxnId{t}, [&](TxnId cause) {
        const std::uint32_t* const theirs = clock(cause);
        for (std::uint32_t i = 0; i < width_; ++i) mine[i] = std::max(mine[i], theirs[i]);
        const Place place = place_[raw(cause)];
        if (place.chain >= from_ && place.chain - from_ < width_) {
          std::uint32_t& count = mine[place.chain - from_];
          count = std::max(count, place.at + 1);
        }
      });
    }
  }

  void look_back() {
    for (std::size_t i = 0; i < trace_.reads.size(); ++i) {
      const TracedRead& read = trace_.reads[i];
      if (read.version == kNoVersion || missed_[i]) continue;
      for_each_last_writer(read.txn, read.key, [&](TxnId other) { relate(i, other); });
    }
  }

  void order_writers() {
    for (const VersionInfo& v : trace_.versions) {
      if (!trace_.is_counted(v.txn)) continue;
      for_each_last_writer(v.txn, v.key, [&](TxnId other) { out_.orders.push_back({other, v.txn, kNoTxn, v.key}); });
    }
  }

  // Of each chain at hand: the last writer of the key in the past of the transaction.
  template <typename F>
  void for_each_last_writer(TxnId t, KeyId key, F&& f) {
    const std::uint32_t* const past = clock(t);
    const auto end = writers_.begin() + begin_[raw(key) + 1];
    auto at = find(writers_.begin() + begin_[raw(key)], end, {from_, 0});
    while (at != end && at->place.chain - from_ < width_) {
      const std::uint32_t chain = at->place.chain;
      const auto after = find(at, end, {chain, past[chain - from_]});
      if (after != at) f(std::prev(after)->txn);
      at = find(after, end, {chain + 1, 0});
    }
  }

  using Iterator = std::vector<Writer>::const_iterator;
  static Iterator find(Iterator from, Iterator end, Place place) {
    // Most keys have few writers in a chain.
    for (int i = 0; i < 8; ++i, ++from) {
      if (from == end || from->place >= place) return from;
    }
    return std::lower_bound(from, end, place, [](const Writer& w, Place p) { return w.place < p; });
  }

  // `other` wrote the key and is in the past of the reader.
  void relate(std::size_t i, TxnId other) {
    const TracedRead& read = trace_.reads[i];
    if (read.version == kInitialVersion) {
      if (missed_[i]) return;
      missed_[i] = true;
      out_.missed.push_back({{read.txn, kNoOp, kNoKey, kNoVersion}, read, other});
      return;
    }
    const TxnId writer = trace_.versions[read.version].txn;
    const Place place = place_[raw(other)];
    if (other == writer || clock(writer)[place.chain - from_] > place.at) return;
    out_.orders.push_back({other, writer, read.txn, read.key});
  }

  const History& h_;
  const Trace& trace_;
  const Limits& limits_;
  std::vector<std::uint32_t> order_;  // transactions that count, each after those in its past
  std::vector<TxnId> before_;         // in the session
  std::vector<bool> is_last_;         // of its session
  std::vector<Place> place_;
  std::uint32_t chains_ = 0;
  std::vector<std::uint32_t> begin_;  // by key
  std::vector<Writer> writers_;       // of a key: by place
  std::uint32_t from_ = 0, width_ = 0;
  std::vector<std::uint32_t> clocks_;  // by transaction, of the chains at hand
  std::vector<bool> missed_;           // by read
  SeenOrders out_;
};

}  // namespace

SeenOrders causal_orders(const History& history, const Trace& trace, const VersionOrders& orders, const Limits& limits,
                         const PastOptions& options) {
  const Dependencies past = find_dependencies(history, trace, orders, {}, {},
                                              options.sessions ? Edge::kWr | Edge::kSession : EdgeSet(Edge::kWr));
  Sorted sorted = sort_nodes(past, Nodes::kTransactions);
  if (!sorted.components.empty()) return {};
  std::erase_if(sorted.order, [&](std::uint32_t t) { return !trace.is_counted(TxnId{t}); });
  return CausalFinder(history, trace, limits).run(std::move(sorted.order), options);
}

std::vector<Step> causal_path(const History& history, const Trace& trace, TxnId from, TxnId to, std::uint64_t& budget) {
  // Backwards, because what a transaction read from is at hand, and who read from it is not.
  std::unordered_map<std::uint32_t, Step> next{{raw(to), {}}};
  std::vector<TxnId> queue{to};
  for (std::size_t i = 0; i < queue.size() && !next.contains(raw(from)); ++i) {
    const TxnId t = queue[i];
    const auto reach = [&](const Step& step) {
      if (next.emplace(raw(step.from), step).second) queue.push_back(step.from);
    };
    for (const TracedRead& read : trace.reads_of(t)) {
      if (read.version >= trace.versions.size()) continue;
      const TxnId writer = trace.versions[read.version].txn;
      reach({StepType::kWr, writer, t, read.key, last_write(history, writer, read.key), read.op});
    }
    for (std::uint32_t before = raw(t); before-- > 0;) {
      if (budget == 0) return {};
      --budget;
      if (!trace.is_counted(TxnId{before}) || history.session(TxnId{before}) != history.session(t)) continue;
      reach({StepType::kSession, TxnId{before}, t});
      break;
    }
  }
  std::vector<Step> path;
  if (!next.contains(raw(from))) return path;
  for (TxnId t = from; t != to; t = path.back().to) path.push_back(next.at(raw(t)));
  return path;
}

}  // namespace isolde::graph
