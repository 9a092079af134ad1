// check/cycles/likely_versions.h: which version of each key a transaction seems to have looked at, by its snapshot or
// by the clocks.
//
// In, out: versions in their order -> for a transaction and a key the slots that may have been looked at, and the
//          likely one.
// Always:  a guess: all keys are taken at one moment, and what the transaction read tells whose commits it had seen.
// Cost:    a search in the versions of the key; those that may or may not have been seen are few.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "check/cycles/slots.h"
#include "check/cycles/trace.h"
#include "check/cycles/visible.h"
#include "history/commit_interval.h"

namespace isolde::graph {

// What tells the versions that were looked at.
enum class LookBy : std::uint8_t {
  kSnapshot,        // PostgreSQL's
  kFirstStatement,  // the clock: the state when the transaction's first statement was answered
  kLastStatement,   // the clock: the state when its last one was: with locks held until then
};

struct Span {
  std::int64_t from, to;
};

// When, by the client's clock, a statement was evaluated.
inline Span evaluated(const History& h, TxnId t, std::uint32_t op) {
  const History::Interval at = h.at(t, OpId{op});
  if (at.before != kNoTime) return {at.before, at.after};
  return {h.begin(t), h.end(t) == kNoTime ? std::numeric_limits<std::int64_t>::max() : h.end(t)};
}

// When, by the client's clock, it committed.
inline Span committed(const History& h, TxnId t) {
  std::int64_t from = h.commit_interval(t).before;
  if (from == kNoTime) {
    from = h.begin(t);
    if (h.first_op(t) != h.end_op(t)) {
      const History::Interval last = h.at(t, OpId{h.end_op(t) - 1});
      if (last.before != kNoTime) from = last.after;
    }
  }
  const std::int64_t to = commit_answered(h, t);
  return {from, to == kNoTime ? std::numeric_limits<std::int64_t>::max() : to};
}

inline std::int64_t middle(Span s) { return std::midpoint(s.from, s.to); }

inline std::uint32_t statement(const History& h, TxnId t, LookBy by) {
  return by == LookBy::kLastStatement ? h.end_op(t) - 1 : h.first_op(t);
}

// Which version of each key a transaction seems to have looked at: all of one state.
class Looks {
 public:
  Looks(const History& h, const Trace& trace, const Slots& slots, LookBy by)
      : h_(h), trace_(trace), slots_(slots), by_(by) {
    const std::size_t n = slots.size();
    over_.resize(n);
    begun_.resize(n);
    top_xid_.resize(by == LookBy::kSnapshot ? n : 0);
    for (std::uint32_t k = 0; k < h.key_count(); ++k) index(KeyId{k});
  }

  // Whether there is anything to go by.
  [[nodiscard]] bool knows(TxnId t) const {
    if (h_.first_op(t) == h_.end_op(t)) return false;
    return by_ == LookBy::kSnapshot ? h_.snapshot(t) != nullptr : h_.begin(t) != kNoTime;
  }

  // Requires: knows(t). The transaction that is asked about from here on.
  void enter(TxnId t) {
    txn_ = t;
    settled_.clear();
    if (by_ == LookBy::kSnapshot) return;
    when_ = evaluated(h_, t, statement(h_, t, by_));
    // What came before the first statement that is recorded may have asked for the snapshot.
    if (by_ == LookBy::kFirstStatement) when_.from = std::min(when_.from, h_.begin(t));
    moment_ = middle(when_);
    // What it read tells whose commits it saw.
    for (const TracedRead& read : trace_.reads_of(t)) {
      if (read.version == kNoVersion || slots_.kind(read.key) != KeyKind::kOrdered) continue;
      settle(read.key, slots_.of(read.version, read.key));
    }
  }

  // Slots from `first` to `last` may have been looked at; `likely` is the best guess.
  struct Range {
    Slot first, likely, last;
    bool unsure;  // by the clocks alone it may have been another
  };
  [[nodiscard]] Range at(KeyId key) const {
    if (by_ == LookBy::kSnapshot) return shown(key);
    Range range = possible(key);
    for (Slot s = range.last; s > range.first; --s) {
      if (seen(slots_.writer(s)) == Seen::kYes) range.first = s;
    }
    for (Slot s = range.last; s > range.first; --s) {
      if (seen(slots_.writer(s)) == Seen::kNo) range.last = s - 1;
    }
    range.likely = range.first;
    while (range.likely < range.last && is_likely_seen(slots_.writer(range.likely + 1))) ++range.likely;
    return range;
  }
  [[nodiscard]] bool is_likely_seen(TxnId writer) const { return middle(committed(h_, writer)) <= moment_; }
  // The moment whose state it saw, and other moments that it may have been: when somebody may have committed.
  [[nodiscard]] std::int64_t moment() const { return moment_; }
  void set_moment(std::int64_t moment) { moment_ = moment; }
  [[nodiscard]] std::vector<std::int64_t> other_moments() const {
    std::vector<std::int64_t> moments;
    if (by_ == LookBy::kSnapshot) return moments;
    moments.push_back(when_.from);
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      if (slots_.kind(KeyId{k}) != KeyKind::kOrdered) continue;
      const Range range = possible(KeyId{k});
      for (Slot s = range.first + 1; s <= range.last; ++s) moments.push_back(middle(committed(h_, slots_.writer(s))));
    }
    std::sort(moments.begin(), moments.end());
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
    return moments;
  }

  // It was this one: its writer and those before it were seen, those after it were not.
  void settle(KeyId key, Slot slot) {
    if (by_ == LookBy::kSnapshot) return;
    const Range range = possible(key);
    for (Slot s = range.first + 1; s <= range.last; ++s) {
      const TxnId writer = slots_.writer(s);
      if (writer != txn_ && seen(writer) == Seen::kMaybe)
        settled_.push_back({writer, s <= slot ? Seen::kYes : Seen::kNo});
    }
  }

  // Those of which it is not settled whether they were seen.
  void add_maybes(KeyId key, std::vector<TxnId>& writers) const {
    const Range range = at(key);
    for (Slot s = range.first + 1; s <= range.last; ++s) {
      const TxnId writer = slots_.writer(s);
      if (seen(writer) == Seen::kMaybe && std::find(writers.begin(), writers.end(), writer) == writers.end())
        writers.push_back(writer);
    }
  }
  // For a try: the other way round than is likely. undo() takes the last one back.
  void flip(TxnId writer) { settled_.push_back({writer, is_likely_seen(writer) ? Seen::kNo : Seen::kYes}); }
  void undo() { settled_.pop_back(); }

 private:
  enum class Seen : std::uint8_t { kMaybe, kYes, kNo };
  struct Settled {
    TxnId writer;
    Seen seen;
  };

  [[nodiscard]] Seen seen(TxnId writer) const {
    if (writer == txn_) return Seen::kNo;
    for (const Settled& s : settled_) {
      if (s.writer == writer) return s.seen;
    }
    return Seen::kMaybe;
  }

  void index(KeyId key) {
    const Slot begin = slots_.begin(key);
    const Slot end = slots_.end(key);
    begun_[begin] = over_[begin] = std::numeric_limits<std::int64_t>::min();
    for (Slot s = begin + 1; s < end; ++s) {
      const Span span = committed(h_, slots_.writer(s));
      begun_[s] = std::max(begun_[s - 1], span.from);
      over_[s] = span.to;
    }
    // Who overwrote it committed later: when that is over, so is this.
    for (Slot s = end - 1; s > begin + 1; --s) over_[s - 1] = std::min(over_[s - 1], over_[s]);
    if (top_xid_.empty()) return;
    top_xid_[begin] = std::numeric_limits<std::int64_t>::min();
    for (Slot s = begin + 1; s < end; ++s) {
      const Snapshot* const of = h_.snapshot(slots_.writer(s));
      top_xid_[s] = std::max(top_xid_[s - 1],
                             of == nullptr || of->has_xid == 0 ? std::numeric_limits<std::int64_t>::max() : of->xid);
    }
  }

  // The last slot of the key whose entry in an ascending column is at most `most`.
  [[nodiscard]] Slot last_at_most(const std::vector<std::int64_t>& column, KeyId key, std::int64_t most) const {
    const auto begin = column.begin() + slots_.begin(key);
    const auto end = column.begin() + slots_.end(key);
    return static_cast<Slot>(std::upper_bound(begin + 1, end, most) - column.begin()) - 1;
  }

  [[nodiscard]] Range possible(KeyId key) const {
    const Slot first = last_at_most(over_, key, when_.from);
    const Slot last = std::max(first, last_at_most(begun_, key, when_.to));
    return {first, first, last, first != last};
  }

  [[nodiscard]] Range shown(KeyId key) const {
    const Snapshot& s = *h_.snapshot(txn_);
    Slot slot = last_at_most(top_xid_, key, s.xmin - 1);
    while (slot + 1 < slots_.end(key) && is_visible(slots_.writer(slot + 1), s)) ++slot;
    return {slot, slot, slot, false};
  }
  [[nodiscard]] bool is_visible(TxnId writer, const Snapshot& in) const {
    const Snapshot* const of = h_.snapshot(writer);
    if (of == nullptr || of->has_xid == 0) return false;
    return graph::is_visible(h_, of->xid, in);
  }

  const History& h_;
  const Trace& trace_;
  const Slots& slots_;
  LookBy by_;
  // By slot, ascending within a key: when its commit was over, the latest that it can have begun, the highest xid.
  std::vector<std::int64_t> over_, begun_, top_xid_;
  TxnId txn_ = kNoTxn;
  Span when_{};
  std::int64_t moment_ = 0;
  std::vector<Settled> settled_;  // of the writers that may or may not have been seen: few
};

}  // namespace isolde::graph
