#include "check/cycles/version_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "check/cycles/version_runs.h"

namespace isolde::graph {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

struct RunPair {
  std::uint32_t before, after;  // runs
  Ground why;
};

// The runs of one open key: each a chain of versions with none between.
class KeyRuns {
 public:
  struct Run {
    std::uint32_t begin, end;  // in members
  };
  std::vector<Version> members;
  std::vector<Run> runs;

  void clear() {
    members.clear();
    runs.clear();
  }
  void add(const VersionOrders& orders, Version head) {
    const auto begin = static_cast<std::uint32_t>(members.size());
    for (Version v = head; v != kNoVersion; v = orders.next[v]) members.push_back(v);
    runs.push_back({begin, static_cast<std::uint32_t>(members.size())});
  }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(runs.size()); }
  [[nodiscard]] Version head(std::uint32_t run) const { return members[runs[run].begin]; }
  [[nodiscard]] Version tail(std::uint32_t run) const { return members[runs[run].end - 1]; }
  [[nodiscard]] std::span<const Version> of(std::uint32_t run) const {
    return std::span(members).subspan(runs[run].begin, runs[run].end - runs[run].begin);
  }
};

// Adds what commit timestamps say; false: they contradict a run.
class ByTimestamps {
 public:
  ByTimestamps(const History& h, const Trace& trace) : h_(h), trace_(trace) {}
  static constexpr Ground kGround = Ground::kTimestamps;
  [[nodiscard]] bool is_there() const { return !h_.columns().commit_ts.empty(); }

  bool add(const KeyRuns& key, RunGraph& graph, std::vector<RunPair>& pairs) const {
    // A run comes before another if its earliest timestamp is below the other's latest, so the runs must not overlap.
    std::vector<Span> spans;
    for (std::uint32_t r = 0; r < key.count(); ++r) {
      Span span{kHighest, kLowest, r};
      for (const Version v : key.of(r)) {
        const std::int64_t time = h_.commit_ts(trace_.versions[v].txn);
        if (time == kNoTime) continue;
        if (span.from <= span.to && time < span.to) return false;
        span.from = std::min(span.from, time);
        span.to = time;
      }
      if (span.from <= span.to) spans.push_back(span);
    }
    std::sort(spans.begin(), spans.end());
    for (std::size_t i = 1; i < spans.size(); ++i) {
      if (spans[i - 1].to > spans[i].from) return false;
    }
    const auto same = [](const Span& a, const Span& b) { return a.from == a.to && b.from == b.to && a.to == b.from; };
    std::size_t last = 0, last_end = 0;  // the group before
    for (std::size_t i = 0; i < spans.size();) {
      std::size_t end = i + 1;
      while (end < spans.size() && same(spans[i], spans[end])) ++end;
      if (i > 0) {
        const std::uint32_t between = graph.add_helper();
        for (std::size_t a = last; a < last_end; ++a) graph.before(spans[a].run, between);
        for (std::size_t b = i; b < end; ++b) graph.before(between, spans[b].run);
        for (std::size_t a = last; a < last_end && (last_end - last) * (end - i) <= kMostListed; ++a) {
          for (std::size_t b = i; b < end; ++b) pairs.push_back({spans[a].run, spans[b].run, kGround});
        }
      }
      last = i;
      last_end = end;
      i = end;
    }
    return true;
  }

 private:
  struct Span {
    std::int64_t from, to;
    std::uint32_t run;
    friend auto operator<=>(const Span&, const Span&) = default;
  };
  const History& h_;
  const Trace& trace_;
};

// Adds what snapshots say; false: they contradict a run, or there is too much to list.
class BySnapshots {
 public:
  BySnapshots(const History& h, const Trace& trace) : h_(h), trace_(trace) {}
  static constexpr Ground kGround = Ground::kSnapshot;
  [[nodiscard]] bool is_there() const { return !h_.columns().snapshots.empty(); }

  bool add(const KeyRuns& key, RunGraph& graph, std::vector<RunPair>& pairs) {
    collect(key);
    for (std::uint32_t r = 0; r < key.count(); ++r) {
      if (!is_in_order(key, r)) return false;
    }
    // All with an xid below some xmin of a run come before it: by the lowest xid of each run, a prefix.
    std::vector<std::pair<std::int64_t, std::uint32_t>> by_xid;
    for (std::uint32_t r = 0; r < key.count(); ++r) {
      if (lowest_xid_[r] != kHighest) by_xid.emplace_back(lowest_xid_[r], r);
    }
    std::sort(by_xid.begin(), by_xid.end());
    std::vector<std::uint32_t> place(key.count(), kNone32);
    std::vector<std::uint32_t> prefix;  // helper: all up to this place
    for (std::uint32_t i = 0; i < by_xid.size(); ++i) {
      place[by_xid[i].second] = i;
      prefix.push_back(graph.add_helper());
      graph.before(by_xid[i].second, prefix[i]);
      if (i > 0) graph.before(prefix[i - 1], prefix[i]);
    }
    const auto one = [&](std::uint32_t a, std::uint32_t b) {
      graph.before(a, b);
      pairs.push_back({a, b, kGround});
    };
    for (std::uint32_t r = 0; r < key.count(); ++r) {
      const auto below = static_cast<std::uint32_t>(
          std::lower_bound(by_xid.begin(), by_xid.end(), std::pair(highest_xmin_[r], std::uint32_t{0})) -
          by_xid.begin());
      const std::uint32_t whole = std::min(below, place[r]);
      if (whole > 0) graph.before(prefix[whole - 1], r);
      for (std::uint32_t i = whole - std::min(whole, kNearest); i < whole; ++i)
        pairs.push_back({by_xid[i].second, r, kGround});
      if (below <= whole) continue;
      if (below - whole > kMostListed) return false;
      for (std::uint32_t i = whole + 1; i < below; ++i) one(by_xid[i].second, r);
    }
    return add_listed(key, one);
  }
  // Of the key added last: whether some xid of the one run is below some xmin of the other.
  [[nodiscard]] bool is_below(std::uint32_t a, std::uint32_t b) const { return lowest_xid_[a] < highest_xmin_[b]; }

 private:
  struct Writer {
    std::int64_t xid;
    std::uint32_t run, member;
    friend auto operator<=>(const Writer&, const Writer&) = default;
  };
  static constexpr std::uint32_t kNearest = 16;  // of a prefix, as pairs

  [[nodiscard]] const Snapshot* snapshot(Version v) const { return h_.snapshot(trace_.versions[v].txn); }

  void collect(const KeyRuns& key) {
    writers_.clear();
    lowest_xid_.assign(key.count(), kHighest);
    highest_xmin_.assign(key.count(), kLowest);
    for (std::uint32_t r = 0; r < key.count(); ++r) {
      for (std::uint32_t m = key.runs[r].begin; m < key.runs[r].end; ++m) {
        const Snapshot* const s = snapshot(key.members[m]);
        if (s == nullptr) continue;
        highest_xmin_[r] = std::max(highest_xmin_[r], s->xmin);
        if (s->has_xid == 0) continue;
        writers_.push_back({s->xid, r, m});
        lowest_xid_[r] = std::min(lowest_xid_[r], s->xid);
      }
    }
    std::sort(writers_.begin(), writers_.end());
  }

  // None of a run is visible, by its xmin, to one that comes before it.
  [[nodiscard]] bool is_in_order(const KeyRuns& key, std::uint32_t run) const {
    std::int64_t later = kHighest;
    for (std::uint32_t m = key.runs[run].end; m-- > key.runs[run].begin;) {
      const Snapshot* const s = snapshot(key.members[m]);
      if (s == nullptr) continue;
      if (later < s->xmin) return false;
      if (s->has_xid != 0) later = std::min(later, s->xid);
    }
    return true;
  }

  // Between xmin and xmax those are visible that are not listed as active.
  template <typename F>
  bool add_listed(const KeyRuns& key, F&& one) const {
    for (std::uint32_t r = 0; r < key.count(); ++r) {
      for (std::uint32_t m = key.runs[r].begin; m < key.runs[r].end; ++m) {
        const Snapshot* const s = snapshot(key.members[m]);
        if (s == nullptr) continue;
        const auto active = h_.columns().active_xids.subspan(s->active, s->active_count);
        auto at = std::lower_bound(writers_.begin(), writers_.end(), Writer{s->xmin, 0, 0});
        std::size_t looked_at = 0;
        for (; at != writers_.end() && at->xid < s->xmax; ++at) {
          if (++looked_at > kMostListed) return false;
          if (at->member == m || std::find(active.begin(), active.end(), at->xid) != active.end()) continue;
          if (at->run == r && at->member > m) return false;
          if (at->run != r) one(at->run, r);
        }
      }
    }
    return true;
  }

  const History& h_;
  const Trace& trace_;
  std::vector<Writer> writers_;  // by xid
  std::vector<std::int64_t> lowest_xid_, highest_xmin_;
};

class Joiner {
 public:
  Joiner(const History& h, const Trace& trace, VersionOrders& orders)
      : trace_(trace), orders_(orders), by_timestamps_(h, trace), by_snapshots_(h, trace) {}

  bool run() {
    run_of_.assign(trace_.versions.size(), kNone32);
    std::vector<Version> heads;
    std::vector<std::uint32_t> heads_begin{0};
    KeyId open = kNoKey;
    for (std::uint32_t k = 0; k + 1 < orders_.heads_begin.size(); ++k) {
      const auto of_key =
          std::span(orders_.heads).subspan(orders_.heads_begin[k], orders_.heads_begin[k + 1] - orders_.heads_begin[k]);
      if (!of_key.empty() && !join(KeyId{k}, of_key)) {
        heads.insert(heads.end(), of_key.begin(), of_key.end());
        open = KeyId{k};
      }
      heads_begin.push_back(static_cast<std::uint32_t>(heads.size()));
    }
    orders_.heads = std::move(heads);
    orders_.heads_begin = std::move(heads_begin);
    orders_.open = open;
    orders_.known.insert(orders_.known.end(), found_.begin(), found_.end());
    orders_.index_known();
    return added_;
  }

  std::vector<KeyId> against_timestamps, against_snapshots;

 private:
  // Whether the order of the key is complete now.
  bool join(KeyId key, std::span<const Version> heads) {
    key_.clear();
    pairs_.clear();
    const bool has_first = orders_.first[raw(key)] != kNoVersion;
    if (has_first) key_.add(orders_, orders_.first[raw(key)]);
    for (const Version head : heads) key_.add(orders_, head);
    for (std::uint32_t r = 0; r < key_.count(); ++r) {
      for (const Version v : key_.of(r)) run_of_[v] = r;
    }
    RunGraph graph(key_.count());
    for (std::uint32_t r = 1; has_first && r < key_.count(); ++r) {
      graph.before(0, r);
      pairs_.push_back({0, r, Ground::kLastLeft});
    }
    for (const Version v : key_.members) {
      for (const VersionOrders::Pair& pair : orders_.known_after(v)) {
        // What somebody saw speaks of two versions, not of the runs that they are in; it stays an edge of its own.
        if (pair.why == Ground::kSeen || pair.why == Ground::kPast) continue;
        graph.before(run_of_[v], run_of_[pair.after]);
        pairs_.push_back({run_of_[v], run_of_[pair.after], pair.why});
      }
    }
    known_ = pairs_.size();
    RunGraph::Answer answer = graph.sort(order_);
    if (answer == RunGraph::Answer::kCycle) return false;
    if (by_timestamps_.is_there()) answer = use(by_timestamps_, key, graph, answer, against_timestamps);
    used_snapshots_ = by_snapshots_.is_there() && answer == RunGraph::Answer::kSeveral;
    if (used_snapshots_) answer = use(by_snapshots_, key, graph, answer, against_snapshots);
    if (answer == RunGraph::Answer::kOne && link(key, has_first)) {
      added_ = true;
      return true;
    }
    for (std::size_t i = known_; i < pairs_.size(); ++i) {
      found_.push_back({key_.tail(pairs_[i].before), key_.head(pairs_[i].after), pairs_[i].why});
      added_ = true;
    }
    return false;
  }

  // With this evidence too, unless it contradicts what is there.
  template <typename Source>
  RunGraph::Answer use(Source& source, KeyId key, RunGraph& graph, RunGraph::Answer answer,
                       std::vector<KeyId>& against) {
    RunGraph with = graph;
    const std::size_t before = pairs_.size();
    std::vector<std::uint32_t> order;
    const bool fits = source.add(key_, with, pairs_);
    const RunGraph::Answer now = fits ? with.sort(order) : RunGraph::Answer::kCycle;
    if (now == RunGraph::Answer::kCycle) {
      pairs_.resize(before);
      against.push_back(key);
      return answer;
    }
    graph = std::move(with);
    order_ = std::move(order);
    return now;
  }

  // False: a step of the order cannot be shown by itself.
  bool link(KeyId key, bool has_first) {
    std::vector<RunPair> sorted = pairs_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const RunPair& a, const RunPair& b) {
      return std::pair(a.before, a.after) < std::pair(b.before, b.after);
    });
    std::vector<Ground> why;
    for (std::size_t i = 1; i < order_.size(); ++i) {
      const auto ground = ground_of(sorted, order_[i - 1], order_[i]);
      if (!ground) return false;
      why.push_back(*ground);
    }
    if (!has_first) orders_.first[raw(key)] = key_.head(order_[0]);
    for (std::size_t i = 1; i < order_.size(); ++i) {
      const Version after = key_.head(order_[i]);
      orders_.next[key_.tail(order_[i - 1])] = after;
      orders_.why[after] = why[i - 1];
    }
    return true;
  }

  // Of neighbours in the only order there is, one is known to come before the other, and not by way of a third. Only of
  // snapshots not all pairs are listed.
  [[nodiscard]] std::optional<Ground> ground_of(std::span<const RunPair> sorted, std::uint32_t a,
                                                std::uint32_t b) const {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), std::pair(a, b),
                                     [](const RunPair& p, const auto& x) { return std::pair(p.before, p.after) < x; });
    if (at != sorted.end() && at->before == a && at->after == b) return at->why;
    if (used_snapshots_ && by_snapshots_.is_below(a, b)) return Ground::kSnapshot;
    return std::nullopt;
  }

  const Trace& trace_;
  VersionOrders& orders_;
  ByTimestamps by_timestamps_;
  BySnapshots by_snapshots_;
  KeyRuns key_;
  std::vector<RunPair> pairs_;
  std::size_t known_ = 0;
  std::vector<std::uint32_t> order_;  // of the runs of the key at hand
  std::vector<std::uint32_t> run_of_;
  std::vector<VersionOrders::Pair> found_;
  bool added_ = false;
  bool used_snapshots_ = false;
};

std::string keys_text(const History& h, std::span<const KeyId> keys) {
  std::string text;
  for (std::size_t i = 0; i < keys.size() && i < 3; ++i) text += (i == 0 ? "" : ", ") + h.key_text(keys[i]);
  return keys.size() > 3 ? text + fmt::format(" and {} more", keys.size() - 3) : text;
}

}  // namespace

bool add_evidence(const History& history, const Trace& trace, Updates updates, VersionOrders& orders,
                  std::vector<std::string>& notes) {
  const bool skips = updates == Updates::kMaySkip;
  if (!skips && history.columns().commit_ts.empty() && history.columns().snapshots.empty()) return false;
  if (skips) {
    // What a transaction read is older than what it wrote, if not by one step.
    for (const TracedRead& read : trace.reads) {
      const Version own = read.version >= trace.versions.size() ? kNoVersion : trace.version_of(read.txn, read.key);
      if (own != kNoVersion) orders.known.push_back({read.version, own, Ground::kUpdate});
    }
    orders.index_known();
  }
  Joiner joiner(history, trace, orders);
  const bool added = joiner.run();
  if (!joiner.against_timestamps.empty()) {
    notes.push_back(
        fmt::format("reads and given version orders contradict the commit timestamps of the writers of {}; the "
                    "timestamps are not used there",
                    keys_text(history, joiner.against_timestamps)));
  }
  if (!joiner.against_snapshots.empty()) {
    notes.push_back(
        fmt::format("reads and given version orders contradict the snapshots of the writers of {}, or the snapshots "
                    "name too many transactions; they are not used there",
                    keys_text(history, joiner.against_snapshots)));
  }
  return added;
}

}  // namespace isolde::graph
