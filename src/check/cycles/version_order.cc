#include "check/cycles/version_order.h"

#include <algorithm>
#include <numeric>

#include "check/cycles/given_orders.h"
#include "check/cycles/version_runs.h"

namespace isolde::graph {
namespace {

class Orderer {
 public:
  Orderer(const History& history, const Trace& trace, Updates updates)
      : h_(history), trace_(trace), updates_(updates), previous_(trace.versions.size(), kNoVersion) {
    out_.next.assign(trace.versions.size(), kNoVersion);
    out_.why.assign(trace.versions.size(), Ground::kReads);
    out_.first.assign(history.key_count(), kNoVersion);
  }

  VersionOrders run() {
    group_by_key();
    given_ = read_given_orders(h_, trace_);
    out_.ambiguous = given_.ambiguous;
    out_.notes = given_.notes;
    shown_.assign(trace_.versions.size(), false);
    for (const ListChain& chain : trace_.chains) link_chain(chain);
    if (updates_ == Updates::kFollow) {
      for (std::uint32_t k = 0; k < given_.of_key.size(); ++k) link_given(KeyId{k});
      for (const TracedRead& read : trace_.reads) link_update(read);
      forget_contested();
    }
    out_.heads_begin.push_back(0);
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      order_key(KeyId{k});
      out_.heads_begin.push_back(static_cast<std::uint32_t>(out_.heads.size()));
    }
    out_.index_known();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool counted(Version v) const { return trace_.is_counted(trace_.versions[v].txn); }

  bool link(Version before, Version after, KeyId key, Ground why) {
    Version& next = before == kInitialVersion ? out_.first[raw(key)] : out_.next[before];
    if (next == after) return true;
    if (next != kNoVersion || previous_[after] != kNoVersion || before == after) return false;
    next = after;
    previous_[after] = before;
    out_.why[after] = why;
    return true;
  }

  void link_chain(const ListChain& chain) {
    Version before = kInitialVersion;
    for (std::uint32_t i = 0; i < chain.count; ++i) {
      const Version v = trace_.chain_entries[chain.first + i].version;
      if (!counted(v)) continue;
      // At read-uncommitted a transaction's elements may stand apart; then this is a cycle of overwrites.
      if (v != before && !link(before, v, chain.key, Ground::kList) && before != kInitialVersion)
        out_.known.push_back({before, v, Ground::kList});
      before = v;
      shown_[v] = true;
    }
  }

  // An order that is given whole is what happened; whether updates follow what they read is then to be seen.
  void link_given(KeyId key) {
    const auto versions = versions_of(key);
    if (given_.pairs(key).empty() || versions.size() < 2 || out_.first[raw(key)] != kNoVersion) return;
    heads_.assign(versions.begin(), versions.end());
    if (!arrange(key, given_.pairs(key))) return;
    for (const Version v : versions) shown_[v] = true;
    out_.first[raw(key)] = heads_[0];
    previous_[heads_[0]] = kInitialVersion;
  }

  void link_update(const TracedRead& read) {
    if (read.version == kNoVersion) return;
    const Version own = trace_.version_of(read.txn, read.key);
    if (own == kNoVersion || link(read.version, own, read.key, Ground::kUpdate)) return;
    const Version taken = read.version == kInitialVersion ? out_.first[raw(read.key)] : out_.next[read.version];
    if (taken == kNoVersion) return;
    for (const TracedRead& other : trace_.reads_of(trace_.versions[taken].txn)) {
      if (other.key != read.key || other.version != read.version) continue;
      out_.lost_updates.push_back({other, read});
      return;
    }
  }

  // Of two that updated one version nobody knows which came first, unless a list or a given order shows it.
  void forget_contested() {
    for (const LostUpdate& lost : out_.lost_updates) {
      Version& next =
          lost.first.version == kInitialVersion ? out_.first[raw(lost.first.key)] : out_.next[lost.first.version];
      if (next == kNoVersion || shown_[next]) continue;
      previous_[next] = kNoVersion;
      next = kNoVersion;
    }
  }

  void group_by_key() {
    begin_.assign(h_.key_count() + std::size_t{1}, 0);
    for (Version v = 0; v < trace_.versions.size(); ++v) {
      if (counted(v)) ++begin_[raw(trace_.versions[v].key) + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    of_key_.resize(begin_.back());
    std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
    for (Version v = 0; v < trace_.versions.size(); ++v) {
      if (counted(v)) of_key_[at[raw(trace_.versions[v].key)]++] = v;
    }
  }

  void order_key(KeyId key) {
    const auto versions = versions_of(key);
    const auto given = given_.pairs(key);
    if (updates_ == Updates::kUnread) {
      for (const VersionOrders::Pair& pair : given) out_.known.push_back(pair);
      return;
    }
    if (versions.size() == 1) {
      out_.first[raw(key)] = versions[0];
      return;
    }
    if (versions.empty()) return;
    // Runs of versions that are known to follow each other at once.
    heads_.clear();
    std::size_t reached = 0;
    const Version first = out_.first[raw(key)];
    for (Version v = first; v != kNoVersion && reached <= versions.size(); v = out_.next[v]) ++reached;
    for (const Version head : versions) {
      if (previous_[head] != kNoVersion) continue;
      heads_.push_back(head);
      for (Version v = head; v != kNoVersion; v = out_.next[v]) ++reached;
    }
    const bool cycle = reached != versions.size();
    if (!cycle && heads_.size() > 1 && !given.empty() && !arrange(key, given)) {
      // Nothing comes between the versions of a run, so what follows one of them follows all.
      for (const auto& [a, b] : run_pairs_) out_.known.push_back({tail(heads_[a]), heads_[b], Ground::kGiven});
    }
    if (!cycle && heads_.size() <= 1) {
      if (!heads_.empty()) {
        if (first == kNoVersion) {
          out_.first[raw(key)] = heads_[0];
        } else {
          join(tail(first), heads_[0], Ground::kLastLeft);
        }
      }
    } else {
      out_.open = key;
      if (first != kNoVersion && !cycle) {
        for (const Version head : heads_) out_.known.push_back({tail(first), head, Ground::kLastLeft});
      }
      if (!cycle) {
        out_.heads.insert(out_.heads.end(), heads_.begin(), heads_.end());
      }
    }
    for (const VersionOrders::Pair& pair : given) {
      if (out_.next[pair.before] != pair.after) out_.known.push_back(pair);
    }
  }

  [[nodiscard]] Version tail(Version v) const {
    while (out_.next[v] != kNoVersion) v = out_.next[v];
    return v;
  }
  void join(Version before, Version after, Ground why) {
    out_.next[before] = after;
    out_.why[after] = why;
    previous_[after] = before;
  }

  [[nodiscard]] std::span<const Version> versions_of(KeyId key) const {
    return std::span<const Version>(of_key_).subspan(begin_[raw(key)], begin_[raw(key) + 1] - begin_[raw(key)]);
  }

  // Joins the runs in heads_ into one if the given pairs leave no choice.
  bool arrange(KeyId key, std::span<const VersionOrders::Pair> given) {
    if (run_of_.empty()) run_of_.assign(trace_.versions.size(), kNone32);
    const auto runs = static_cast<std::uint32_t>(heads_.size());
    for (Version v = out_.first[raw(key)]; v != kNoVersion; v = out_.next[v]) run_of_[v] = kNone32;
    for (std::uint32_t i = 0; i < runs; ++i) {
      for (Version v = heads_[i]; v != kNoVersion; v = out_.next[v]) run_of_[v] = i;
    }
    auto& edges = run_pairs_;
    edges.clear();
    RunGraph graph(runs);
    for (const VersionOrders::Pair& pair : given) {
      const std::uint32_t a = run_of_[pair.before];
      const std::uint32_t b = run_of_[pair.after];
      if (a == kNone32 || b == kNone32 || a == b) continue;
      edges.emplace_back(a, b);
      graph.before(a, b);
    }
    std::vector<std::uint32_t> order;
    if (graph.sort(order) != RunGraph::Answer::kOne) return false;
    std::vector<Version> tails;
    for (const Version head : heads_) tails.push_back(tail(head));
    for (std::uint32_t i = 1; i < runs; ++i) join(tails[order[i - 1]], heads_[order[i]], Ground::kGiven);
    heads_ = {heads_[order[0]]};
    return true;
  }

  const History& h_;
  const Trace& trace_;
  const Updates updates_;
  VersionOrders out_;
  std::vector<Version> previous_;  // by version; kInitialVersion: the initial state
  std::vector<std::uint32_t> begin_;
  std::vector<Version> of_key_;
  GivenOrders given_;
  std::vector<Version> heads_;
  std::vector<std::uint32_t> run_of_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> run_pairs_;  // of runs in heads_, by given pairs
  std::vector<bool> shown_;                                         // by version: a list or a given order has its place
};

}  // namespace

void complete_orders(const Trace& trace, std::span<const std::uint32_t> place, PlaceBy by, VersionOrders& orders) {
  std::vector<std::pair<std::uint32_t, Version>> runs;
  for (std::size_t k = 0; k + 1 < orders.heads_begin.size(); ++k) {
    const auto begin = orders.heads.begin() + static_cast<std::ptrdiff_t>(orders.heads_begin[k]);
    const auto end = orders.heads.begin() + static_cast<std::ptrdiff_t>(orders.heads_begin[k + 1]);
    if (begin == end) continue;
    runs.clear();
    for (auto head = begin; head != end; ++head) {
      Version v = *head;
      while (by == PlaceBy::kLast && orders.next[v] != kNoVersion) v = orders.next[v];
      runs.emplace_back(place[raw(trace.versions[v].txn)], *head);
    }
    std::sort(runs.begin(), runs.end());
    Version tail = orders.first[k];
    for (const auto& [at, head] : runs) {
      if (tail == kNoVersion) {
        orders.first[k] = head;
      } else {
        while (orders.next[tail] != kNoVersion) tail = orders.next[tail];
        orders.next[tail] = head;
      }
      tail = head;
    }
  }
  orders.heads.clear();
  std::fill(orders.heads_begin.begin(), orders.heads_begin.end(), 0);
}

void VersionOrders::index_known() {
  if (known.empty()) return;
  known_begin.assign(next.size() + 1, 0);
  for (const Pair& pair : known) ++known_begin[pair.before + 1];
  std::partial_sum(known_begin.begin(), known_begin.end(), known_begin.begin());
  std::vector<std::uint32_t> at(known_begin.begin(), known_begin.end() - 1);
  std::vector<Pair> sorted(known.size());
  for (const Pair& pair : known) sorted[at[pair.before]++] = pair;
  known = std::move(sorted);
}

std::span<const VersionOrders::Pair> VersionOrders::known_after(Version v) const {
  if (known_begin.empty() || v == kInitialVersion) return {};
  return std::span(known).subspan(known_begin[v], known_begin[v + 1] - known_begin[v]);
}

VersionOrders order_versions(const History& history, const Trace& trace, Updates updates) {
  return Orderer(history, trace, updates).run();
}

}  // namespace isolde::graph
