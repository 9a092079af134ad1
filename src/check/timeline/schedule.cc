#include "check/timeline/schedule.h"

#include <algorithm>
#include <unordered_map>

#include "base/radix_sort.h"
#include "check/accesses.h"
#include "check/timeline/seen.h"

namespace isolde::timeline {
namespace {

bool reads_anything(const History& h, TxnId t) {
  bool reads = false;
  for_each_access(h, t, [&](const Access& a) { reads = reads || a.kind == OpKind::kRead; });
  return reads;
}

// Whether one of the transactions reads or writes a key that another one writes.
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
  for (const TxnId t : txns) {
    for_each_access(h, t, [&](const Access& a) {
      const auto at = writer.find(raw(a.key));
      touch = touch || (at != writer.end() && at->second != t);
    });
  }
  return touch;
}

class Scheduler {
 public:
  Scheduler(const History& history, LevelFamily family, bool include_maybes)
      : h_(history), serial_(family == LevelFamily::kSerializable), include_maybes_(include_maybes) {}

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
    return std::move(s_);
  }

 private:
  [[nodiscard]] bool counts(std::uint32_t t) const { return s_.counts[t] == Counts::kYes; }
  void push(std::int64_t time, Event event) { timed_.push_back({order_preserving(time), event.word()}); }

  void collect_serial() {
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!counts(t)) continue;
      const std::int64_t time = commit_time(h_, TxnId{t});
      if (time != kNoTime) {
        push(time, Event::commit(TxnId{t}));
      } else if (writes_anything(h_, TxnId{t})) {
        s_.floating_writers.push_back(TxnId{t});
      } else {
        s_.missing_snapshot.push_back(TxnId{t});
      }
    }
  }

  // The sort is stable, so what is pushed first stands first among equal times: commits, instant writers, starts.
  void collect_snapshot() {
    std::vector<TxnId> instants;
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!counts(t)) continue;
      const TxnId txn{t};
      const std::int64_t start = h_.start_ts(txn);
      const std::int64_t commit = commit_time(h_, txn);
      if (start != kNoTime && commit != kNoTime) {
        if (start > commit) s_.start_after_commit.push_back(txn);
        if (start == commit) {
          instants.push_back(txn);
        } else {
          push(commit, Event::commit(txn));
        }
      } else if (commit != kNoTime) {
        if (reads_anything(h_, txn)) {
          s_.missing_snapshot.push_back(txn);
        } else {
          push(commit, Event::start(txn));
        }
        push(commit, Event::commit(txn));
      } else if (writes_anything(h_, txn)) {
        s_.floating_writers.push_back(txn);
      } else {
        s_.missing_snapshot.push_back(txn);
      }
    }
    std::vector<TxnId> instant_readers;
    for (const TxnId txn : instants) {
      if (!writes_anything(h_, txn)) {
        instant_readers.push_back(txn);
        continue;
      }
      push(h_.start_ts(txn), Event::start(txn));
      push(h_.start_ts(txn), Event::commit(txn));
      has_instant_writers_ = true;
    }
    for (const TxnId txn : instant_readers) {
      push(h_.start_ts(txn), Event::start(txn));
      push(h_.start_ts(txn), Event::commit(txn));
    }
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!counts(t)) continue;
      const std::int64_t start = h_.start_ts(TxnId{t});
      if (start != kNoTime && start != commit_time(h_, TxnId{t})) push(start, Event::start(TxnId{t}));
    }
  }

  // Serial order: all events of one time. Snapshots: the blocks of instant writers of one time.
  void find_ties() {
    if (!serial_ && !has_instant_writers_) return;
    std::vector<TxnId> members;
    for (std::size_t i = 0; i < timed_.size();) {
      std::size_t end = i + 1;
      while (end < timed_.size() && timed_[end].key == timed_[i].key) ++end;
      if (end - i > 1) {
        std::size_t first = i;
        std::size_t last = end;
        if (!serial_) {
          const auto is_instant_start = [&](std::size_t e) {
            const TxnId t = s_.events[e].txn();
            return !s_.events[e].is_commit() && e + 1 < end && s_.events[e + 1].txn() == t && writes_anything(h_, t) &&
                   h_.start_ts(t) == commit_time(h_, t);
          };
          while (first < end && !is_instant_start(first)) ++first;
          last = first;
          while (last + 1 < end && is_instant_start(last)) last += 2;
        }
        members.clear();
        for (std::size_t e = first; e < last; ++e) {
          if (s_.events[e].is_commit()) members.push_back(s_.events[e].txn());
        }
        if (members.size() > 1 && touch_each_other(h_, members)) {
          s_.ties.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first)});
        }
      }
      i = end;
    }
  }

  const History& h_;
  const bool serial_;
  const bool include_maybes_;
  bool has_instant_writers_ = false;
  std::vector<KeyedIndex> timed_;
  Schedule s_;
};

}  // namespace

Schedule make_schedule(const History& history, LevelFamily family, bool include_maybes) {
  return Scheduler(history, family, include_maybes).run();
}

bool writes_anything(const History& h, TxnId t) {
  for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
    const OpHead op = h.op(i);
    if (is_item_write(op.kind())) return true;
    if (op.kind() == OpKind::kUpdate && h.predicate(op.predicate()).item_count > 0) return true;
  }
  return false;
}

std::int64_t commit_time(const History& h, TxnId t) {
  const std::int64_t commit = h.commit_ts(t);
  if (commit != kNoTime || h.start_ts(t) == kNoTime || writes_anything(h, t)) return commit;
  return h.start_ts(t);
}

}  // namespace isolde::timeline
