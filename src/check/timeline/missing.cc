#include "check/timeline/missing.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

#include "check/accesses.h"

namespace isolde::timeline {
namespace {

struct Range {  // of places: behind the event of rank `from` … behind that of rank `to`
  std::uint32_t from, to;
};

// A read that looks at the snapshot. `own`: how many elements at its end are the transaction's own appends.
struct ExternalRead {
  std::uint32_t op;
  KeyId key;
  ValueId value;
  std::size_t own_elements = 0;
  std::int64_t own_delta = 0;
  bool on_rich = false;  // after own appends or increments
};

std::vector<ExternalRead> external_reads(const History& h, TxnId t) {
  struct Own {
    bool settled = false;  // read or overwritten: later reads are internal
    std::size_t elements = 0;
    std::int64_t delta = 0;
    bool incremented = false;
  };
  std::unordered_map<std::uint32_t, Own> own;
  std::vector<ExternalRead> reads;
  for_each_access(h, t, [&](const Access& a) {
    Own& mine = own[raw(a.key)];
    switch (a.kind) {
      case OpKind::kRead:
        if (!mine.settled) {
          reads.push_back({a.op, a.key, a.value, mine.elements, mine.delta, mine.elements > 0 || mine.incremented});
        }
        mine.settled = true;
        break;
      case OpKind::kAppend:
        ++mine.elements;
        break;
      case OpKind::kIncrement:
        mine.incremented = true;
        mine.delta = static_cast<std::int64_t>(static_cast<std::uint64_t>(mine.delta) +
                                               static_cast<std::uint64_t>(h.values().integer(a.value)));
        break;
      default:
        mine.settled = true;
        break;
    }
  });
  return reads;
}

class PointPlacer {
 public:
  PointPlacer(const History& history, const Schedule& schedule, const SweepResult& swept, LevelFamily family,
              AddedOrder order, const Uncertain& uncertain)
      : h_(history),
        s_(schedule),
        swept_(swept),
        serial_(family == LevelFamily::kSerializable),
        order_(order),
        uncertain_(uncertain) {
    for (std::uint32_t i = 0; i < swept.versions.size(); ++i) {
      // Several writes of one transaction to a key are one version: the last record of a rank stays.
      auto& list = versions_[raw(swept.versions[i].key)];
      if (!list.empty() && swept.versions[list.back()].rank == swept.versions[i].rank) list.pop_back();
      list.push_back(i);
    }
    for (const auto& [key, list] : versions_) {
      for (std::uint32_t i = 0; i < list.size(); ++i) {
        by_value_[Uncertain::id(KeyId{key}, swept.versions[list[i]].value)].push_back(i);
      }
    }
  }

  std::vector<Placement> run() {
    std::vector<Placement> placements;
    if (order_ != AddedOrder::kNone) collect_bounds();
    if (order_ == AddedOrder::kRealTime) collect_clock();
    for (const TxnId t : in_order()) {
      placements.push_back(place(t));
      if (placements.back().answer == Placement::Answer::kPlaced && order_ != AddedOrder::kNone) {
        const std::uint32_t commit = swept_.commit_rank[raw(t)];
        const std::uint32_t ended = commit != 0 ? commit : placements.back().after_rank;
        auto& earlier = session_commit_[raw(h_.session(t))];
        earlier = std::max(earlier, ended);
        if (h_.status(t) == Status::kCommitted && h_.end(t) != kNoTime) placed_.emplace(h_.end(t), ended);
      }
    }
    return placements;
  }

 private:
  // By the client's clock where that counts, so that those before are placed before; in file order otherwise.
  [[nodiscard]] std::vector<TxnId> in_order() const {
    std::vector<TxnId> txns = s_.missing_snapshot;
    if (order_ != AddedOrder::kRealTime) return txns;
    const auto clock = [this](TxnId t) { return h_.begin(t) != kNoTime ? h_.begin(t) : h_.end(t); };
    std::stable_sort(txns.begin(), txns.end(), [&](TxnId a, TxnId b) { return clock(a) < clock(b); });
    return txns;
  }

  // For the transactions of a session in file order: how late the earlier ones committed, how soon a later one starts.
  void collect_bounds() {
    session_commit_.assign(h_.session_count(), 0);
    session_floor_.assign(h_.txn_count(), 0);
    session_ceiling_.assign(h_.txn_count(), kNone32);
    std::vector<std::uint32_t> latest(h_.session_count(), 0);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      std::uint32_t& rank = latest[raw(h_.session(TxnId{t}))];
      session_floor_[t] = rank;
      rank = std::max(rank, swept_.commit_rank[t]);
    }
    std::vector<std::uint32_t> soonest(h_.session_count(), kNone32);
    for (std::uint32_t t = h_.txn_count(); t-- > 0;) {
      std::uint32_t& rank = soonest[raw(h_.session(TxnId{t}))];
      session_ceiling_[t] = rank;
      if (swept_.start_rank[t] != 0) rank = std::min(rank, swept_.start_rank[t]);
    }
  }

  // Lowest and highest place that the orders allow; `from` > `to` if there is none.
  Range allowed(TxnId t) {
    Range range{0, static_cast<std::uint32_t>(s_.events.size())};
    const std::uint32_t commit = swept_.commit_rank[raw(t)];
    if (commit != 0) range.to = commit - 1;
    if (order_ != AddedOrder::kNone) {
      range.from = std::max({range.from, session_floor_[raw(t)], session_commit_[raw(h_.session(t))]});
      if (commit == 0 && session_ceiling_[raw(t)] != kNone32)
        range.to = std::min(range.to, session_ceiling_[raw(t)] - 1);
    }
    if (order_ == AddedOrder::kRealTime) {
      if (h_.begin(t) != kNoTime) {
        // The clock goes on from one to the next, so what had ended before stays ended.
        while (!placed_.empty() && placed_.top().first < h_.begin(t)) {
          placed_floor_ = std::max(placed_floor_, placed_.top().second);
          placed_.pop();
        }
        range.from = std::max({range.from, latest_commit_before(h_.begin(t)), placed_floor_});
      }
      if (h_.status(t) == Status::kCommitted && h_.end(t) != kNoTime && commit == 0) {
        const std::uint32_t soonest = soonest_start_after(h_.end(t));
        if (soonest != kNone32) range.to = std::min(range.to, soonest - 1);
      }
    }
    // No overlap with another writer of its keys: the snapshot holds the version that it replaced.
    if (!serial_ && commit != 0) {
      for_each_access(h_, t, [&](const Access& a) {
        if (a.kind == OpKind::kRead) return;
        const auto at = versions_.find(raw(a.key));
        if (at == versions_.end()) return;
        const auto own =
            std::lower_bound(at->second.begin(), at->second.end(), commit,
                             [this](std::uint32_t i, std::uint32_t rank) { return swept_.versions[i].rank < rank; });
        if (own != at->second.begin()) range.from = std::max(range.from, swept_.versions[*(own - 1)].rank);
      });
    }
    return range;
  }

  // By the client's clock: (time, rank so far), in order of time.
  struct ClockRank {
    std::int64_t time;
    std::uint32_t rank;
  };
  void collect_clock() {
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      const TxnId txn{t};
      if (h_.status(txn) == Status::kCommitted && h_.end(txn) != kNoTime && swept_.commit_rank[t] != 0) {
        ended_.push_back({h_.end(txn), swept_.commit_rank[t]});
      }
      if (h_.begin(txn) != kNoTime && swept_.start_rank[t] != 0)
        began_.push_back({h_.begin(txn), swept_.start_rank[t]});
    }
    const auto earlier = [](const ClockRank& a, const ClockRank& b) { return a.time < b.time; };
    std::sort(ended_.begin(), ended_.end(), earlier);
    std::sort(began_.begin(), began_.end(), earlier);
    for (std::size_t i = 1; i < ended_.size(); ++i) ended_[i].rank = std::max(ended_[i].rank, ended_[i - 1].rank);
    for (std::size_t i = began_.size(); i-- > 1;) began_[i - 1].rank = std::min(began_[i - 1].rank, began_[i].rank);
  }
  [[nodiscard]] std::uint32_t latest_commit_before(std::int64_t time) const {
    const auto at = std::lower_bound(ended_.begin(), ended_.end(), time,
                                     [](const ClockRank& c, std::int64_t x) { return c.time < x; });
    return at == ended_.begin() ? 0 : (at - 1)->rank;
  }
  [[nodiscard]] std::uint32_t soonest_start_after(std::int64_t time) const {
    const auto at = std::upper_bound(began_.begin(), began_.end(), time,
                                     [](std::int64_t x, const ClockRank& c) { return x < c.time; });
    return at == began_.end() ? kNone32 : at->rank;
  }

  Placement place(TxnId t) {
    using Answer = Placement::Answer;
    Range range = allowed(t);
    if (range.from > range.to) return {t, Answer::kUnclear};
    std::vector<Range> open{range};
    const std::vector<ExternalRead> reads = external_reads(h_, t);
    std::vector<std::vector<Range>> of_read;
    for (const ExternalRead& read : reads) {
      bool clear = true;
      of_read.push_back(moments(read, clear));
      if (!clear) return {t, Answer::kUnclear};
      open = intersect(open, of_read.back());
    }
    if (!open.empty()) return {t, Answer::kPlaced, open.front().from};
    for (const ExternalRead& read : reads) {
      if (uncertain_.may_explain(t, read.key, read.value, is_rich(read.key))) return {t, Answer::kUnclear};
    }
    // Between two commits of one time, in either order, may lie the state that it saw.
    if (s_.equal_commits) return {t, Answer::kUnclear};
    // Violated only with something to show: a read that no moment before the commit explains, or two that no one does.
    const std::uint32_t commit = swept_.commit_rank[raw(t)];
    const std::vector<Range> ever{{0, commit != 0 ? commit - 1 : static_cast<std::uint32_t>(s_.events.size())}};
    for (std::size_t i = 0; i < reads.size(); ++i) {
      const std::vector<Range> mine = intersect(of_read[i], ever);
      if (mine.empty()) return {t, Answer::kNowhere, 0, OpId{reads[i].op}, kNoOp, reads[i].key};
      for (std::size_t j = i + 1; j < reads.size(); ++j) {
        if (intersect(mine, of_read[j]).empty())
          return {t, Answer::kNowhere, 0, OpId{reads[i].op}, OpId{reads[j].op}, reads[i].key, reads[j].key};
      }
    }
    return {t, Answer::kUnclear};
  }

  [[nodiscard]] bool is_rich(KeyId key) {
    look_at_kinds();
    return accumulates_[raw(key)];
  }
  [[nodiscard]] bool overwritten(KeyId key) {
    look_at_kinds();
    return plain_writes_[raw(key)];
  }
  void look_at_kinds() {
    if (!accumulates_.empty()) return;
    accumulates_.assign(h_.key_count(), false);
    plain_writes_.assign(h_.key_count(), false);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (s_.counts[t] != Counts::kYes) continue;
      for_each_access(h_, TxnId{t}, [&](const Access& a) {
        if (a.kind == OpKind::kWrite) plain_writes_[raw(a.key)] = true;
        if (a.kind == OpKind::kAppend || a.kind == OpKind::kIncrement) accumulates_[raw(a.key)] = true;
      });
    }
  }

  // The moments at which the key held what was read.
  std::vector<Range> moments(const ExternalRead& read, bool& clear) {
    static const std::vector<std::uint32_t> kNoVersions;
    const auto at = versions_.find(raw(read.key));
    const std::vector<std::uint32_t>& versions = at == versions_.end() ? kNoVersions : at->second;
    const auto last = static_cast<std::uint32_t>(s_.events.size());
    std::vector<Range> ranges;
    const auto end_of = [&](std::size_t next) {
      return next < versions.size() ? swept_.versions[versions[next]].rank - 1 : last;
    };
    if (!is_rich(read.key) && !read.on_rich) {
      if (h_.initial(read.key) == read.value) ranges.push_back({0, end_of(0)});
      const auto same = by_value_.find(Uncertain::id(read.key, read.value));
      if (same == by_value_.end()) return ranges;
      for (const std::uint32_t i : same->second) ranges.push_back({swept_.versions[versions[i]].rank, end_of(i + 1)});
      return ranges;
    }
    return rich_moments(read, versions, end_of, clear);
  }

  template <typename EndOf>
  std::vector<Range> rich_moments(const ExternalRead& read, const std::vector<std::uint32_t>& versions, EndOf end_of,
                                  bool& clear) {
    std::vector<Range> ranges;
    const std::uint32_t slot = swept_.keys[raw(read.key)].rich;
    const ValueTable& values = h_.values();
    // Plain writes among the appends or increments: a version's content is not told by its length.
    if (slot == kNone32 || h_.initial(read.key) != kNullValue || overwritten(read.key)) {
      clear = false;
      return ranges;
    }
    const Rich& content = swept_.rich[slot];
    if (content.is_counter) {
      if (values.type(read.value) != ValueType::kInteger) {
        if (read.value == kNullValue && !read.on_rich) ranges.push_back({0, end_of(0)});
        return ranges;
      }
      const std::int64_t wanted = static_cast<std::int64_t>(static_cast<std::uint64_t>(values.integer(read.value)) -
                                                            static_cast<std::uint64_t>(read.own_delta));
      if (wanted == 0 && read.on_rich) ranges.push_back({0, end_of(0)});
      for (std::size_t i = 0; i < versions.size(); ++i) {
        const VersionRecord& version = swept_.versions[versions[i]];
        if (version.number == wanted) ranges.push_back({version.rank, end_of(i + 1)});
      }
      return ranges;
    }
    const auto elements = values.elements(read.value);
    if (!elements || elements->size() < read.own_elements) return ranges;
    const std::size_t length = elements->size() - read.own_elements;
    if (length > content.elements.size() ||
        !std::equal(content.elements.begin(), content.elements.begin() + static_cast<std::ptrdiff_t>(length),
                    elements->begin())) {
      return ranges;
    }
    if (length == 0) ranges.push_back({0, end_of(0)});
    // Lists that are only appended to grow from version to version.
    const auto found =
        std::lower_bound(versions.begin(), versions.end(), length,
                         [this](std::uint32_t i, std::size_t n) { return swept_.versions[i].length < n; });
    if (length > 0 && found != versions.end() && swept_.versions[*found].length == length) {
      ranges.push_back({swept_.versions[*found].rank, end_of(static_cast<std::size_t>(found - versions.begin()) + 1)});
    }
    return ranges;
  }

  static std::vector<Range> intersect(const std::vector<Range>& a, const std::vector<Range>& b) {
    std::vector<Range> both;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      const Range range{std::max(a[i].from, b[j].from), std::min(a[i].to, b[j].to)};
      if (range.from <= range.to) both.push_back(range);
      if (a[i].to < b[j].to) {
        ++i;
      } else {
        ++j;
      }
    }
    return both;
  }

  const History& h_;
  const Schedule& s_;
  const SweepResult& swept_;
  const bool serial_;
  const AddedOrder order_;
  const Uncertain& uncertain_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> versions_;  // by key
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_value_;  // (key, value) -> places in versions_[key]
  std::vector<ClockRank> ended_, began_;
  std::vector<std::uint32_t> session_commit_, session_floor_, session_ceiling_;
  using Ended = std::pair<std::int64_t, std::uint32_t>;  // end, and behind which event it stands
  std::priority_queue<Ended, std::vector<Ended>, std::greater<>> placed_;
  std::uint32_t placed_floor_ = 0;
  std::vector<bool> plain_writes_, accumulates_;  // by counted transactions
};

}  // namespace

std::vector<bool> keys_to_record(const History& h, const Schedule& schedule) {
  std::vector<bool> keys;
  if (schedule.missing_snapshot.empty()) return keys;
  keys.assign(h.key_count(), false);
  for (const TxnId t : schedule.missing_snapshot) {
    for_each_access(h, t, [&](const Access& a) { keys[raw(a.key)] = true; });
  }
  return keys;
}

std::vector<Placement> place_missing(const History& history, const Schedule& schedule, const SweepResult& swept,
                                     LevelFamily family, AddedOrder order, const Uncertain& uncertain) {
  if (schedule.missing_snapshot.empty()) return {};
  return PointPlacer(history, schedule, swept, family, order, uncertain).run();
}

std::vector<Finding> internal_findings(const History& h, TxnId t) {
  struct View {
    bool base_known = false;
    ValueId base = kNullValue;
    LocalRich own;
  };
  std::unordered_map<std::uint32_t, View> views;
  std::vector<Finding> findings;
  for_each_access(h, t, [&](const Access& a) {
    const auto [at, first] = views.try_emplace(raw(a.key));
    View& view = at->second;
    const bool on_top = !view.own.appended.empty() || view.own.is_counter;
    if (a.kind == OpKind::kAppend) {
      view.own.appended.push_back(a.value);
      return;
    }
    if (a.kind == OpKind::kIncrement) {
      view.own.is_counter = true;
      view.own.delta = static_cast<std::int64_t>(static_cast<std::uint64_t>(view.own.delta) +
                                                 static_cast<std::uint64_t>(h.values().integer(a.value)));
      return;
    }
    if (a.kind == OpKind::kRead && !first) {
      Rich base;
      if (view.base_known && on_top) make_rich(h.values(), view.base, view.own.is_counter, base);
      const bool right = !view.base_known ? ends_with_own(h.values(), a.value, view.own)
                         : on_top         ? shows(h.values(), a.value, base, &view.own)
                                          : a.value == view.base;
      if (!right) {
        Finding finding{Finding::Type::kInternal, true, on_top, t, 0, a.op, a.key, a.value, view.base, kNoTxn, {}, {}};
        if (on_top && view.base_known) finding.expected_text = text_of(h.values(), base, &view.own);
        findings.push_back(std::move(finding));
      }
    }
    view = View{true, a.value, {}};
  });
  return findings;
}

}  // namespace isolde::timeline
