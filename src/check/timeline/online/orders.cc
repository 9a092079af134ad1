#include <algorithm>

#include "check/timeline/online/engine.h"
#include "history/session_gaps.h"

namespace isolde::timeline {

// Requires: the transaction is of the chunk that is being taken.
Online::Latest& Online::session_of(TxnId txn) {
  std::uint32_t& number = held_->session[raw(held_->chunk->history.session(txn))];
  if (number == kNone32) number = session_number(held_->chunk->session(txn));
  return sessions_[number];
}

// SESSION by the client's own count. Aborted transactions and those of unknown outcome take a number, too.
void Online::check_number(std::uint32_t txn) {
  const TxnRecord& r = window_.at(txn);
  const std::int64_t sno = held_->chunk->history.sno(r.txn);
  numbered_ = numbered_ || sno != kNoTime;
  if (!numbered_) return;
  Latest& before = session_of(r.txn);
  if (is_numbered_apart(before.sno, sno)) report_gap(r, before.last, before.sno, sno);
  before.sno = sno;
  before.last = raw64(r.id);
}

// SESSION, and the client's clock. Those of one time stand in an order of ours, so what that breaks is left open.
void Online::check_orders(std::uint32_t txn) {
  TxnRecord& r = window_.at(txn);
  if (r.commit == kNoTime) return;
  const bool has_place = (r.flags & (kOpenPlace | kNoSnapshot)) == 0;
  Latest& before = session_of(r.txn);
  if (before.time != kNoTime) ++counts_.in_session;
  if (has_place && before.time != kNoTime) {
    if (before.time > r.start) {
      report_order(raw64(r.id), AnomalyKind::kSessionOrder, before.writer);
    } else if (before.time == r.start && before.order >= r.read_order && (serial_ || r.read_order != kStartRead)) {
      open_place(txn);
      say_tied(r);
      if (options_.ties != nullptr) options_.ties->tied(Fingerprint{before.writer});
    }
  }
  const bool is_later =
      before.time == kNoTime || r.commit > before.time || (r.commit == before.time && r.write_order >= before.order);
  if (is_later) {
    before.time = r.commit;
    before.writer = raw64(r.id);
    before.order = r.write_order;
  }
  if (level_.order != AddedOrder::kRealTime) return;
  check_clock(txn);
  if (!serial_ && (r.flags & kChained) != 0) check_clock_at_once(txn);
}

void Online::check_clock(std::uint32_t txn) {
  const TxnRecord& r = window_.at(txn);
  const History& h = held_->chunk->history;
  const bool has_place = (r.flags & (kOpenPlace | kNoSnapshot)) == 0;
  const std::int64_t begin = h.begin(r.txn);
  const std::int64_t end = h.end(r.txn);
  if (has_place && begin != kNoTime) {
    const auto before = clock_.latest_before(begin);
    if (before && before->commit > r.start) {
      report_order(raw64(r.id), AnomalyKind::kRealtimeOrder, before->writer);
    }
    clock_.add_began(begin, r.start, raw64(r.id));
  }
  if (end == kNoTime) return;
  bool any = false;
  clock_.for_each_too_early(end, r.commit, [&](std::uint64_t id) {
    if (id == raw64(r.id)) return;
    any = true;
    report_order(id, AnomalyKind::kRealtimeOrder, raw64(r.id));
  });
  if (any) {  // then others may be, too
    for (std::uint32_t t = window_.first(); t != txn; ++t) {
      const TxnRecord& other = window_.at(t);
      if (other.commit == kNoTime || (other.flags & (kOpenPlace | kNoSnapshot)) != 0 || other.start >= r.commit)
        continue;
      const std::int64_t began = window_.history(other).begin(other.txn);
      if (began != kNoTime && began > end) report_order(raw64(other.id), AnomalyKind::kRealtimeOrder, raw64(r.id));
    }
  }
  clock_.add_ended(end, r.commit, raw64(r.id));
}

// Snapshots: of those that start and commit at one time, one that had ended before another began may stand behind it.
void Online::check_clock_at_once(std::uint32_t txn) {
  const auto is_broken = [this](const TxnRecord& before, const TxnRecord& after) {
    if ((after.flags & (kOpenPlace | kNoSnapshot)) != 0) return false;
    const std::int64_t end = window_.history(before).end(before.txn);
    const std::int64_t begin = window_.history(after).begin(after.txn);
    if (end == kNoTime || begin == kNoTime || end >= begin) return false;
    return before.write_order > after.write_order ||
           (before.write_order == after.write_order && raw64(before.id) > raw64(after.id));
  };
  TimeChains::for_each_other(window_, txn, [&](std::uint32_t t) {
    const bool one = is_broken(window_.at(t), window_.at(txn));
    const bool other = is_broken(window_.at(txn), window_.at(t));
    if (one) open_place(txn);
    if (other) open_place(t);
    if (!one && !other) return;
    say_tied(window_.at(t));
    say_tied(window_.at(txn));
  });
}

// Transactions of one time whose order the timestamps leave open (check/timeline/schedule.h).
void Online::look_for_ties(std::uint32_t txn) {
  chains_.push(window_, txn);
  TxnRecord& r = window_.at(txn);
  bool tied = false;
  TimeChains::for_each_other(window_, txn, [&](std::uint32_t t) {
    TxnRecord& other = window_.at(t);
    if (other.write_order != r.write_order || (!serial_ && r.write_order == kStartRead)) return;
    const bool in_group = (other.flags & kOpenPlace) != 0;
    if (level_.order == AddedOrder::kNone && !in_group && !touch_each_other(r, other)) return;
    tied = true;
    open_place(t);
    say_tied(other);
  });
  if (!tied) return;
  open_place(txn);
  say_tied(r);
  // All of one time belong to the group, whomever they touch.
  TimeChains::for_each_other(window_, txn, [&](std::uint32_t t) {
    if (window_.at(t).write_order != r.write_order) return;
    open_place(t);
    say_tied(window_.at(t));
  });
}

void Online::say_tied(const TxnRecord& r) {
  if (options_.ties != nullptr) options_.ties->tied(r.id);
}

bool Online::touch_each_other(const TxnRecord& a, const TxnRecord& b) const {
  if (((a.flags | b.flags) & kPredicates) != 0) return true;
  const Chunk& ca = *window_.held(a).chunk;
  const Chunk& cb = *window_.held(b).chunk;
  bool touch = false;
  for_each_access(ca.history, a.txn, [&](const Access& x) {
    const Fingerprint key = ca.key(x.key);
    for_each_access(cb.history, b.txn, [&](const Access& y) {
      if (x.kind == OpKind::kRead && y.kind == OpKind::kRead) return;
      touch = touch || cb.key(y.key) == key;
    });
  });
  return touch;
}

}  // namespace isolde::timeline
