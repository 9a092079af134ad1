#include "check/cycles/causal.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "check/cycles/explain_cycle.h"

namespace isolde::graph {
namespace {

constexpr std::uint32_t kCellsPerCausalStep = 8;

class CausalFinder {
 public:
  CausalFinder(const History& history, const Trace& trace, const Limits& limits)
      : h_(history), trace_(trace), limits_(limits) {}

  SeenOrders run(std::vector<std::uint32_t> order, const PastOptions& options) {
    order_ = std::move(order);
    rank_.assign(h_.txn_count(), 0);
    for (std::uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
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
      if (limits_.exhausted()) return {};
      limits_.spend((trace_.reads.size() + order_.size()) * (width / kCellsPerCausalStep + 1));
      from_ = from;
      width_ = std::min(width, chains_ - from);
      advance_clocks();
      look_back(options.writers);
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
  // The writers of a key in one chain, and how far the chain of readers at hand has come.
  struct Group {
    std::uint32_t chain, first, end;
    std::uint32_t reader = kNone32, at = 0;
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
    std::exclusive_scan(length.begin(), length.end(), length.begin(), 0U);
    by_chain_.resize(order_.size());
    for (const std::uint32_t t : order_) by_chain_[length[place_[t].chain] + place_[t].at] = TxnId{t};
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
    group_begin_.push_back(0);
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      for (std::uint32_t i = begin_[k]; i < begin_[k + 1]; ++i) {
        const std::uint32_t chain = writers_[i].place.chain;
        if (i == begin_[k] || groups_.back().chain != chain) groups_.push_back({chain, i, i});
        groups_.back().end = i + 1;
      }
      group_begin_.push_back(static_cast<std::uint32_t>(groups_.size()));
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

  // Along a chain the past only grows, so that each group of writers is walked through once for each chain of readers.
  void look_back(bool writers) {
    for (const TxnId t : by_chain_) {
      for (const TracedRead& read : trace_.reads_of(t)) {
        const auto i = static_cast<std::size_t>(&read - trace_.reads.data());
        if (read.version == kNoVersion || missed_[i]) continue;
        const TxnId writer = read.version == kInitialVersion ? kNoTxn : trace_.versions[read.version].txn;
        // The past of the writer comes before it anyway.
        const auto keep = [&](const Writer& w) {
          return writer == kNoTxn || (w.txn != writer && clock(writer)[w.place.chain - from_] <= w.place.at);
        };
        for_each_last_writer(t, read.key, keep, [&](TxnId other) { relate(i, writer, other); });
      }
      for (Version v = trace_.first_version[raw(t)]; writers && v < trace_.first_version[raw(t) + 1]; ++v) {
        const KeyId key = trace_.versions[v].key;
        for_each_last_writer(
            t, key, [](const Writer&) { return true; },
            [&](TxnId other) { out_.orders.push_back({other, t, kNoTxn, key}); });
      }
    }
  }

  // Of each chain at hand: the last writer of the key in the past of the transaction. One that is in the past of the
  // latest of them is left out: it comes before that one anyway.
  template <typename Keep, typename F>
  void for_each_last_writer(TxnId t, KeyId key, Keep&& keep, F&& f) {
    found_.clear();
    std::size_t latest = 0;
    const std::uint32_t* const past = clock(t);
    const std::uint32_t chain = place_[raw(t)].chain;
    const auto end = groups_.begin() + group_begin_[raw(key) + 1];
    auto group = std::lower_bound(groups_.begin() + group_begin_[raw(key)], end, from_,
                                  [](const Group& g, std::uint32_t c) { return g.chain < c; });
    for (; group != end && group->chain - from_ < width_; ++group) {
      if (group->reader != chain) {
        group->reader = chain;
        group->at = group->first;
      }
      while (group->at < group->end && writers_[group->at].place.at < past[group->chain - from_]) ++group->at;
      if (group->at == group->first || !keep(writers_[group->at - 1])) continue;
      found_.push_back(writers_[group->at - 1]);
      if (rank_[raw(found_.back().txn)] > rank_[raw(found_[latest].txn)]) latest = found_.size() - 1;
    }
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const Place place = found_[i].place;
      if (i == latest || clock(found_[latest].txn)[place.chain - from_] <= place.at) f(found_[i].txn);
    }
  }

  // `other` wrote the key and is in the past of the reader.
  void relate(std::size_t i, TxnId writer, TxnId other) {
    const TracedRead& read = trace_.reads[i];
    if (writer != kNoTxn) {
      out_.orders.push_back({other, writer, read.txn, read.key});
    } else if (!missed_[i]) {
      missed_[i] = true;
      out_.missed.push_back({{read.txn, kNoOp, kNoKey, kNoVersion}, read, other});
    }
  }

  const History& h_;
  const Trace& trace_;
  const Limits& limits_;
  std::vector<std::uint32_t> order_;  // transactions that count, each after those in its past
  std::vector<std::uint32_t> rank_;   // in that order
  std::vector<TxnId> before_;         // in the session
  std::vector<bool> is_last_;         // of its session
  std::vector<Place> place_;
  std::uint32_t chains_ = 0;
  std::vector<std::uint32_t> begin_;  // by key
  std::vector<Writer> writers_;       // of a key: by place
  std::uint32_t from_ = 0, width_ = 0;
  std::vector<std::uint32_t> clocks_;  // by transaction, of the chains at hand
  std::vector<bool> missed_;           // by read
  std::vector<Writer> found_;
  std::vector<std::uint32_t> group_begin_;  // by key
  std::vector<Group> groups_;               // of a key: by chain
  std::vector<TxnId> by_chain_;             // transactions by place
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
