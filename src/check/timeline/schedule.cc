#include "check/timeline/schedule.h"

#include <algorithm>
#include <unordered_map>

#include "base/radix_sort.h"
#include "check/accesses.h"
#include "check/timeline/seen.h"

namespace isolde::timeline {
namespace {

bool asks_predicates(const History& h, TxnId t) {
  for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
    if (is_predicate(h.op(i).kind())) return true;
  }
  return false;
}

class Scheduler {
 public:
  Scheduler(const History& history, LevelFamily family, AddedOrder order, Clock clock, bool include_maybes)
      : h_(history),
        serial_(family == LevelFamily::kSerializable),
        order_(order),
        clock_(clock),
        include_maybes_(include_maybes) {}

  Schedule run() {
    s_.counts = who_counts(h_);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (s_.counts[t] != Counts::kMaybe) continue;
      s_.maybes.push_back(TxnId{t});
      if (include_maybes_) s_.counts[t] = Counts::kYes;
    }
    timed_.reserve(serial_ ? h_.txn_count() : h_.txn_count() * std::size_t{2});
    if (serial_) {
      collect_serial();
    } else {
      collect_snapshot();
    }
    radix_sort(timed_);
    s_.events.resize(timed_.size());
    for (std::size_t i = 0; i < timed_.size(); ++i) {
      const TxnId txn{timed_[i].index >> 1};
      s_.events[i] = (timed_[i].index & 1) != 0 ? Event::commit(txn) : Event::start(txn);
    }
    find_ties();
    if (!s_.missing_snapshot.empty()) find_equal_commits();
    return std::move(s_);
  }

 private:
  [[nodiscard]] bool counts(std::uint32_t t) const { return s_.counts[t] == Counts::kYes; }
  void push(std::int64_t time, Event event) { timed_.push_back({order_preserving(time), event.word()}); }

  void collect_serial() {
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!counts(t)) continue;
      const std::int64_t time = serial_time(h_, TxnId{t}, clock_);
      if (time != kNoTime) {
        push(time, Event::commit(TxnId{t}));
      } else if (writes_anything(h_, TxnId{t})) {
        s_.floating_writers.push_back(TxnId{t});
      } else {
        s_.missing_snapshot.push_back(TxnId{t});
      }
    }
  }

  // The sort is stable, so what is pushed first stands first among equal times: commits; then those whose start is not
  // known, as blocks, since it may be as late as the commit; then writers that start and commit at that time, as
  // blocks; then the other starts.
  void collect_snapshot() {
    std::vector<TxnId> unknown_starts;
    std::vector<TxnId> instant_writers;
    std::vector<TxnId> instant_readers;
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!counts(t)) continue;
      const TxnId txn{t};
      const std::int64_t start = h_.start_ts(txn);
      const std::int64_t commit = commit_time(h_, txn);
      if (commit == kNoTime) {
        (writes_anything(h_, txn) ? s_.floating_writers : s_.missing_snapshot).push_back(txn);
      } else if (start == kNoTime) {
        if (reads_others(h_, txn)) s_.missing_snapshot.push_back(txn);
        unknown_starts.push_back(txn);
      } else if (start == commit) {
        (writes_anything(h_, txn) ? instant_writers : instant_readers).push_back(txn);
      } else {
        if (start > commit) s_.start_after_commit.push_back(txn);
        push(commit, Event::commit(txn));
      }
    }
    has_blocks_ = !unknown_starts.empty() || !instant_writers.empty();
    for (const auto* blocks : {&unknown_starts, &instant_writers, &instant_readers}) {
      for (const TxnId txn : *blocks) {
        const std::int64_t time = commit_time(h_, txn);
        if (h_.start_ts(txn) != kNoTime || !reads_others(h_, txn)) push(time, Event::start(txn));
        push(time, Event::commit(txn));
      }
    }
    // One that starts after its commit is reported as that; what it should have read nobody can say.
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!counts(t)) continue;
      const std::int64_t start = h_.start_ts(TxnId{t});
      const std::int64_t commit = commit_time(h_, TxnId{t});
      if (start != kNoTime && (commit == kNoTime || start < commit)) push(start, Event::start(TxnId{t}));
    }
  }

  // Which kind of block an event belongs to, among the events of its time.
  enum class Block : std::uint8_t { kNone, kUnknownStart, kInstantWriter };
  [[nodiscard]] Block block_of(std::size_t event) const {
    const TxnId t = s_.events[event].txn();
    const std::int64_t commit = commit_time(h_, t);
    if (commit == kNoTime || order_preserving(commit) != timed_[event].key) return Block::kNone;
    if (h_.start_ts(t) == kNoTime) return Block::kUnknownStart;
    return h_.start_ts(t) == commit && writes_anything(h_, t) ? Block::kInstantWriter : Block::kNone;
  }

  // Serial order: all events of one time. Snapshots: blocks of one kind and time, which stand together.
  void find_ties() {
    if (!serial_ && !has_blocks_) return;
    for (std::size_t i = 0; i < timed_.size();) {
      const Block block = serial_ ? Block::kNone : block_of(i);
      std::size_t end = i + 1;
      while (end < timed_.size() && timed_[end].key == timed_[i].key && (serial_ || block_of(end) == block)) ++end;
      if (end - i > 1 && (serial_ || block != Block::kNone)) add_tie(i, end);
      i = end;
    }
  }

  void find_equal_commits() {
    std::uint64_t last = 0;
    bool any = false;
    for (std::size_t i = 0; i < timed_.size(); ++i) {
      if (!s_.events[i].is_commit()) continue;
      s_.equal_commits = s_.equal_commits || (any && timed_[i].key == last);
      last = timed_[i].key;
      any = true;
    }
  }

  void add_tie(std::size_t first, std::size_t end) {
    std::vector<TxnId> members;
    for (std::size_t e = first; e < end; ++e) {
      if (s_.events[e].is_commit()) members.push_back(s_.events[e].txn());
    }
    if (members.size() > 1 && (order_ != AddedOrder::kNone || touch_each_other(h_, members))) {
      s_.ties.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first)});
    }
  }

  const History& h_;
  const bool serial_;
  const AddedOrder order_;
  const Clock clock_;
  const bool include_maybes_;
  bool has_blocks_ = false;
  std::vector<KeyedIndex> timed_;
  Schedule s_;
};

}  // namespace

Schedule make_schedule(const History& history, LevelFamily family, AddedOrder order, Clock clock, bool include_maybes) {
  return Scheduler(history, family, order, clock, include_maybes).run();
}

bool reads_others(const History& h, TxnId t) {
  bool reads = asks_predicates(h, t);
  for_each_access(h, t, [&](const Access& a) { reads = reads || a.kind == OpKind::kRead; });
  return reads;
}

bool touch_each_other(const History& h, std::span<const TxnId> txns) {
  std::unordered_map<std::uint32_t, TxnId> writer;
  bool touch = false;
  for (const TxnId t : txns) {
    for_each_access(h, t, [&](const Access& a) {
      if (a.kind == OpKind::kRead) return;
      const auto [at, fresh] = writer.emplace(raw(a.key), t);
      touch = touch || (!fresh && at->second != t);
    });
  }
  const bool asks = !h.columns().predicates.empty();
  for (const TxnId t : txns) {
    for_each_access(h, t, [&](const Access& a) {
      const auto at = writer.find(raw(a.key));
      touch = touch || (at != writer.end() && at->second != t);
    });
    touch = touch || (asks && asks_predicates(h, t) &&
                      std::any_of(writer.begin(), writer.end(), [t](const auto& w) { return w.second != t; }));
  }
  return touch;
}

bool writes_anything(const History& h, TxnId t) {
  for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
    const OpHead op = h.op(i);
    if (is_item_write(op.kind())) return true;
    if (op.kind() == OpKind::kUpdate && h.predicate(op.predicate()).item_count > 0) return true;
  }
  return false;
}

std::int64_t serial_time(const History& h, TxnId t, Clock clock) {
  return clock == Clock::kOrder ? h.order(t) : commit_time(h, t);
}

std::int64_t commit_time(const History& h, TxnId t) {
  const std::int64_t commit = h.commit_ts(t);
  if (commit != kNoTime || h.start_ts(t) == kNoTime || writes_anything(h, t)) return commit;
  return h.start_ts(t);
}

}  // namespace isolde::timeline
